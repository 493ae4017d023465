/* SPDX-License-Identifier: Apache-2.0
 * test_pcap.c - every variant of pcap and pcapng, cut at every byte, and what is impossible in them.
 */
#define _GNU_SOURCE
#include "check.h"
#include "pcap_image.h"
#include "file/pcap_read.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading back ---- */
struct answer {
  enum ct_pcap_status open, end;
  uint64_t n, sum; /* records, and the sum of all their bytes */
  struct ct_frame r[8];
};
static void read_all(struct ct_pcap *f, struct answer *a) {
  struct ct_frame r;
  while ((a->end = ct_pcap_next(f, &r)) == CT_PCAP_RECORD) {
    CHECK_EQ(r.ordinal, a->n);
    for (uint32_t i = 0; i < r.caplen; i++) a->sum += r.data[i];
    if (a->n < 8) a->r[a->n] = r;
    a->n++;
  }
  CHECK_EQ(ct_pcap_next(f, &r), a->end); /* the end stays the end */
}
static struct answer from_memory(const uint8_t *b, size_t n) {
  struct answer a = {.end = CT_PCAP_NOT_CAPTURE};
  uint8_t *exact = malloc(n > 0 ? n : 1); /* so that a read past the end is seen */
  if (n > 0) memcpy(exact, b, n);
  struct ct_pcap *f = ct_pcap_open_memory(exact, n, &a.open);
  if (f != NULL) read_all(f, &a);
  if (f != NULL && a.end == CT_PCAP_EOF && b[0] != 0x1f) CHECK_EQ(ct_pcap_position(f), n);
  ct_pcap_close(f);
  free(exact);
  return a;
}
static struct answer from_image(struct image *m) {
  struct answer a = from_memory(m->b, m->n);
  free(m->b);
  return a;
}

/* ---- classic pcap ---- */
static void classic_variants(void) {
  static const struct {
    uint32_t magic;
    bool big, ns;
    unsigned extra;
  } V[] = {
      {0xa1b2c3d4, false, false, 0}, {0xa1b2c3d4, true, false, 0},  {0xa1b23c4d, false, true, 0},
      {0xa1b23c4d, true, true, 0},   {0xa1b2cd34, false, false, 8}, {0xa1b2cd34, true, false, 8},
  };
  for (size_t i = 0; i < sizeof(V) / sizeof(V[0]); i++) {
    struct image m = {.big = V[i].big};
    file_header(&m, V[i].magic, 2, 4, 113);
    record(&m, 4294967295u, 7, 5, 60, V[i].extra);
    fill(&m, 5, 1);
    record(&m, 2, 999999, 0, 0, V[i].extra);
    struct answer a = from_image(&m);
    CHECK_EQ(a.open, CT_PCAP_RECORD);
    CHECK_EQ(a.end, CT_PCAP_EOF);
    CHECK_EQ(a.n, 2);
    CHECK_EQ(a.sum, 15);
    CHECK_EQ(a.r[0].caplen, 5);
    CHECK_EQ(a.r[0].wirelen, 60);
    CHECK_EQ(a.r[0].linktype, 113);
    CHECK_EQ(a.r[0].ts_ns, 4294967295000000000LL + (V[i].ns ? 7 : 7000));
    CHECK_EQ(a.r[0].ts_invalid, 0);
    CHECK_EQ(a.r[1].ts_ns, 2000000000LL + (V[i].ns ? 999999 : 999999000));
  }
}
static void classic_versions(void) {
  static const struct {
    uint16_t major, minor;
    uint32_t first, second, cap;
    bool ok;
  } V[] = {
      {2, 4, 4, 60, 4, true},   {2, 2, 60, 4, 4, true},  {2, 3, 4, 60, 4, true},    {2, 3, 60, 4, 4, true},
      {543, 0, 60, 4, 4, true}, {1, 4, 4, 60, 4, false}, {543, 1, 4, 60, 4, false},
  };
  for (size_t i = 0; i < sizeof(V) / sizeof(V[0]); i++) {
    struct image m = {0};
    file_header(&m, 0xa1b2c3d4, V[i].major, V[i].minor, 1);
    record(&m, 1, 0, V[i].first, V[i].second, 4);
    struct answer a = from_image(&m);
    CHECK_EQ(a.open, V[i].ok ? CT_PCAP_RECORD : CT_PCAP_NOT_CAPTURE);
    if (!V[i].ok) continue;
    CHECK_EQ(a.n, 1);
    CHECK_EQ(a.r[0].caplen, V[i].cap);
    CHECK_EQ(a.r[0].wirelen, 60);
  }
}
static void classic_oddities(void) {
  struct image m = {0};
  file_header(&m, 0xa1b2c3d4, 2, 4, 0x14000001); /* FCS of 1 word given, P bit: still Ethernet */
  record(&m, 5, 1000000, 4, 4, 4);               /* a million microseconds do not fit a second */
  record(&m, 6, 0, 4, 2, 4);                     /* captured more than there was */
  record(&m, 7, 0, 300000, 300000, 300000);      /* more than the snaplen, more than the buffer */
  struct answer a = from_image(&m);
  CHECK_EQ(a.n, 3);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(a.r[0].linktype, 1);
  CHECK_EQ(a.r[0].ts_invalid, 1);
  CHECK_EQ(a.r[0].ts_ns, 5999999000);
  CHECK_EQ(a.r[1].wirelen, 4);
  CHECK_EQ(a.r[2].caplen, 300000);

  struct image nano = {0};
  file_header(&nano, 0xa1b23c4d, 2, 4, 1);
  record(&nano, 5, 1000000000, 0, 0, 0);
  record(&nano, 5, 1000000, 0, 0, 0);
  a = from_image(&nano);
  CHECK_EQ(a.r[0].ts_invalid, 1);
  CHECK_EQ(a.r[0].ts_ns, 5999999999);
  CHECK_EQ(a.r[1].ts_invalid, 0);

  struct image reserved = {0};
  file_header(&reserved, 0xa1b2c3d4, 2, 4, 0x00200001);
  CHECK_EQ(from_image(&reserved).open, CT_PCAP_NOT_CAPTURE);

  struct image long_record = {0};
  file_header(&long_record, 0xa1b2c3d4, 2, 4, 1);
  record(&long_record, 1, 0, 4, 4, 4);
  record(&long_record, 2, 0, 16u << 20, 4, 40);
  a = from_image(&long_record);
  CHECK_EQ(a.n, 1);
  CHECK_EQ(a.end, CT_PCAP_CORRUPT);

  struct image header_only = {0};
  file_header(&header_only, 0xa1b2c3d4, 2, 4, 1);
  a = from_image(&header_only);
  CHECK_EQ(a.open, CT_PCAP_RECORD);
  CHECK_EQ(a.n, 0);
  CHECK_EQ(a.end, CT_PCAP_EOF);
}

