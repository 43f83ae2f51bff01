/* The BLAS and LAPACK routines of the R this is built against. R's two headers declare
 * Fortran prototypes only: no R object comes with them. */
#ifndef DPA_BLAS_H
#define DPA_BLAS_H

#ifndef USE_FC_LEN_T
#define USE_FC_LEN_T
#endif
#include <Rconfig.h>

#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#ifndef FCONE
#define FCONE
#endif

#endif
