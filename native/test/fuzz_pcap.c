/* SPDX-License-Identifier: Apache-2.0
 * fuzz_pcap.c - any bytes as a capture file: no crash, no read outside the input, bounded work.
 */
#include "check.h"
#include "file/pcap_read.h"

#define BATCH 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum ct_pcap_status st;
  struct ct_pcap *f = ct_pcap_open_memory(data, size, &st);
  if (f == NULL) {
    if (st != CT_PCAP_NOT_CAPTURE && st != CT_PCAP_EMPTY && st != CT_PCAP_IO) abort();
    return 0;
  }
  struct ct_frame r[BATCH];
  uint64_t n = 0;
  volatile uint8_t touched = 0;
  /* Inflate makes at most 1,032 bytes of one, and a record has at least 12. */
  const uint64_t most = (uint64_t)size * 1032 / 12 + 1;
  while ((st = ct_pcap_next(f, r)) == CT_PCAP_RECORD) {
    /* Some taken with it, as many as the input says: the way must not matter. */
    uint32_t got = 1 + ct_pcap_take(f, r + 1, data[n % size] % BATCH);
    for (uint32_t i = 0; i < got; i++) {
      if (r[i].ordinal != n++ || r[i].wirelen < r[i].caplen || n > most) abort();
      if (r[i].caplen > 0) touched = (uint8_t)(touched + r[i].data[0] + r[i].data[r[i].caplen - 1]);
    }
    if (ct_pcap_position(f) > size) abort();
  }
  if (ct_pcap_take(f, r, BATCH) != 0) abort();
  if (st < CT_PCAP_EOF || st > CT_PCAP_IO) abort();
  ct_pcap_close(f);
  return 0;
}
