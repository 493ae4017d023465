/* SPDX-License-Identifier: Apache-2.0
 * blast.c - live load of known size: calls, REGISTER floods, garbage and bulk on an interface, and HEP beside it.
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/blast.c bench/blast_out.c bench/gen_sip.c -o bench/out/blast
 *   blast OPTION VALUE...
 *     --seconds N       calls that were begun are ended after that (10)
 *     --iface NAME      frames go out here, past its queueing discipline
 *     --calls R         calls begun a second, seven messages each; --talk N: RTP packets a direction, one in 20 ms (50)
 *     --hold N          after the talk a call lasts so many steps of 20 ms without a packet (0)
 *     --lose N          of a call's RTP every Nth packet of the caller is not sent (0: none)
 *     --sides N         who sends RTP: 2 both (default), 1 the caller alone
 *     --registers R     REGISTERs a second, each of a user of its own, never answered
 *     --garbage R       broken and random datagrams a second to the SIP port
 *     --rtp R           RTP packets a second of streams that last, --flows N of them (512)
 *     --bulk-udp R      datagrams of 1,400 bytes that are no VoIP; --bulk-tcp R: segments of 1,448 bytes
 *     --hep ADDRESS:PORT  HEP 3 goes there by UDP
 *     --mirror N        the calls' messages go there too, but every Nth does not (1: none is mirrored, 0: all)
 *     --hep-messages R  messages a second of calls that only HEP carries; --hep-garbage R: datagrams that are no HEP
 *
 * The last line of stdout is what was sent, as JSON: a frame counts once the kernel took it.
 */
#define _GNU_SOURCE
#include "blast.h"
#include "blast_pool.h"
#include "gen_sip.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define TICK_US 1000u
#define SLOT_TICKS 20u /* one RTP packet */
#define POOL_CALLS 512u
#define CATCH_UP                                                                                             \
  20000u /* events of one class in a tick at most: a pause of the machine is caught up with in steps */

struct options {
  double seconds, calls, registers, garbage, rtp, bulk_udp, bulk_tcp, hep_messages, hep_garbage;
  uint32_t talk, hold, lose, sides, flows, mirror;
  const char *iface, *hep;
};

static struct counts {
  uint64_t calls, call_messages, call_rtp, call_rtp_skipped, registers, garbage_random, garbage_cut,
      garbage_nameless, rtp, bulk_udp, bulk_tcp;
  uint64_t mirrored, not_mirrored, hep_messages, hep_calls, hep_garbage;
} sent, made; /* taken by the kernel; handed over */

static const enum message SCRIPT[] = {M_INVITE, M_100, M_180, M_200_INVITE, M_ACK, M_BYE, M_200_BYE};
#define SETUP 5u
#define MESSAGES (sizeof SCRIPT / sizeof SCRIPT[0])
static const struct codec PCMU = {"PCMU/8000", 0, 160, 160, false};

