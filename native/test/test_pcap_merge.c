/* SPDX-License-Identifier: Apache-2.0
 * test_pcap_merge.c - files as one: the order of their frames, whichever way they are given, and what cannot be read.
 */
#include "folder.h"
#include "pcap_image.h"
#include "file/pcap_merge.h"
#include <errno.h>
#include <sys/resource.h>

#define MOST 200u

/* A capture of frames of one byte, which tells where each is from, at these seconds. */
static void write_capture(const char *name, uint8_t mark, const uint32_t *second, unsigned n) {
  struct image m = {0};
  file_header(&m, 0xa1b2c3d4, 2, 4, 1);
  for (unsigned i = 0; i < n; i++) {
    record(&m, second[i], 0, 1, 1, 0);
    fill(&m, 1, mark);
  }
  write_file(name, m.b, m.n);
  free(m.b);
}

struct outcome {
  char frames[MOST]; /* the marks in the order of the frames */
  unsigned n, ends, overlapping;
  bool started, reordered, refused;
  struct ct_merge_end failed, end[MOST];
};

static struct outcome merge(const char *const *path, uint32_t n) {
  struct outcome o = {0};
  int fd[MOST];
  for (uint32_t i = 0; i < n; i++) fd[i] = -1;
  struct ct_merge *m = ct_merge_create(path, fd, n);
  if (m == NULL) abort();
  o.started = ct_merge_start(m, NULL, NULL, &o.failed);
  const struct ct_frame *frame;
  uint32_t file, k;
  while (o.started && (k = ct_merge_next(m, &frame, &file)) > 0)
    for (uint32_t i = 0; i < k && o.n < MOST - 1; i++) o.frames[o.n++] = (char)frame[i].data[0];
  while (o.ends < MOST && ct_merge_ended(m, &o.end[o.ends])) o.ends++;
  o.overlapping = ct_merge_overlapping(m);
  o.reordered = ct_merge_reordered(m);
  o.refused = ct_merge_failed(m, &o.failed);
  ct_merge_free(m);
  return o;
}

static void check_order(const char *what, const char *const *path, uint32_t n, const char *want,
                        unsigned overlapping) {
  struct outcome o = merge(path, n);
  subject = what;
  CHECK(o.started);
  CHECK(strcmp(o.frames, want) == 0);
  CHECK_EQ(o.overlapping, overlapping);
  CHECK_EQ(o.ends, n);
  subject = "";
}

static void orders(void) {
  write_capture("a", 'a', (const uint32_t[]){10, 11, 12}, 3);
  write_capture("b", 'b', (const uint32_t[]){12, 20, 21}, 3);
  write_capture("c", 'c', (const uint32_t[]){11, 13, 30}, 3);
  write_capture("d", 'd', (const uint32_t[]){15, 14, 22}, 3); /* goes back in time */
  write_capture("none", 'n', NULL, 0);
  check_order("one", (const char *[]){"b"}, 1, "bbb", 0);
  check_order("as given", (const char *[]){"a", "b"}, 2, "aaabbb", 0);
  check_order("the other way", (const char *[]){"b", "a"}, 2, "aaabbb", 0);
  CHECK(merge((const char *[]){"b", "a"}, 2).reordered);
  CHECK(!merge((const char *[]){"a", "b"}, 2).reordered);
  check_order("overlapping", (const char *[]){"c", "a"}, 2, "aacacc", 2);
  check_order("three", (const char *[]){"c", "b", "a"}, 3, "aacabcbbc", 3);
  check_order("back in time", (const char *[]){"b", "d"}, 2, "bddbbd", 2);
  check_order("no frame", (const char *[]){"b", "none", "a"}, 3, "aaabbb", 0);
  /* Of the same time: by the name, given either way. */
  check_order("twins", (const char *[]){"a", "./a"}, 2, "aaaaaa", 2);
}

static void what_cannot_be_read(void) {
  write_file("empty", "", 0);
  write_file("text", "no capture", 10);
  struct outcome o = merge((const char *[]){"empty", "a"}, 2);
  CHECK(o.started);
  CHECK(strcmp(o.frames, "aaa") == 0);
  CHECK_EQ(o.ends, 2);
  CHECK_EQ(o.end[0].file, 0);
  CHECK_EQ(o.end[0].status, CT_PCAP_EMPTY);
  CHECK_EQ(o.end[1].frames, 3);
  o = merge((const char *[]){"empty"}, 1);
  CHECK(!o.started);
  CHECK_EQ(o.failed.status, CT_PCAP_EMPTY);
  o = merge((const char *[]){"a", "text"}, 2);
  CHECK(!o.started);
  CHECK_EQ(o.failed.file, 1);
  CHECK_EQ(o.failed.status, CT_PCAP_NOT_CAPTURE);
  o = merge((const char *[]){"a", "absent"}, 2);
  CHECK(!o.started);
  CHECK_EQ(o.failed.err, ENOENT);
}

/* Files one after the other need one descriptor at a time, files that overlap one each. */
static void many_files(void) {
  const uint32_t n = 60;
  char name[60][16];
  const char *apart[60], *overlapping[60];
  for (uint32_t i = 0; i < n; i++) {
    snprintf(name[i], sizeof name[i], "r%u", i);
    write_capture(name[i], 'r', (const uint32_t[]){100 + 2 * i, 101 + 2 * i}, 2);
    apart[i] = name[i];
  }
  struct rlimit usual, few;
  getrlimit(RLIMIT_NOFILE, &usual);
  few = usual;
  int next = dup(0);
  close(next);
  few.rlim_cur = (rlim_t)next + 20;
  setrlimit(RLIMIT_NOFILE, &few);
  struct outcome o = merge(apart, n);
  CHECK(o.started);
  CHECK(!o.refused);
  CHECK_EQ(o.n, 2 * n);
  CHECK_EQ(o.overlapping, 0);
  setrlimit(RLIMIT_NOFILE, &usual);
  for (uint32_t i = 0; i < n; i++) {
    write_capture(name[i], 'o', (const uint32_t[]){100 + i, 900}, 2);
    overlapping[i] = name[i];
  }
  setrlimit(RLIMIT_NOFILE, &few);
  o = merge(overlapping, n);
  CHECK(o.refused);
  CHECK_EQ(o.failed.err, EMFILE);
  setrlimit(RLIMIT_NOFILE, &usual);
  CHECK_EQ(merge(overlapping, n).n, 2 * n);
}

int main(void) {
  folder_make();
  if (chdir(folder) != 0) abort();
  orders();
  what_cannot_be_read();
  many_files();
  return folder_report("pcap_merge");
}
