/* SPDX-License-Identifier: Apache-2.0
 * gen.c - seeded corpora for the benchmark: calls interleaved in time order, and the truth beside them.
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/gen*.c -o bench/out/gen
 *   gen PROFILE OUT.pcap [SEED [CALLS]]     writes OUT.pcap and OUT.pcap.truth.json
 *
 * The same profile, seed and number of calls give the same bytes on every machine.
 */
#define _GNU_SOURCE
#include "gen_media.h"
#include "gen_sip.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH_US 1700000000000000u
#define SLOT_US 20000u  /* one RTP packet */
#define JITTER_US 3000u /* arrival jitter, uniform; below a slot, so that it never reorders */

struct profile {
  const char *name;
  uint32_t calls, spread_ms, loss_permille, rtp_min, rtp_max; /* RTP packets a direction */
  bool mixed;
};
static const struct profile PROFILES[] = {
    {"small", 50, 500, 20, 50, 50, false},         {"carrier535k", 5000, 2000, 0, 50, 50, false},
    {"carrier20k", 20000, 2000, 3, 50, 50, false}, {"carrier5m", 46729, 2000, 3, 50, 50, false},
    {"long", 500, 2000, 3, 2500, 2500, false},     {"mixed", 1500, 60000, 5, 300, 900, true},
    {"sip", 50000, 10000, 0, 0, 0, false}, /* signalling alone: what a SIP message costs */
};
static const struct codec CODECS[] = {
    {"PCMU/8000", 0, 160, 160, false}, {"PCMA/8000", 8, 160, 160, false},
    {"G722/8000", 9, 160, 160, false}, {"G729/8000", 18, 160, 20, false},
    {"GSM/8000", 3, 160, 33, false},   {"opus/48000/2", 111, 960, 120, true},
    {"iLBC/8000", 97, 160, 38, false},
};

/* ---- what happens in a call: messages and the time before each ---- */
enum scenario {
  S_ANSWERED,
  S_RETRANSMITTED,
  S_BUSY,
  S_CANCELED,
  S_NOT_FOUND,
  S_TIMEOUT,
  S_REDIRECTED,
  S_REGISTER,
  S_OPTIONS,
  S_COUNT
};
struct step {
  uint8_t message;
  bool again; /* a retransmission */
  uint16_t after_ms;
};
#define STEPS 12
static const struct step SCRIPT[S_COUNT][STEPS] = {
    [S_ANSWERED] = {{M_INVITE, 0, 0},
                    {M_100, 0, 3},
                    {M_180, 0, 60},
                    {M_200_INVITE, 0, 120},
                    {M_ACK, 0, 10},
                    {M_BYE, 0, 30},
                    {M_200_BYE, 0, 8}},
    [S_RETRANSMITTED] = {{M_INVITE, 0, 0},
                         {M_INVITE, 1, 500},
                         {M_100, 0, 30},
                         {M_180, 0, 60},
                         {M_200_INVITE, 0, 900},
                         {M_200_INVITE, 1, 500},
                         {M_ACK, 0, 10},
                         {M_BYE, 0, 30},
                         {M_BYE, 1, 500},
                         {M_200_BYE, 0, 8}},
    [S_BUSY] = {{M_INVITE, 0, 0}, {M_100, 0, 3}, {M_486, 0, 80}, {M_ACK_FAILED, 0, 5}},
    [S_CANCELED] = {{M_INVITE, 0, 0},
                    {M_100, 0, 3},
                    {M_180, 0, 60},
                    {M_CANCEL, 0, 4000},
                    {M_200_CANCEL, 0, 4},
                    {M_487, 0, 3},
                    {M_ACK_FAILED, 0, 5}},
    [S_NOT_FOUND] = {{M_INVITE, 0, 0}, {M_100, 0, 3}, {M_404, 0, 20}, {M_ACK_FAILED, 0, 5}},
    [S_TIMEOUT] = {{M_INVITE, 0, 0}, {M_100, 0, 3}, {M_408, 0, 32000}, {M_ACK_FAILED, 0, 5}},
    [S_REDIRECTED] = {{M_INVITE, 0, 0}, {M_100, 0, 3}, {M_302, 0, 15}, {M_ACK_FAILED, 0, 5}},
    [S_REGISTER] = {{M_REGISTER, 0, 0}, {M_401, 0, 6}, {M_REGISTER_AUTH, 0, 4}, {M_200_REGISTER, 0, 7}},
    [S_OPTIONS] = {{M_OPTIONS, 0, 0}, {M_200_OPTIONS, 0, 5}},
};
static const struct {
  const char *state;
  int final_code;
} OUTCOME[S_COUNT] = {
    [S_ANSWERED] = {"Completed", 200},    [S_RETRANSMITTED] = {"Completed", 200},
    [S_BUSY] = {"Failed", 486},           [S_CANCELED] = {"Canceled", 487},
    [S_NOT_FOUND] = {"Failed", 404},      [S_TIMEOUT] = {"Failed", 408},
    [S_REDIRECTED] = {"Redirected", 302}, [S_REGISTER] = {"Registered", 0},
    [S_OPTIONS] = {"Completed", 0},
};
/* Per mille of the mixed profile, in the order of the enum; the rest is answered. */
static const uint16_t SHARE[S_COUNT] = {0, 80, 80, 70, 50, 10, 20, 80, 40};

