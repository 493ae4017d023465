/* SPDX-License-Identifier: Apache-2.0
 * pcap_answer.h - what reading a capture file to its end gave, for the tests of the reader.
 */
#ifndef CALLTAP_TEST_PCAP_ANSWER_H
#define CALLTAP_TEST_PCAP_ANSWER_H
#include "check.h"
#include "pcap_image.h"
#include "file/pcap_read.h"

struct answer {
  enum ct_pcap_status open, end;
  uint64_t n, sum; /* records, and the sum of all their bytes */
  struct ct_frame r[8];
};
static inline void read_all(struct ct_pcap *f, struct answer *a) {
  struct ct_frame r;
  while ((a->end = ct_pcap_next(f, &r)) == CT_PCAP_RECORD) {
    CHECK_EQ(r.ordinal, a->n);
    for (uint32_t i = 0; i < r.caplen; i++) a->sum += r.data[i];
    if (a->n < 8) a->r[a->n] = r;
    a->n++;
  }
  CHECK_EQ(ct_pcap_next(f, &r), a->end); /* the end stays the end */
}
static inline struct answer from_memory(const uint8_t *b, size_t n) {
  struct answer a = {.end = CT_PCAP_NOT_CAPTURE};
  uint8_t *exact = exact_copy(b, n);
  struct ct_pcap *f = ct_pcap_open_memory(exact, n, &a.open);
  if (f != NULL) read_all(f, &a);
  if (f != NULL && a.end == CT_PCAP_EOF && b[0] != 0x1f) CHECK_EQ(ct_pcap_position(f), n);
  ct_pcap_close(f);
  free(exact);
  return a;
}
static inline struct answer from_image(struct image *m) {
  struct answer a = from_memory(m->b, m->n);
  free(m->b);
  return a;
}

#endif