/* ---- pcapng ---- */
static void ng_blocks(void) {
  for (int big = 0; big < 2; big++) {
    struct image m = {.big = big != 0};
    section(&m, 1);
    interface(&m, 1, 0, -1, 0);
    interface(&m, 113, 3, 9, 0);
    packet_block(&m, 6, 0, 1500000, 5, 60);
    block(&m, 0xbad, &(struct image){0}); /* nothing but its lengths */
    packet_block(&m, 2, 1, 1500000, 4, 4);
    simple_block(&m, 9, 9);
    struct answer a = from_image(&m);
    CHECK_EQ(a.end, CT_PCAP_EOF);
    CHECK_EQ(a.n, 3);
    CHECK_EQ(a.sum, 15 + 10 + 45);
    CHECK_EQ(a.r[0].ts_ns, 1500000000);
    CHECK_EQ(a.r[0].caplen, 5);
    CHECK_EQ(a.r[0].wirelen, 60);
    CHECK_EQ(a.r[0].linktype, 1);
    CHECK_EQ(a.r[1].ts_ns, 1500000);
    CHECK_EQ(a.r[1].linktype, 113);
    CHECK_EQ(a.r[1].if_index, 1);
    CHECK_EQ(a.r[2].ts_invalid, 1);
    CHECK_EQ(a.r[2].ts_ns, 1500000);
    CHECK_EQ(a.r[2].caplen, 9);
    CHECK_EQ(a.r[2].linktype, 1);
  }
}
static void ng_times(void) {
  static const struct {
    int resol;
    int64_t offset;
    uint64_t ticks;
    int64_t ns;
    bool invalid;
  } V[] = {
      {0, 0, 3, 3000000000, false},
      {3, 0, 3, 3000000, false},
      {6, 0, 4294967296000000, 4294967296000000000, false}, /* the second after a 32-bit clock ends */
      {9, 0, 1234567890123, 1234567890123, false},
      {12, 0, 1234567890123, 1234567890, false},
      {28, 0, UINT64_MAX, 1, false},
      {29, 0, UINT64_MAX, 0, false},
      {127, 0, UINT64_MAX, 0, false},
      {0x80, 0, 3, 3000000000, false},
      {0x80 | 1, 0, 3, 1500000000, false},
      {0x80 | 32, 0, (7ull << 32) | (1ull << 31), 7500000000, false},
      {0x80 | 127, 0, UINT64_MAX, 0, false},
      {6, 10, 1, 10000001000, false},
      {6, -1, 3000000, 2000000000, false},
      {6, -3, 1000000, -2000000000, false},
      {6, 0, UINT64_MAX, INT64_MAX, true},
      {0, 0, UINT64_MAX, INT64_MAX, true},
      {9, 0, UINT64_MAX, INT64_MAX, true},
      {0x80, 0, UINT64_MAX, INT64_MAX, true},
      {6, INT64_MAX, 1, INT64_MAX, true},
      {9, INT64_MIN, 0, INT64_MIN, false},
      {6, 9223372036, 1000000000, INT64_MAX, true},
  };
  for (size_t i = 0; i < sizeof(V) / sizeof(V[0]); i++) {
    struct image m = {0};
    section(&m, 1);
    interface(&m, 1, 0, V[i].resol, V[i].offset);
    packet_block(&m, 6, 0, V[i].ticks, 0, 0);
    struct answer a = from_image(&m);
    CHECK_EQ(a.n, 1);
    CHECK_EQ(a.r[0].ts_ns, V[i].ns);
    CHECK_EQ(a.r[0].ts_invalid, V[i].invalid);
  }
}
static void ng_sections(void) {
  struct image m = {0};
  section(&m, 1);
  interface(&m, 1, 0, -1, 0);
  packet_block(&m, 6, 0, 1, 4, 4);
  m.big = true;
  section(&m, 1);
  packet_block(&m, 6, 0, 2, 4, 4); /* its section describes no interface */
  simple_block(&m, 4, 4);
  interface(&m, 101, 0, 9, 0);
  packet_block(&m, 6, 0, 2, 4, 4);
  m.big = false;
  section(&m, 1);
  interface(&m, 113, 2, -1, 0);
  simple_block(&m, 60, 2); /* cut to the snaplen */
  simple_block(&m, 60, 0); /* less than the snaplen says */
  struct answer a = from_image(&m);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(a.n, 6);
  CHECK_EQ(a.r[1].linktype, UINT32_MAX);
  CHECK_EQ(a.r[1].caplen, 4);
  CHECK_EQ(a.r[2].linktype, UINT32_MAX);
  CHECK_EQ(a.r[3].linktype, 101);
  CHECK_EQ(a.r[3].ts_ns, 2);
  CHECK_EQ(a.r[4].linktype, 113);
  CHECK_EQ(a.r[4].caplen, 2);
  CHECK_EQ(a.r[4].wirelen, 60);
  CHECK_EQ(a.r[5].caplen, 0);
}
/* One word of a good file replaced, and what must come of it. */
static void ng_impossible(void) {
  static const struct {
    size_t at;
    uint32_t word;
    enum ct_pcap_status open, end;
    uint64_t n;
  } V[] = {
      {4, 24, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0}, /* section header too short */
      {8, 0x1a2b3c4e, CT_PCAP_NOT_CAPTURE, CT_PCAP_NOT_CAPTURE, 0},
      {12, 2, CT_PCAP_NOT_CAPTURE, CT_PCAP_NOT_CAPTURE, 0}, /* major version */
      {24, 27, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},         /* closing length differs */
      {28 + 4, 16, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},     /* interface shorter than its fixed part */
      {48 + 4, 0, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},
      {48 + 4, 8, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},
      {48 + 4, 38, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},         /* no multiple of four */
      {48 + 4, 0x7ffffffc, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0}, /* above the cap */
      {48 + 4, 40, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},         /* a length that is not the closing one */
      {48 + 20, 5, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},         /* captured length beyond the block */
      {48 + 20, UINT32_MAX, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 0},
      {84 + 20, 5, CT_PCAP_RECORD, CT_PCAP_CORRUPT, 1},
  };
  for (size_t i = 0; i < sizeof(V) / sizeof(V[0]); i++) {
    struct image m = {0};
    section(&m, 1);                  /*  0..28 */
    interface(&m, 1, 0, -1, 0);      /* 28..48 */
    packet_block(&m, 6, 0, 1, 4, 4); /* 48..84 */
    packet_block(&m, 2, 0, 1, 4, 4); /* 84..120 */
    memcpy(m.b + V[i].at, &V[i].word, 4);
    struct answer a = from_image(&m);
    CHECK_EQ(a.open, V[i].open);
    CHECK_EQ(a.end, V[i].end);
    CHECK_EQ(a.n, V[i].n);
  }
}
/* An option that claims more than its block holds does not take the interface with it. */
static void ng_options(void) {
  struct image m = {0}, b = {0};
  section(&m, 1);
  row(&b, 1, 2); /* Ethernet */
  row(&b, 0, 2);
  row(&b, 0, 4); /* snaplen */
  row(&b, 9, 2); /* if_tsresol */
  row(&b, 1, 2);
  row(&b, 9, 4);     /* nanoseconds, padded */
  row(&b, 2, 2);     /* if_name */
  row(&b, 12336, 2); /* of 12,336 bytes */
  block(&m, 1, &b);
  packet_block(&m, 6, 0, 5, 4, 4);
  free(b.b);
  struct answer a = from_image(&m);
  CHECK_EQ(a.n, 1);
  CHECK_EQ(a.r[0].ts_ns, 5);
  CHECK_EQ(a.end, CT_PCAP_EOF);
}
static void ng_interface_cap(void) {
  struct image m = {0};
  section(&m, 1);
  for (int i = 0; i < 65540; i++) interface(&m, 1, 0, -1, 0);
  packet_block(&m, 6, 65535, 5, 4, 4);
  packet_block(&m, 6, 65536, 5, 4, 4);
  struct answer a = from_image(&m);
  CHECK_EQ(a.n, 2);
  CHECK_EQ(a.r[0].linktype, 1);
  CHECK_EQ(a.r[1].linktype, UINT32_MAX);
}

