/* What the rules that solve a node's problem share: posing
 *
 *   argmin O(f) + (2 lambda + b)'f + eta sum_j ||(f_i + f_j) / 2 - f||^2
 *
 * with noise b, and sending a solution. */
#ifndef DPA_PRIMAL_H
#define DPA_PRIMAL_H

#include "rules/party.h"

/* Pose the problem to the node's solver: node->pull is its linear term without noise,
 * 2 lambda - eta (V f_i + sum_j f_j), cut to the norm order->reach, and noise of
 * order->objective_scale from the stream of `purpose` is added. DPA_CONTINUE when all
 * is well. */
dpa_status dpa_primal_pose(dpa_party *party, const dpa_order *order,
                           dpa_purpose purpose);

/* A step of the node's solver. */
dpa_status dpa_primal_advance(dpa_party *party);

/* message = the solver's point as it may be sent, with noise of order->output_scale. */
dpa_status dpa_primal_send(dpa_party *party, const dpa_order *order);

#endif
