/* SPDX-License-Identifier: Apache-2.0
 * live_lab.h - a network namespace with a veth pair, senders, and a live source whose records are kept.
 *
 * Shared by the tests test_packet_*.slow.c. A scenario runs in a process and a namespace of
 * its own, so nothing is left behind and nothing of the machine is touched.
 */
#ifndef CALLTAP_LIVE_LAB_H
#define CALLTAP_LIVE_LAB_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "decode_check.h"
#include "live/source_packet.h"
#include "decode/walk.h"
#include "net_frames.h"

#define LAB_SLABS 64u
#define LAB_BLOCKS 64u /* 8 MiB, or 0.64 s without a reader */
#define LAB_SKIP 77
/* Far above what a stop takes and below the two seconds that the program has for all of it. */
#define STOP_LIMIT_MS 5000

static inline void nap_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t) != 0) continue;
}
static inline double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Runs a command line of iproute2; its failure is the test's failure. */
__attribute__((format(printf, 1, 2))) static inline void sh(const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (system(line) != 0) {
    fprintf(stderr, "failed: %s\n", line);
    exit(1);
  }
}

static uint8_t frame[70000];

/* A SIP message from port 5060 to 5060, in `frame`; its length. */
static const char OPTIONS_TEXT[] = "OPTIONS sip:b@10.0.0.2 SIP/2.0\r\n"
                                   "Via: SIP/2.0/UDP 10.0.0.1\r\nCall-ID: a\r\n"
                                   "CSeq: 1 OPTIONS\r\n\r\n";
enum { OPTIONS_BYTES = sizeof OPTIONS_TEXT - 1 };
static inline uint32_t sip_frame(void) { return udp_frame(frame, 5060, 5060, OPTIONS_TEXT, OPTIONS_BYTES); }

/* A raw socket that sends frames out of `name`. */
static inline int raw_socket(const char *name) {
  int fd = socket(AF_PACKET, SOCK_RAW, 0);
  struct sockaddr_ll a = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(name)};
  if (fd < 0 || a.sll_ifindex == 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0) {
    perror(name);
    exit(1);
  }
  return fd;
}
static inline void send_frame(int fd, const uint8_t *d, uint32_t n) {
  if (send(fd, d, n, 0) != (ssize_t)n) {
    perror("send");
    exit(1);
  }
}

/* ---- A live source with a consumer that keeps what it is given ---- */

struct lab {
  struct ct_pipeline pl;
  struct ct_ring ring;
  struct ct_slab slab[LAB_SLABS];
  struct ct_packet_filter filter;
  struct ct_live_source live;
  uint64_t counters[CT_COUNTERS];
  uint64_t live_counters[CT_LIVE_MAX][CT_L_COUNT];
  uint32_t sip_ports[65536], ws_ports[65536];
  struct ct_record *records; /* all, copied at lab_stop() */
  uint32_t n;
  double stop_ms;
};

static inline void gate_ports(uint64_t *set, uint32_t from, uint32_t to) {
  for (uint32_t port = from; port <= to; port++) set[port >> 6] |= 1ull << (port & 63);
}

/* The pipeline and an open filter, with the default gates. */
static inline struct lab *lab_open(enum ct_filter_mode best, uint32_t slabs) {
  struct lab *l = calloc(1, sizeof *l);
  if (l == NULL || !ct_pipeline_init(&l->pl)) abort();
  gate_ports(l->pl.gate.sip, 5060, 5061);
  gate_ports(l->pl.gate.ws, 80, 80);
  gate_ports(l->pl.gate.ws, 443, 443);
  l->pl.counters = l->counters;
  l->pl.sip_out_ports = l->sip_ports;
  l->pl.ws_out_ports = l->ws_ports;
  struct ct_rtp_opts rtp = {.max_streams = 10000, .window_ns = 5000000000ull, .buffer_ms = 60};
  l->pl.rtp = ct_rtp_create(&rtp);
  for (uint32_t i = 0; i < LAB_SLABS; i++) {
    l->slab[i].data = malloc(CT_SLAB_BYTES);
    l->slab[i].rec = malloc(CT_SLAB_RECORDS * sizeof(struct ct_record));
    if (l->slab[i].data == NULL || l->slab[i].rec == NULL) abort();
  }
  l->ring.slab = l->slab;
  l->ring.n = slabs;
  struct ct_filter_opts o = {.gate = &l->pl.gate, .best = best};
  ct_filter_open(&l->filter, &o);
  l->live.pl = &l->pl;
  l->live.ring = &l->ring;
  l->live.filter = &l->filter;
  l->live.promiscuous = true;
  if (ct_live_init(&l->live) != 0) abort();
  return l;
}

static inline void lab_add(struct lab *l, const char *name, uint32_t blocks) {
  struct ct_live_error e;
  uint32_t i = l->live.n;
  if (!ct_live_add(&l->live, name, i, blocks, l->live_counters[i], &e)) {
    fprintf(stderr, "%s: %s: %s\n", name, e.step, strerror(e.err));
    exit(e.err == EPERM ? LAB_SKIP : 1);
  }
}