/* ---- events in time order: a binary heap, ties by call and kind ---- */
enum event_kind { E_SIGNAL, E_RTP_CALLER, E_RTP_CALLEE, E_RTCP_CALLER, E_RTCP_CALLEE };
struct event {
  uint64_t t_us;
  uint32_t call, kind;
};
struct heap {
  struct event *e;
  size_t n;
};
static bool before(const struct event *a, const struct event *b) {
  if (a->t_us != b->t_us) return a->t_us < b->t_us;
  return a->call != b->call ? a->call < b->call : a->kind < b->kind;
}
static void heap_push(struct heap *h, struct event v) {
  size_t i = h->n++;
  for (; i > 0 && before(&v, &h->e[(i - 1) / 2]); i = (i - 1) / 2) h->e[i] = h->e[(i - 1) / 2];
  h->e[i] = v;
}
static struct event heap_pop(struct heap *h) {
  struct event top = h->e[0], last = h->e[--h->n];
  size_t i = 0;
  for (size_t k = 1; k < h->n; k = 2 * i + 1) {
    if (k + 1 < h->n && before(&h->e[k + 1], &h->e[k])) k++;
    if (!before(&h->e[k], &last)) break;
    h->e[i] = h->e[k];
    i = k;
  }
  h->e[i] = last;
  return top;
}

struct world {
  const struct profile *p;
  struct heap heap;
  struct call *calls;
  struct truth truth;
  uint64_t outcome[S_COUNT];
  struct media media;
};

/* ---- a call before it starts ---- */
static void set_address(struct endpoint *e, bool v6, uint32_t net, uint32_t host, uint16_t port) {
  memset(e, 0, sizeof(*e));
  e->port = port;
  uint8_t id[4] = {(uint8_t)(host >> 24), (uint8_t)(host >> 16), (uint8_t)(host >> 8), (uint8_t)host};
  if (v6) {
    const uint8_t prefix[8] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, (uint8_t)net};
    memcpy(e->ip, prefix, 8);
    memcpy(e->ip + 12, id, 4);
    return;
  }
  e->ip[0] = 10;
  memcpy(e->ip + 1, id + 1, 3);
  e->ip[1] = (uint8_t)(e->ip[1] + net * 32);
}

static uint8_t pick_scenario(uint64_t *rng) {
  uint32_t r = rng_below(rng, 1000);
  for (uint8_t s = 1; s < S_COUNT; s++) {
    if (r < SHARE[s]) return s;
    r -= SHARE[s];
  }
  return S_ANSWERED;
}

static void mix(struct call *c) {
  uint64_t *r = &c->rng;
  c->scenario = pick_scenario(r);
  c->link.v6 = rng_permille(r, 300);
  if (rng_permille(r, 250)) c->link.vlan = (uint16_t)(100 + rng_below(r, 50));
  if (c->link.vlan != 0 && rng_permille(r, 250)) c->link.outer_vlan = 200;
  c->tcp = rng_permille(r, 300) && c->scenario != S_RETRANSMITTED;
  c->split = rng_permille(r, 500);
  c->coalesce = rng_permille(r, 500);
  c->identity_len = rng_permille(r, 150) ? (uint16_t)(1200 + rng_below(r, 2000)) : 0;
  c->link.fragments_reversed = rng_permille(r, 300);
  c->callee_hangs_up = rng_permille(r, 500);
  c->mux = rng_permille(r, 300);
  c->codec = &CODECS[rng_below(r, sizeof(CODECS) / sizeof(CODECS[0]))];
}

