/* SPDX-License-Identifier: Apache-2.0
 * fuzz_selection.c - any bytes as frames against a selection that has flows of both versions. Input: per frame its link type,
 * its length and the bytes; the selection sees all of them, so that fragments meet.
 */
#include "check.h"
#include "file/selection.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint64_t key[2] = {1, 2};
  static const double numbers[] = {0, 3};
  static const uint8_t link[4] = {1, 101, 113, 228};
  const struct ct_flow flows[] = {
      {.a = {10, 0, 0, 1}, .b = {10, 0, 0, 2}, .a_port = 20000, .b_port = 30000, .version = 4, .to_us = 1e18},
      {.a = {[15] = 1}, .b = {[15] = 2}, .a_port = 20000, .b_port = 30000, .version = 6, .is_control = 1, .to_us = 1e18},
  };
  const struct ct_decode_opts o = {.esp_null = true};
  struct ct_selection *s = ct_selection_create(1, flows, COUNT(flows), key);
  ASSERT(s != NULL);
  ct_selection_set_numbers(s, 0, numbers, COUNT(numbers));
  size_t at = 0;
  for (uint64_t ordinal = 0; at + 2 < size; ordinal++) {
    const uint32_t linktype = link[data[at] & 3];
    size_t n = data[at + 1];
    at += 2;
    if (n > size - at) n = size - at;
    uint8_t *bytes = exact_copy(data + at, n);
    struct ct_frame f = {.data = bytes, .caplen = (uint32_t)n, .wirelen = (uint32_t)n + 9, .linktype = linktype,
                         .ordinal = ordinal, .ts_ns = (int64_t)ordinal};
    enum ct_taken taken = ct_selection_take(s, 0, &f, &o);
    ASSERT((taken == CT_TAKEN_BY_NUMBER) == (ordinal == 0 || ordinal == 3));
    free(bytes);
    at += n;
  }
  ASSERT(ct_selection_missing(s) <= 2);
  ct_selection_free(s);
  return 0;
}
