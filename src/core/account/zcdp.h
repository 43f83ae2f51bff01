/* Zero-concentrated differential privacy: divergences of at most rho times the order
 * (Bun and Steinke 2016). */
#ifndef DPA_ACCOUNT_ZCDP_H
#define DPA_ACCOUNT_ZCDP_H

/* The least epsilon at a delta, rounded outward: conversion.h at the best order.
 * Infinite where rho >= 0 is out of range. */
double dpa_zcdp_epsilon(double rho, double log_delta);

#endif
