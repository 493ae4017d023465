/* SPDX-License-Identifier: Apache-2.0
 * test_steady_frames.c - frames are handed out once, in order and with their place in the file, whatever gaps they have; what
 * comes behind a step of the clock is shifted.
 */
#define _GNU_SOURCE
#include "file/steady_frames.h"
#include "folder.h"
#include "net_frames.h"
#include "pcap_image.h"
#include <fcntl.h>
#include <unistd.h>

#define FLOWS 3u
#define ROUNDS 900u
#define STEP_US 20000

static uint64_t counters[CT_COUNTERS];
static uint32_t ports[65536];
static struct ct_slab slabs[2];
static uint8_t bytes[1u << 20];
static size_t written;

/* A round of packets each 20 ms; `gap` is what the clock of round i shows beyond that, in microseconds. */
static void write_rounds(int64_t (*gap)(uint32_t i)) {
  struct image m = {0};
  file_header(&m, 0xa1b2c3d4, 2, 4, 1);
  for (uint32_t i = 0; i < ROUNDS; i++)
    for (uint32_t k = 0; k < FLOWS; k++) {
      uint8_t rtp[32] = {0}, frame[200];
      rtp_payload(rtp, (uint16_t)i, 1 + k, sizeof rtp);
      put32(rtp + 4, i * 160);
      const uint32_t n = udp_frame(frame, (uint16_t)(20000 + 2 * k), 30000, rtp, sizeof rtp);
      frame[29] = (uint8_t)(10 + k);
      const int64_t us = 1700000000LL * 1000000 + i * STEP_US + k * 1000 + gap(i);
      record(&m, (uint32_t)(us / 1000000), (uint32_t)(us % 1000000), n, n, 0);
      put(&m, frame, n);
    }
  write_file("a", m.b, m.n);
  memcpy(bytes, m.b, m.n);
  written = m.n;
  free(m.b);
}

static void name_all(void *arg) {
  struct ct_pipeline *pl = arg;
  struct ct_stream *s = ct_rtp_chunk(pl->rtp, 0);
  for (uint32_t i = 0; i < FLOWS; i++) s[i].claimed = 1;
}

/* What is read of the file; returns the steps, of which the last is in *step. */
static uint32_t read_all(struct ct_clock_step *step) {
  const struct ct_rtp_opts o = {100, {1, 2}, 5000000000u, 60};
  struct ct_pipeline pl = {.rtp = ct_rtp_create(&o), .counters = counters, .sip_out_ports = ports, .ws_out_ports = ports};
  if (!ct_pipeline_init(&pl)) abort();
  ct_rtp_on_settle(pl.rtp, name_all, &pl);
  const char *path = at("a");
  const int fd = open(path, O_RDONLY);
  struct ct_merge_end failed;
  struct ct_merge *m = ct_merge_create(&path, &fd, 1);
  CHECK(ct_merge_start(m, NULL, NULL, &failed));
  struct ct_steady *s = ct_steady_create(m, &pl);
  const struct ct_frame *f;
  uint32_t file, n, steps = 0;
  uint64_t frames = 0;
  while ((n = ct_steady_next(s, &f, &file)) > 0) {
    struct ct_clock_step one;
    while (ct_steady_step(s, &one)) *step = one, steps++;
    for (uint32_t i = 0; i < n; i++) {
      CHECK_EQ(f[i].ordinal, frames++);
      const uint64_t place = (uint64_t)(uintptr_t)f[i].data + pl.file_delta;
      CHECK(pl.in_file && place + f[i].caplen <= written);
      if (place + f[i].caplen <= written) CHECK(memcmp(bytes + place, f[i].data, f[i].caplen) == 0);
    }
    struct ct_ring ring = {.slab = slabs, .n = 2, .live = true};
    struct ct_sink sink = {.ring = &ring};
    slabs[0].used = slabs[0].count = slabs[1].used = slabs[1].count = 0;
    ct_pipeline_batch(&pl, &sink, f, n);
  }
  CHECK_EQ(frames, ROUNDS * FLOWS);
  CHECK(!ct_steady_is_ahead(s));
  ct_steady_free(s);
  ct_merge_free(m);
  close(fd);
  ct_pipeline_close(&pl);
  ct_rtp_free(pl.rtp);
  return steps;
}

static int64_t none(uint32_t i) { return i * 0; }
static int64_t forward(uint32_t i) { return i < 400 ? 0 : 700000; }
static int64_t there_and_back(uint32_t i) { return i < 300 || i >= 600 ? 0 : 3600000000; }
static int64_t each_half_second(uint32_t i) { return i / 25 * 400000; }
static int64_t at_random(uint32_t i) { return (int64_t)(i * 2654435761u % 7000000); }

int main(void) {
  for (int i = 0; i < 2; i++) {
    slabs[i].data = malloc(CT_SLAB_BYTES);
    slabs[i].rec = malloc(CT_SLAB_RECORDS * sizeof(struct ct_record));
  }
  folder_make();
  struct ct_clock_step step = {0, 0};
  write_rounds(none);
  CHECK_EQ(read_all(&step), 0);
  write_rounds(forward);
  CHECK_EQ(read_all(&step), 1);
  CHECK_EQ(step.size_ns, 700000000);
  write_rounds(there_and_back);
  CHECK_EQ(read_all(&step), 2);
  CHECK_EQ(step.size_ns, -3600000000000);
  /* A step within a second of another is not told. */
  write_rounds(each_half_second);
  CHECK_EQ(read_all(&step), 0);
  write_rounds(at_random);
  CHECK_EQ(read_all(&step), 0);
  for (int i = 0; i < 2; i++) free(slabs[i].data), free(slabs[i].rec);
  return folder_report("steady frames");
}
