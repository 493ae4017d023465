/* SPDX-License-Identifier: Apache-2.0
 * test_packet_drops.slow.c - what a capture ring drops: how much, when, and what it must not drop.
 *
 *   test_packet_drops [SCENARIO...]    needs root; without, every scenario is skipped with the reason
 */
#include "live_lab.h"
#include "core/clock.h"

/* A ring of the least size and one thread that is held up: the kernel's drops make the sum right. */
static void kernel_drops(void) {
  make_veth();
  struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
  lab_add(l, "vb", 4);
  ct_live_bind(&l->live);
  int out = raw_socket("va");
  uint8_t data[1400] = {0};
  uint32_t n = udp_frame(frame, 1, 2, data, sizeof data), sent = 6000;
  for (uint32_t i = 0; i < sent; i++) send_frame(out, frame, n); /* nobody reads yet */
  CHECK_EQ(ct_live_start(&l->live), 0);
  wait_count(l, 0, CT_L_KERNEL_DROPS, 1);
  lab_stop(l);
  check_sum(l, sent);
  CHECK(live_count(l, 0, CT_L_KERNEL_DROPS) > 1000);
  CHECK(live_count(l, 0, CT_L_KERNEL_FREEZES) > 0);
  CHECK_EQ(live_count(l, 0, CT_L_UNREAD), 0);
  lab_free(l);
}

static double realtime_us(void) { return (double)ct_clock_ns(CLOCK_REALTIME) / 1e3; }

/* Each drop lies in a span: not before the last frame that was captured, not after the first one of later. */
static void drops_have_a_time(void) {
  make_veth();
  struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
  lab_add(l, "vb", 4);
  ct_live_bind(&l->live);
  int out = raw_socket("va");
  uint8_t data[1400] = {0};
  uint32_t n = udp_frame(frame, 1, 2, data, sizeof data);
  for (uint32_t i = 0; i < 100; i++) send_frame(out, frame, n); /* within the first two blocks */
  nap_ms(50);
  double from = realtime_us();
  for (uint32_t i = 0; i < 1000; i++) send_frame(out, frame, n);
  double to = realtime_us();
  CHECK_EQ(ct_live_start(&l->live), 0);
  wait_count(l, 0, CT_L_KERNEL_DROPS, 1);
  double seen = realtime_us();
  nap_ms(50);
  for (uint32_t i = 0; i < 100; i++) send_frame(out, frame, n);
  wait_count(l, 0, CT_L_KERNEL_PACKETS, 1200);
  lab_stop(l);
  struct ct_drop_span span[CT_DROP_SPANS];
  CHECK_EQ(ct_live_take_drops(&l->live, 0, span), 1);
  CHECK_EQ((uint64_t)span[0].packets, live_count(l, 0, CT_L_KERNEL_DROPS));
  CHECK(span[0].from_us > from && span[0].from_us < to);
  CHECK(span[0].to_us >= to && span[0].to_us <= seen);
  CHECK_EQ(ct_live_take_drops(&l->live, 0, span), 0); /* each is given once */
  CHECK_EQ(ct_live_take_drops(&l->live, 1, span), 0); /* no such interface */
  lab_free(l);
}

/* 200 packets in seconds, and nobody reads: a ring of 64 MiB has room for them, however many blocks they end. */
static void few_packets_fill_no_ring(void) {
  make_veth();
  struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
  lab_add(l, "vb", 0);
  ct_live_bind(&l->live);
  int out = raw_socket("va");
  uint32_t n = sip_frame(), sent = 200;
  for (uint32_t i = 0; i < sent; i++) {
    send_frame(out, frame, n);
    nap_ms(15); /* longer than a block stays open */
  }
  CHECK_EQ(ct_live_start(&l->live), 0);
  wait_count(l, 0, CT_L_FRAMES, sent);
  lab_stop(l);
  check_sum(l, sent);
  CHECK_EQ(live_count(l, 0, CT_L_KERNEL_DROPS), 0);
  CHECK_EQ(live_count(l, 0, CT_L_FRAMES), sent);
  lab_free(l);
}

/* What comes between opening and start is nobody's: a program that is slow to start loses nothing of what it captures. */
static void captures_from_the_start(void) {
  make_veth();
  struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
  lab_add(l, "vb", 4);
  int out = raw_socket("va");
  uint8_t data[1400] = {0};
  uint32_t n = udp_frame(frame, 1, 2, data, sizeof data);
  for (uint32_t i = 0; i < 1000; i++) send_frame(out, frame, n);
  CHECK_EQ(ct_live_start(&l->live), 0);
  for (uint32_t i = 0; i < 100; i++) send_frame(out, frame, n);
  wait_count(l, 0, CT_L_FRAMES, 100);
  lab_stop(l);
  check_sum(l, 100);
  CHECK_EQ(live_count(l, 0, CT_L_KERNEL_DROPS), 0);
  lab_free(l);
}

int main(int argc, char **argv) {
  static const struct scenario list[] = {
      {"kernel_drops", kernel_drops, false},
      {"drops_have_a_time", drops_have_a_time, false},
      {"few_packets_fill_no_ring", few_packets_fill_no_ring, false},
      {"captures_from_the_start", captures_from_the_start, false},
  };
  return run_scenarios(list, COUNT(list), argc, argv);
}
