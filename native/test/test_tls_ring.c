/* SPDX-License-Identifier: Apache-2.0
 * test_tls_ring.c - the reader of the kernel's ring over images in memory, and events as records.
 *
 *   bash native/test/run.sh test_tls_ring.c
 */
#include "check.h"
#include "tls/source_tls.h"
#include "tls/tls_names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 4096u
#define BUSY (1u << 31)
#define DISCARDED (1u << 30)

/* A ring as the kernel maps it: its data twice in a row, an exact allocation. */
struct image {
  struct ct_tls_ring r;
  uint64_t consumer, producer;
  uint8_t *data;
};
static struct image *image_new(uint64_t start) {
  struct image *m = calloc(1, sizeof *m);
  m->data = calloc(2, SIZE);
  m->consumer = m->producer = start;
  m->r = (struct ct_tls_ring){.consumer = &m->consumer, .producer = &m->producer, .data = m->data, .size = SIZE};
  return m;
}
static void image_free(struct image *m) {
  free(m->data);
  free(m);
}
static void put(struct image *m, const void *bytes, uint32_t len, uint32_t flags) {
  uint8_t record[8 + 2048] = {0};
  uint32_t word = len | flags;
  memcpy(record, &word, 4);
  if (bytes != NULL) memcpy(record + 8, bytes, len);
  uint32_t total = (8 + len + 7) & ~7u;
  for (uint32_t i = 0; i < total; i++) {
    uint64_t at = (m->producer + i) & (SIZE - 1);
    m->data[at] = m->data[at + SIZE] = record[i];
  }
  m->producer += total;
}
struct sample {
  struct ct_tls_event e;
  uint8_t text[600];
};
static struct sample sample(uint32_t text) {
  struct sample s = {.e = {.ts_ns = 5000000123, .conn = 0x1122334455667788, .stream_off = 77, .pid = 10, .tid = 11,
                           .call_len = text, .chunk_len = text, .kind = CT_TLS_EV_DATA, .library = 1, .lport = 5061,
                           .rport = 40000, .family = 4, .laddr = {10, 0, 0, 1}, .raddr = {10, 0, 0, 2}}};
  memset(s.text, 'x', text);
  return s;
}

static void an_empty_ring_and_one_event(void) {
  struct image *m = image_new(0);
  CHECK(ct_tls_ring_peek(&m->r) == NULL);
  struct sample s = sample(300);
  put(m, &s, sizeof s.e + 300, 0);
  CHECK_EQ(ct_tls_ring_waiting(&m->r), m->producer);
  const struct ct_tls_event *e = ct_tls_ring_peek(&m->r);
  CHECK(e != NULL && memcmp(e, &s, sizeof s.e + 300) == 0);
  CHECK(ct_tls_ring_peek(&m->r) == e);
  ct_tls_ring_next(&m->r);
  CHECK(ct_tls_ring_peek(&m->r) == NULL);
  CHECK_EQ(m->consumer, m->producer);
  image_free(m);
}

static void a_busy_record_holds_those_behind_it(void) {
  struct image *m = image_new(0);
  struct sample s = sample(8);
  put(m, &s, sizeof s.e + 8, BUSY);
  put(m, &s, sizeof s.e + 8, 0);
  CHECK(ct_tls_ring_peek(&m->r) == NULL);
  CHECK_EQ(m->consumer, 0);
  CHECK(!m->r.broken);
  image_free(m);
}

static void what_was_taken_back_or_is_no_event_is_passed_over(void) {
  struct image *m = image_new(0);
  struct sample good = sample(16), bad = good;
  put(m, &good, sizeof good.e + 16, DISCARDED);
  put(m, "short", 5, 0);
  bad.e.chunk_len = 17;
  put(m, &bad, sizeof bad.e + 16, 0);
  bad = good;
  bad.e.kind = 9;
  put(m, &bad, sizeof bad.e + 16, 0);
  bad = good;
  bad.e.family = 10;
  put(m, &bad, sizeof bad.e + 16, 0);
  bad = good;
  bad.e.kind = CT_TLS_EV_BIND; /* has no plaintext */
  put(m, &bad, sizeof bad.e + 16, 0);
  put(m, &good, sizeof good.e + 16, 0);
  const struct ct_tls_event *e = ct_tls_ring_peek(&m->r);
  CHECK(e != NULL && memcmp(e, &good, sizeof good.e + 16) == 0);
  CHECK_EQ(m->r.malformed, 5);
  image_free(m);
}

/* Positions run on for ever; records lie across the end of the data, which is mapped twice. */
static void records_across_the_end(void) {
  struct image *m = image_new((1ull << 40) + SIZE - 64);
  for (uint32_t i = 0; i < 500; i++) {
    struct sample s = sample(i % 600);
    s.e.stream_off = i;
    put(m, &s, (uint32_t)sizeof s.e + i % 600, 0);
    const struct ct_tls_event *e = ct_tls_ring_peek(&m->r);
    CHECK(e != NULL && memcmp(e, &s, sizeof s.e + i % 600) == 0);
    ct_tls_ring_next(&m->r);
  }
  CHECK_EQ(m->r.malformed, 0);
  image_free(m);
}