/* ---- cuts ---- */
static struct image sample(bool ng, bool big, size_t *ends) {
  struct image m = {.big = big};
  if (ng) {
    section(&m, 1);
    interface(&m, 1, 0, 9, 0);
  } else {
    file_header(&m, 0xa1b2c3d4, 2, 4, 1);
  }
  for (int i = 0; i < 4; i++) {
    if (ng)
      packet_block(&m, i == 2 ? 2 : 6, 0, 1, 5 + (uint32_t)i, 60);
    else
      record(&m, 1, 0, 5 + (uint32_t)i, 60, 5 + (size_t)i);
    ends[i] = m.n;
  }
  return m;
}
static uint64_t whole_before(const size_t *ends, size_t n) {
  uint64_t k = 0;
  while (k < 4 && ends[k] <= n) k++;
  return k;
}
static void cut_everywhere(void) {
  for (int v = 0; v < 4; v++) {
    size_t ends[4];
    struct image m = sample((v & 1) != 0, (v & 2) != 0, ends);
    size_t head = (v & 1) != 0 ? 28 : 24, desc = (v & 1) != 0 ? 28 + 32 : 24;
    for (size_t n = 0; n <= m.n; n++) {
      struct answer a = from_memory(m.b, n);
      CHECK_EQ(a.n, whole_before(ends, n));
      if (n == 0)
        CHECK_EQ(a.open, CT_PCAP_EMPTY);
      else if (n < 4)
        CHECK_EQ(a.open, CT_PCAP_NOT_CAPTURE);
      else {
        bool whole = n == head || n == desc || (a.n > 0 && ends[a.n - 1] == n);
        CHECK_EQ(a.open, CT_PCAP_RECORD);
        CHECK_EQ(a.end, whole ? CT_PCAP_EOF : CT_PCAP_TRUNCATED);
      }
    }
    free(m.b);
  }
}

