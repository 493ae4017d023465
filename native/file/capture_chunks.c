/* SPDX-License-Identifier: Apache-2.0
 * capture_chunks.c - see capture_chunks.h.
 */
#include "file/capture_chunks.h"
#include "file/pcap_read.h"

static void widen(struct ct_pcap_chunk *chunk, int64_t ts_ns) {
  if (ts_ns < chunk->first_ns) chunk->first_ns = ts_ns;
  if (ts_ns > chunk->last_ns) chunk->last_ns = ts_ns;
}

uint32_t ct_capture_chunks(const char *path, struct ct_pcap_chunk *out, uint32_t most,
                           enum ct_pcap_status *status) {
  int err = 0;
  uint64_t delta = 0, least = CT_CC_BYTES;
  struct ct_frame r = {0};
  uint32_t count = 0;
  struct ct_pcap *f = ct_pcap_open(path, status, &err);
  if (f == NULL) return 0;
  if (!ct_pcap_place(f, &delta) || most == 0) {
    ct_pcap_close(f);
    return 0;
  }
  if (ct_pcap_size(f) / least >= most) least = ct_pcap_size(f) / most + 1;
  for (uint64_t at = 0; (*status = ct_pcap_next(f, &r)) == CT_PCAP_RECORD; at = ct_pcap_position(f)) {
    struct ct_pcap_chunk *chunk = count == 0 ? NULL : &out[count - 1];
    if (count == 0 || (at - chunk->offset >= least && count < most)) {
      chunk = &out[count++];
      *chunk = (struct ct_pcap_chunk){.offset = at, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
    }
    widen(chunk, r.ts_ns);
    chunk->bytes = ct_pcap_position(f) - chunk->offset;
  }
  ct_pcap_close(f);
  return count;
}
