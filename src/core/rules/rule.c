#include "rules/rule.h"

const dpa_rule *const dpa_rules[] = {
    &dpa_rule_exact,         &dpa_rule_recycled,  &dpa_rule_plausible,
    &dpa_rule_sparse_vector, &dpa_rule_prox,      &dpa_rule_gradient,
    &dpa_rule_block,         &dpa_rule_curvature, &dpa_rule_scores,
};
const size_t dpa_rules_count = sizeof dpa_rules / sizeof *dpa_rules;

int dpa_rule_moves(const dpa_rule *rule) {
  return rule != &dpa_rule_curvature && rule != &dpa_rule_scores;
}

int dpa_rule_fits(const dpa_rule *rule, const dpa_layout *layout) {
  return rule->layout ? rule->layout == layout : layout != &dpa_layout_users;
}
