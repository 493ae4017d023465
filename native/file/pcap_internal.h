/* SPDX-License-Identifier: Apache-2.0
 * pcap_internal.h - the reader's own state, shared by pcap_read.c (classic) and pcap_block.c (pcapng).
 */
#ifndef CALLTAP_PCAP_INTERNAL_H
#define CALLTAP_PCAP_INTERNAL_H
#include "core/frame.h"
#include "file/pcap_input.h"
#include "file/pcap_status.h"
#include <stdbool.h>
#include <string.h>

#define CT_PCAP_MAX_RECORD CT_INPUT_MAX
#define CT_PCAP_MAX_INTERFACES 65536u
/* Link type of a packet whose interface was never described (or is beyond the cap): no decoder
 * has it, so the packet is counted as such and not lost. */
#define CT_PCAP_LINK_NONE UINT32_MAX

enum ct_pcap_format { CT_FMT_CLASSIC, CT_FMT_NG };
enum ct_ts_unit { CT_TS_MUL, CT_TS_DIV, CT_TS_BINARY };

/* One Interface Description Block. `factor` is by unit: ns a tick, ticks a ns, or the exponent of 2. */
struct ct_pcap_iface {
  uint64_t factor;
  int64_t offset_ns;
  uint32_t snaplen;
  uint16_t linktype;
  uint8_t unit; /* enum ct_ts_unit */
};

struct ct_pcap {
  struct ct_input in;
  struct ct_pcap_iface *ifs;
  uint32_t n_ifs, cap_ifs;
  uint64_t ordinal;
  int64_t last_ts_ns;
  uint32_t linktype; /* classic */
  uint32_t section;  /* pcapng: sections behind the first */
  uint8_t header_len;
  uint8_t format; /* enum ct_pcap_format */
  uint8_t done;   /* enum ct_pcap_status that ended the file, CT_PCAP_RECORD while open */
  bool swap;      /* of the file, or of the current section */
  bool nanosecond;
  bool lengths_swapped, lengths_sorted; /* quirks of versions before 2.4 */
};

static inline uint16_t ct_pcap_u16(const struct ct_pcap *f, const uint8_t *p) {
  uint16_t v;
  memcpy(&v, p, sizeof(v));
  return f->swap ? __builtin_bswap16(v) : v;
}
static inline uint32_t ct_pcap_u32(const struct ct_pcap *f, const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, sizeof(v));
  return f->swap ? __builtin_bswap32(v) : v;
}
static inline uint64_t ct_pcap_u64(const struct ct_pcap *f, const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, sizeof(v));
  return f->swap ? __builtin_bswap64(v) : v;
}

/* Why the bytes ran out. */
static inline enum ct_pcap_status ct_pcap_ran_out(const struct ct_pcap *f) {
  if (f->in.err != 0) return CT_PCAP_IO;
  return f->in.cut || ct_input_left(&f->in) > 0 ? CT_PCAP_TRUNCATED : CT_PCAP_EOF;
}

/* pcap_block.c. Checks the first Section Header Block (already known by its type). */
bool ct_pcapng_open(struct ct_pcap *f, enum ct_pcap_status *status);
enum ct_pcap_status ct_pcapng_next(struct ct_pcap *f, struct ct_frame *r);
/* False when the block under the cursor is a packet's and lies whole in the buffer. */
bool ct_pcapng_will_refill(const struct ct_pcap *f);
#endif