static inline struct lab *lab_start(const char *name, enum ct_filter_mode best) {
  struct lab *l = lab_open(best, LAB_SLABS);
  lab_add(l, name, LAB_BLOCKS);
  if (ct_live_start(&l->live) != 0) abort();
  return l;
}

/* Stops the thread and collects every record that was published. */
static inline void lab_stop(struct lab *l) {
  double start = now_ms();
  ct_live_stop(&l->live);
  l->stop_ms = now_ms() - start;
  uint32_t total = 0;
  for (uint32_t i = l->ring.tail; i != l->ring.head; i++) total += l->slab[i % l->ring.n].count;
  l->records = calloc(total + 1, sizeof *l->records);
  if (l->records == NULL) abort();
  while (ct_ring_pending(&l->ring) > 0) {
    const struct ct_slab *s = &l->slab[l->ring.tail % l->ring.n];
    memcpy(l->records + l->n, s->rec, s->count * sizeof *l->records);
    l->n += s->count;
    ct_ring_release(&l->ring);
  }
}

static inline void lab_free(struct lab *l) {
  ct_live_close(&l->live);
  ct_live_close(&l->live); /* must be harmless */
  ct_filter_close(&l->filter);
  ct_rtp_free(l->pl.rtp);
  ct_pipeline_close(&l->pl);
  for (uint32_t i = 0; i < LAB_SLABS; i++) {
    free(l->slab[i].data);
    free(l->slab[i].rec);
  }
  free(l->records);
  free(l);
}

static inline uint64_t live_count(const struct lab *l, uint32_t i, enum ct_live_counter c) {
  return __atomic_load_n(&l->live_counters[i][c], __ATOMIC_RELAXED);
}
static inline uint64_t class_count(const struct lab *l, enum ct_class c) {
  return l->counters[CT_N_COUNT + CT_REASON_COUNT + c];
}
static inline uint32_t records_of(const struct lab *l, enum ct_kind kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->n; i++) n += l->records[i].kind == kind;
  return n;
}
/* All frames sent are frames taken, plus what the kernel dropped, plus what the stop left unread. */
static inline void check_sum(const struct lab *l, uint64_t sent) {
  CHECK_EQ(live_count(l, 0, CT_L_KERNEL_PACKETS), sent);
  CHECK_EQ(live_count(l, 0, CT_L_FRAMES) + live_count(l, 0, CT_L_KERNEL_DROPS) +
               live_count(l, 0, CT_L_UNREAD),
           sent);
}
/* Waits until a counter has reached `want`, twenty seconds at most: a machine under load may stand still. */
static inline void wait_count(const struct lab *l, uint32_t i, enum ct_live_counter c, uint64_t want) {
  for (int n = 0; n < 2000 && live_count(l, i, c) < want; n++) nap_ms(10);
}
static inline void wait_state(struct lab *l, enum ct_live_state want, const char *text) {
  struct ct_live_status st;
  for (int n = 0; n < 2000; n++) {
    CHECK(ct_live_status_of(&l->live, 0, &st));
    if (st.state == want) break;
    nap_ms(10);
  }
  CHECK_EQ(st.state, want);
  CHECK(strstr(st.text, text) != NULL);
  if (strstr(st.text, text) == NULL) fprintf(stderr, "  status: %s\n", st.text);
}
/* The frames on va are captured on vb. IPv6 is off: nothing is on the wire that the test did not send. */
static inline void make_veth(void) {
  sh("ip link add va type veth peer name vb");
  sh("for i in all default va vb; do echo 1 > /proc/sys/net/ipv6/conf/$i/disable_ipv6; done 2>/dev/null; "
     "true");
  sh("ip link set va arp off up && ip link set vb arp off up");
  for (int n = 0; n < 100 && system("ip link show vb | grep -q LOWER_UP") != 0; n++) nap_ms(10);
}

/* ---- Running scenarios ---- */

struct scenario {
  const char *name;
  void (*run)(void);
  bool needs_ebpf;
};

/* "ok NAME", "skip NAME: reason" or "FAIL NAME" a scenario; the exit code says whether one failed. */
static inline int run_scenarios(const struct scenario *list, uint32_t n, int argc, char **argv) {
  int failed = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (uint32_t i = 0; i < n; i++) {
    bool wanted = argc < 2;
    for (int a = 1; a < argc; a++) wanted = wanted || strcmp(argv[a], list[i].name) == 0;
    if (!wanted) continue;
    if (list[i].needs_ebpf && !ct_filter_has_ebpf()) {
      printf("skip %s: built without libbpf\n", list[i].name);
      continue;
    }
    pid_t child = fork();
    if (child == 0) {
      alarm(200);
      subject = list[i].name;
      if (unshare(CLONE_NEWNET) != 0) exit(LAB_SKIP);
      if (system("ip link set lo up >/dev/null 2>&1") != 0) exit(LAB_SKIP);
      list[i].run();
      exit(failures != 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == LAB_SKIP) {
      printf("skip %s: needs root (a network namespace, packet sockets) and iproute2\n", list[i].name);
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      printf("ok %s\n", list[i].name);
    } else {
      printf("FAIL %s\n", list[i].name);
      failed = 1;
    }
  }
  return failed;
}

#endif
