/* Rules: what a party does with its records in one round. One rule a file; the table in
 * rule.c is the only list of them. A rule sees one party and the order of its step. It
 * knows neither the network nor any accountant. `begin` poses the step; `advance` is
 * called until it stops answering DPA_CONTINUE, and then party->message is what the
 * party sends. */
#ifndef DPA_RULE_H
#define DPA_RULE_H

#include "rules/party.h"

/* What the rules that can alternate in one run share: the party's state, and its work
 * space. */
typedef struct dpa_layout {
  const char *name;
  /* Take the state (plain numbers: it is saved as it lies), what makes the next step
   * faster, and work space, which for nodes holds nothing from round to round. */
  void (*place_state)(dpa_party *party, dpa_arena *arena);
  void (*place_cache)(dpa_party *party, dpa_arena *arena);
  void (*place_room)(dpa_party *party, dpa_arena *arena);
  /* Before the first round. */
  void (*start)(dpa_party *party);
  /* What came in after a round; last: the order of that round, NULL before the first.
   */
  void (*receive)(dpa_party *party, const dpa_order *last, const double *inbox);
  /* Before a cache is saved, and after state (and cache) have been loaded; resume
   * answers whether they can be. */
  void (*keep)(dpa_party *party);
  int (*resume)(dpa_party *party, int with_cache);
} dpa_layout;

#define DPA_DRAWS_OBJECTIVE 1
#define DPA_DRAWS_OUTPUT 2

typedef struct dpa_rule {
  const char *name;
  const dpa_layout *layout; /* NULL: any that has a point, see dpa_rule_fits() */
  int reads_records;
  int draws; /* of which of the order's scales it draws noise: DPA_DRAWS_* added up */
  dpa_status (*begin)(dpa_party *party, const dpa_order *order);
  dpa_status (*advance)(dpa_party *party, const dpa_order *order);
} dpa_rule;

extern const dpa_layout dpa_layout_node, dpa_layout_users, dpa_layout_holder;

extern const dpa_rule dpa_rule_exact, dpa_rule_recycled, dpa_rule_plausible,
    dpa_rule_sparse_vector, dpa_rule_prox, dpa_rule_gradient, dpa_rule_block,
    dpa_rule_curvature, dpa_rule_scores;

/* Whether what it sends is a model, or a step of one; else it is a moment of the
 * records at a model that stays. */
int dpa_rule_moves(const dpa_rule *rule);

/* Whether a party of this layout can follow it. */
int dpa_rule_fits(const dpa_rule *rule, const dpa_layout *layout);

/* The rules in their order, and how many there are. */
extern const dpa_rule *const dpa_rules[];
extern const size_t dpa_rules_count;

#endif