/* ---- gzip ---- */
static void gzip_cuts(void) {
  size_t ends[4];
  struct image m = sample(false, false, ends);
  for (int i = 0; i < 20000; i++) record(&m, (uint32_t)i * 2654435761u, 1, 160, 160, 160);
  struct image z = gzipped(&m);
  struct answer whole = from_memory(z.b, z.n);
  CHECK_EQ(whole.n, 20004);
  CHECK_EQ(whole.end, CT_PCAP_EOF);
  uint64_t last = 0;
  for (size_t n = 10; n < z.n; n += n < 600 || n + 12 > z.n ? 1 : n + 3013 > z.n ? z.n - 11 - n : 3001) {
    struct answer a = from_memory(z.b, n);
    if (a.open == CT_PCAP_RECORD)
      CHECK_EQ(a.end, CT_PCAP_TRUNCATED);
    else
      CHECK_EQ(a.open, CT_PCAP_NOT_CAPTURE); /* the magic itself is behind the cut */
    CHECK_EQ(a.n >= last, 1);
    last = a.n;
  }
  CHECK_EQ(last, 20004); /* only the trailer was missing */
  z.b[z.n / 2] ^= 0x55;
  struct answer bad = from_memory(z.b, z.n);
  CHECK_EQ(bad.end == CT_PCAP_EOF, 0);
  CHECK_EQ(bad.n > 0 && bad.n <= 20004, 1);
  free(z.b);
  free(m.b);
}
static void gzip_members(void) {
  size_t ends[4];
  struct image m = sample(true, false, ends), empty = {0};
  struct image head = {.b = m.b, .n = ends[0] + 3}, tail = {.b = m.b + head.n, .n = m.n - head.n};
  struct image parts[] = {gzipped(&head), gzipped(&empty), gzipped(&tail)};
  struct image all = {0};
  for (size_t i = 0; i < 3; i++) put(&all, parts[i].b, parts[i].n);
  struct answer a = from_memory(all.b, all.n);
  CHECK_EQ(a.n, 4);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  row(&all, 0, 8); /* tape padding behind the last member */
  a = from_memory(all.b, all.n);
  CHECK_EQ(a.n, 4);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(from_memory(parts[1].b, parts[1].n).open, CT_PCAP_EMPTY);
  for (size_t i = 0; i < 3; i++) free(parts[i].b);
  free(all.b);
  free(m.b);
}

