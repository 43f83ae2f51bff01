/* The native routines and their numbers of arguments: the only list of them. */
#ifndef DPA_FFI_ROUTINES_H
#define DPA_FFI_ROUTINES_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include <Rinternals.h>

#define DPA_ROUTINES(X)                                                                \
  /* ffi_names.c */                                                                    \
  X(ffi_losses, 0)                                                                     \
  X(ffi_mechanisms, 0)                                                                 \
  X(ffi_penalties, 0)                                                                  \
  X(ffi_relays, 0)                                                                     \
  X(ffi_rules, 0)                                                                      \
  /* ffi_loss.c */                                                                     \
  X(ffi_loss, 4)                                                                       \
  X(ffi_loss_constants, 2)                                                             \
  X(ffi_penalty_values, 4)                                                             \
  X(ffi_prox, 4)                                                                       \
  /* ffi_network.c */                                                                  \
  X(ffi_components, 2)                                                                 \
  /* ffi_random.c */                                                                   \
  X(ffi_key, 1)                                                                        \
  X(ffi_key_forget, 1)                                                                 \
  X(ffi_key_party, 2)                                                                  \
  X(ffi_noise, 6)                                                                      \
  X(ffi_participation, 4)                                                              \
  X(ffi_permutation, 2)                                                                \
  X(ffi_release, 6)                                                                    \
  X(ffi_sample, 5)                                                                     \
  X(ffi_split, 2)                                                                      \
  X(ffi_walk, 3)                                                                       \
  /* ffi_map.c */                                                                      \
  X(ffi_file_map, 2)                                                                   \
  X(ffi_file_passed, 1)                                                                \
  X(ffi_file_read, 4)                                                                  \
  X(ffi_file_unmap, 1)                                                                 \
  X(ffi_memory_size, 0)                                                                \
  /* ffi_mask.c */                                                                     \
  X(ffi_mask, 5)                                                                       \
  /* ffi_sparse_vector.c */                                                            \
  X(ffi_sparse_vector, 3)                                                              \
  /* ffi_blas.c */                                                                     \
  X(ffi_blas_threads, 1)                                                               \
  /* ffi_run.c */                                                                      \
  X(ffi_run, 4)                                                                        \
  /* ffi_party.c */                                                                    \
  X(ffi_party_close, 1)                                                                \
  X(ffi_party_load, 2)                                                                 \
  X(ffi_party_open, 4)                                                                 \
  X(ffi_party_save, 2)                                                                 \
  X(ffi_party_share, 2)                                                                \
  X(ffi_party_step, 3)                                                                 \
  /* ffi_file.c */                                                                     \
  X(ffi_file_close, 1)                                                                 \
  X(ffi_file_create, 1)                                                                \
  X(ffi_file_identity, 1)                                                              \
  X(ffi_file_write, 3)                                                                 \
  /* ffi_operator.c */                                                                 \
  X(ffi_affine, 4)                                                                     \
  X(ffi_are_signs, 1)                                                                  \
  X(ffi_consensus_operator, 3)                                                         \
  X(ffi_gradient, 4)                                                                   \
  X(ffi_largest, 2)                                                                    \
  X(ffi_row_measure, 3)                                                                \
  X(ffi_row_products, 1)                                                               \
  X(ffi_shortening, 2)                                                                 \
  /* ffi_wire.c */                                                                     \
  X(ffi_boot, 1)                                                                       \
  X(ffi_wire_is, 1)                                                                    \
  X(ffi_wire_read, 1)                                                                  \
  X(ffi_wire_write, 1)                                                                 \
  /* ffi_words.c */                                                                    \
  X(ffi_words_check, 1)                                                                \
  X(ffi_words_sum, 1)                                                                  \
  /* ffi_audit.c */                                                                    \
  X(ffi_low_bits, 4)                                                                   \
  /* ffi_account.c */                                                                  \
  X(ffi_alike_groups, 5)                                                               \
  X(ffi_conversion, 4)                                                                 \
  X(ffi_gaussian, 3)                                                                   \
  X(ffi_loss_bins, 8)                                                                  \
  X(ffi_merge_atoms, 5)                                                                \
  X(ffi_step_atoms, 5)                                                                 \
  X(ffi_objective_pure, 3)                                                             \
  X(ffi_rdp_wang, 3)                                                                   \
  X(ffi_spherical_bins, 7)                                                             \
  X(ffi_spherical_lean, 2)                                                             \
  X(ffi_zcdp, 2)                                                                       \
  /* ffi_rows.c */                                                                     \
  X(ffi_group_sums, 3)                                                                 \
  X(ffi_row_groups, 3)                                                                 \
  X(ffi_row_kind, 1)                                                                   \
  /* ffi_ledger.c */                                                                   \
  X(ffi_row_ledgers, 3)                                                                \
  /* ffi_pure.c */                                                                     \
  X(ffi_gamma_bits, 2)                                                                 \
  X(ffi_pure_compose, 3)                                                               \
  X(ffi_pure_floors, 3)                                                                \
  /* ffi_renyi.c */                                                                    \
  X(ffi_renyi_divergences, 2)                                                          \
  X(ffi_renyi_units, 4)                                                                \
  X(ffi_renyi_orders, 4)

#define DPA_SEXPS_0 (void)
#define DPA_SEXPS_1 (SEXP)
#define DPA_SEXPS_2 (SEXP, SEXP)
#define DPA_SEXPS_3 (SEXP, SEXP, SEXP)
#define DPA_SEXPS_4 (SEXP, SEXP, SEXP, SEXP)
#define DPA_SEXPS_5 (SEXP, SEXP, SEXP, SEXP, SEXP)
#define DPA_SEXPS_6 (SEXP, SEXP, SEXP, SEXP, SEXP, SEXP)
#define DPA_SEXPS_7 (SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP)
#define DPA_SEXPS_8 (SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP)

#define DPA_DECLARE(name, arguments) SEXP name DPA_SEXPS_##arguments;
DPA_ROUTINES(DPA_DECLARE)

#endif