static uint64_t now_us(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

static void be16(uint8_t *p, uint32_t v) { p[0] = (uint8_t)(v >> 8), p[1] = (uint8_t)v; }
static void be32(uint8_t *p, uint32_t v) { be16(p, v >> 16), be16(p + 2, v & 0xffff); }

/* ---- calls ---- */

struct talk {
  struct call c;
  uint32_t step;
};

static void begin_call(struct talk *t, uint32_t id, uint64_t seed) {
  memset(t, 0, sizeof *t);
  struct call *c = &t->c;
  c->key = seed ^ ((uint64_t)id * 0x9e3779b97f4a7c15u);
  c->id = id;
  c->codec = &PCMU;
  for (uint32_t side = 0; side < 2; side++) {
    uint32_t host = id % 4000u;
    uint8_t ip[4] = {10, (uint8_t)(60 + side), (uint8_t)(host >> 8), (uint8_t)(1 + (host & 0xff) % 250)};
    memcpy(c->sig[side].ip, ip, 4);
    memcpy(c->media[side].ip, ip, 4);
    c->sig[side].port = 5060;
    c->media[side].port = (uint16_t)(10000 + (id / 4000u) % 20000u * 2);
    uint64_t s = c->key + side + 1;
    c->dir[side].ssrc = (uint32_t)rng_next(&s);
    c->dir[side].seq = (uint16_t)rng_next(&s);
    c->dir[side].ts = (uint32_t)rng_next(&s);
  }
}

/* HEP 3 around `len` bytes; its length. */
static size_t wrap_hep(uint8_t *d, const struct endpoint *from, const struct endpoint *to,
                       const void *payload, size_t len) {
  uint64_t t = now_us(CLOCK_REALTIME);
  uint8_t *p = d + 6;
  memcpy(d, "HEP3", 4);
#define CHUNK(type, n) (be16(p, 0), be16(p + 2, type), be16(p + 4, (n) + 6u), p += 6 + (n), p - (n))
  *CHUNK(1, 1) = 2;
  *CHUNK(2, 1) = 17;
  memcpy(CHUNK(3, 4), from->ip, 4);
  memcpy(CHUNK(4, 4), to->ip, 4);
  be16(CHUNK(7, 2), from->port);
  be16(CHUNK(8, 2), to->port);
  be32(CHUNK(9, 4), (uint32_t)(t / 1000000));
  be32(CHUNK(10, 4), (uint32_t)(t % 1000000));
  *CHUNK(11, 1) = 1;
  be32(CHUNK(12, 4), 77);
  memcpy(CHUNK(15, (uint32_t)len), payload, len);
  be16(d + 4, (uint32_t)(p - d));
  return (size_t)(p - d);
}

static void send_message(struct out *wire, struct out *hep, const struct options *o, struct talk *t,
                         uint32_t i) {
  static uint64_t all;
  char text[SIP_MAX];
  int side;
  size_t len = sip_build(text, &t->c, SCRIPT[i], &side);
  const struct endpoint *from = &t->c.sig[side], *to = &t->c.sig[!side];
  out_udp(wire, from, to, text, len, &sent.call_messages);
  if (hep == NULL || o->mirror == 1) return;
  if (o->mirror > 1 && ++all % o->mirror == 0) {
    sent.not_mirrored++;
    return;
  }
  uint8_t *d = out_room(hep);
  out_commit(hep, wrap_hep(d, from, to, text, len), &sent.mirrored);
}

static size_t rtp_header(uint8_t *d, uint32_t seq, uint32_t ts, uint32_t ssrc) {
  d[0] = 0x80, d[1] = 0;
  be16(d + 2, seq & 0xffff);
  be32(d + 4, ts);
  be32(d + 8, ssrc);
  memset(d + 12, 0xd5, 160);
  return 172;
}

/* One step in 20 ms: five messages, the talk, silence, two messages. False when the call is over. */
static bool advance(struct out *wire, struct out *hep, const struct options *o, struct talk *t) {
  uint32_t step = t->step++;
  uint32_t quiet = o->talk + o->hold;
  if (step < SETUP || step >= SETUP + quiet) {
    uint32_t i = step < SETUP ? step : step - quiet;
    send_message(wire, hep, o, t, i);
    return i + 1 < MESSAGES;
  }
  uint32_t n = step - SETUP;
  if (n >= o->talk) return true;
  for (uint32_t side = 0; side < 2 && side < o->sides; side++) {
    uint8_t rtp[172];
    struct media_dir *m = &t->c.dir[side];
    /* Not the first and not the last: those nobody can miss. */
    if (side == 0 && o->lose > 0 && n % o->lose == o->lose - 1 && n + 1 < o->talk) {
      sent.call_rtp_skipped++;
      continue;
    }
    size_t len = rtp_header(rtp, m->seq + n, m->ts + n * 160, m->ssrc);
    out_udp(wire, &t->c.media[side], &t->c.media[!side], rtp, len, &sent.call_rtp);
  }
  return true;
}

/* Calls that go on, by the tick of twenty in which they move. */
struct slot {
  struct talk *t;
  size_t n, room;
};
static struct slot slots[SLOT_TICKS];

static size_t move_calls(struct out *wire, struct out *hep, const struct options *o, uint64_t tick) {
  struct slot *s = &slots[tick % SLOT_TICKS];
  for (size_t i = 0; i < s->n;) {
    if (advance(wire, hep, o, &s->t[i]))
      i++;
    else
      s->t[i] = s->t[--s->n];
  }
  size_t left = 0;
  for (uint32_t i = 0; i < SLOT_TICKS; i++) left += slots[i].n;
  return left;
}

static void start_call(uint64_t tick, uint64_t seed) {
  struct slot *s = &slots[tick % SLOT_TICKS];
  if (s->n == s->room) {
    s->room = s->room == 0 ? 64 : s->room * 2;
    s->t = realloc(s->t, s->room * sizeof *s->t);
    if (s->t == NULL) exit(1);
  }
  begin_call(&s->t[s->n++], (uint32_t)made.calls, seed);
  sent.calls = ++made.calls;
}

/* ---- everything else ---- */

static void send_register(struct out *wire, uint64_t seed) {
  char text[SIP_MAX];
  int side;
  struct talk t;
  begin_call(&t, 3000000u + (uint32_t)made.registers++, seed ^ 0x5245474953544552u);
  size_t len = sip_build(text, &t.c, M_REGISTER, &side);
  out_udp(wire, &t.c.sig[0], &t.c.sig[1], text, len, &sent.registers);
}

/* Half random bytes, a quarter cut off in its headers, a quarter without a Call-ID. None begins like RTP. */
static size_t make_garbage(uint8_t *d, uint64_t *rng, uint32_t kind) {
  static const char cut[] =
      "INVITE sip:1@10.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.2;branch=z9hG4bKx\r\nFrom: <si";
  static const char nameless[] =
      "OPTIONS sip:1@10.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.2;branch=z9hG4bKy\r\n"
      "CSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n";
  if (kind == 2) return memcpy(d, cut, sizeof cut - 1), sizeof cut - 1;
  if (kind == 3) return memcpy(d, nameless, sizeof nameless - 1), sizeof nameless - 1;
  size_t len = 20 + rng_below(rng, 900);
  for (size_t i = 0; i < len; i += 8) {
    uint64_t v = rng_next(rng);
    memcpy(d + i, &v, 8);
  }
  d[0] = (uint8_t)(d[0] & 0x3f);
  return len;
}

static uint64_t made_garbage;

static void send_garbage(struct out *wire, uint64_t *rng) {
  static const struct endpoint from = {{10, 62, 0, 1}, 5060}, to = {{10, 62, 0, 2}, 5060};
  uint64_t *count[] = {&sent.garbage_random, &sent.garbage_random, &sent.garbage_cut, &sent.garbage_nameless};
  uint8_t d[1024];
  uint32_t kind = (uint32_t)(made_garbage++ % 4);
  out_udp(wire, &from, &to, d, make_garbage(d, rng, kind), count[kind]);
}

static void send_rtp(struct out *wire, uint32_t flows) {
  uint32_t flow = (uint32_t)(made.rtp % flows), n = (uint32_t)(made.rtp++ / flows);
  struct endpoint from = {{10, 63, (uint8_t)(flow >> 8), (uint8_t)flow}, 20000}, to = {{10, 64, 0, 1}, 30000};
  uint8_t rtp[172];
  out_udp(wire, &from, &to, rtp, rtp_header(rtp, n, n * 160, 0x10000u + flow), &sent.rtp);
}

static void send_bulk(struct out *wire, bool tcp) {
  static const struct endpoint from = {{10, 65, 0, 1}, 40000}, to = {{10, 65, 0, 2}, 8444};
  static uint8_t data[1448];
  memset(data, 0x41, 16);
  if (tcp) {
    made.bulk_tcp++;
    memcpy(data, "\x17\x03\x03\x40\x18", 5); /* TLS application data */
    out_tcp(wire, &from, &to, data, 1448, &sent.bulk_tcp);
  } else {
    made.bulk_udp++;
    memcpy(data, "\x4f\x12\xf3\x99", 4); /* as QUIC begins */
    out_udp(wire, &from, &to, data, 1400, &sent.bulk_udp);
  }
}

static struct pooled pool[POOL_CALLS * MESSAGES];

static void fill_pool(uint64_t seed) {
  for (uint32_t k = 0; k < POOL_CALLS; k++) {
    struct talk t;
    char caller[POOL_TAG] = "";
    begin_call(&t, k, seed ^ 0x484550u);
    for (uint32_t i = 0; i < MESSAGES; i++) {
      char text[SIP_MAX];
      uint8_t d[SIP_MAX + 256];
      int side;
      size_t len = sip_build(text, &t.c, SCRIPT[i], &side);
      len = wrap_hep(d, &t.c.sig[side], &t.c.sig[!side], text, len);
      if (i == 0) pool_tag(d, len, caller);
      if (!pool_keep(&pool[k * MESSAGES + i], d, len, caller)) exit(1);
    }
  }
}

static void send_hep_message(struct out *hep) {
  /* Eight calls run at a time, message by message, as calls do that overlap. */
  uint64_t n = made.hep_messages++, k = n % (POOL_CALLS * MESSAGES);
  uint32_t round = (uint32_t)(n / (POOL_CALLS * MESSAGES));
  uint64_t group = k / (8 * MESSAGES), within = k % (8 * MESSAGES);
  const struct pooled *p = &pool[(group * 8 + within % 8) * MESSAGES + within / 8];
  uint8_t *d = out_room(hep);
  pool_renew(p, d, round * 0x9e3779b1u ^ (uint32_t)((p - pool) / MESSAGES) * 0x85ebca6bu, round);
  uint64_t t = now_us(CLOCK_REALTIME);
  be32(d + 6 + 7 + 7 + 10 + 10 + 8 + 8 + 6, (uint32_t)(t / 1000000));
  be32(d + 6 + 7 + 7 + 10 + 10 + 8 + 8 + 10 + 6, (uint32_t)(t % 1000000));
  if (within / 8 == 0) sent.hep_calls++;
  out_commit(hep, p->len, &sent.hep_messages);
}

static void send_hep_garbage(struct out *hep, uint64_t *rng) {
  uint8_t *d = out_room(hep);
  made.hep_garbage++;
  size_t len = make_garbage(d, rng, rng_below(rng, 4));
  /* A quarter says it is HEP, and lies about its length. */
  if (rng_below(rng, 4) == 0) memcpy(d, "HEP3\xff\xff", 6);
  out_commit(hep, len, &sent.hep_garbage);
}

/* ---- the clock ---- */

static uint64_t due(double rate, double elapsed, uint64_t done) {
  double want = rate * elapsed;
  if (want <= (double)done) return 0;
  double n = want - (double)done;
  return n > CATCH_UP ? CATCH_UP : (uint64_t)n;
}

static void run(const struct options *o, struct out *wire, struct out *hep) {
  uint64_t rng = 4711, seed = now_us(CLOCK_REALTIME), begun = now_us(CLOCK_MONOTONIC);
  bool waits = false;
  if (hep != NULL && o->hep_messages > 0) fill_pool(seed);
  for (uint64_t tick = 0;; tick++) {
    uint64_t at = begun + tick * TICK_US, now = now_us(CLOCK_MONOTONIC);
    if (now < at) {
      struct timespec nap = {0, (long)(at - now) * 1000};
      nanosleep(&nap, NULL);
    }
    double elapsed = (double)(tick + 1) * TICK_US / 1e6;
    bool ends = elapsed > o->seconds;
    if (wire != NULL) {
      if (!ends) {
        for (uint64_t n = due(o->calls, elapsed, made.calls); n > 0; n--) start_call(tick, seed);
        for (uint64_t n = due(o->registers, elapsed, made.registers); n > 0; n--) send_register(wire, seed);
        for (uint64_t n = due(o->garbage, elapsed, made_garbage); n > 0; n--) send_garbage(wire, &rng);
        for (uint64_t n = due(o->rtp, elapsed, made.rtp); n > 0; n--) send_rtp(wire, o->flows);
        for (uint64_t n = due(o->bulk_udp, elapsed, made.bulk_udp); n > 0; n--) send_bulk(wire, false);
        for (uint64_t n = due(o->bulk_tcp, elapsed, made.bulk_tcp); n > 0; n--) send_bulk(wire, true);
      }
      waits = move_calls(wire, hep, o, tick) > 0;
      out_flush(wire);
    }
    if (hep != NULL) {
      if (!ends) {
        for (uint64_t n = due(o->hep_messages, elapsed, made.hep_messages); n > 0; n--) send_hep_message(hep);
        for (uint64_t n = due(o->hep_garbage, elapsed, made.hep_garbage); n > 0; n--)
          send_hep_garbage(hep, &rng);
      }
      out_flush(hep);
    }
    if (ends && !waits) break;
  }
  double took = (double)(now_us(CLOCK_MONOTONIC) - begun) / 1e6;
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  printf("{\"seconds\": %.3f, \"cpu_seconds\": %.3f", took, cpu);
#define SHOW(name) printf(", \"" #name "\": %" PRIu64, sent.name)
  SHOW(calls), SHOW(call_messages), SHOW(call_rtp), SHOW(call_rtp_skipped), SHOW(registers),
      SHOW(garbage_random), SHOW(garbage_cut);
  SHOW(garbage_nameless);
  SHOW(rtp), SHOW(bulk_udp), SHOW(bulk_tcp), SHOW(mirrored), SHOW(not_mirrored), SHOW(hep_messages);
  SHOW(hep_calls), SHOW(hep_garbage);
  printf(", \"frames\": %" PRIu64 ", \"datagrams\": %" PRIu64 ", \"datagram_sends\": %" PRIu64 "}\n",
         out_taken(wire), out_taken(hep), out_sends(hep));
}

static bool take(struct options *o, const char *name, const char *value) {
  const struct {
    const char *name;
    double *to;
  } rates[] = {{"--seconds", &o->seconds},
               {"--calls", &o->calls},
               {"--registers", &o->registers},
               {"--garbage", &o->garbage},
               {"--rtp", &o->rtp},
               {"--bulk-udp", &o->bulk_udp},
               {"--bulk-tcp", &o->bulk_tcp},
               {"--hep-messages", &o->hep_messages},
               {"--hep-garbage", &o->hep_garbage}};
  const struct {
    const char *name;
    uint32_t *to;
  } numbers[] = {{"--talk", &o->talk},   {"--hold", &o->hold},   {"--lose", &o->lose},
                 {"--sides", &o->sides}, {"--flows", &o->flows}, {"--mirror", &o->mirror}};
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
    if (strcmp(name, rates[i].name) == 0) return *rates[i].to = atof(value), true;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (strcmp(name, numbers[i].name) == 0) return *numbers[i].to = (uint32_t)strtoul(value, NULL, 10), true;
  if (strcmp(name, "--iface") == 0) return o->iface = value, true;
  if (strcmp(name, "--hep") == 0) return o->hep = value, true;
  return false;
}

int main(int argc, char **argv) {
  struct options o = {.seconds = 10, .talk = 50, .sides = 2, .flows = 512, .mirror = 1};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && take(&o, argv[i], argv[i + 1])) continue;
    fprintf(stderr, "blast: %s: no such option, or without a value\n", argv[i]);
    return 2;
  }
  struct out *wire = o.iface == NULL ? NULL : out_open_iface(o.iface);
  struct out *hep = o.hep == NULL ? NULL : out_open_udp(o.hep);
  if ((o.iface != NULL && wire == NULL) || (o.hep != NULL && hep == NULL) || o.flows == 0) {
    perror("blast");
    return 1;
  }
  run(&o, wire, hep);
  return 0;
}
