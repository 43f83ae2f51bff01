/* Where the states of a party's users are kept (start u = 0 everywhere). All three are
 * one algorithm:
 *
 * - DENSE: u, one column of d a user. Needed when every user has noise of its own,
 *   several records, or a clipped step.
 * - SHARED: one record a user, no noise of its own, all active: u_i = w + c_i a_i with
 *   one w for all: a number a user. A round is one pass over the records.
 * - TRACED: the same with some users active: w_i is a combination of the z of the
 *   rounds i took part in, with weights 2 lambda (1 - 2 lambda)^j for the j-th last, so
 *   the last few rounds, as many as doubles can tell apart, give it exactly: for lambda
 *   = 1/2 the last one alone. Their numbers, c_i and a_i'u_i are kept. */
#ifndef DPA_STORE_H
#define DPA_STORE_H

#include "data/penalty.h"
#include "rules/party.h"

/* Sets store and depth from public numbers. own_noise: some user has noise of its own;
 * some: not all users take part in every round; one: one user at a time. */
void dpa_store_choose(dpa_users *users, size_t d, double lambda, int own_noise,
                      int some, int one, double step_bound);

extern const char *const dpa_store_names[];

/* The bound on the norm of a user's gradient: order->clip, and where it is the step
 * that is shortened later, a number that leaves room for that. */
double dpa_users_bound(const dpa_order *order);

/* What is left of a derivative so that its size times the norm of the record is at most
 * that bound, and gamma times it within range however small the norm. */
double dpa_users_clip(const dpa_order *order, double derivative, double norm);

/* The change of the loss's derivative that the proximal step of user i asks for, with
 * a_i'v = target, clipped. */
double dpa_users_derivative(dpa_party *party, const dpa_order *order, size_t i,
                            double target);

/* Whether a solver's answer is one. */
int dpa_users_solved(dpa_status status, const double *f, size_t d);

/* The gradient of user i at z, each record's clipped: what a private run takes where
 * records are so large that their proximal step cannot be solved in doubles. No error,
 * which would tell of such records; to the guarantee any vector within the bound will
 * do.
 */
void dpa_users_gradient(const dpa_party *party, const dpa_order *order, size_t i,
                        double *out);

/* One round of a SHARED or TRACED store. */
void dpa_shared_round(dpa_party *party, const dpa_order *order);
void dpa_traced_round(dpa_party *party, const dpa_order *order);

/* One application of the operator whose fixed points the iteration seeks, at states u
 * (d x users): out = R(u) = 2 x - 2 z + u, so that u + lambda (R(u) - u) is one round.
 */
dpa_status dpa_prox_operator(dpa_party *party, const dpa_order *order,
                             const dpa_penalty *penalty, const double *parameter,
                             const double *u, double *out);

/* Add x to the sum of the users' states, which is the message: what rounding
 * takes from the sum is kept (Knuth's two-sum), so it does not grow with the rounds. */
void dpa_users_add(dpa_party *party, const double *x);

#endif
