/* SPDX-License-Identifier: Apache-2.0
 * test_packet_gso.c - a frame of segmentation offload becomes the datagrams it stands for, each of them
 * right to the last length and checksum; and no bytes make the splitter read beyond its frame.
 */
#include "decode_check.h"
#include "live/packet_ring.h"
#include "decode/walk.h"
#include "net_frames.h"

enum { ETHERNET = 1, RAW_IP = 101 };
static uint8_t frame[70000], piece[70000];

/* IPv4 and UDP headers in front of n bytes, with what offload leaves there for a checksum; their size. */
static uint32_t datagram(uint8_t *d, uint32_t dport, uint32_t n) {
  put_ipv4(d, 17, n + 8);
  put_udp(d + 20, 10000, dport, n);
  put16(d + 26, 0xbeef);
  return 28;
}

/* Splits `len` bytes of frame and holds every segment against what it must be. `ip` is where the header
 * begins whose datagram is split, `payload` what all segments carry together. */
static void check_split(const char *what, uint32_t len, uint32_t linktype, uint32_t ip, uint32_t payload,
                        uint32_t size) {
  subject = what;
  struct ct_gso g;
  bool opened = ct_gso_open(&g, frame, len, linktype, size);
  CHECK(opened);
  if (!opened) return;
  uint32_t header = len - payload, at = 0, n = 0;
  for (uint32_t need; (need = ct_gso_need(&g)) > 0; n++) {
    CHECK_EQ(ct_gso_next(&g, piece, need - 1), 0);
    uint8_t *out = exact_copy(piece, need);
    CHECK_EQ(ct_gso_next(&g, out, need), need);
    uint32_t want = ct_min32(size, payload - at);
    struct ct_packet p = {.frame = out, .caplen = need, .wirelen = need};
    CHECK_EQ(need, header + want);
    CHECK_EQ(ct_decode_frame(&p, linktype, NULL), CT_OK);
    CHECK_EQ(p.len, want);
    CHECK_EQ(p.wire_len, want);
    CHECK_EQ(p.dport, 20000);
    CHECK(p.len == want && memcmp(p.payload, frame + header + at, want) == 0);
    bool v4 = out[ip] >> 4 == 4;
    if (v4) {
      CHECK_EQ(sum16(0, out + ip, 20), 0xffff);
      CHECK_EQ(ct_be16(out + ip + 4), 0x0100 + n);
    }
    uint32_t s = sum16(17 + 8 + want, out + ip + (v4 ? 12 : 8), v4 ? 8 : 32);
    CHECK_EQ(sum16(s, out + header - 8, want + 8), 0xffff);
    at += want;
    free(out);
  }
  CHECK_EQ(at, payload);
  CHECK_EQ(n, (payload + size - 1) / size);
}

static void fill(uint32_t at, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) frame[at + i] = (uint8_t)(i * 7 + i / 172);
}

static void plain(void) {
  static const uint32_t payloads[] = {1, 171, 172, 173, 1720, 1721, 60000};
  for (uint32_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
    uint32_t n = payloads[i], at = put_ether(frame, 0x0800);
    at += datagram(frame + at, 20000, n);
    fill(at, n);
    check_split("IPv4", at + n, ETHERNET, 14, n, 172);
  }
}

static void tagged_and_put_ipv6(void) {
  uint32_t n = 500, at = put_ether(frame, 0x8100);
  put16(frame + at, 42);
  put16(frame + at + 2, 0x86dd);
  at += 4;
  at += put_ipv6(frame + at, 60, n + 16);
  memcpy(frame + at, "\x11\0\x01\x04\0\0\0\0", 8); /* destination options: padding */
  at += 8;
  at += put_udp(frame + at, 10000, 20000, n);
  put16(frame + at - 2, 0xbeef);
  fill(at, n);
  check_split("VLAN, IPv6, options", at + n, ETHERNET, 18, n, 100);
}

