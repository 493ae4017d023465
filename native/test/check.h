/* SPDX-License-Identifier: Apache-2.0
 * check.h - what every C test checks with: a failed check is told and counted, and the test goes on.
 */
#ifndef CALLTAP_CHECK_H
#define CALLTAP_CHECK_H
#include <math.h>
#include <stdio.h>

static unsigned checks, failures;

/* What is checked just now, for the checks of a table; said with each failure when it is set. */
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

/* The last line of a test, and its exit code. */
static inline int report(const char *what) {
  printf("%s: %u checks, %u failures\n", what, checks, failures);
  return failures != 0;
}

#endif
