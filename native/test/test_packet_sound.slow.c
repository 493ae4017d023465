/* SPDX-License-Identifier: Apache-2.0
 * test_packet_sound.slow.c - what the kernel filter leaves of a packet tells digital silence from sound.
 *
 *   test_packet_sound [SCENARIO...]    needs root; without, every scenario is skipped with the reason
 */
#include "live_lab.h"
#include "rtp/rtp_stream.h"

/* One stream of silence and one of which each packet has another octet at `place`. */
static void send_streams(struct lab *l, uint8_t first, uint32_t place) {
  int out = raw_socket("va");
  uint8_t rtp[12 + 160];
  for (uint32_t k = 0; k < 20; k++) {
    rtp_payload(rtp, k / 2, 7 + k % 2, sizeof rtp);
    memset(rtp + 12, 0xff, 160);
    rtp[0] = first;
    if (first == 0x90) memcpy(rtp + 12, "\xbe\xde\x00\x01", 4);
    if (k % 2 == 1) rtp[place] = 0x3c;
    send_frame(out, frame, udp_frame(frame, 10000, 20000, rtp, sizeof rtp));
  }
  close(out);
  wait_count(l, 0, CT_L_FRAMES, 20);
}

static void silence(enum ct_filter_mode mode) {
  /* Behind the fixed header, two contributing sources and an extension of a word: the sixteenth octet. */
  static const struct {
    uint8_t first;
    uint32_t place;
  } rows[] = {{0x80, 27}, {0x82, 35}, {0x90, 35}};
  make_veth();
  for (uint32_t i = 0; i < COUNT(rows); i++) {
    struct lab *l = lab_start("vb", mode);
    send_streams(l, rows[i].first, rows[i].place);
    lab_stop(l);
    const struct ct_stream *s = ct_rtp_chunk(l->pl.rtp, 0);
    CHECK_EQ(s[0].sound, CT_SOUND_SILENT);
    CHECK_EQ(s[1].sound, CT_SOUND_HEARD);
    lab_free(l);
  }
}

static void through_ebpf(void) { silence(CT_FILTER_EBPF); }
static void through_classic(void) { silence(CT_FILTER_CLASSIC); }

int main(int argc, char **argv) {
  static const struct scenario list[] = {{"through_ebpf", through_ebpf, true},
                                         {"through_classic", through_classic, false}};
  return run_scenarios(list, COUNT(list), argc, argv);
}
