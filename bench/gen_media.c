/* SPDX-License-Identifier: Apache-2.0
 * gen_media.c - the RTP and RTCP packets of a call (RFC 3550), with key presses (RFC 4733) and loss.
 */
#include "gen_media.h"
#include <inttypes.h>
#include <stdio.h>

static void put16(uint8_t *p, uint32_t v) { p[0] = (uint8_t)(v >> 8), p[1] = (uint8_t)v; }
static void put32(uint8_t *p, uint32_t v) { put16(p, v >> 16), put16(p + 2, v & 0xffff); }

#define DTMF_SLOTS 8u /* five updates and the end three times (RFC 4733 s2.5.1.3, s2.5.1.4) */
#define DTMF_PERIOD 15u

void media_rtp(struct media *m, struct call *c, int side, uint32_t k, uint64_t t) {
  struct media_dir *d = &c->dir[side];
  if (rng_permille(&c->rng, m->loss_permille)) return;
  uint8_t h[16] = {0x80, c->codec->pt};
  uint32_t stamp = d->ts + k * c->codec->step, since = k - d->dtmf_at, digit = since / DTMF_PERIOD;
  bool event =
      d->dtmf_digits > 0 && k >= d->dtmf_at && digit < d->dtmf_digits && since % DTMF_PERIOD < DTMF_SLOTS;
  size_t head = 12, body = c->codec->bytes;
  if (event) {
    uint32_t slot = since % DTMF_PERIOD;
    stamp -= slot * c->codec->step;
    h[1] = (uint8_t)(101 | (slot == 0 ? 0x80 : 0));
    h[12] = (uint8_t)(digit % 10);
    h[13] = (uint8_t)(10 | (slot >= 5 ? 0x80 : 0)); /* -10 dBm0, E */
    put16(h + 14, (slot < 5 ? slot + 1 : 6u) * c->codec->step);
    head = 16;
    body = 0;
    m->truth->dtmf_packets++;
  } else if (c->codec->varies) {
    h[12] = 0x78; /* Opus TOC: one CELT frame of 20 ms, mono (RFC 6716 s3.1) */
    head = 13;
    body = body / 2 + rng_below(&c->rng, (uint32_t)body / 2);
  }
  if (k == 0) h[1] |= 0x80;
  put16(h + 2, d->seq + k);
  put32(h + 4, stamp);
  put32(h + 8, d->ssrc);
  wire_udp(m->wire, t, &c->link, &c->media[side], &c->media[!side], h, head,
           m->noise + (d->ssrc + k * 97u) % (NOISE_BYTES - 256), body);
  if (d->kept++ == 0) m->truth->streams++, d->first = d->last = k;
  if (k > d->last) d->last = k;
  if (k < d->first) d->first = k;
  m->truth->rtp_packets++;
  m->truth->rtp_octets += head - 12 + body;
}

/* SR, every third time RR, with a report on the other direction, and SDES (RFC 3550 s6.4, s6.5). */
void media_rtcp(struct media *m, const struct call *c, int side, uint64_t t) {
  const struct media_dir *d = &c->dir[side], *o = &c->dir[!side];
  bool rr = (t - d->start_us) / RTCP_US % 3 == 0;
  uint8_t b[96] = {0x81, rr ? 201 : 200};
  size_t n = 8;
  put32(b + 4, d->ssrc);
  if (!rr) {
    put32(b + 8, (uint32_t)(t / 1000000 + 2208988800u));
    put32(b + 12, (uint32_t)((t % 1000000) * 4294967296u / 1000000));
    put32(b + 16, d->ts + d->next * c->codec->step);
    put32(b + 20, d->kept);
    put32(b + 24, d->kept * c->codec->bytes);
    n = 28;
  }
  uint32_t lost = o->kept > 0 ? o->last - o->first + 1 - o->kept : 0;
  put32(b + n, o->ssrc);
  put32(b + n + 4, lost & 0xffffff);
  put32(b + n + 8, (uint32_t)o->seq + o->last);
  put32(b + n + 12, 8);
  n += 24; /* LSR and DLSR stay zero: no SR of the other side arrived here */
  put16(b + 2, (uint32_t)n / 4 - 1);
  uint8_t *s = b + n;
  s[0] = 0x81, s[1] = 202;
  put32(s + 4, d->ssrc);
  s[8] = 1, s[9] = 10; /* CNAME */
  snprintf((char *)s + 10, 11, "%010" PRIu32, c->id);
  put16(s + 2, 5); /* header, SSRC and 16 bytes of items, the last of them zero */
  n += 24;
  struct endpoint from = c->media[side], to = c->media[!side];
  if (!c->mux) from.port++, to.port++;
  wire_udp(m->wire, t, &c->link, &from, &to, b, n, NULL, 0);
  m->truth->rtcp_packets++;
}
