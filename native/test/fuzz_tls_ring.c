/* SPDX-License-Identifier: Apache-2.0
 * fuzz_tls_ring.c - libFuzzer over the memory of a ring: whatever lies there, reading stays inside and ends.
 *
 * Input:  consumer / 8 (2) | produced bytes (2) | the ring's data
 */
#include "check.h"
#include "tls/source_tls.h"

#define SIZE 4096u
int LLVMFuzzerTestOneInput(const uint8_t *in, size_t size) {
  if (size < 4) return 0;
  uint64_t consumer = (uint64_t)(in[0] | in[1] << 8) * 8;
  if (size > 4 && (in[4] & 0xc0) == 0xc0) consumer |= in[0] & 7; /* a position that no kernel writes */
  uint64_t producer = consumer + (uint64_t)(in[2] | in[3] << 8);
  uint8_t *data = calloc(2, SIZE), *payload = malloc(CT_TLS_CHUNK);
  if (data == NULL || payload == NULL) abort();
  for (size_t i = 0; i < size - 4 && i < SIZE; i++) data[i] = data[i + SIZE] = in[4 + i];
  struct ct_tls_ring r = {.consumer = &consumer, .producer = &producer, .data = data, .size = SIZE};
  uint64_t before = consumer;
  for (uint32_t n = 0;; n++) {
    ASSERT(n <= SIZE / 8);
    const struct ct_tls_event *e = ct_tls_ring_peek(&r);
    ASSERT(consumer >= before && consumer <= producer);
    if (e == NULL) break;
    ASSERT((const uint8_t *)e >= data && (const uint8_t *)(e + 1) + e->chunk_len <= data + 2 * SIZE);
    struct ct_record record = {0};
    ct_tls_record(e, (int64_t)n, &record, payload);
    ASSERT(record.kind >= CT_KIND_TLS_BIND && record.kind <= CT_KIND_TLS_CLOSE);
    before = consumer;
    ct_tls_ring_next(&r);
    ASSERT(consumer > before);
  }
  free(payload);
  free(data);
  return 0;
}