static void prepare(struct world *w, struct call *c, uint32_t id, uint64_t seed) {
  uint64_t s = seed ^ (uint64_t)id << 24;
  c->key = rng_next(&s);
  c->rng = rng_next(&s);
  c->id = id;
  c->codec = &CODECS[0];
  if (w->p->mixed) mix(c);
  uint64_t *r = &c->rng;
  bool v6 = c->link.v6;
  set_address(&c->sig[0], v6, 0, 1 + id % 4000, c->tcp ? (uint16_t)(20000 + id % 40000) : 5060);
  set_address(&c->sig[1], v6, 1, 1 + id % 4, 5060);
  set_address(&c->media[0], v6, 2, 1 + id, (uint16_t)(10000 + 2 * rng_below(r, 10000)));
  set_address(&c->media[1], v6, 3, 1 + id, (uint16_t)(30000 + 2 * rng_below(r, 10000)));
  c->flow.seq[0] = (uint32_t)rng_next(r);
  c->flow.seq[1] = (uint32_t)rng_next(r);
  uint32_t total = w->p->rtp_min + rng_below(r, w->p->rtp_max - w->p->rtp_min + 1);
  for (int i = 0; i < 2; i++) {
    struct media_dir *d = &c->dir[i];
    d->ssrc = (uint32_t)rng_next(r);
    d->ts = (uint32_t)rng_next(r);
    d->seq = (uint16_t)rng_next(r);
    d->total = total;
    if (w->p->mixed && rng_permille(r, 300)) {
      d->dtmf_at = 100;
      d->dtmf_digits = 1 + rng_below(r, 6);
    }
  }
}

/* ---- media ---- */
static void on_rtp(struct world *w, struct event e, int side) {
  struct call *c = &w->calls[e.call];
  struct media_dir *d = &c->dir[side];
  uint32_t slot = d->next++, k = slot;
  /* Now and then two neighbours change places on the way, never at the edges of the stream. */
  if (d->swapped) {
    k = slot - 1;
    d->swapped = false;
  } else if (w->p->mixed && slot > 20 && slot + 20 < d->total && rng_permille(&c->rng, 2)) {
    k = slot + 1;
    d->swapped = true;
  }
  media_rtp(&w->media, c, side, k, e.t_us);
  if (d->next < d->total) {
    e.t_us = d->start_us + (uint64_t)d->next * SLOT_US + rng_below(&c->rng, JITTER_US);
    heap_push(&w->heap, e);
  } else if (d->kept > 0) {
    w->truth.rtp_lost += d->last - d->first + 1 - d->kept;
  }
}

static void on_rtcp(struct world *w, struct event e, int side) {
  const struct call *c = &w->calls[e.call];
  const struct media_dir *d = &c->dir[side];
  media_rtcp(&w->media, c, side, e.t_us);
  e.t_us += RTCP_US;
  if (e.t_us < d->start_us + (uint64_t)d->total * SLOT_US) heap_push(&w->heap, e);
}

static void start_media(struct world *w, struct call *c, uint64_t t) {
  for (int i = 0; i < 2; i++) {
    struct media_dir *d = &c->dir[i];
    if (d->total == 0) return;
    d->start_us = t + 2000 + rng_below(&c->rng, SLOT_US);
    heap_push(&w->heap,
              (struct event){d->start_us + rng_below(&c->rng, JITTER_US), c->id, E_RTP_CALLER + (uint32_t)i});
    if (!w->p->mixed) continue;
    heap_push(&w->heap, (struct event){d->start_us + RTCP_US, c->id, E_RTCP_CALLER + (uint32_t)i});
  }
}

