/* SPDX-License-Identifier: Apache-2.0
 * pcap_block.c - reads pcapng blocks (draft-ietf-opsawg-pcapng s3, s4): sections, interfaces and the
 * three kinds of packet block; the rest is stepped over.
 *
 *   every block                Enhanced Packet (6), Packet (2)    Interface Description (1)
 *   0  type                    8  interface (2: u16, drops u16)    8  link type u16, reserved u16
 *   4  total length           12  timestamp high                  12  snaplen
 *   8  body                   16  timestamp low                   16  options
 *  -4  total length again     20  captured length
 *                             24  original length                 Simple Packet (3)
 *   options: code u16,        28  data, padded to 32 bits          8  original length
 *   length u16, value, pad        options                         12  data, padded
 */
#include "file/pcap_internal.h"
#include <stdlib.h>

#define BLOCK_MIN 12u
#define SHB_MIN 28u
#define IDB_MIN 20u
#define EPB_MIN 32u
#define SPB_MIN 16u
#define BYTE_ORDER_MAGIC 0x1a2b3c4du

enum { BLOCK_IDB = 1, BLOCK_PB = 2, BLOCK_SPB = 3, BLOCK_EPB = 6, BLOCK_SHB = 0x0a0d0d0a };
enum { OPT_END = 0, OPT_IF_TSRESOL = 9, OPT_IF_TSOFFSET = 14 };

__extension__ typedef unsigned __int128 u128;

/* Sets the byte order from the magic at offset 8 of a Section Header Block. */
static bool set_order(struct ct_pcap *f, const uint8_t *block) {
  uint32_t magic;
  memcpy(&magic, block + 8, sizeof(magic));
  f->swap = magic == __builtin_bswap32(BYTE_ORDER_MAGIC);
  return f->swap || magic == BYTE_ORDER_MAGIC;
}

bool ct_pcapng_open(struct ct_pcap *f, enum ct_pcap_status *status) {
  *status = CT_PCAP_NOT_CAPTURE;
  if (ct_input_need(&f->in, 12)) {
    if (!set_order(f, f->in.pos)) return false;
    if (ct_input_need(&f->in, 14)) return ct_pcap_u16(f, f->in.pos + 12) == 1; /* major version */
  }
  /* The block type is there and the file ends inside the header: a capture with nothing in it. */
  f->done = (uint8_t)(f->in.err != 0 ? CT_PCAP_IO : CT_PCAP_TRUNCATED);
  return true;
}

/* if_tsresol: bit 7 clear, 10^-n s; set, 2^-n s. Units finer than a nanosecond divide; beyond
 * 10^-28 s no 64-bit count reaches a nanosecond. */
static void set_resolution(struct ct_pcap_iface *i, uint8_t v) {
  uint8_t n = v & 0x7f;
  i->factor = 1;
  if ((v & 0x80) != 0) {
    i->unit = CT_TS_BINARY;
    i->factor = n;
    return;
  }
  i->unit = n <= 9 ? CT_TS_MUL : CT_TS_DIV;
  uint8_t steps = n <= 9 ? 9 - n : n - 9;
  if (steps > 19) {
    i->unit = CT_TS_BINARY;
    i->factor = 127; /* shifts every count to zero */
    return;
  }
  while (steps-- > 0) i->factor *= 10;
}

static int64_t saturated_seconds(int64_t s) {
  const int64_t most = INT64_MAX / 1000000000;
  if (s > most) return INT64_MAX;
  if (s < -most) return INT64_MIN;
  return s * 1000000000;
}

static void read_interface_options(const struct ct_pcap *f, struct ct_pcap_iface *i, const uint8_t *p,
                                   const uint8_t *end) {
  while (end - p >= 4) {
    uint16_t code = ct_pcap_u16(f, p), len = ct_pcap_u16(f, p + 2);
    p += 4;
    /* An option that leaves its block ends the list: the block's own length still holds. */
    if (code == OPT_END || len > end - p) return;
    if (code == OPT_IF_TSRESOL && len >= 1) set_resolution(i, p[0]);
    if (code == OPT_IF_TSOFFSET && len >= 8) i->offset_ns = saturated_seconds((int64_t)ct_pcap_u64(f, p));
    size_t step = (len + 3u) & ~3u;
    if (step > (size_t)(end - p)) return;
    p += step;
  }
}

