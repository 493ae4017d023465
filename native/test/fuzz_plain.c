/* SPDX-License-Identifier: Apache-2.0
 * fuzz_plain.c - libFuzzer over frames that are nearly plain: the short way must leave behind what the long way does.
 *
 * Each frame is 8 bytes of input:  op | stream | seq | ts step | time step | type | size | byte
 * op bits 0-1: seq as it comes, back by `seq`, on by `seq`, anything; bit 2: the ts step counts in packets, else in ticks;
 * bit 3: time in seconds, else in ms; bit 4: the byte of the frame at `byte` is changed; bit 5: the frame is cut to an
 * exact size; bit 6: TypeScript hints a clock; bit 7: time runs back.
 */
#include "check.h"
#include <sys/prctl.h>

#include "plain_pair.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Two tables an input: with huge pages most of the time would go into clearing 4 MiB for each. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  struct ct_rtp_opts o = {1u + (data[0] & 7), {data[1], 77}, 1000000000, 60};
  struct plain_pair w;
  struct {
    uint32_t ts;
    uint16_t seq;
  } flow[8] = {{0, 0}};
  pair_open(&w, &o);
  int64_t now = 1700000000000000000;
  for (size_t i = 2; i + 8 <= size && i < 8 * 2048; i += 8) {
    const uint8_t *d = data + i;
    uint32_t k = d[1] & 7;
    uint16_t seq = ++flow[k].seq;
    if ((d[0] & 3) == 1) seq = (uint16_t)(seq - d[2]);
    if ((d[0] & 3) == 2) seq = flow[k].seq = (uint16_t)(seq + d[2]);
    if ((d[0] & 3) == 3) seq = flow[k].seq = (uint16_t)(d[2] << 8 | d[7]);
    flow[k].ts += d[0] & 4 ? d[3] : 160u + (uint32_t)(int8_t)d[3] * 160u;
    int64_t step = d[0] & 8 ? (int64_t)d[4] * 1000000000 : (int64_t)d[4] * 1000000;
    now = d[0] & 128 ? now - step : now + step;
    if (d[3] == 0xff && d[4] == 0xff) now = (int64_t)((uint64_t)now * 0x9e3779b97f4a7c15u);
    struct plain_frame x;
    uint8_t origin = d[1] >> 3 & 1;
    make_plain(&x, now, 1 + (d[1] >> 4 & 1), (uint16_t)(4000 + (d[1] >> 5)), k, d[5], seq, flow[k].ts, d[6]);
    if (d[0] & 16) x.b[12 + (d[7] & 31)] ^= (uint8_t)(1u << (d[7] >> 5));
    x.f.ordinal = i;
    if (d[0] & 32) x.f.caplen = d[7] % (x.f.caplen + 1);
    uint8_t *copy = exact_copy(x.b, x.f.caplen);
    x.f.data = copy;
    ASSERT(pair_push(&w, &x.f, origin));
    free(copy);
    if (d[0] & 64) pair_hint(&w, d[2] & 7, (uint32_t)d[7] * 1000);
  }
  ASSERT(pair_is_same(&w));
  pair_close(&w);
  return 0;
}
