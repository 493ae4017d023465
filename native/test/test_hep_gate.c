/* SPDX-License-Identifier: Apache-2.0
 * test_hep_gate.c - the gate of the HEP listener alone: who is let in, how much, by which key, and who sent most.
 */
#include "check.h"
#include "hep/source_hep.h"
#include <errno.h>

static void allow_list(void) {
  static const struct {
    struct ct_cidr net;
    uint8_t addr[4];
    bool ok;
  } V[] = {
      {{4, 8, {127}}, {127, 1, 2, 3}, true},
      {{4, 8, {127}}, {128, 0, 0, 1}, false},
      {{4, 0, {0}}, {8, 8, 8, 8}, true},
      {{4, 32, {10, 0, 0, 1}}, {10, 0, 0, 1}, true},
      {{4, 32, {10, 0, 0, 1}}, {10, 0, 0, 0}, false},
      {{4, 9, {10, 128}}, {10, 255, 0, 1}, true},
      {{4, 9, {10, 128}}, {10, 127, 0, 1}, false},
      {{4, 31, {10, 0, 0, 2}}, {10, 0, 0, 3}, true},
      {{4, 31, {10, 0, 0, 2}}, {10, 0, 0, 4}, false},
  };
  uint64_t n[CT_HEP_VERDICTS] = {0};
  struct ct_hep_gate g;
  for (size_t i = 0; i < sizeof(V) / sizeof(V[0]); i++) {
    uint8_t a[16] = {0};
    memcpy(a, V[i].addr, 4);
    CHECK_EQ(ct_hep_gate_init(&g, n, &V[i].net, 1, 0, 0), 0);
    CHECK_EQ(ct_hep_admit(&g, a, 4, NULL, 10, 1), V[i].ok ? CT_HEP_TAKEN : CT_HEP_NOT_ALLOWED);
    CHECK_EQ(ct_hep_admit(&g, a, 6, NULL, 10, 1), CT_HEP_NOT_ALLOWED); /* the same bytes, another family */
    ct_hep_gate_close(&g);
  }
  const struct ct_cidr six = {6, 33, {0x20, 1, 0xd, 0xb8, 0x80}};
  uint8_t in[16] = {0x20, 1, 0xd, 0xb8, 0xff, 1}, out[16] = {0x20, 1, 0xd, 0xb8, 0x7f};
  CHECK_EQ(ct_hep_gate_init(&g, n, &six, 1, 0, 0), 0);
  CHECK_EQ(ct_hep_admit(&g, in, 6, NULL, 1, 1), CT_HEP_TAKEN);
  CHECK_EQ(ct_hep_admit(&g, out, 6, NULL, 1, 1), CT_HEP_NOT_ALLOWED);
  ct_hep_gate_close(&g);
  /* Loopback unless told otherwise, in each of its forms. */
  uint8_t lo4[16] = {127, 9, 9, 9}, lo6[16] = {[15] = 1}, mapped[16] = {[10] = 0xff, 0xff, 127, 0, 0, 1};
  uint8_t mapped_out[16] = {[10] = 0xff, 0xff, 10, 0, 0, 1}, other[16] = {10, 0, 0, 1};
  CHECK_EQ(ct_hep_gate_init(&g, n, NULL, 0, 0, 0), 0);
  CHECK_EQ(ct_hep_admit(&g, lo4, 4, NULL, 1, 1), CT_HEP_TAKEN);
  CHECK_EQ(ct_hep_admit(&g, lo6, 6, NULL, 1, 1), CT_HEP_TAKEN);
  CHECK_EQ(ct_hep_admit(&g, mapped, 6, NULL, 1, 1), CT_HEP_TAKEN);
  CHECK_EQ(ct_hep_admit(&g, mapped_out, 6, NULL, 1, 1), CT_HEP_NOT_ALLOWED);
  CHECK_EQ(ct_hep_admit(&g, other, 4, NULL, 1, 1), CT_HEP_NOT_ALLOWED);
  CHECK_EQ(ct_hep_admit(&g, lo4, 4, NULL, 65536, 1), CT_HEP_TOO_LONG);
  struct ct_hep_sender top[2];
  CHECK_EQ(ct_hep_top_senders(&g, top, 2), 2);
  CHECK_EQ(top[0].version, 4); /* the mapped address and its IPv4 form are one sender */
  CHECK_EQ(memcmp(top[0].addr, other, 16), 0);
  CHECK_EQ(top[0].n[CT_HEP_NOT_ALLOWED], 2);
  CHECK_EQ(memcmp(top[1].addr, lo4, 16), 0);
  CHECK_EQ(top[1].n[CT_HEP_TOO_LONG], 1);
  ct_hep_gate_close(&g);
  struct ct_cidr bad[2] = {{5, 0, {0}}, {4, 33, {0}}};
  CHECK_EQ(ct_hep_gate_init(&g, n, &bad[0], 1, 0, 0), -EINVAL);
  CHECK_EQ(ct_hep_gate_init(&g, n, &bad[1], 1, 0, 0), -EINVAL);
  CHECK_EQ(ct_hep_gate_init(&g, n, bad, CT_HEP_ALLOW_MAX + 1, 0, 0), -EINVAL);
}

