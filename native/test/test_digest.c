/* SPDX-License-Identifier: Apache-2.0
 * test_digest.c - several runs of bytes digested side by side give what each gives alone.
 */
#include "check.h"
#include "core/digest.h"

#define JOBS 24u
#define LONGEST 300u

/* Vectors of draft-eastlake-fnv, appendix C. */
static void vectors(void) {
  CHECK(ct_fnv1a64((const uint8_t *)"", 0) == 0xcbf29ce484222325u);
  CHECK(ct_fnv1a64((const uint8_t *)"a", 1) == 0xaf63dc4c8601ec8cu);
  CHECK(ct_fnv1a64((const uint8_t *)"foobar", 6) == 0x85944171f73967e8u);
}

/* Each run in memory of its own, so that a byte read after it is seen. */
static void side_by_side(uint32_t n) {
  uint8_t *bytes[JOBS];
  uint64_t got[JOBS];
  struct ct_digest_job job[JOBS] = {0};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t len = below(4) == 0 ? below(3) : below(LONGEST);
    bytes[i] = malloc(len > 0 ? len : 1);
    if (bytes[i] == NULL) abort();
    for (uint32_t k = 0; k < len; k++) bytes[i][k] = (uint8_t)below(256);
    got[i] = 1;
    job[i] = (struct ct_digest_job){bytes[i], len, &got[i]};
  }
  ct_fnv1a64_jobs(job, n);
  for (uint32_t i = 0; i < n; i++) {
    CHECK(got[i] == ct_fnv1a64(bytes[i], job[i].len));
    free(bytes[i]);
  }
}

int main(void) {
  vectors();
  for (uint32_t round = 0; round < 200; round++)
    for (uint32_t n = 0; n <= JOBS; n++) side_by_side(n);
  return report("digest");
}
