/* SPDX-License-Identifier: Apache-2.0
 * pcap_written.h - a writer of numbered frames, and what a file of them holds, for the tests of the writer.
 */
#ifndef CALLTAP_TEST_PCAP_WRITTEN_H
#define CALLTAP_TEST_PCAP_WRITTEN_H
#include "folder.h"
#include "file/pcap_read.h"
#include "output/pcap_write.h"
#include <sys/stat.h>
#include <time.h>

static inline int64_t clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}
#define SECOND 1000000000ll

static uint64_t n[CT_PW_COUNTERS];
static ct_atomic_u32 gate;
static inline struct ct_pcap_writer *open_at(const char *path, uint32_t linktype, uint64_t bytes, uint64_t seconds) {
  struct ct_pw_opts o = {path, linktype, bytes, seconds, &gate, n, 0, 0};
  int err = 0;
  memset(n, 0, sizeof(n));
  atomic_store(&gate, 1);
  struct ct_pcap_writer *w = ct_pcap_write_open(&o, &err);
  CHECK(w != NULL);
  if (w == NULL) fprintf(stderr, "%s: %s\n", path, strerror(err)), exit(1);
  return w;
}
/* Frame i: its length and bytes tell its number. */
static uint8_t bytes[300000];
static inline const uint8_t *frame_of(uint32_t i, uint32_t len) {
  for (uint32_t k = 0; k < len; k++) bytes[k] = (uint8_t)(i + k);
  return bytes;
}
static inline bool put(struct ct_pcap_writer *w, uint32_t i, uint32_t len, uint32_t link) {
  return ct_pcap_write(w, frame_of(i, len), 1700000000000000000ll + i, len, len + i % 3, link);
}

struct answer {
  uint64_t records, bad;
  uint32_t first, last; /* frame numbers */
  enum ct_pcap_status end;
};
/* Reads a file of frames put() wrote, all of them `len` long. */
static inline struct answer read_back(const char *path, uint32_t len, uint32_t link) {
  struct answer a = {.first = UINT32_MAX};
  int err;
  struct ct_pcap *f = ct_pcap_open(path, &a.end, &err);
  CHECK(f != NULL);
  if (f == NULL) return a;
  struct ct_frame r;
  while ((a.end = ct_pcap_next(f, &r)) == CT_PCAP_RECORD) {
    uint32_t i = (uint32_t)(r.ts_ns - 1700000000000000000ll);
    bool ok = r.caplen == len && r.wirelen == len + i % 3 && r.linktype == link && !r.ts_invalid &&
              memcmp(r.data, frame_of(i, len), len) == 0;
    if (a.records > 0 && i <= a.last) ok = false;
    if (!ok) a.bad++;
    if (a.records++ == 0) a.first = i;
    a.last = i;
  }
  ct_pcap_close(f);
  return a;
}
static inline void check_file(const char *path, uint32_t len, uint64_t records, uint32_t first) {
  struct answer a = read_back(path, len, 1);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(a.bad, 0);
  CHECK_EQ(a.records, records);
  if (records > 0) CHECK_EQ(a.first, first);
}
static inline int64_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}
#endif
