/* SPDX-License-Identifier: Apache-2.0
 * copies.c - see copies.h. A ring of the newest frames, and chains through it of those with the same low bits of hash.
 */
#include "pipeline/copies.h"
#include "core/hash.h"
#include "decode/walk.h"
#include "rtp/rtp_plain.h"
#include <stdlib.h>
#include <string.h>

#define LINK_SLL2 276u
#define MASK (CT_COPIES_KEPT - 1u)

/* Frames are numbered from CT_COPIES_KEPT on, so that 0 names none that is remembered. */
struct seen {
  uint64_t hash;
  int64_t ts_ns;
  uint64_t from; /* source << 32 | interface */
  uint32_t of;   /* number of the frame that this one is a copy of; its own when it is not one */
  uint32_t next; /* number of the one before it in its chain */
};

struct ct_copies {
  uint64_t key[2];
  int64_t newest_ns;
  uint32_t number; /* of the next frame */
  uint32_t chain[CT_COPIES_KEPT];
  struct seen seen[CT_COPIES_KEPT];
};

_Static_assert((CT_COPIES_KEPT & MASK) == 0, "a power of two");

struct ct_copies *ct_copies_create(const uint64_t key[2]) {
  struct ct_copies *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  memcpy(c->key, key, sizeof c->key);
  c->number = CT_COPIES_KEPT;
  c->newest_ns = INT64_MIN;
  return c;
}

void ct_copies_free(struct ct_copies *c) { free(c); }

/* ---- What makes two frames the same ---- */

static uint64_t hash_of(const uint64_t key[2], const uint64_t *head, uint32_t n_head, const uint8_t *d,
                        uint32_t len) {
  struct ct_hash_state s = ct_hash_start(key);
  for (uint32_t i = 0; i < n_head; i++) ct_hash_add(&s, head[i], 1);
  uint32_t at = 0;
  for (; len - at >= 8; at += 8) ct_hash_add(&s, ct_load64(d + at), 1);
  uint64_t last = (uint64_t)len << 56;
  for (uint32_t i = 0; at + i < len; i++) last |= (uint64_t)d[at + i] << (8 * i);
  ct_hash_add(&s, last, 1);
  return ct_hash_end(&s, 3);
}

#define HEAD 7u

/* Everything in front of the payload that says which packet it is. */
static void set_head(uint64_t head[HEAD], const uint8_t src[16], const uint8_t dst[16], uint32_t id,
                     uint32_t ports, uint32_t kind, uint32_t len) {
  memcpy(head, src, 16);
  memcpy(head + 2, dst, 16);
  head[4] = (uint64_t)id << 32 | ports;
  head[5] = (uint64_t)kind << 32 | len;
  head[6] = 0;
}

static uint64_t plain_hash(const struct ct_copies *c, const struct ct_frame *f) {
  const uint8_t *d = f->data;
  uint8_t src[16], dst[16];
  ct_set_ipv4(src, d + CT_PLAIN_IP + 12);
  ct_set_ipv4(dst, d + CT_PLAIN_IP + 16);
  uint32_t len = ct_be16(d + CT_PLAIN_UDP + 4) - 8u, present = f->caplen - CT_PLAIN_RTP;
  uint64_t head[HEAD];
  set_head(head, src, dst, ct_be16(d + CT_PLAIN_IP + 4), ct_be32(d + CT_PLAIN_UDP), 4u << 16 | 17, len);
  return hash_of(c->key, head, HEAD, d + CT_PLAIN_RTP, present < len ? present : len);
}

/* What has no payload that could be compared is the same when all is behind the addresses of Ethernet. */
static uint64_t other_hash(const struct ct_copies *c, const struct ct_frame *f) {
  const uint32_t skip = f->linktype == CT_PLAIN_LINK && f->caplen > 12 ? 12 : 0;
  const uint64_t head[2] = {UINT64_MAX, (uint64_t)f->linktype << 32 | f->wirelen};
  return hash_of(c->key, head, 2, f->data + skip, f->caplen - skip);
}

