/* SPDX-License-Identifier: Apache-2.0
 * test_hep_source.c - the HEP listener over loopback: its records, what it refuses, what a full ring does.
 */
#define _GNU_SOURCE
#include "check.h"
#include "hep/source_hep.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A stop that waits for a poll to end takes longer; a machine under load does not make it this long. */
#define STOP_LIMIT_MS 5000

static int64_t now_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}
static void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}

/* ---- a listener and its ring ---- */
struct bed {
  struct ct_hep_source s;
  struct ct_hep_gate gate;
  struct ct_ring ring;
  struct ct_slab slab[64];
  uint64_t n[CT_HEP_COUNTERS];
  uint64_t records, bytes; /* consumed */
  struct ct_record last;
  uint8_t payload[64];
};
static struct bed *bed_new(const struct ct_cidr *allow, uint32_t n, uint32_t rate, uint32_t max,
                           uint32_t slabs) {
  struct bed *b = calloc(1, sizeof(*b));
  CHECK_EQ(ct_hep_gate_init(&b->gate, b->n, allow, n, rate, max), 0);
  for (uint32_t i = 0; i < slabs; i++) {
    b->slab[i].data = malloc(CT_SLAB_BYTES);
    b->slab[i].rec = calloc(CT_SLAB_RECORDS, sizeof(struct ct_record));
  }
  b->ring.slab = b->slab;
  b->ring.n = slabs;
  b->s.ring = &b->ring;
  b->s.gate = &b->gate;
  b->s.counters = b->n;
  b->s.source_id = 7;
  return b;
}
static void bed_free(struct bed *b) {
  ct_hep_stop(&b->s);
  ct_hep_stop(&b->s); /* twice is once */
  ct_hep_gate_close(&b->gate);
  for (uint32_t i = 0; i < b->ring.n; i++) {
    free(b->slab[i].data);
    free(b->slab[i].rec);
  }
  free(b);
}
static void consume(struct bed *b) {
  while (ct_ring_pending(&b->ring) > 0) {
    struct ct_slab *slab = &b->slab[atomic_load(&b->ring.tail) % b->ring.n];
    for (uint32_t i = 0; i < slab->count; i++) {
      b->last = slab->rec[i];
      b->bytes += b->last.len;
      CHECK(b->last.off + (uint64_t)b->last.len <= CT_SLAB_BYTES);
      memcpy(b->payload, slab->data + b->last.off, b->last.len < 64 ? b->last.len : 64);
    }
    b->records += slab->count;
    ct_ring_release(&b->ring);
  }
}
/* Until `want` records came. The limit is for a machine that stands still, not for the source. */
static void await_records(struct bed *b, uint64_t want) {
  for (int64_t end = now_ns(CLOCK_MONOTONIC) + 20000000000;
       b->records < want && now_ns(CLOCK_MONOTONIC) < end;) {
    consume(b);
    if (b->records < want) sleep_ms(1);
  }
  CHECK_EQ(b->records, want);
}
/* The thread counts meanwhile. */
static uint64_t count_of(const struct bed *b, uint32_t counter) {
  return __atomic_load_n(&b->n[counter], __ATOMIC_RELAXED);
}

