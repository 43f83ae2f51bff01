/* What the rules that solve a node's problem share: posing
 *
 *   argmin O(f) + (2 lambda + b)'f + eta sum_j ||(f_i + f_j) / 2 - f||^2
 *
 * with noise b, and sending a solution. */
#ifndef DPA_PRIMAL_H
#define DPA_PRIMAL_H

#include "rules/party.h"

/* The linear term without noise: 2 lambda - eta (V f_i + sum_j f_j). */
double dpa_primal_linear(const dpa_party *party, const dpa_order *order, size_t j);

/* Pose the problem to the node's solver, with noise of order->objective_scale from the
 * stream of `purpose`. DPA_CONTINUE when all is well. */
dpa_status dpa_primal_pose(dpa_party *party, const dpa_order *order,
                           dpa_purpose purpose);

/* message = the solver's point plus noise of order->output_scale. Overwrites linear. */
dpa_status dpa_primal_send(dpa_party *party, const dpa_order *order);

#endif
