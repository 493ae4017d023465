/* SPDX-License-Identifier: Apache-2.0
 * bench_packet.c - what the live reader costs a packet and where it begins to lose, on a veth pair.
 *
 *   bench_packet [SECONDS [PACKETS_PER_SECOND]]    needs root; 0 packets a second is as many as can be sent
 *
 * One sender (AF_PACKET, queueing discipline bypassed) and the reader share the machine. `ns/packet` is
 * CPU time of the reader's thread over the packets that were sent, dropped in the kernel or not. A row is
 * only printed when sent = read + dropped by the ring + dropped by the filter.
 */
#include "live_lab.h"
#include <linux/filter.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>

#define BATCH 64u
#define FLOWS 512u

static struct lab *lab;
static volatile int done;
static uint64_t consumed;

static void *consume(void *arg) {
  (void)arg;
  while (!done) {
    while (ct_ring_pending(&lab->ring) > 0) {
      consumed += lab->slab[lab->ring.tail % lab->ring.n].count;
      ct_ring_release(&lab->ring);
    }
    nap_ms(1);
  }
  return NULL;
}

enum traffic { RTP, CALLS, UDP_BULK, TLS_BULK, TRAFFICS };
static const char *const traffic_names[TRAFFICS] = {"RTP", "RTP, 1 % SIP", "UDP 1400 B", "TLS 1448 B"};

static uint32_t make(enum traffic t, uint8_t *d, uint32_t i) {
  static uint8_t data[1460];
  uint32_t flow = i % FLOWS;
  if (t == CALLS && i % 100 == 0) return udp_frame(d, 5060, 5060, OPTIONS_TEXT, OPTIONS_BYTES);
  if (t == RTP || t == CALLS) {
    return udp_frame(d, 10000 + flow * 2, 30000, data, rtp_payload(data, i / FLOWS, flow + 1, 172));
  }
  memset(data, 0x41, sizeof data);
  if (t == UDP_BULK) {
    memcpy(data, "\x4f\x12\xf3\x99", 4);
    return udp_frame(d, 40000, 8444, data, 1400);
  }
  memcpy(data, "\x17\x03\x03\x40\x18", 5);
  return tcp_frame(d, 8444, 40000 + flow, 0x10, data, 1448);
}

/* Sends for some time; the number of packets is left in shared memory. */
static void blast(enum traffic t, double seconds, double rate, uint64_t *sent) {
  static uint8_t frames[BATCH][1600];
  struct mmsghdr m[BATCH];
  struct iovec v[BATCH];
  int fd = raw_socket("va"), one = 1;
  setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one);
  uint64_t n = 0;
  double start = now_ms();
  while (now_ms() - start < seconds * 1e3) {
    if (rate > 0 && (double)n > (now_ms() - start) / 1e3 * rate) {
      struct timespec brief = {.tv_nsec = 50000};
      nanosleep(&brief, NULL);
      continue;
    }
    for (uint32_t i = 0; i < BATCH; i++) {
      v[i] = (struct iovec){frames[i], make(t, frames[i], (uint32_t)n + i)};
      m[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &v[i], .msg_iovlen = 1}};
    }
    int k = sendmmsg(fd, m, BATCH, 0);
    if (k > 0) n += (uint64_t)k;
  }
  *sent = n;
}

static void row(enum traffic t, enum ct_filter_mode mode, double seconds, double rate) {
  static const char *const modes[] = {"none", "classic", "eBPF"};
  uint64_t *sent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_t consumer;
  lab = lab_open(mode, LAB_SLABS);
  lab_add(lab, "vb", CT_BLOCK_COUNT);
  done = 0;
  consumed = 0;
  if (pthread_create(&consumer, NULL, consume, NULL) != 0 || ct_live_start(&lab->live) != 0) abort();
  pid_t sender = fork();
  if (sender == 0) {
    blast(t, seconds, rate, sent);
    _exit(0);
  }
  waitpid(sender, NULL, 0);
  nap_ms(50);
  ct_live_stop(&lab->live);
  done = 1;
  pthread_join(consumer, NULL);
  uint64_t frames = live_count(lab, 0, CT_L_FRAMES), drops = live_count(lab, 0, CT_L_KERNEL_DROPS),
           filtered = 0;
  struct ct_filter_count c[CT_F_COUNT];
  if (ct_filter_counts(&lab->filter, c)) {
    for (uint32_t i = CT_F_FIRST_DROP; i < CT_F_COUNT; i++) filtered += c[i].packets;
  }
  bool sums = lab->filter.mode == CT_FILTER_CLASSIC || frames + drops + filtered == *sent;
  if (!sums) failures++;
  printf("%-13s %-8s %8.0f %10llu %10llu %8llu %8llu %8.1f %6.2f%s\n", traffic_names[t],
         modes[lab->filter.mode], (double)*sent / seconds / 1e3, (unsigned long long)frames,
         (unsigned long long)filtered, (unsigned long long)drops, (unsigned long long)lab->ring.dropped,
         (double)lab->live.cpu_ns / (double)(*sent == 0 ? 1 : *sent),
         (double)lab->live.cpu_ns / seconds / 1e7, sums ? "" : "  SUM IS WRONG");
  munmap(sent, 4096);
  lab_free(lab);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 2, rate = argc > 2 ? atof(argv[2]) : 0;
  if (unshare(CLONE_NEWNET) != 0) {
    printf("skip: needs root\n");
    return 0;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  make_veth();
  printf("%-13s %-8s %8s %10s %10s %8s %8s %8s %6s\n", "traffic", "filter", "k/s", "read", "filtered", "ring",
         "queue", "ns/pkt", "CPU %");
  for (int t = 0; t < TRAFFICS; t++)
    for (int mode = 0; mode <= CT_FILTER_EBPF; mode++)
      row((enum traffic)t, (enum ct_filter_mode)mode, seconds, rate);
  return failures != 0;
}
