/* Two versions of a function where the loader can choose between them: one is for
 * processors with wide vectors. Neither fuses a product with a sum, so both give the
 * same bits. Needs a header of the C library before it, to know which one that is.
 * clang before 18 gives the chosen version another name than its callers know. */
#ifndef DPA_CLONES_H
#define DPA_CLONES_H

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                \
    defined(__has_attribute)
#if __has_attribute(target_clones)
#define DPA_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef DPA_CLONES
#define DPA_CLONES
#endif

/* Of whole numbers alone, where there is nothing to fuse: a third one, whose vectors
 * can be rotated. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                \
    defined(__GNUC__) && __GNUC__ >= 12
#define DPA_WORD_CLONES                                                                \
  __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define DPA_WORD_CLONES DPA_CLONES
#endif

/* Part of each function that calls it: what is constant there is constant here. */
#ifdef __GNUC__
#define DPA_INLINE static inline __attribute__((always_inline))
#else
#define DPA_INLINE static inline
#endif

#endif