static bool room_for_interface(struct ct_pcap *f) {
  if (f->n_ifs < f->cap_ifs) return true;
  if (f->cap_ifs >= CT_PCAP_MAX_INTERFACES) return false;
  uint32_t cap = f->cap_ifs == 0 ? 4 : f->cap_ifs * 2;
  struct ct_pcap_iface *ifs = realloc(f->ifs, cap * sizeof(*ifs));
  if (ifs == NULL) return false;
  f->ifs = ifs;
  f->cap_ifs = cap;
  return true;
}

static enum ct_pcap_status on_interface(struct ct_pcap *f, const uint8_t *b, uint32_t total) {
  if (total < IDB_MIN) return CT_PCAP_CORRUPT;
  /* Packets of an interface beyond the cap are handed out with CT_PCAP_LINK_NONE. */
  if (!room_for_interface(f)) return CT_PCAP_RECORD;
  struct ct_pcap_iface *i = &f->ifs[f->n_ifs++];
  *i = (struct ct_pcap_iface){.linktype = ct_pcap_u16(f, b + 8), .snaplen = ct_pcap_u32(f, b + 12)};
  set_resolution(i, 6); /* microseconds unless said otherwise */
  read_interface_options(f, i, b + 16, b + total - 4);
  return CT_PCAP_RECORD;
}

static enum ct_pcap_status on_section(struct ct_pcap *f, const uint8_t *b, uint32_t total) {
  if (total < SHB_MIN || ct_pcap_u16(f, b + 12) != 1) return CT_PCAP_CORRUPT;
  f->section += f->n_ifs > 0;
  f->n_ifs = 0; /* interfaces belong to their section */
  return CT_PCAP_RECORD;
}

/* Ticks of the interface as ns since the epoch; saturated, and then marked, where 64 bits end. */
static void set_time(const struct ct_pcap_iface *i, struct ct_frame *r, uint64_t ticks) {
  uint64_t ns;
  bool over = false;
  if (i->unit == CT_TS_MUL) {
    over = __builtin_mul_overflow(ticks, i->factor, &ns);
  } else if (i->unit == CT_TS_DIV) {
    ns = ticks / i->factor;
  } else {
    u128 wide = ((u128)ticks * 1000000000u) >> i->factor;
    over = wide > UINT64_MAX;
    ns = (uint64_t)wide;
  }
  if (over || ns > INT64_MAX) {
    over = true;
    ns = INT64_MAX;
  }
  r->ts_ns = (int64_t)ns;
  if (__builtin_add_overflow(r->ts_ns, i->offset_ns, &r->ts_ns)) {
    over = true;
    r->ts_ns = i->offset_ns < 0 ? INT64_MIN : INT64_MAX;
  }
  r->ts_invalid = over;
}

/* Each section numbers its interfaces from 0. */
static void set_interface(const struct ct_pcap *f, struct ct_frame *r, uint32_t index) {
  r->if_index = index ^ f->section << 16;
  r->linktype = index < f->n_ifs ? f->ifs[index].linktype : CT_PCAP_LINK_NONE;
}

