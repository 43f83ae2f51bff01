/* From a Renyi divergence to a guarantee (Canonne, Kamath and Steinke 2020, Proposition
 * 12). Each is rounded outward: terms can cancel, so that the error is relative to
 * them. `s` is the order less one. */
#ifndef DPA_ACCOUNT_CONVERSION_H
#define DPA_ACCOUNT_CONVERSION_H

/* Epsilon at one order, before it is kept from being negative. */
double dpa_conversion(double s, double rdp, double log_delta);

/* The largest divergence whose epsilon, by the above, is at most `epsilon`; negative
 * where there is none. */
double dpa_conversion_inverse(double s, double epsilon, double log_delta);

/* Log of delta at one order. */
double dpa_conversion_log_delta(double s, double rdp, double epsilon);

#endif