/* Until it held once: the thread continues meanwhile. */
#define AWAIT(condition)                                                                                     \
  do {                                                                                                       \
    bool held_ = (condition);                                                                                \
    for (int ms_ = 0; ms_ < 20000 && !held_; ms_++, held_ = (condition)) sleep_ms(1);                        \
    CHECK(held_ &&#condition);                                                                               \
  } while (0)

static void await_datagrams(struct bed *b, uint64_t want) {
  for (int i = 0; i < 20000 && count_of(b, CT_HEP_N_DATAGRAMS) < want; i++) sleep_ms(1);
  CHECK_EQ(count_of(b, CT_HEP_N_DATAGRAMS), want);
}

/* A connected sender bound to `from`. */
static int sender(int family, const char *from, const char *to, uint16_t port) {
  struct sockaddr_in6 sa = {.sin6_family = (sa_family_t)family};
  struct sockaddr_in *four = (struct sockaddr_in *)&sa;
  void *addr = family == AF_INET ? (void *)&four->sin_addr : (void *)&sa.sin6_addr;
  socklen_t len = family == AF_INET ? sizeof(*four) : sizeof(sa);
  int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (inet_pton(family, from, addr) != 1 || bind(fd, (struct sockaddr *)&sa, len) != 0) abort();
  if (inet_pton(family, to, addr) != 1) abort();
  *(family == AF_INET ? &four->sin_port : &sa.sin6_port) = htons(port);
  if (connect(fd, (struct sockaddr *)&sa, len) != 0) abort();
  return fd;
}
static void send_n(int fd, uint32_t n, size_t len) {
  static uint8_t big[65507];
  memcpy(big, "HEP3", 4);
  for (uint32_t i = 0; i < n; i++) CHECK_EQ(send(fd, big, len, 0), len);
}

static struct ct_cidr net4(uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t bits) {
  return (struct ct_cidr){4, bits, {a, b, c, d}};
}
static void facts_of_a_record(void) {
  struct bed *b = bed_new(NULL, 0, 0, 0, 4);
  CHECK_EQ(ct_hep_open(&b->s, "127.0.0.1", 0), 0);
  CHECK(b->s.port != 0);
  CHECK(b->s.rcvbuf_got > 0);
  CHECK_EQ(ct_hep_start(&b->s), 0);
  int fd = sender(AF_INET, "127.0.0.5", "127.0.0.1", b->s.port);
  struct sockaddr_in me;
  socklen_t len = sizeof(me);
  getsockname(fd, (struct sockaddr *)&me, &len);
  double before = (double)now_ns(CLOCK_REALTIME) / 1000;
  CHECK_EQ(send(fd, "HEP3 and the rest", 17, 0), 17);
  await_records(b, 1);
  CHECK_EQ(b->last.kind, CT_KIND_HEP);
  CHECK_EQ(b->last.origin, CT_ORIGIN_HEP);
  CHECK_EQ(b->last.ip_version, 4);
  CHECK_EQ(b->last.transport, 17);
  CHECK_EQ(b->last.source, 7);
  CHECK_EQ(b->last.len, 17);
  CHECK_EQ(b->last.wire_len, 17);
  CHECK_EQ(b->last.src_port, ntohs(me.sin_port));
  CHECK_EQ(b->last.dst_port, b->s.port);
  CHECK_EQ(memcmp(b->last.src, "\x7f\0\0\x05\0\0\0\0\0\0\0\0\0\0\0", 16), 0);
  CHECK_EQ(memcmp(b->last.dst, "\x7f\0\0\x01\0\0\0\0\0\0\0\0\0\0\0", 16), 0);
  CHECK_EQ(memcmp(b->payload, "HEP3 and the rest", 17), 0);
  CHECK(b->last.ts_us >= before - 1 && b->last.ts_us <= (double)now_ns(CLOCK_REALTIME) / 1000);
  send_n(fd, 1, 65507); /* the longest there is over IPv4 */
  await_records(b, 2);
  CHECK_EQ(b->last.len, 65507);
  CHECK_EQ(send(fd, "", 0, 0), 0); /* an empty one is a record too: TypeScript says what is wrong with it */
  await_records(b, 3);
  CHECK_EQ(b->last.len, 0);
  close(fd);
  bed_free(b);
}

static void both_versions_on_any(void) {
  struct ct_cidr nets[2] = {net4(127, 0, 0, 0, 8), {6, 128, {[15] = 1}}};
  struct bed *b = bed_new(nets, 2, 0, 0, 4);
  CHECK_EQ(ct_hep_open(&b->s, "::", 0), 0);
  CHECK_EQ(ct_hep_start(&b->s), 0);
  int six = sender(AF_INET6, "::1", "::1", b->s.port),
      four = sender(AF_INET, "127.0.0.3", "127.0.0.2", b->s.port);
  send_n(six, 1, 9);
  await_records(b, 1);
  CHECK_EQ(b->last.ip_version, 6);
  CHECK_EQ(b->last.src[15], 1);
  CHECK_EQ(b->last.dst[15], 1); /* the address it came to, not the one that was bound */
  send_n(four, 1, 9);
  await_records(b, 2);
  CHECK_EQ(b->last.ip_version, 4);
  CHECK_EQ(memcmp(b->last.src, "\x7f\0\0\x03\0", 5), 0);
  CHECK_EQ(memcmp(b->last.dst, "\x7f\0\0\x02\0", 5), 0);
  close(six);
  close(four);
  bed_free(b);
  b = bed_new(nets, 2, 0, 0, 4);
  CHECK_EQ(ct_hep_open(&b->s, "0.0.0.0", 0), 0);
  CHECK_EQ(ct_hep_start(&b->s), 0);
  four = sender(AF_INET, "127.0.0.3", "127.0.0.9", b->s.port);
  send_n(four, 1, 9);
  await_records(b, 1);
  CHECK_EQ(memcmp(b->last.dst, "\x7f\0\0\x09\0", 5), 0);
  close(four);
  bed_free(b);
}

/* False when the machine stood still: the rate is of one second, and the datagrams must lie in it. */
static bool refusals_in_a_second(void) {
  struct ct_cidr net = net4(127, 0, 0, 1, 32);
  struct bed *b = bed_new(&net, 1, 100, 2000, 4);
  CHECK_EQ(ct_hep_open(&b->s, "127.0.0.1", 0), 0);
  CHECK_EQ(ct_hep_start(&b->s), 0);
  int good = sender(AF_INET, "127.0.0.1", "127.0.0.1", b->s.port),
      bad = sender(AF_INET, "127.0.0.2", "127.0.0.1", b->s.port);
  send_n(bad, 30, 100);
  send_n(good, 5, 2001);
  await_datagrams(b, 35);
  int64_t begin = now_ns(CLOCK_MONOTONIC);
  send_n(good, 150, 2000);
  await_datagrams(b, 185);
  /* TCP shares the rate and the counters. */
  uint8_t lo[16] = {127, 0, 0, 1};
  enum ct_hep_verdict tcp = ct_hep_admit(&b->gate, lo, 4, NULL, 1, now_ns(CLOCK_MONOTONIC));
  bool in_time = now_ns(CLOCK_MONOTONIC) - begin < 900000000;
  if (in_time) {
    CHECK_EQ(tcp, CT_HEP_OVER_RATE);
    await_records(b, 100);
    CHECK_EQ(count_of(b, CT_HEP_NOT_ALLOWED), 30);
    CHECK_EQ(count_of(b, CT_HEP_TOO_LONG), 5);
    CHECK_EQ(count_of(b, CT_HEP_OVER_RATE), 51);
    CHECK_EQ(count_of(b, CT_HEP_TAKEN), 100);
    CHECK_EQ(count_of(b, CT_HEP_N_BYTES), 30 * 100 + 5 * 2001 + 150 * 2000);
    struct ct_hep_sender top[4];
    CHECK_EQ(ct_hep_top_senders(&b->gate, top, 4), 2);
    CHECK_EQ(top[0].addr[3], 1);
    CHECK_EQ(top[0].n[CT_HEP_OVER_RATE], 51);
    CHECK_EQ(top[1].n[CT_HEP_NOT_ALLOWED], 30);
  }
  close(good);
  close(bad);
  bed_free(b);
  return in_time;
}
static void refusals(void) {
  int tries = 1;
  while (!refusals_in_a_second() && tries < 20) tries++;
  CHECK(tries < 20);
}

/* Nobody consumes: the kernel holds what it may, the rest is counted, and the thread still stops at once. */
static void full_ring(void) {
  struct bed *b = bed_new(NULL, 0, 1000000, 0, 2);
  b->s.rcvbuf = 64 * 1024;
  CHECK_EQ(ct_hep_open(&b->s, "127.0.0.1", 0), 0);
  CHECK_EQ(ct_hep_start(&b->s), 0);
  int fd = sender(AF_INET, "127.0.0.1", "127.0.0.1", b->s.port);
  const uint64_t sent = 40000; /* of 20 bytes: far beyond 2 slabs of 2,048 records */
  for (int i = 0; i < 400; i++) {
    send_n(fd, 100, 20);
    if (i % 4 == 0) sleep_ms(1);
  }
  AWAIT(count_of(b, CT_HEP_RING_FULL) > 0 && count_of(b, CT_HEP_N_HELD) > 0);
  /* At most one of the two slabs was handed over before it was full. */
  AWAIT(count_of(b, CT_HEP_TAKEN) > CT_SLAB_RECORDS / 4 * 3);
  CHECK(count_of(b, CT_HEP_TAKEN) <= 2 * CT_SLAB_RECORDS);
  struct ct_hep_sender top = {0};
  AWAIT(ct_hep_top_senders(&b->gate, &top, 1) == 1 &&
        top.n[CT_HEP_RING_FULL] == count_of(b, CT_HEP_RING_FULL));
  /* Consumed again, all is accounted for: taken, refused, or dropped by the kernel and counted. */
  AWAIT((consume(b), count_of(b, CT_HEP_N_DATAGRAMS) + count_of(b, CT_HEP_N_KERNEL_DROPPED) == sent) &&
        b->records == count_of(b, CT_HEP_TAKEN));
  CHECK_EQ(count_of(b, CT_HEP_N_DATAGRAMS) + count_of(b, CT_HEP_N_KERNEL_DROPPED), sent);
  CHECK_EQ(count_of(b, CT_HEP_TAKEN) + count_of(b, CT_HEP_RING_FULL), count_of(b, CT_HEP_N_DATAGRAMS));
  CHECK_EQ(b->records, count_of(b, CT_HEP_TAKEN));
  CHECK_EQ(b->ring.waits, 0); /* a live source never waits */
  close(fd);
  bed_free(b);
}

static void stops_at_once(void) {
  struct bed *b = bed_new(NULL, 0, 0, 0, 2);
  CHECK_EQ(ct_hep_open(&b->s, "127.0.0.1", 0), 0);
  CHECK_EQ(ct_hep_start(&b->s), 0);
  sleep_ms(30); /* asleep in poll */
  int64_t at = now_ns(CLOCK_MONOTONIC);
  ct_hep_stop(&b->s);
  CHECK((now_ns(CLOCK_MONOTONIC) - at) / 1000000 < STOP_LIMIT_MS);
  bed_free(b);
}

static void cannot_open(void) {
  struct bed *b = bed_new(NULL, 0, 0, 0, 2), *c = bed_new(NULL, 0, 0, 0, 2);
  CHECK_EQ(ct_hep_open(&b->s, "example", 9060), -EINVAL);
  CHECK_EQ(ct_hep_open(&b->s, "192.0.2.77", 9060), -EADDRNOTAVAIL);
  CHECK_EQ(ct_hep_start(&b->s), -EINVAL);
  CHECK_EQ(ct_hep_open(&b->s, "127.0.0.1", 0), 0);
  CHECK_EQ(ct_hep_open(&c->s, "127.0.0.1", b->s.port), -EADDRINUSE);
  bed_free(b); /* opened, never started */
  bed_free(c);
}

/* Half a second of messages, 10,000 of them: each is a record or counted. */
static void *send_paced(void *arg) {
  static uint8_t body[530];
  int fd = *(int *)arg;
  for (int i = 0; i < 10000; i++) {
    CHECK_EQ(send(fd, body, sizeof body, 0), sizeof body);
    if (i % 20 == 0) sleep_ms(1);
  }
  return NULL;
}
static void no_loss_unseen(void) {
  struct bed *b = bed_new(NULL, 0, 10000000, 0, 16);
  CHECK_EQ(ct_hep_open(&b->s, "127.0.0.1", 0), 0);
  CHECK_EQ(ct_hep_start(&b->s), 0);
  int fd = sender(AF_INET, "127.0.0.1", "127.0.0.1", b->s.port);
  pthread_t t;
  pthread_create(&t, NULL, send_paced, &fd);
  AWAIT((consume(b),
         b->records + count_of(b, CT_HEP_RING_FULL) + count_of(b, CT_HEP_N_KERNEL_DROPPED) == 10000));
  pthread_join(t, NULL);
  CHECK_EQ(b->records, count_of(b, CT_HEP_TAKEN));
  CHECK_EQ(b->bytes, b->records * 530);
  close(fd);
  bed_free(b);
}

int main(void) {
  facts_of_a_record();
  both_versions_on_any();
  refusals();
  full_ring();
  stops_at_once();
  cannot_open();
  no_loss_unseen();
  return report("hep source");
}