static uint64_t hash_frame(const struct ct_copies *c, const struct ct_decode_opts *o,
                           const struct ct_frame *f) {
  if (ct_is_plain_rtp(f)) return plain_hash(c, f);
  struct ct_packet p = {.ts_ns = f->ts_ns, .frame = f->data, .caplen = f->caplen, .wirelen = f->wirelen};
  enum ct_reason reason = ct_decode_frame(&p, f->linktype, o);
  if (p.payload == NULL || p.ip_version == 0) return other_hash(c, f);
  const uint32_t ports = (uint32_t)p.sport << 16 | p.dport;
  uint64_t head[HEAD];
  set_head(head, p.src, p.dst, reason == CT_FRAGMENT ? p.frag_id : p.ip_id, ports,
           (uint32_t)p.ip_version << 16 | p.proto, p.wire_len);
  if (reason == CT_FRAGMENT)
    head[6] = (uint64_t)1 << 63 | (uint64_t)p.frag_more << 32 | p.frag_off;
  else if (p.is_message)
    head[6] = (uint64_t)1 << 62 | (uint64_t)p.origin << 8 | p.transport;
  else if (p.proto == 6)
    head[6] = ((uint64_t)p.tcp_seq << 32 | p.tcp_ack) + p.tcp_flags;
  return hash_of(c->key, head, HEAD, p.payload, p.len);
}

/* "any" of tcpdump: the frame says which interface it was on. */
static uint64_t origin_of(uint32_t source, const struct ct_frame *f) {
  const bool says = f->linktype == LINK_SLL2 && f->caplen >= 8;
  return (uint64_t)source << 32 | (says ? ct_be32(f->data + 4) : f->if_index);
}

/* ---- The window ---- */

static bool is_near(int64_t a, int64_t b) {
  return (uint64_t)a - (uint64_t)b <= CT_COPIES_WITHIN_NS || (uint64_t)b - (uint64_t)a <= CT_COPIES_WITHIN_NS;
}

static inline bool is_kept(const struct ct_copies *c, uint32_t number) {
  return c->number - number - 1u < CT_COPIES_KEPT && number != 0;
}

/* The oldest frame of another origin that this one is a copy of; 0 none. */
static uint32_t original_of(const struct ct_copies *c, const struct seen *new, uint64_t *missed) {
  uint32_t taken[CT_COPIES_STEPS], candidate[CT_COPIES_STEPS], n_taken = 0, n = 0, steps = 0;
  uint32_t number = c->chain[new->hash &MASK];
  for (; is_kept(c, number) && steps < CT_COPIES_STEPS; steps++) {
    const struct seen *s = &c->seen[number & MASK];
    if (s->hash == new->hash && is_near(s->ts_ns, new->ts_ns)) {
      if (s->of == number && s->from != new->from) candidate[n++] = number;
      if (s->of != number && s->from == new->from) taken[n_taken++] = s->of;
    }
    number = s->next;
  }
  if (steps == CT_COPIES_STEPS && is_kept(c, number) && is_near(c->seen[number & MASK].ts_ns, new->ts_ns))
    ++*missed;
  while (n-- > 0) {
    bool is_taken = false;
    for (uint32_t i = 0; i < n_taken && !is_taken; i++) is_taken = taken[i] == candidate[n];
    if (!is_taken) return candidate[n];
  }
  return 0;
}

static void remember(struct ct_copies *c, const struct seen *new, uint64_t *missed) {
  struct seen *s = &c->seen[c->number & MASK];
  if (new->ts_ns > c->newest_ns) c->newest_ns = new->ts_ns;
  /* Another of its time may still come. */
  if (s->of != 0 && is_near(s->ts_ns, c->newest_ns)) ++*missed;
  *s = *new;
  uint32_t *chain = &c->chain[new->hash &MASK];
  s->next = *chain;
  *chain = c->number++;
  if (c->number == 0) c->number = CT_COPIES_KEPT; /* after four billion frames the window begins again */
}

uint32_t ct_copies_drop(struct ct_copies *c, uint32_t source, const struct ct_decode_opts *o,
                        const struct ct_frame *frame, uint32_t n, struct ct_frame *out, uint64_t *missed) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    struct seen new = {
        .hash = hash_frame(c, o, &frame[i]), .ts_ns = frame[i].ts_ns, .from = origin_of(source, &frame[i])};
    uint32_t of = original_of(c, &new, missed);
    new.of = of == 0 ? c->number : of;
    if (of == 0) out[kept++] = frame[i];
    remember(c, &new, missed);
  }
  return kept;
}
