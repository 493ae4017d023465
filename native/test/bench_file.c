/* SPDX-License-Identifier: Apache-2.0
 * bench_file.c - what the reading thread costs a packet of a capture file, without JavaScript.
 *
 *   gcc -std=c11 -D_GNU_SOURCE= -O3 -march=x86-64-v2 -flto=auto -fvisibility=hidden -fomit-frame-pointer -Inative \
 *     native/test/bench_file.c $(find native -name test -prune -o -name '*.c' -print) -lz -lm -lpthread \
 *     -o bench_file        (libbpf is not needed)
 *   bench_file FILE [RUNS]
 *
 * CPU time of the thread, user and system, for each run: the whole process less the consumer, which only gives the
 * slabs back. Counts are printed, so that a faster reader that reads less shows itself.
 */
#define _GNU_SOURCE
#include "file/source_file.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SLABS 16u

struct cost {
  double user, sys, wall;
};

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static struct cost now(void) {
  struct rusage all, own;
  struct timespec t;
  getrusage(RUSAGE_SELF, &all);
  getrusage(RUSAGE_THREAD, &own);
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (struct cost){seconds(all.ru_utime) - seconds(own.ru_utime),
                       seconds(all.ru_stime) - seconds(own.ru_stime),
                       (double)t.tv_sec + (double)t.tv_nsec / 1e9};
}

static struct ct_slab slabs[SLABS];
static struct ct_pipeline pl;
static uint64_t counters[CT_COUNTERS];

static void set_up(void) {
  for (uint32_t i = 0; i < SLABS; i++) {
    slabs[i].data = malloc(CT_SLAB_BYTES);
    slabs[i].rec = malloc(CT_SLAB_RECORDS * sizeof(struct ct_record));
    if (slabs[i].data == NULL || slabs[i].rec == NULL) abort();
    memset(slabs[i].data, 1, CT_SLAB_BYTES);
    memset(slabs[i].rec, 1, CT_SLAB_RECORDS * sizeof(struct ct_record));
  }
  pl.gate.sip[5060 >> 6] |= 3ull << (5060 & 63);
  pl.digests = true;
  pl.counters = counters;
  pl.sip_out_ports = calloc(65536, 4);
  pl.ws_out_ports = calloc(65536, 4);
  if (pl.sip_out_ports == NULL || pl.ws_out_ports == NULL || !ct_pipeline_init(&pl)) abort();
}

static void one_run(const char *path) {
  struct ct_rtp_opts o = {.max_streams = 200000, .seed = {1, 2}, .window_ns = 5000000000ull, .buffer_ms = 60};
  struct ct_ring ring = {.slab = slabs, .n = SLABS};
  struct ct_file_source s = {.pl = &pl, .ring = &ring};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    perror(path);
    exit(1);
  }
  struct ct_merge *files = ct_merge_create(&path, &fd, 1);
  if (files == NULL) abort();
  memset(counters, 0, sizeof counters);
  for (uint32_t i = 0; i < SLABS; i++) slabs[i].used = slabs[i].count = 0;
  pl.rtp = ct_rtp_create(&o);
  if (pl.rtp == NULL) abort();
  uint64_t records = 0;
  struct cost a = now();
  if (!ct_file_start(&s, files)) abort();
  for (bool ended = false; !ended;) {
    const struct timespec nap = {.tv_nsec = 200000};
    while (ct_ring_pending(&ring) > 0) {
      const struct ct_slab *slab = &slabs[ring.tail % SLABS];
      records += slab->count;
      ended = slab->count > 0 && slab->rec[slab->count - 1].kind == CT_KIND_SOURCE_END;
      ct_ring_release(&ring);
    }
    nanosleep(&nap, NULL);
  }
  ct_file_join(&s);
  close(fd);
  struct cost b = now();
  double user = b.user - a.user, sys = b.sys - a.sys, packets = (double)counters[CT_N_FRAMES];
  printf("packets %.0f records %llu waits %u  user %.0f ms sys %.0f ms wall %.0f ms  %.1f ns a packet\n",
         packets, (unsigned long long)records, ring.waits, user * 1e3, sys * 1e3, (b.wall - a.wall) * 1e3,
         (user + sys) * 1e9 / packets);
  ct_rtp_free(pl.rtp);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: bench_file FILE [RUNS]\n");
    return 2;
  }
  set_up();
  for (int n = argc > 2 ? atoi(argv[2]) : 3; n > 0; n--) one_run(argv[1]);
  return 0;
}
