/* SPDX-License-Identifier: Apache-2.0
 * test_pcap_cut.c - capture files cut at every byte, plain and by gzip.
 */
#include "pcap_answer.h"

static struct image sample(bool ng, bool big, size_t *ends) {
  struct image m = {.big = big};
  begin_file(&m, ng);
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
    size_t head = (v & 1) != 0 ? 28 : 24, desc = (v & 1) != 0 ? 28 + 20 : 24;
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
  row(&all, 0, 8); /* tape padding after the last member */
  a = from_memory(all.b, all.n);
  CHECK_EQ(a.n, 4);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(from_memory(parts[1].b, parts[1].n).open, CT_PCAP_EMPTY);
  for (size_t i = 0; i < 3; i++) free(parts[i].b);
  free(all.b);
  free(m.b);
}

int main(void) {
  cut_everywhere();
  gzip_cuts();
  gzip_members();
  return report("pcap cut");
}