/* ---- files, pipes, and what is neither ---- */
static char dir[] = "/tmp/calltap-test-pcap-XXXXXX";
static const char *in_dir(const char *name) {
  static char path[128];
  snprintf(path, sizeof(path), "%s/%s", dir, name);
  return path;
}
static void write_file(const char *name, const uint8_t *b, size_t n) {
  int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, b, n) != (ssize_t)n) abort();
  close(fd);
}
static void open_failures(void) {
  enum ct_pcap_status st;
  int err = 0;
  CHECK_EQ(ct_pcap_open(in_dir("missing"), &st, &err) == NULL, 1);
  CHECK_EQ(st, CT_PCAP_IO);
  CHECK_EQ(err, ENOENT);
  CHECK_EQ(ct_pcap_open(dir, &st, &err) == NULL, 1);
  CHECK_EQ(st, CT_PCAP_IO);
  CHECK_EQ(err, EISDIR);
  write_file("empty", NULL, 0);
  CHECK_EQ(ct_pcap_open(in_dir("empty"), &st, &err) == NULL, 1);
  CHECK_EQ(st, CT_PCAP_EMPTY);
  CHECK_EQ(err, 0);
  write_file("text", (const uint8_t *)"INVITE sip:x SIP/2.0\r\n", 22);
  CHECK_EQ(ct_pcap_open(in_dir("text"), &st, &err) == NULL, 1);
  CHECK_EQ(st, CT_PCAP_NOT_CAPTURE);
  if (geteuid() != 0) {
    chmod(in_dir("text"), 0);
    CHECK_EQ(ct_pcap_open(in_dir("text"), &st, &err) == NULL, 1);
    CHECK_EQ(err, EACCES);
  }
  unlink(in_dir("text"));
  unlink(in_dir("empty"));
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
      f = ct_pcap_open(in_dir("file"), &a.open, &err);
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
    CHECK_EQ(f != NULL, 1);
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
  unlink(in_dir("file"));
  free(z.b);
  free(m.b);
}
/* What ct_pcap_take() promises: the records before it stay readable. */
static void batches_stay(void) {
  for (int ng = 0; ng < 2; ng++) {
    struct image m = {0};
    if (ng == 0) {
      file_header(&m, 0xa1b2c3d4, 2, 4, 1);
    } else {
      section(&m, 1);
      interface(&m, 1, 0, -1, 0);
    }
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
    struct ct_pcap *f = ct_pcap_open(in_dir("batch"), &st, &err);
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
    CHECK_EQ(flushes < 400, 1);
    ct_pcap_close(f);
    unlink(in_dir("batch"));
    free(m.b);
  }
}

int main(void) {
  if (mkdtemp(dir) == NULL) return 1;
  classic_variants();
  classic_versions();
  classic_oddities();
  ng_blocks();
  ng_times();
  ng_sections();
  ng_impossible();
  ng_options();
  ng_interface_cap();
  cut_everywhere();
  gzip_cuts();
  gzip_members();
  open_failures();
  same_from_everywhere();
  batches_stay();
  rmdir(dir);
  return report("pcap");
}