static void rate(void) {
  uint64_t n[CT_HEP_VERDICTS] = {0};
  struct ct_hep_gate g;
  uint8_t lo[16] = {127, 0, 0, 1};
  CHECK_EQ(ct_hep_gate_init(&g, n, NULL, 0, 1000, 0), 0);
  /* Twice the rate for ten seconds, evenly: the rate is what passes, never more in any second. */
  uint64_t before = 0;
  for (int sec = 0; sec < 10; sec++) {
    for (int i = 0; i < 2000; i++) ct_hep_admit(&g, lo, 4, NULL, 1, (sec * 2000ll + i) * 500000ll);
    CHECK_EQ(n[CT_HEP_TAKEN] - before, 1000);
    before = n[CT_HEP_TAKEN];
  }
  CHECK_EQ(n[CT_HEP_TAKEN] + n[CT_HEP_OVER_RATE], 20000);
  /* All of a second at once is within the rate; one more is not, until the second has passed. */
  int64_t later = 100000000000ll;
  for (int i = 0; i < 1000; i++) CHECK_EQ(ct_hep_admit(&g, lo, 4, NULL, 1, later), CT_HEP_TAKEN);
  CHECK_EQ(ct_hep_admit(&g, lo, 4, NULL, 1, later + 949000000), CT_HEP_OVER_RATE);
  CHECK_EQ(ct_hep_admit(&g, lo, 4, NULL, 1, later - 5000000000), CT_HEP_OVER_RATE); /* a clock that runs back */
  CHECK_EQ(ct_hep_admit(&g, lo, 4, NULL, 1, later + 1000000000), CT_HEP_TAKEN);
  /* What is refused for another reason does not use the rate up. */
  uint8_t other[16] = {10};
  for (int i = 0; i < 5000; i++) ct_hep_admit(&g, other, 4, NULL, 1, later + 3000000000);
  for (int i = 0; i < 1000; i++) CHECK_EQ(ct_hep_admit(&g, lo, 4, NULL, 1, later + 3000000000), CT_HEP_TAKEN);
  ct_hep_gate_close(&g);
}

