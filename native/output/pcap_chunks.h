/* SPDX-License-Identifier: Apache-2.0
 * pcap_chunks.h - where in a written file which time lies: a chunk is one write of up to 256 KiB of whole records.
 *
 * The writer notes a chunk when it has written it. Another thread takes them out, and waits for no disk. Where nobody takes
 * them the newest chunk of a file grows, so that the list stays true.
 */
#ifndef CALLTAP_PCAP_CHUNKS_H
#define CALLTAP_PCAP_CHUNKS_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_PC_CHUNKS 1024u /* that wait to be taken */

struct ct_pcap_chunk {
  uint64_t offset, bytes; /* in the file of this number */
  int64_t first_ns, last_ns;
  uint32_t number; /* of a split, as in its name */
};

struct ct_pcap_chunks {
  pthread_mutex_t lock;
  uint32_t first, count;
  struct ct_pcap_chunk chunk[CT_PC_CHUNKS];
  int64_t first_ns, last_ns; /* of the frames that are in the buffer; of the writer alone */
};

void ct_pc_init(struct ct_pcap_chunks *c);
/* A frame of this time is in the buffer. */
static inline void ct_pc_frame(struct ct_pcap_chunks *c, int64_t ts_ns) {
  if (ts_ns < c->first_ns) c->first_ns = ts_ns;
  if (ts_ns > c->last_ns) c->last_ns = ts_ns;
}
/* So many bytes of the buffer are written. `is_all`: nothing is left in it. */
void ct_pc_written(struct ct_pcap_chunks *c, uint32_t number, uint64_t offset, uint64_t bytes, bool is_all);
/* Nothing is in the buffer any more. */
void ct_pc_forget(struct ct_pcap_chunks *c);
/* Takes out at most `most`, the oldest first; how many. */
uint32_t ct_pc_take(struct ct_pcap_chunks *c, struct ct_pcap_chunk *out, uint32_t most);

#ifdef __cplusplus
}
#endif
#endif
