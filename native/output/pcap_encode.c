/* SPDX-License-Identifier: Apache-2.0
 * pcap_encode.c - see pcap_encode.h.
 */
#include "output/pcap_encode.h"
#include <string.h>

#define SECOND_NS 1000000000ull
#define SNAPLEN 262144u
#define PCAP_HEADER 24u
#define PCAP_RECORD 16u
#define NG_SECTION 44u /* no section length, shb_userappl "calltap" */
#define NG_INTERFACE 32u
#define NG_PACKET 32u /* an enhanced packet block but for the data */
#define NG_LEAST 12u  /* a block with nothing in it */
#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET 6u
#define NG_COMMENT 8u /* opt_comment and opt_endofopt but for the text */
_Static_assert(PCAP_HEADER <= CT_PE_EXTRA && NG_INTERFACE <= CT_PE_EXTRA, "CT_PE_EXTRA holds either");
_Static_assert(CT_PE_OVERHEAD >= CT_PE_EXTRA + NG_PACKET, "CT_PE_OVERHEAD holds both");

static void put16(struct ct_pcap_encoder *e, uint16_t v) {
  memcpy(e->buffer + e->used, &v, 2);
  e->used += 2;
}
static void put32(struct ct_pcap_encoder *e, uint32_t v) {
  memcpy(e->buffer + e->used, &v, 4);
  e->used += 4;
}
static uint32_t padded(uint32_t n) { return (n + 3u) & ~3u; }
static uint32_t comment_length(const char *comment) {
  return (uint32_t)strnlen(comment, CT_PE_COMMENT - NG_COMMENT);
}

/* Bytes, and zeros up to a multiple of four. */
static void put_padded(struct ct_pcap_encoder *e, const void *from, uint32_t n) {
  if (n > 0) memcpy(e->buffer + e->used, from, n);
  memset(e->buffer + e->used + n, 0, padded(n) - n);
  e->used += padded(n);
}

/* | magic | 2 | 4 | 0 | 0 | snaplen | link type | */
static void put_pcap_header(struct ct_pcap_encoder *e, uint32_t linktype) {
  e->has_header = true;
  put32(e, 0xa1b23c4d);
  put16(e, 2);
  put16(e, 4);
  put32(e, 0);
  put32(e, 0);
  put32(e, SNAPLEN);
  put32(e, linktype);
}

/* | type | length | byte order | 1 | 0 | section length unknown | options | length | */
static void put_section(struct ct_pcap_encoder *e) {
  put32(e, BLOCK_SECTION);
  put32(e, NG_SECTION);
  put32(e, 0x1a2b3c4d);
  put16(e, 1);
  put16(e, 0);
  put32(e, UINT32_MAX);
  put32(e, UINT32_MAX);
  put16(e, 4); /* shb_userappl */
  put16(e, 7);
  memcpy(e->buffer + e->used, "calltap\0", 8);
  e->used += 8;
  put32(e, 0); /* opt_endofopt */
  put32(e, NG_SECTION);
}

/* | type | length | link type | 0 | snaplen | if_tsresol 9 | end | length | */
static void put_interface(struct ct_pcap_encoder *e, uint32_t linktype) {
  put32(e, BLOCK_INTERFACE);
  put32(e, NG_INTERFACE);
  put16(e, (uint16_t)linktype);
  put16(e, 0);
  put32(e, SNAPLEN);
  put16(e, 9);
  put16(e, 1);
  put32(e, 9); /* one byte and its padding: 10^-9 s */
  put32(e, 0);
  put32(e, NG_INTERFACE);
}

void ct_pe_begin(struct ct_pcap_encoder *e, bool is_ng) {
  e->is_ng = is_ng;
  e->has_header = false;
  e->n_linktypes = e->used = 0;
  if (is_ng) put_section(e);
}

int ct_pe_interface(struct ct_pcap_encoder *e, uint32_t linktype) {
  for (uint32_t i = 0; i < e->n_linktypes; i++)
    if (e->linktype[i] == linktype) return (int)i;
  if (linktype > UINT16_MAX || e->n_linktypes == (e->is_ng ? CT_PE_LINKTYPES : 1)) return -1;
  if (e->is_ng)
    put_interface(e, linktype);
  else
    put_pcap_header(e, linktype);
  e->linktype[e->n_linktypes] = linktype;
  return (int)e->n_linktypes++;
}

uint32_t ct_pe_need(const struct ct_pcap_encoder *e, uint32_t caplen, const char *comment) {
  if (!e->is_ng) return PCAP_RECORD + caplen;
  return NG_PACKET + padded(caplen) + (comment == NULL ? 0 : NG_COMMENT + padded(comment_length(comment)));
}

/* pcap: | seconds | ns | captured | on the wire | bytes |
 * pcapng: | 6 | length | interface | ts high | ts low | captured | on the wire | bytes, padded | options | length |
 * options: | opt_comment 1, 16 | its length 16 | text, padded | 0 | */
void ct_pe_frame(struct ct_pcap_encoder *e, uint32_t interface, const uint8_t *frame, int64_t ts_ns,
                 uint32_t caplen, uint32_t wirelen, const char *comment) {
  uint64_t ts = ts_ns < 0 ? 0 : (uint64_t)ts_ns;
  uint32_t length = ct_pe_need(e, caplen, comment);
  if (e->is_ng) {
    put32(e, BLOCK_PACKET);
    put32(e, length);
    put32(e, interface);
    put32(e, (uint32_t)(ts >> 32));
    put32(e, (uint32_t)ts);
  } else {
    uint64_t seconds = ts / SECOND_NS;
    put32(e, seconds > UINT32_MAX ? UINT32_MAX : (uint32_t)seconds);
    put32(e, (uint32_t)(ts % SECOND_NS));
  }
  put32(e, caplen);
  put32(e, wirelen);
  if (!e->is_ng) {
    if (caplen > 0) memcpy(e->buffer + e->used, frame, caplen);
    e->used += caplen;
    return;
  }
  put_padded(e, frame, caplen);
  if (comment != NULL) {
    uint32_t n = comment_length(comment);
    put16(e, 1);
    put16(e, (uint16_t)n);
    put_padded(e, comment, n);
    put32(e, 0); /* opt_endofopt */
  }
  put32(e, length);
}

uint32_t ct_pe_whole(const struct ct_pcap_encoder *e, uint32_t n, uint32_t *frames) {
  uint32_t at = e->has_header ? PCAP_HEADER : 0;
  *frames = 0;
  if (at > n) return 0;
  for (;;) {
    uint32_t length, type = BLOCK_PACKET;
    /* As much as holds the length; nothing that was put here is shorter than that. */
    if (n - at < (e->is_ng ? NG_LEAST : PCAP_RECORD)) return at;
    memcpy(&length, e->buffer + at + (e->is_ng ? 4 : 8), 4);
    if (e->is_ng)
      memcpy(&type, e->buffer + at, 4);
    else
      length += PCAP_RECORD;
    if (length > n - at) return at;
    at += length;
    if (type == BLOCK_PACKET) ++*frames;
  }
}

void ct_pe_drop(struct ct_pcap_encoder *e, uint32_t n) {
  if (n == 0) return;
  memmove(e->buffer, e->buffer + n, e->used - n);
  e->used -= n;
  e->has_header = false;
}
