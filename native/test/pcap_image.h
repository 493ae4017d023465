/* SPDX-License-Identifier: Apache-2.0
 * pcap_image.h - builds capture files in memory, row by row, in either byte order. For the tests of the reader.
 */
#ifndef CALLTAP_TEST_PCAP_IMAGE_H
#define CALLTAP_TEST_PCAP_IMAGE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct image {
  uint8_t *b;
  size_t n, cap;
  bool big; /* byte order of what is written next */
};
static void put(struct image *m, const void *d, size_t n) {
  while (m->n + n > m->cap) m->b = realloc(m->b, m->cap = m->cap == 0 ? 256 : m->cap * 2);
  if (n > 0) memcpy(m->b + m->n, d, n);
  m->n += n;
}
static void row(struct image *m, uint64_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) {
    uint8_t c = (uint8_t)(v >> 8 * (m->big ? bytes - 1 - i : i));
    put(m, &c, 1);
  }
}
static void fill(struct image *m, size_t n, uint8_t first) {
  for (size_t i = 0; i < n; i++) row(m, (uint8_t)(first + i), 1);
}
static void file_header(struct image *m, uint32_t magic, uint16_t major, uint16_t minor, uint32_t link) {
  row(m, magic, 4);
  row(m, major, 2);
  row(m, minor, 2);
  row(m, 0, 4);      /* thiszone */
  row(m, 0, 4);      /* sigfigs */
  row(m, 262144, 4); /* snaplen */
  row(m, link, 4);
}
static void record(struct image *m, uint32_t sec, uint32_t frac, uint32_t cap, uint32_t wire, size_t bytes) {
  row(m, sec, 4);
  row(m, frac, 4);
  row(m, cap, 4);
  row(m, wire, 4);
  fill(m, bytes, (uint8_t)sec);
}
/* A block around a body of whole words. */
static void block(struct image *m, uint32_t type, const struct image *body) {
  row(m, type, 4);
  row(m, body->n + 12, 4);
  put(m, body->b, body->n);
  row(m, body->n + 12, 4);
}
__attribute__((unused)) static void section(struct image *m, uint16_t major) {
  struct image b = {.big = m->big};
  row(&b, 0x1a2b3c4d, 4);
  row(&b, major, 2);
  row(&b, 0, 2);
  row(&b, UINT64_MAX, 8); /* section length not given */
  block(m, 0x0a0d0d0a, &b);
  free(b.b);
}
/* resol and offset are left out when negative and zero. */
__attribute__((unused)) static void interface(struct image *m, uint16_t link, uint32_t snaplen, int resol, int64_t offset) {
  struct image b = {.big = m->big};
  row(&b, link, 2);
  row(&b, 0, 2);
  row(&b, snaplen, 4);
  if (resol >= 0) {
    row(&b, 9, 2);
    row(&b, 1, 2);
    row(&b, (uint8_t)resol, 1);
    fill(&b, 3, 0);
  }
  if (offset != 0) {
    row(&b, 14, 2);
    row(&b, 8, 2);
    row(&b, (uint64_t)offset, 8);
  }
  if (b.n > 8) row(&b, 0, 4);
  block(m, 1, &b);
  free(b.b);
}
__attribute__((unused)) static void packet_block(struct image *m, uint32_t type, uint32_t ifi, uint64_t ts, uint32_t cap,
                         uint32_t wire) {
  struct image b = {.big = m->big};
  if (type == 2) {
    row(&b, ifi, 2);
    row(&b, 7, 2); /* drops */
  } else {
    row(&b, ifi, 4);
  }
  row(&b, ts >> 32, 4);
  row(&b, (uint32_t)ts, 4);
  row(&b, cap, 4);
  row(&b, wire, 4);
  fill(&b, (cap + 3) & ~3u, 1);
  block(m, type, &b);
  free(b.b);
}
__attribute__((unused)) static void simple_block(struct image *m, uint32_t wire, uint32_t stored) {
  struct image b = {.big = m->big};
  row(&b, wire, 4);
  fill(&b, (stored + 3) & ~3u, 1);
  block(m, 3, &b);
  free(b.b);
}
/* What stands before the first frame of Ethernet in a pcapng file, or in one of classic pcap. */
__attribute__((unused)) static void begin_file(struct image *m, bool ng) {
  if (!ng) {
    file_header(m, 0xa1b2c3d4, 2, 4, 1);
    return;
  }
  section(m, 1);
  interface(m, 1, 0, -1, 0);
}
__attribute__((unused)) static struct image gzipped(const struct image *m) {
  z_stream z = {0};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  struct image out = {0};
  out.cap = deflateBound(&z, m->n) + 64;
  out.b = malloc(out.cap);
  z.next_in = m->b;
  z.avail_in = (uInt)m->n;
  z.next_out = out.b;
  z.avail_out = (uInt)out.cap;
  deflate(&z, Z_FINISH);
  out.n = z.total_out;
  deflateEnd(&z);
  return out;
}
#endif
