/* Exponentials and logarithms of sixteen numbers at once, as many as a panel of a
 * quadrature has nodes, in vectors. Within 3 units of the last place, and the same bits
 * however long the processor's vectors are. */
#ifndef DPA_ACCOUNT_SIXTEEN_H
#define DPA_ACCOUNT_SIXTEEN_H

#define DPA_SIXTEEN 16

/* exp(x), and exp(x) - 1 without cancellation; those beyond exp(+-690) are held there.
 * `out` may be `x`. */
void dpa_exp16(const double *x, double *out);
void dpa_expm1_16(const double *x, double *out);

/* log(x), of positive normal numbers. */
void dpa_log16(const double *x, double *out);

#endif
