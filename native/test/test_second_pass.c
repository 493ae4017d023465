/* SPDX-License-Identifier: Apache-2.0
 * test_second_pass.c - files read once more: what is written of them, in which order, and when a file is another one.
 */
#include "pcap_image.h"
#include "folder.h"
#include "file/pcap_read.h"
#include "file/second_pass.h"
#include "net_frames.h"

static const uint64_t KEY[2] = {0x0123456789abcdef, 0xfedcba9876543210};
static const uint8_t RTP[12] = {0x80, 0};
static uint64_t counters[CT_PW_COUNTERS];
static ct_atomic_u32 stop, progress;

struct row {
  uint32_t second, micros;
  uint16_t sport, dport; /* from 10.0.0.1 to 10.0.0.2 */
  uint16_t id;
};

static void write_capture(const char *name, const struct row *r, unsigned n) {
  struct image m = {0};
  file_header(&m, 0xa1b2c3d4, 2, 4, 1);
  for (unsigned i = 0; i < n; i++) {
    uint8_t d[100];
    uint32_t len = udp_frame(d, r[i].sport, r[i].dport, RTP, sizeof RTP);
    put16(d + 18, r[i].id);
    record(&m, r[i].second, r[i].micros, len, len, 0);
    put(&m, d, len);
  }
  write_file(name, m.b, m.n);
  free(m.b);
}

/* Writes the selection of the files to `out`; the result. */
static struct ct_second_result pass(const char *const *path, uint32_t n, struct ct_selection *s) {
  int fd[4] = {-1, -1, -1, -1}, err;
  struct ct_pw_opts o = {.path = "out.pcapng", .linktype = CT_PW_LINK_UNKNOWN, .counters = counters};
  memset(counters, 0, sizeof counters);
  struct ct_pcap_writer *w = ct_pcap_write_open(&o, &err);
  if (w == NULL) abort();
  struct ct_second_pass p = {.path = path, .fd = fd, .files = n, .selection = s, .copies_key = {KEY[0], KEY[1]},
                             .output = w, .stop = &stop, .progress = &progress};
  struct ct_second_result r;
  ct_second_pass_run(&p, &r);
  ct_pcap_write_close(w);
  ct_selection_free(s);
  return r;
}

/* The identifications of the frames in it. */
static const char *written(void) {
  static char text[200];
  enum ct_pcap_status status;
  int err;
  struct ct_frame f;
  text[0] = '\0';
  struct ct_pcap *in = ct_pcap_open("out.pcapng", &status, &err);
  if (in == NULL) abort();
  while (ct_pcap_next(in, &f) == CT_PCAP_RECORD) {
    size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, "%u ", f.data[18] * 256u + f.data[19]);
  }
  ct_pcap_close(in);
  return text;
}

static const struct ct_flow FLOW = {.a = {10, 0, 0, 1}, .b = {10, 0, 0, 2}, .a_port = 20000, .b_port = 30000,
                                    .version = 4, .from_us = 0, .to_us = 100e6};

static void by_number_and_flow(void) {
  static const double numbers[] = {0, 3};
  const char *const path[] = {"b", "a"};
  write_capture("a", (const struct row[]){{10, 0, 5060, 5060, 1}, {12, 0, 20000, 30000, 2}, {14, 0, 5060, 5060, 3}, {200, 0, 5060, 5060, 4}}, 4);
  write_capture("b", (const struct row[]){{11, 0, 20000, 30000, 5}, {13, 0, 20000, 30002, 6}, {15, 0, 20000, 30000, 7}, {201, 0, 20000, 30000, 8}}, 4);
  struct ct_selection *s = ct_selection_create(2, &FLOW, 1, KEY);
  ct_selection_set_numbers(s, 1, numbers, 2);
  struct ct_second_result r = pass(path, 2, s);
  CHECK(strcmp(written(), "1 5 2 7 4 ") == 0);
  CHECK_EQ(r.read, 8);
  CHECK_EQ(r.taken, 5);
  CHECK_EQ(r.missing + r.copies + r.refused + r.missed_fragments + r.failed + r.stopped, 0);
  CHECK_EQ(counters[CT_PW_FRAMES], 5);
}

/* Two taps of one link: each packet once. */
static void copies(void) {
  const char *const path[] = {"tap1", "tap2"};
  write_capture("tap1", (const struct row[]){{10, 0, 20000, 30000, 1}, {10, 20000, 20000, 30000, 2}}, 2);
  write_capture("tap2", (const struct row[]){{10, 9, 20000, 30000, 1}, {10, 20009, 20000, 30000, 2}, {11, 0, 20000, 30000, 3}}, 3);
  struct ct_second_result r = pass(path, 2, ct_selection_create(2, &FLOW, 1, KEY));
  CHECK(strcmp(written(), "1 2 3 ") == 0);
  CHECK_EQ(r.copies, 2);
}

static void another_file(void) {
  static const double numbers[] = {1, 7};
  const char *const path[] = {"a"}, *const absent[] = {"absent"};
  struct ct_selection *s = ct_selection_create(1, NULL, 0, KEY);
  ct_selection_set_numbers(s, 0, numbers, 2);
  struct ct_second_result r = pass(path, 1, s);
  CHECK_EQ(r.missing, 1);
  CHECK_EQ(r.taken, 1);
  r = pass(absent, 1, ct_selection_create(1, NULL, 0, KEY));
  CHECK(r.failed);
  CHECK_EQ(r.end.status, CT_PCAP_IO);
  CHECK(r.end.err != 0);
}

static void stopped(void) {
  const char *const path[] = {"a"};
  atomic_store(&stop, 1);
  struct ct_second_result r = pass(path, 1, ct_selection_create(1, &FLOW, 1, KEY));
  CHECK(r.stopped);
  CHECK_EQ(r.read, 0);
  atomic_store(&stop, 0);
}

int main(void) {
  folder_make();
  if (chdir(folder) != 0) abort();
  by_number_and_flow();
  copies();
  another_file();
  stopped();
  return folder_report("second_pass");
}