static void tunnels(void) {
  for (uint32_t geneve = 0; geneve < 2; geneve++) {
    uint32_t n = 1000, extra = geneve ? 4 : 0, inner = 14 + 20 + 8 + n, at = put_ether(frame, 0x0800);
    at += datagram(frame + at, geneve ? 6081 : 4789, 8 + extra + inner);
    memset(frame + at, 0, 12);
    if (geneve) {
      frame[at] = 1; /* one word of options */
      put16(frame + at + 2, 0x6558);
      frame[at + 6] = 7;
    } else {
      frame[at] = 8;
      frame[at + 6] = 7;
    }
    at += 8 + extra;
    at += put_ether(frame + at, 0x0800);
    uint32_t ip = at;
    at += datagram(frame + at, 20000, n);
    fill(at, n);
    check_split(geneve ? "GENEVE" : "VXLAN", at + n, ETHERNET, ip, n, 160);
  }
  uint32_t n = 400, at = put_ipv4(frame, 4, n + 28);
  at += datagram(frame + at, 20000, n);
  fill(at, n);
  check_split("IP in IP, no link header", at + n, RAW_IP, 20, n, 172);
}

/* A guest chooses the segment size of what it sends: one frame must not become 65,507. */
static void too_many(void) {
  static uint8_t large[66000];
  struct ct_gso g;
  uint32_t n = 60000, at = put_ether(large, 0x0800);
  at += datagram(large + at, 20000, n);
  subject = "too many";
  CHECK(!ct_gso_open(&g, large, at + n, ETHERNET, 1));
  CHECK(!ct_gso_open(&g, large, at + n, ETHERNET, n / CT_GSO_SEGMENTS));
  CHECK(ct_gso_open(&g, large, at + n, ETHERNET, n / CT_GSO_SEGMENTS + 1));
  uint32_t made = 0;
  while (ct_gso_next(&g, piece, sizeof piece) > 0) made++;
  CHECK(made > 1000 && made <= CT_GSO_SEGMENTS);
}

static void refused(void) {
  struct ct_gso g;
  uint32_t n = 100, at = put_ether(frame, 0x0800);
  at += datagram(frame + at, 20000, n);
  subject = "refused";
  CHECK(ct_gso_open(&g, frame, at + n, ETHERNET, 10));
  CHECK(!ct_gso_open(&g, frame, at + n, ETHERNET, 0));      /* no segment size */
  CHECK(!ct_gso_open(&g, frame, at + n - 1, ETHERNET, 10)); /* a cut frame */
  CHECK(!ct_gso_open(&g, frame, at + n, 113, 10));          /* a link type without headers to correct */
  frame[23] = 6;
  CHECK(!ct_gso_open(&g, frame, at + n, ETHERNET, 10)); /* TCP */
  frame[23] = 17;
  put16(frame + 20, 0x2000);
  CHECK(!ct_gso_open(&g, frame, at + n, ETHERNET, 10)); /* a fragment */
  /* GRE between the headers: the walk decodes it, its lengths are not known here. */
  at = put_ether(frame, 0x0800);
  at += put_ipv4(frame + at, 47, 4 + 20 + 8 + n);
  memcpy(frame + at, "\0\0\x08\0", 4);
  at += 4;
  at += datagram(frame + at, 20000, n);
  CHECK(!ct_gso_open(&g, frame, at + n, ETHERNET, 10));
}

/* Damaged frames in allocations of their exact size, under the sanitizers. What opens must end. */
static void damaged(void) {
  uint32_t opened = 0;
  subject = "damaged";
  for (uint32_t round = 0; round < 20000; round++) {
    uint32_t n = 200, tunnel = round & 1, at = put_ether(frame, 0x0800);
    if (tunnel) {
      at += datagram(frame + at, 4789, 8 + 14 + 28 + n);
      memcpy(frame + at, "\x08\0\0\0\0\0\x07\0", 8);
      at += 8;
      at += put_ether(frame + at, 0x0800);
    }
    at += datagram(frame + at, 20000, n);
    uint32_t len = at + n;
    for (uint32_t hits = 0; hits < 1 + round % 3; hits++) frame[below(at)] = (uint8_t)rnd();
    uint32_t cut = round % 5 == 0 ? below(len) : len;
    uint8_t *exact = exact_copy(frame, cut);
    struct ct_gso g;
    if (ct_gso_open(&g, exact, cut, ETHERNET, 1 + below(300))) {
      uint32_t total = 0, made;
      opened++;
      while ((made = ct_gso_next(&g, piece, sizeof piece)) > 0) total += made - g.header;
      CHECK_EQ(total, g.payload);
      CHECK_EQ(ct_gso_need(&g), 0);
    }
    free(exact);
  }
  CHECK(opened > 2000);
}

int main(void) {
  plain();
  tagged_and_put_ipv6();
  tunnels();
  refused();
  too_many();
  damaged();
  return report("gso");
}
