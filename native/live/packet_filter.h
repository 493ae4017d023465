/* SPDX-License-Identifier: Apache-2.0
 * packet_filter.h - the filter in the kernel in front of a live capture: eBPF, classic BPF, or none.
 *
 * Opening never fails: the best filter the kernel and the build allow is taken and `mode` and `why` say
 * which and why not a better one. With none, every frame is handed over and the answers are the same.
 */
#ifndef CALLTAP_PACKET_FILTER_H
#define CALLTAP_PACKET_FILTER_H
#include "../../bpf/packet_class.h"
#include "decode/packet.h"
#ifdef __cplusplus
extern "C" {
#endif

enum ct_filter_mode { CT_FILTER_NONE = 0, CT_FILTER_CLASSIC = 1, CT_FILTER_EBPF = 2 };

struct ct_filter_opts {
  const struct ct_gate *gate;
  struct ct_decode_opts decode;
  bool whole_frames;        /* payloads are retained or written: no frame is cut */
  enum ct_filter_link link; /* what all sockets have in common */
  enum ct_filter_mode best; /* take no better one than this; CT_FILTER_EBPF normally */
};

struct ct_packet_filter {
  enum ct_filter_mode mode;
  char why[320];               /* why no better one; empty for eBPF */
  void *program;               /* the loaded skeleton */
  struct sock_filter *classic; /* always built: a socket may refuse eBPF */
  uint16_t classic_len;
};

void ct_filter_open(struct ct_packet_filter *f, const struct ct_filter_opts *o);
void ct_filter_close(struct ct_packet_filter *f);
/* Put the filter on an unbound packet socket; a refusal steps `mode` down and says why. */
void ct_filter_attach(struct ct_packet_filter *f, int socket);
/* Say that SDP named these endpoints, or no longer does; each once. One thread at a time. Without eBPF nothing is
 * needed and nothing happens. Returns how many there is no room for. */
uint32_t ct_filter_media(struct ct_packet_filter *f, const struct ct_media_key *keys, uint32_t n, bool add);
/* The learned sockets of `gate` are others: from now on their ports pass. The classic program is another one then, and true
 * says that it must be attached anew. From the thread that attaches. */
bool ct_filter_learned(struct ct_packet_filter *f, const struct ct_gate *gate);
/* True when naming media takes CAP_BPF: kernels before 5.19 let nobody else touch a map, whoever made it. Tried, with
 * the calling thread's capabilities set aside for the moment. */
bool ct_filter_needs_cap(const struct ct_packet_filter *f);
/* Sum the per-CPU counts; false when the filter does not count (not eBPF). */
bool ct_filter_counts(const struct ct_packet_filter *f, struct ct_filter_count out[CT_F_COUNT]);
/* snake_case, for stats and metrics; NULL past the end. */
const char *ct_filter_class_name(uint32_t cls);
bool ct_filter_class_is_drop(uint32_t cls);
/* True when the addon was built with libbpf. */
bool ct_filter_has_ebpf(void);

#ifdef __cplusplus
}
#endif
#endif