static void a_length_beyond_what_was_produced_ends_it(void) {
  struct image *m = image_new(0);
  struct sample s = sample(16);
  put(m, &s, sizeof s.e + 16, 0);
  uint32_t lie = SIZE * 4;
  memcpy(m->data, &lie, 4);
  CHECK(ct_tls_ring_peek(&m->r) == NULL);
  CHECK(m->r.broken);
  ct_tls_ring_next(&m->r);
  CHECK_EQ(m->consumer, 0);
  image_free(m);
}

static void events_become_records(void) {
  struct sample s = sample(4);
  struct ct_record r = {0};
  uint8_t data[4];
  memcpy(s.text, "ABCD", 4);
  s.e.flags = CT_TLS_F_LAST | CT_TLS_F_WEAK;
  ct_tls_record(&s.e, 1000000000000000000, &r, data);
  CHECK_EQ(r.kind, CT_KIND_TLS_DATA);
  CHECK(r.ts_us == 1000000005000000.0 + 0.123 || r.ts_us - 1000000005000000.0 < 1.0);
  CHECK(r.frame == 77.0);
  CHECK(r.digest == (10 | 11ull << 32));
  CHECK_EQ(r.wire_len, 4);
  CHECK_EQ(r.aux0, 0x55667788);
  CHECK_EQ(r.aux1, 0x11223344);
  CHECK_EQ(r.aux2, (CT_TLS_LAST_CHUNK | CT_TLS_WEAK_TUPLE | 1 << CT_TLS_LIBRARY_SHIFT));
  CHECK_EQ(r.origin, CT_ORIGIN_UPROBE);
  CHECK_EQ(r.transport, 6);
  CHECK(memcmp(data, "ABCD", 4) == 0);
  /* A read came from the remote end. */
  CHECK_EQ(r.src_port, 40000);
  CHECK_EQ(r.src[3], 2);
  CHECK_EQ(r.dst_port, 5061);
  s.e.flags = CT_TLS_F_WRITTEN;
  ct_tls_record(&s.e, 0, &r, data);
  CHECK_EQ(r.src_port, 5061);
  CHECK_EQ(r.dst[3], 2);
  /* A bind is told from the local end. */
  s.e.kind = CT_TLS_EV_BIND;
  s.e.flags = 0;
  s.e.chunk_len = s.e.call_len = 0;
  ct_tls_record(&s.e, 0, &r, data);
  CHECK_EQ(r.kind, CT_KIND_TLS_BIND);
  CHECK_EQ(r.src_port, 5061);
  /* An unknown address stays empty, whatever the event carries. */
  struct ct_record none = {0};
  s.e.family = 0;
  ct_tls_record(&s.e, 0, &none, data);
  CHECK_EQ(none.ip_version, 0);
  CHECK_EQ(none.src_port, 0);
  CHECK_EQ(none.src[0] | none.dst[0], 0);
}

static void kinds_of_sites(void) {
  uint8_t op, lib;
  CHECK(ct_tls_site_kind("openssl-read-ex", &op, &lib) && op == CT_TLS_OP_READ_EX && lib == CT_TLS_OPENSSL);
  CHECK(ct_tls_site_kind("gnutls-write", &op, &lib) && op == CT_TLS_OP_WRITE_LONG && lib == CT_TLS_GNUTLS);
  CHECK(ct_tls_site_kind("mbedtls-reset", &op, &lib) && op == CT_TLS_OP_RESET && lib == CT_TLS_MBEDTLS);
  CHECK(ct_tls_site_kind("go-read", &op, &lib) && op == CT_TLS_OP_READ_LONG && lib == CT_TLS_GO);
  CHECK(ct_tls_site_kind("go-free", &op, &lib) && op == CT_TLS_OP_FREE && lib == CT_TLS_GO);
  CHECK(!ct_tls_site_kind("openssl-peek", &op, &lib));
  CHECK(!ct_tls_site_kind("openssl", &op, &lib));
  CHECK(!ct_tls_site_kind("openssl-", &op, &lib));
  CHECK(!ct_tls_site_kind("", &op, &lib));
  for (uint32_t i = 0; i < CT_TLS_N_COUNT; i++) CHECK(ct_tls_count_name(i) != NULL);
  CHECK(ct_tls_count_name(CT_TLS_N_COUNT) == NULL);
}

static void layouts(void) {
  CHECK_EQ(sizeof(struct ct_tls_event), 88);
  CHECK_EQ(sizeof(struct ct_tls_mapping), 320);
  CHECK_EQ(CT_TLS_F_WRITTEN, CT_TLS_WRITTEN);
  CHECK_EQ(CT_TLS_F_TRUNCATED, CT_TLS_TRUNCATED);
  CHECK_EQ(CT_TLS_F_LAST, CT_TLS_LAST_CHUNK);
  CHECK_EQ(CT_TLS_F_FAULT, CT_TLS_FAULT);
  CHECK_EQ(CT_TLS_F_WEAK, CT_TLS_WEAK_TUPLE);
  CHECK_EQ(CT_TLS_F_SHARED, CT_TLS_SHARED);
  CHECK_EQ(CT_TLS_F_UNDECIDED, CT_TLS_UNDECIDED);
}

int main(void) {
  an_empty_ring_and_one_event();
  a_busy_record_holds_those_behind_it();
  what_was_taken_back_or_is_no_event_is_passed_over();
  records_across_the_end();
  a_length_beyond_what_was_produced_ends_it();
  events_become_records();
  kinds_of_sites();
  layouts();
  return report("tls ring");
}
