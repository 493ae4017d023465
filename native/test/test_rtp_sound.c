/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_sound.c - digital silence: what of a payload is compared, and what a stream is after packets of each kind.
 */
#define _GNU_SOURCE
#include "plain_pair.h"
#include "rtp_harness.h"

static const struct ct_rtp_opts OPTS = {100, {1, 2}, 5000000000ull, 60};

/* ---- where the payload lies ---- */

struct payload {
  const char *what;
  uint8_t first; /* byte of the header */
  uint8_t words; /* of the extension */
  uint8_t padding;
  uint32_t wire, len; /* of the whole packet */
  uint32_t other;     /* place of an octet that differs, 0 none */
  enum ct_sound is;
};
static const struct payload payloads[] = {
    {"160 times the same", 0x80, 0, 0, 172, 172, 0, CT_SOUND_SILENT},
    {"the first octet differs", 0x80, 0, 0, 172, 172, 12, CT_SOUND_HEARD},
    {"the sixteenth", 0x80, 0, 0, 172, 172, 27, CT_SOUND_HEARD},
    {"the last", 0x80, 0, 0, 172, 172, 171, CT_SOUND_HEARD},
    {"the last of the header", 0x80, 0, 0, 172, 172, 11, CT_SOUND_SILENT},
    {"sixteen", 0x80, 0, 0, 28, 28, 0, CT_SOUND_SILENT},
    {"sixteen, the last differs", 0x80, 0, 0, 28, 28, 27, CT_SOUND_HEARD},
    {"fifteen", 0x80, 0, 0, 27, 27, 0, CT_SOUND_UNKNOWN},
    {"cut behind sixteen", 0x80, 0, 0, 172, 28, 0, CT_SOUND_SILENT},
    {"cut behind sixteen, the last differs", 0x80, 0, 0, 172, 28, 27, CT_SOUND_HEARD},
    {"cut behind fifteen", 0x80, 0, 0, 172, 27, 0, CT_SOUND_UNKNOWN},
    {"cut behind the header", 0x80, 0, 0, 172, 12, 0, CT_SOUND_UNKNOWN},
    {"no payload", 0x80, 0, 0, 12, 12, 0, CT_SOUND_UNKNOWN},
    {"two CSRC", 0x82, 0, 0, 180, 180, 19, CT_SOUND_SILENT},
    {"two CSRC, the octet behind them differs", 0x82, 0, 0, 180, 180, 20, CT_SOUND_HEARD},
    {"cut within fifteen CSRC", 0x8f, 0, 0, 232, 60, 0, CT_SOUND_UNKNOWN},
    {"an extension", 0x90, 2, 0, 184, 184, 23, CT_SOUND_SILENT},
    {"an extension, the octet behind it differs", 0x90, 2, 0, 184, 184, 24, CT_SOUND_HEARD},
    {"cut within the extension", 0x90, 2, 0, 184, 20, 0, CT_SOUND_UNKNOWN},
    {"cut within the extension's header", 0x90, 2, 0, 184, 14, 0, CT_SOUND_UNKNOWN},
    {"padding", 0xa0, 0, 8, 180, 180, 0, CT_SOUND_SILENT},
    {"padding, the octet before it differs", 0xa0, 0, 8, 180, 180, 171, CT_SOUND_HEARD},
    {"nothing but padding", 0xa0, 0, 160, 172, 172, 0, CT_SOUND_UNKNOWN},
    {"padding that was cut off", 0xa0, 0, 8, 180, 100, 0, CT_SOUND_UNKNOWN},
};

static void where_the_payload_lies(void) {
  for (size_t i = 0; i < COUNT(payloads); i++) {
    const struct payload *w = &payloads[i];
    subject = w->what;
    uint8_t b[256];
    struct ct_packet p;
    struct send s = SEND(.at = T0, .seq = 1);
    start(4);
    make_packet(&p, b, &s);
    memset(b + 12, 0xff, sizeof b - 12);
    b[0] = w->first;
    if (w->first & 0x10) put16(b + 12, 0xbede), put16(b + 14, w->words);
    if (w->other != 0) b[w->other] ^= 0x55;
    if (w->padding != 0) b[w->wire - 1] = w->padding;
    /* In memory that ends where the packet was cut. */
    uint8_t *copy = exact_copy(b, w->len);
    p.payload = p.frame = copy;
    p.wire_len = p.wirelen = w->wire;
    p.len = p.caplen = w->len;
    push_packet(&p, CT_ORIGIN_WIRE);
    CHECK_EQ(stream(0)->sound, w->is);
    CHECK_EQ(stream(0)->octet, w->is == CT_SOUND_SILENT ? 0xff : 0);
    free(copy);
  }
  subject = "";
}

/* ---- one packet after another ---- */

/* s: silence, S: of the other sign, o: another octet, h: something is heard, c: cut, k: a key press, n: comfort noise. Both ways of a plain
 * frame must agree. */
static void after(const char *packets, enum ct_sound is, uint8_t octet) {
  struct plain_pair w;
  struct plain_frame x;
  subject = packets;
  pair_open(&w, &OPTS);
  for (uint16_t i = 0; packets[i] != 0; i++) {
    const char c = packets[i];
    make_plain(&x, T0 + i * 20 * MS, 1, 4000, 7,
               c == 'k'   ? 101
               : c == 'n' ? 13
                          : 8,
               i, i * 160u,
               c == 'k'   ? 4
               : c == 'n' ? 1
                          : 160);
    memset(x.b + 54, c == 'S' ? 0x55 : c == 'o' ? 0xff : 0xd5, 160);
    if (c == 'h') x.b[60] = 0x11;
    if (c == 'c') x.f.caplen = 60;
    CHECK(pair_push(&w, &x.f, CT_ORIGIN_WIRE));
  }
  CHECK(pair_is_same(&w));
  CHECK_EQ(pair_stream(w.may, 0)->sound, is);
  CHECK_EQ(pair_stream(w.may, 0)->octet, octet);
  pair_close(&w);
}

static void what_a_stream_is(void) {
  after("k", CT_SOUND_NONE, 0);
  after("s", CT_SOUND_SILENT, 0xd5);
  after("ssssssssssss", CT_SOUND_SILENT, 0xd5);
  after("sssssssssssS", CT_SOUND_SILENT, 0x55);
  after("sssssssssssSssssss", CT_SOUND_SILENT, 0xd5);
  after("sssssssssssooss", CT_SOUND_STEPS, 0xd5);
  after("sssssssssssoossssshs", CT_SOUND_HEARD, 0xd5);
  after("sssssssssssoocss", CT_SOUND_UNKNOWN, 0xd5);
  after("sssssskksssss", CT_SOUND_SILENT, 0xd5);
  after("sssssssssssh", CT_SOUND_HEARD, 0xd5);
  after("hsssssssssss", CT_SOUND_HEARD, 0);
  after("sssssssssssc", CT_SOUND_UNKNOWN, 0xd5);
  after("cssssssssssS", CT_SOUND_UNKNOWN, 0);
  after("csssssssssssh", CT_SOUND_HEARD, 0);
  after("hcccccccccccc", CT_SOUND_HEARD, 0);
  after("ssssssnsssss", CT_SOUND_UNKNOWN, 0xd5);
  subject = "";
}

int main(void) {
  where_the_payload_lies();
  what_a_stream_is();
  return rtp_report("rtp sound");
}
