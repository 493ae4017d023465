/* SPDX-License-Identifier: Apache-2.0
 * test_pcap.c - every variant of pcap and pcapng, and what is impossible in them.
 */
#include "pcap_answer.h"

/* A file of so many records that ends so. */
static struct answer records_of(struct image *m, uint64_t n, enum ct_pcap_status end) {
  struct answer a = from_image(m);
  CHECK_EQ(a.open, CT_PCAP_RECORD);
  CHECK_EQ(a.n, n);
  CHECK_EQ(a.end, end);
  return a;
}
/* Captured and original length, link type, time. */
static void is_record(const struct ct_frame *r, uint32_t cap, uint32_t wire, uint32_t link, int64_t ns, bool invalid) {
  CHECK_EQ(r->caplen, cap);
  CHECK_EQ(r->wirelen, wire);
  CHECK_EQ(r->linktype, link);
  CHECK_EQ(r->ts_ns, ns);
  CHECK_EQ(r->ts_invalid, invalid);
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
  for (size_t i = 0; i < COUNT(V); i++) {
    struct image m = {.big = V[i].big};
    file_header(&m, V[i].magic, 2, 4, 113);
    record(&m, 4294967295u, 7, 5, 60, V[i].extra);
    fill(&m, 5, 1);
    record(&m, 2, 999999, 0, 0, V[i].extra);
    struct answer a = records_of(&m, 2, CT_PCAP_EOF);
    CHECK_EQ(a.sum, 15);
    is_record(&a.r[0], 5, 60, 113, 4294967295000000000LL + (V[i].ns ? 7 : 7000), false);
    is_record(&a.r[1], 0, 0, 113, 2000000000LL + (V[i].ns ? 999999 : 999999000), false);
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
  for (size_t i = 0; i < COUNT(V); i++) {
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
  struct answer a = records_of(&m, 3, CT_PCAP_EOF);
  is_record(&a.r[0], 4, 4, 1, 5999999000, true);
  is_record(&a.r[1], 4, 4, 1, 6000000000, false);
  is_record(&a.r[2], 300000, 300000, 1, 7000000000, false);

  struct image nano = {0};
  file_header(&nano, 0xa1b23c4d, 2, 4, 1);
  record(&nano, 5, 1000000000, 0, 0, 0);
  record(&nano, 5, 1000000, 0, 0, 0);
  a = records_of(&nano, 2, CT_PCAP_EOF);
  is_record(&a.r[0], 0, 0, 1, 5999999999, true);
  is_record(&a.r[1], 0, 0, 1, 5001000000, false);

  struct image reserved = {0};
  file_header(&reserved, 0xa1b2c3d4, 2, 4, 0x00200001);
  CHECK_EQ(from_image(&reserved).open, CT_PCAP_NOT_CAPTURE);

  struct image long_record = {0};
  file_header(&long_record, 0xa1b2c3d4, 2, 4, 1);
  record(&long_record, 1, 0, 4, 4, 4);
  record(&long_record, 2, 0, 16u << 20, 4, 40);
  records_of(&long_record, 1, CT_PCAP_CORRUPT);

  struct image header_only = {0};
  file_header(&header_only, 0xa1b2c3d4, 2, 4, 1);
  records_of(&header_only, 0, CT_PCAP_EOF);
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
    struct answer a = records_of(&m, 3, CT_PCAP_EOF);
    CHECK_EQ(a.sum, 15 + 10 + 45);
    is_record(&a.r[0], 5, 60, 1, 1500000000, false);
    is_record(&a.r[1], 4, 4, 113, 1500000, false);
    CHECK_EQ(a.r[1].if_index, 1);
    is_record(&a.r[2], 9, 9, 1, 1500000, true);
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
  for (size_t i = 0; i < COUNT(V); i++) {
    struct image m = {0};
    section(&m, 1);
    interface(&m, 1, 0, V[i].resol, V[i].offset);
    packet_block(&m, 6, 0, V[i].ticks, 0, 0);
    struct answer a = records_of(&m, 1, CT_PCAP_EOF);
    is_record(&a.r[0], 0, 0, 1, V[i].ns, V[i].invalid);
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
  struct answer a = records_of(&m, 6, CT_PCAP_EOF);
  is_record(&a.r[1], 4, 4, UINT32_MAX, 2000, false);
  is_record(&a.r[2], 4, 4, UINT32_MAX, 2000, true);
  is_record(&a.r[3], 4, 4, 101, 2, false);
  is_record(&a.r[4], 2, 60, 113, 2, true);
  is_record(&a.r[5], 0, 60, 113, 2, true);
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
  for (size_t i = 0; i < COUNT(V); i++) {
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
  CHECK_EQ(records_of(&m, 1, CT_PCAP_EOF).r[0].ts_ns, 5);
}
static void ng_interface_cap(void) {
  struct image m = {0};
  section(&m, 1);
  for (int i = 0; i < 65540; i++) interface(&m, 1, 0, -1, 0);
  packet_block(&m, 6, 65535, 5, 4, 4);
  packet_block(&m, 6, 65536, 5, 4, 4);
  struct answer a = records_of(&m, 2, CT_PCAP_EOF);
  CHECK_EQ(a.r[0].linktype, 1);
  CHECK_EQ(a.r[1].linktype, UINT32_MAX);
}

int main(void) {
  classic_variants();
  classic_versions();
  classic_oddities();
  ng_blocks();
  ng_times();
  ng_sections();
  ng_impossible();
  ng_options();
  ng_interface_cap();
  return report("pcap");
}
