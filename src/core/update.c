#include "update.h"

const dpa_update *const dpa_updates[] = {
    &dpa_update_exact,
    &dpa_update_recycled,
    &dpa_update_plausible,
    &dpa_update_sparse_vector,
};
const size_t dpa_updates_count = sizeof dpa_updates / sizeof *dpa_updates;