static enum ct_pcap_status on_packet(struct ct_pcap *f, struct ct_frame *r, const uint8_t *b, uint32_t total,
                                     uint32_t index) {
  /* The captured bytes lie between the fixed part and the closing length. */
  if (total < EPB_MIN) return CT_PCAP_CORRUPT;
  uint32_t cap = ct_pcap_u32(f, b + 20), wire = ct_pcap_u32(f, b + 24);
  if (cap > total - EPB_MIN) return CT_PCAP_CORRUPT;
  r->data = b + 28;
  r->caplen = cap;
  r->wirelen = wire > cap ? wire : cap;
  uint64_t ticks = (uint64_t)ct_pcap_u32(f, b + 12) << 32 | ct_pcap_u32(f, b + 16);
  static const struct ct_pcap_iface undescribed = {.unit = CT_TS_MUL, .factor = 1000};
  set_interface(f, r, index);
  set_time(index < f->n_ifs ? &f->ifs[index] : &undescribed, r, ticks);
  f->last_ts_ns = r->ts_ns;
  return CT_PCAP_RECORD;
}

/* A simple packet is of interface 0 and has neither time nor captured length: it happened no
 * earlier than the packet before it, and is cut by the snaplen. */
static enum ct_pcap_status on_simple(struct ct_pcap *f, struct ct_frame *r, const uint8_t *b,
                                     uint32_t total) {
  if (total < SPB_MIN) return CT_PCAP_CORRUPT;
  uint32_t wire = ct_pcap_u32(f, b + 8), cap = wire;
  if (f->n_ifs > 0 && f->ifs[0].snaplen != 0 && cap > f->ifs[0].snaplen) cap = f->ifs[0].snaplen;
  if (cap > total - SPB_MIN) cap = total - SPB_MIN;
  r->data = b + 12;
  r->caplen = cap;
  r->wirelen = wire;
  set_interface(f, r, 0);
  r->ts_ns = f->last_ts_ns;
  r->ts_invalid = 1;
  return CT_PCAP_RECORD;
}

/* Total length of the block at pos when it can be one, else 0. */
static inline uint32_t block_length(const struct ct_pcap *f, const uint8_t *b) {
  uint32_t total = ct_pcap_u32(f, b + 4);
  return total < BLOCK_MIN || total % 4 != 0 || total > CT_INPUT_MAX ? 0 : total;
}

enum ct_pcap_status ct_pcapng_next(struct ct_pcap *f, struct ct_frame *r) {
  for (;;) {
    if (!ct_input_need(&f->in, BLOCK_MIN)) return ct_pcap_ran_out(f);
    const uint8_t *b = f->in.pos;
    uint32_t type = ct_pcap_u32(f, b); /* a section header reads the same in either order */
    if (type == BLOCK_SHB && !set_order(f, b)) return CT_PCAP_CORRUPT;
    uint32_t total = block_length(f, b);
    if (total == 0) return CT_PCAP_CORRUPT;
    if (!ct_input_need(&f->in, total)) return ct_pcap_ran_out(f);
    b = f->in.pos;
    if (ct_pcap_u32(f, b + total - 4) != total) return CT_PCAP_CORRUPT;
    enum ct_pcap_status st = CT_PCAP_RECORD;
    bool packet = true;
    switch (type) {
    case BLOCK_EPB: st = on_packet(f, r, b, total, ct_pcap_u32(f, b + 8)); break;
    case BLOCK_PB: st = on_packet(f, r, b, total, ct_pcap_u16(f, b + 8)); break;
    case BLOCK_SPB: st = on_simple(f, r, b, total); break;
    case BLOCK_SHB:
      packet = false;
      st = on_section(f, b, total);
      break;
    case BLOCK_IDB:
      packet = false;
      st = on_interface(f, b, total);
      break;
    default: packet = false; break;
    }
    if (st != CT_PCAP_RECORD) return st;
    f->in.pos = b + total;
    if (packet) return CT_PCAP_RECORD;
  }
}

bool ct_pcapng_will_refill(const struct ct_pcap *f) {
  size_t left = ct_input_left(&f->in);
  if (left < BLOCK_MIN) return true;
  uint32_t type = ct_pcap_u32(f, f->in.pos);
  /* Behind any other block the next packet may lie outside the buffer. */
  if (type != BLOCK_EPB && type != BLOCK_PB && type != BLOCK_SPB) return true;
  return ct_pcap_u32(f, f->in.pos + 4) > left;
}