/* ---- signalling ---- */
static void send_tcp(struct world *w, struct call *c, int side, const char *text, size_t n, uint64_t t) {
  for (size_t at = 0; at < n;) {
    size_t part = n - at < 1400 ? n - at : 1400;
    if (c->split && part > 40) part = 20 + rng_below(&c->rng, (uint32_t)part - 20);
    wire_tcp(w->media.wire, t, &c->link, c->sig, &c->flow, side, TCP_PSH | TCP_ACK, text + at, part);
    at += part;
  }
  wire_tcp(w->media.wire, t, &c->link, c->sig, &c->flow, !side, TCP_ACK, NULL, 0);
}

static void send_message(struct world *w, struct call *c, const struct step *s, uint64_t t) {
  static char text[2 * SIP_MAX];
  int side;
  size_t n = sip_build(text, c, (enum message)s->message, &side);
  w->truth.sip_messages++;
  w->truth.sip_retransmissions += s->again;
  if (c->step == 0) w->truth.dialogs++;
  if (!c->tcp) {
    wire_udp(w->media.wire, t, &c->link, &c->sig[side], &c->sig[!side], text, n, NULL, 0);
    return;
  }
  if (c->step == 0) {
    wire_tcp(w->media.wire, t, &c->link, c->sig, &c->flow, 0, TCP_SYN, NULL, 0);
    wire_tcp(w->media.wire, t, &c->link, c->sig, &c->flow, 1, TCP_SYN | TCP_ACK, NULL, 0);
    wire_tcp(w->media.wire, t, &c->link, c->sig, &c->flow, 0, TCP_ACK, NULL, 0);
  }
  /* 100 and 180 in one segment: two messages, one payload. */
  if (c->coalesce && s->message == M_100 && s[1].message == M_180) {
    n += sip_build(text + n, c, M_180, &side);
    w->truth.sip_messages++;
    c->step++;
  }
  send_tcp(w, c, side, text, n, t);
}

static void on_signal(struct world *w, struct event e) {
  struct call *c = &w->calls[e.call];
  const struct step *script = SCRIPT[c->scenario];
  uint8_t sent = script[c->step].message;
  send_message(w, c, &script[c->step], e.t_us);
  c->step++;
  const struct step *next = &script[c->step];
  if (next->message == M_NONE) {
    w->outcome[c->scenario]++;
    if (!c->tcp) return;
    wire_tcp(w->media.wire, e.t_us, &c->link, c->sig, &c->flow, 0, TCP_FIN | TCP_ACK, NULL, 0);
    wire_tcp(w->media.wire, e.t_us, &c->link, c->sig, &c->flow, 1, TCP_FIN | TCP_ACK, NULL, 0);
    wire_tcp(w->media.wire, e.t_us, &c->link, c->sig, &c->flow, 0, TCP_ACK, NULL, 0);
    return;
  }
  uint64_t wait = (uint64_t)next->after_ms * 1000;
  if (sent == M_ACK) {
    start_media(w, c, e.t_us);
    wait += (uint64_t)c->dir[0].total * SLOT_US + 2 * SLOT_US;
  }
  /* Up to a fifth more, so that calls do not march in step; timers that retransmit keep their value. */
  if (!next->again) wait += rng_below(&c->rng, (uint32_t)next->after_ms * 200 + 1);
  e.t_us += wait;
  heap_push(&w->heap, e);
}

/* ---- the whole file ---- */
static void run(struct world *w) {
  while (w->heap.n > 0) {
    struct event e = heap_pop(&w->heap);
    if (e.kind == E_SIGNAL)
      on_signal(w, e);
    else if (e.kind <= E_RTP_CALLEE)
      on_rtp(w, e, (int)(e.kind - E_RTP_CALLER));
    else
      on_rtcp(w, e, (int)(e.kind - E_RTCP_CALLER));
  }
}

static void print_outcomes(FILE *f, const struct world *w) {
  fprintf(f, "  \"states\": {");
  const char *comma = "";
  for (int s = 0; s < S_COUNT; s++) {
    uint64_t n = 0;
    bool said = false;
    for (int k = 0; k < S_COUNT; k++) {
      if (strcmp(OUTCOME[k].state, OUTCOME[s].state) != 0) continue;
      n += w->outcome[k];
      said = said || k < s;
    }
    if (said || n == 0) continue;
    fprintf(f, "%s\"%s\": %" PRIu64, comma, OUTCOME[s].state, n);
    comma = ", ";
  }
  fprintf(f, "},\n  \"final_codes\": {");
  comma = "";
  uint64_t answered = w->outcome[S_ANSWERED] + w->outcome[S_RETRANSMITTED];
  if (answered > 0) {
    fprintf(f, "\"200\": %" PRIu64, answered);
    comma = ", ";
  }
  for (int s = S_BUSY; s <= S_REDIRECTED; s++) {
    if (w->outcome[s] == 0) continue;
    fprintf(f, "%s\"%d\": %" PRIu64, comma, OUTCOME[s].final_code, w->outcome[s]);
    comma = ", ";
  }
  fprintf(f, "},\n");
}

