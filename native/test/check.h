/* SPDX-License-Identifier: Apache-2.0
 * check.h - what every C test and fuzz target checks with: a failed check is printed and counted, and the test continues.
 */
#ifndef CALLTAP_CHECK_H
#define CALLTAP_CHECK_H
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((unused)) static _Atomic unsigned checks, failures; /* also of threads of a test */

/* What a table checks at the moment; each failure prints it when it is set. */
__attribute__((unused)) static const char *subject = "";

#define CHECK_FAILED(format, ...)                                                                            \
  do {                                                                                                       \
    failures++;                                                                                              \
    fprintf(stderr, "%s:%d: %s%s%s: " format "\n", __FILE__, __LINE__, __func__, *subject ? ": " : "",       \
            subject, __VA_ARGS__);                                                                           \
  } while (0)

#define CHECK(cond)                                                                                          \
  do {                                                                                                       \
    checks++;                                                                                                \
    if (!(cond)) CHECK_FAILED("not so: %s", #cond);                                                          \
  } while (0)

#define CHECK_EQ(got, want)                                                                                  \
  do {                                                                                                       \
    long long g_ = (long long)(got), w_ = (long long)(want);                                                 \
    checks++;                                                                                                \
    if (g_ != w_) CHECK_FAILED("%s is %lld, want %lld", #got, g_, w_);                                       \
  } while (0)

#define CHECK_NEAR(got, want, tol)                                                                           \
  do {                                                                                                       \
    double g_ = (got), w_ = (want);                                                                          \
    checks++;                                                                                                \
    if (!(fabs(g_ - w_) <= (tol))) CHECK_FAILED("%s is %g, want %g", #got, g_, w_);                          \
  } while (0)

/* For fuzz targets: ends the run. */
#define ASSERT(cond)                                                                                         \
  do {                                                                                                       \
    if (!(cond)) __builtin_trap();                                                                           \
  } while (0)
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* A copy in an allocation of exactly n bytes, so that the sanitizer sees a read beyond them. */
static inline uint8_t *exact_copy(const void *d, size_t n) {
  uint8_t *copy = malloc(n ? n : 1);
  if (copy == NULL) abort();
  if (n) memcpy(copy, d, n);
  return copy;
}

/* Numbers that look random and are the same in each run: xorshift. */
__attribute__((unused)) static uint64_t rng_state = 88172645463325252u;
static inline uint32_t rnd(void) {
  rng_state ^= rng_state << 13;
  rng_state ^= rng_state >> 7;
  rng_state ^= rng_state << 17;
  return (uint32_t)(rng_state >> 32);
}
static inline uint32_t below(uint32_t n) { return rnd() % n; }

/* The last line of a test, and its exit code. */
static inline int report(const char *what) {
  printf("%s: %u checks, %u failures\n", what, checks, failures);
  return failures != 0;
}

#endif