static void senders(void) {
  uint64_t n[CT_HEP_VERDICTS] = {0};
  struct ct_hep_gate g;
  CHECK_EQ(ct_hep_gate_init(&g, n, NULL, 0, 0, 0), 0);
  uint8_t loud[16] = {192, 0, 2, 1}, lo[16] = {127, 0, 0, 1};
  for (int i = 0; i < 50; i++) ct_hep_admit(&g, lo, 4, NULL, 1, i);
  /* Forged addresses, with one that keeps coming among them. */
  for (uint32_t i = 0; i < 100000; i++) {
    uint8_t a[16] = {11, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
    ct_hep_admit(&g, a, 4, NULL, 1, i);
    if (i % 100 == 0) ct_hep_admit(&g, loud, 4, NULL, 1, i);
  }
  struct ct_hep_sender top[CT_HEP_SENDERS];
  uint32_t rows = ct_hep_top_senders(&g, top, CT_HEP_SENDERS);
  CHECK(rows <= CT_HEP_SENDERS && rows > CT_HEP_SENDERS / 2);
  CHECK_EQ(memcmp(top[0].addr, loud, 16), 0);
  /* While it is new it may lose its place to one as new; by which places, the seed decides. */
  uint64_t of_loud = top[0].n[CT_HEP_NOT_ALLOWED];
  CHECK(of_loud > 900 && of_loud <= 1000);
  uint64_t shown = 0, lo_taken = 0;
  for (uint32_t i = 0; i < rows; i++) {
    for (uint32_t v = 0; v < CT_HEP_VERDICTS; v++) shown += top[i].n[v];
    if (memcmp(top[i].addr, lo, 16) == 0) lo_taken = top[i].n[CT_HEP_TAKEN];
  }
  CHECK_EQ(lo_taken, 50);
  CHECK_EQ(shown + g.forgotten, 101050); /* nothing is lost, only who it was */
  CHECK_EQ(ct_hep_top_senders(&g, top, 0), 0);
  ct_hep_gate_close(&g);
}

/* A key is found wherever it stands; without it nothing of the rate is taken. */
static void key(void) {
  static struct ct_hep_gate g;
  static const uint8_t lo[16] = {127, 0, 0, 1};
  uint64_t n[CT_HEP_VERDICTS] = {0};
  static const struct {
    const char *packet;
    uint32_t len;
    bool ok;
  } P[] = {
      {"HEP3\0\x0f\0\0\0\x0e\0\x09key", 15, true},
      {"EEP3\0\x0f\0\0\0\x0e\0\x09key", 15, true},
      {"HEP3\0\x16\0\0\0\x10\0\x07z\0\0\0\x0e\0\x09key", 22, true}, /* behind a payload */
      {"HEP3\0\x1e\0\0\0\x0e\0\x09" "kex\0\0\0\x0e\0\x09key", 24, false}, /* cut; and the first counts */
      {"HEP3\0\x18\0\0\0\x0e\0\x09" "kex\0\0\0\x0e\0\x09key", 24, false},
      {"HEP3\0\x0f\0\1\0\x0e\0\x09key", 15, false}, /* of a vendor */
      {"HEP3\0\x0e\0\0\0\x0e\0\x08ke", 14, false},
      {"HEP3\0\x10\0\0\0\x0e\0\x0akeys", 16, false},
      {"HEP3\0\x10\0\0\0\x0e\0\x0akey\0", 16, false},
      {"HEP3\0\x0c\0\0\0\x0e\0\x05", 12, false}, /* a length that does not hold its header */
      {"HEP3\0\x09\0\0\0", 9, false},
      {"HEP3\0\x06", 6, false},
      {"HEP3", 4, false},
      {"\1\x10\2\x11", 4, false},
  };
  CHECK_EQ(ct_hep_gate_init(&g, n, NULL, 0, 3, 0), 0);
  CHECK(!ct_hep_gate_key(&g, (const uint8_t *)P, CT_HEP_KEY_MAX + 1));
  CHECK(ct_hep_gate_key(&g, (const uint8_t *)"key", 3));
  for (size_t i = 0; i < sizeof(P) / sizeof(P[0]); i++) {
    uint8_t *copy = exact_copy(P[i].packet, P[i].len);
    CHECK_EQ(ct_hep_admit(&g, lo, 4, copy, P[i].len, 1), P[i].ok ? CT_HEP_TAKEN : CT_HEP_AUTH_FAILED);
    free(copy);
  }
  CHECK_EQ(n[CT_HEP_AUTH_FAILED], sizeof(P) / sizeof(P[0]) - 3);
  CHECK_EQ(ct_hep_admit(&g, lo, 4, (const uint8_t *)P[0].packet, P[0].len, 2), CT_HEP_OVER_RATE);
  CHECK_EQ(ct_hep_admit(&g, lo, 4, (const uint8_t *)P[0].packet, P[0].len, 2000000000), CT_HEP_TAKEN);
  ct_hep_gate_close(&g);
}

static void names(void) {
  for (uint32_t i = 0; i < CT_HEP_COUNTERS; i++) CHECK(ct_hep_counter_name(i) != NULL);
  CHECK(ct_hep_counter_name(CT_HEP_COUNTERS) == NULL);
  CHECK(ct_hep_verdict_name(CT_HEP_VERDICTS) == NULL);
}

int main(void) {
  names();
  allow_list();
  rate();
  key();
  senders();
  return report("hep gate");
}
