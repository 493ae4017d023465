/* SPDX-License-Identifier: Apache-2.0
 * pcap_chunks.c - see pcap_chunks.h.
 */
#include "output/pcap_chunks.h"

void ct_pc_forget(struct ct_pcap_chunks *c) {
  c->first_ns = INT64_MAX;
  c->last_ns = INT64_MIN;
}

void ct_pc_init(struct ct_pcap_chunks *c) {
  pthread_mutex_init(&c->lock, NULL);
  ct_pc_forget(c);
}

/* False for a chunk of another file. */
static bool grows(struct ct_pcap_chunk *newest, const struct ct_pcap_chunk *by) {
  if (newest->number != by->number) return false;
  newest->bytes = by->offset + by->bytes - newest->offset;
  if (by->first_ns < newest->first_ns) newest->first_ns = by->first_ns;
  if (by->last_ns > newest->last_ns) newest->last_ns = by->last_ns;
  return true;
}

void ct_pc_written(struct ct_pcap_chunks *c, uint32_t number, uint64_t offset, uint64_t bytes, bool is_all) {
  const struct ct_pcap_chunk made = {offset, bytes, c->first_ns, c->last_ns, number};
  if (bytes > 0 && made.first_ns <= made.last_ns) {
    pthread_mutex_lock(&c->lock);
    struct ct_pcap_chunk *newest = c->count == 0 ? NULL : &c->chunk[(c->first + c->count - 1) % CT_PC_CHUNKS];
    if (c->count < CT_PC_CHUNKS)
      c->chunk[(c->first + c->count++) % CT_PC_CHUNKS] = made;
    else if (!grows(newest, &made))
      *newest = made; /* what its offset skips was not noted */
    pthread_mutex_unlock(&c->lock);
  }
  if (is_all) ct_pc_forget(c);
}

uint32_t ct_pc_take(struct ct_pcap_chunks *c, struct ct_pcap_chunk *out, uint32_t most) {
  pthread_mutex_lock(&c->lock);
  uint32_t taken = c->count < most ? c->count : most;
  for (uint32_t i = 0; i < taken; i++) out[i] = c->chunk[(c->first + i) % CT_PC_CHUNKS];
  c->first = (c->first + taken) % CT_PC_CHUNKS;
  c->count -= taken;
  pthread_mutex_unlock(&c->lock);
  return taken;
}