static int write_truth(const struct world *w, const char *out, uint64_t seed, uint32_t calls) {
  char path[4096];
  if (snprintf(path, sizeof(path), "%s.truth.json", out) >= (int)sizeof(path)) return ENAMETOOLONG;
  FILE *f = fopen(path, "w");
  if (f == NULL) return errno;
  const struct truth *t = &w->truth;
  fprintf(f, "{\n  \"profile\": \"%s\", \"seed\": %" PRIu64 ", \"calls\": %" PRIu32 ",\n", w->p->name, seed,
          calls);
  const struct {
    const char *name;
    uint64_t v;
  } rows[] = {
      {"packets", t->packets},           {"bytes", t->bytes},
      {"sip_messages", t->sip_messages}, {"sip_retransmissions", t->sip_retransmissions},
      {"dialogs", t->dialogs},           {"streams", t->streams},
      {"rtp_packets", t->rtp_packets},   {"rtp_lost", t->rtp_lost},
      {"rtp_octets", t->rtp_octets},     {"rtcp_packets", t->rtcp_packets},
      {"dtmf_packets", t->dtmf_packets}, {"tcp_packets", t->tcp_packets},
      {"fragments", t->fragments},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    fprintf(f, "  \"%s\": %" PRIu64 ",\n", rows[i].name, rows[i].v);
  }
  print_outcomes(f, w);
  fprintf(f, "  \"duration_us\": %" PRIu64 "\n}\n", t->last_us - t->first_us);
  return fclose(f) == 0 ? 0 : errno;
}

static const struct profile *find_profile(const char *name) {
  for (size_t i = 0; i < sizeof(PROFILES) / sizeof(PROFILES[0]); i++) {
    if (strcmp(PROFILES[i].name, name) == 0) return &PROFILES[i];
  }
  return NULL;
}

int main(int argc, char **argv) {
  static struct world w;
  w.p = argc >= 3 ? find_profile(argv[1]) : NULL;
  if (w.p == NULL) {
    fprintf(stderr,
            "usage: gen small|carrier535k|carrier20k|carrier5m|long|mixed|sip OUT.pcap [SEED [CALLS]]\n");
    return 2;
  }
  uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  uint32_t calls = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : w.p->calls;
  w.calls = calloc(calls, sizeof(*w.calls));
  w.heap.e = malloc(((size_t)calls * 5 + 1) * sizeof(*w.heap.e)); /* a call has at most five events waiting */
  w.media.wire = wire_open(argv[2], &w.truth);
  if (w.calls == NULL || w.heap.e == NULL || w.media.wire == NULL || calls == 0) {
    fprintf(stderr, "gen: %s: %s\n", argv[2], calls == 0 ? "no calls" : strerror(errno));
    return 1;
  }
  w.media.truth = &w.truth;
  w.media.loss_permille = w.p->loss_permille;
  uint64_t rng = seed;
  for (size_t i = 0; i < sizeof(w.media.noise); i++) w.media.noise[i] = (uint8_t)rng_next(&rng);
  for (uint32_t i = 0; i < calls; i++) {
    prepare(&w, &w.calls[i], i, seed);
    uint64_t start = (uint64_t)w.p->spread_ms * 1000 * i / calls;
    heap_push(&w.heap, (struct event){EPOCH_US + start + rng_below(&w.calls[i].rng, 1000), i, E_SIGNAL});
  }
  run(&w);
  int err = wire_close(w.media.wire);
  if (err == 0) err = write_truth(&w, argv[2], seed, calls);
  if (err != 0) fprintf(stderr, "gen: %s: %s\n", argv[2], strerror(err));
  free(w.heap.e);
  free(w.calls);
  return err == 0 ? 0 : 1;
}
