/* SPDX-License-Identifier: Apache-2.0
 * test_pcap_open.c - capture files from files, pipes and memory, read alike; what is neither is refused.
 */
#define _GNU_SOURCE
#include "folder.h"
#include "pcap_answer.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

static void cannot_open(const char *path, enum ct_pcap_status want, int want_err) {
  enum ct_pcap_status st;
  int err = 0;
  subject = path;
  CHECK(ct_pcap_open(path, &st, &err) == NULL);
  CHECK_EQ(st, want);
  CHECK_EQ(err, want_err);
  subject = "";
}
static void open_failures(void) {
  write_file("empty", "", 0);
  write_file("text", "INVITE sip:x SIP/2.0\r\n", 22);
  cannot_open(at("missing"), CT_PCAP_IO, ENOENT);
  cannot_open(folder, CT_PCAP_IO, EISDIR);
  cannot_open(at("empty"), CT_PCAP_EMPTY, 0);
  cannot_open(at("text"), CT_PCAP_NOT_CAPTURE, 0);
  chmod(at("text"), 0);
  if (geteuid() != 0) cannot_open(at("text"), CT_PCAP_IO, EACCES);
}

struct writer {
  const struct image *m;
  int fd;
  size_t step;
};
static void *write_in_pieces(void *arg) {
  struct writer *w = arg;
  for (size_t at = 0; at < w->m->n; at += w->step) {
    size_t n = w->m->n - at < w->step ? w->m->n - at : w->step;
    if (write(w->fd, w->m->b + at, n) != (ssize_t)n) abort();
  }
  close(w->fd);
  return NULL;
}
/* The same records whether the bytes come from a file, in pieces through stdin, or inflated. */
static void same_from_everywhere(void) {
  struct image m = {0};
  file_header(&m, 0xa1b2c3d4, 2, 4, 1);
  for (uint32_t i = 0; i < 3000; i++) record(&m, i, 0, i % 700, 700, i % 700);
  record(&m, 1, 0, 900000, 900000, 900000); /* grows the buffer */
  for (uint32_t i = 0; i < 3000; i++) record(&m, i, 0, i % 700, 700, i % 700);
  struct answer want = from_memory(m.b, m.n);
  CHECK_EQ(want.n, 6001);
  struct image z = gzipped(&m);
  for (int v = 0; v < 4; v++) {
    struct image *src = (v & 1) != 0 ? &z : &m;
    struct answer a = {.end = CT_PCAP_NOT_CAPTURE};
    struct ct_pcap *f;
    int err = 0, saved = -1;
    pthread_t t;
    struct writer w = {.m = src, .step = 4093};
    if (v < 2) {
      write_file("file", src->b, src->n);
      f = ct_pcap_open(at("file"), &a.open, &err);
    } else {
      int ends[2];
      if (pipe(ends) != 0) abort();
      saved = dup(STDIN_FILENO);
      dup2(ends[0], STDIN_FILENO);
      close(ends[0]);
      fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
      w.fd = ends[1];
      pthread_create(&t, NULL, write_in_pieces, &w);
      f = ct_pcap_open("-", &a.open, &err);
    }
    CHECK(f != NULL);
    if (f == NULL) return;
    CHECK_EQ(ct_pcap_size(f), v < 2 ? src->n : 0);
    read_all(f, &a);
    CHECK_EQ(a.n, want.n);
    CHECK_EQ(a.sum, want.sum);
    CHECK_EQ(a.end, CT_PCAP_EOF);
    CHECK_EQ(ct_pcap_position(f), src->n);
    ct_pcap_close(f);
    if (v < 2) continue;
    pthread_join(t, NULL);
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
  free(z.b);
  free(m.b);
}
/* What ct_pcap_take() promises: the records before it stay readable. */
static void batches_stay(void) {
  for (int ng = 0; ng < 2; ng++) {
    struct image m = {0};
    begin_file(&m, ng != 0);
    for (uint32_t i = 0; i < 9000; i++) {
      if (ng == 0) {
        record(&m, 1, 0, 200, 200, 0);
        fill(&m, 200, (uint8_t)i);
      } else {
        packet_block(&m, 6, 0, 1, 200, 200);
        memset(m.b + m.n - 204, (uint8_t)i, 200);
        if (i % 100 == 0) block(&m, 5, &(struct image){0});
      }
    }
    write_file("batch", m.b, m.n);
    enum ct_pcap_status st;
    int err;
    struct ct_pcap *f = ct_pcap_open(at("batch"), &st, &err);
    if (f == NULL) abort();
    struct ct_frame r[64];
    uint64_t n = 0, flushes = 0, wrong = 0, seen = 0;
    while (ct_pcap_next(f, r) == CT_PCAP_RECORD) {
      n = 1 + ct_pcap_take(f, r + 1, 63);
      for (uint64_t i = 0; i < n; i++) {
        wrong += r[i].data[199] != (uint8_t)(r[i].ordinal + (ng == 0 ? 199 : 0));
        wrong += r[i].ordinal != seen + i || r[i].caplen != 200 || r[i].wirelen != 200 || r[i].vlan != 0;
      }
      seen += n;
      flushes++;
    }
    CHECK_EQ(ct_pcap_take(f, r, 64), 0);
    CHECK_EQ(wrong, 0);
    CHECK_EQ(seen, 9000);
    CHECK(flushes < 400);
    ct_pcap_close(f);
    free(m.b);
  }
}

int main(void) {
  folder_make();
  open_failures();
  same_from_everywhere();
  batches_stay();
  return folder_report("pcap open");
}
