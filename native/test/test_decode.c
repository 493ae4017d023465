/* SPDX-License-Identifier: Apache-2.0
 * test_decode.c - every encapsulation decodes to its packet, whole, cut at every byte and damaged.
 *
 * With --corpus DIR it writes the frames as seeds for fuzz_decode instead.
 */
#include "decode_frames.h"

#include "decode_check.h"

static const uint8_t fd1[16] = {FD(1)}, fd2[16] = {FD(2)}, v4a[16] = {10, 0, 0, 1}, v4b[16] = {10, 0, 0, 2};

static const struct frame *named(const char *name) {
  for (uint32_t i = 0; i < FRAMES; i++)
    if (strcmp(frames[i].name, name) == 0) return &frames[i];
  abort();
}

static enum ct_reason decode(struct ct_packet *p, const uint8_t *d, uint32_t n, uint32_t wire, uint32_t link,
                             bool esp_null) {
  const struct ct_decode_opts o = {.esp_null = esp_null};
  memset(p, 0xa5, sizeof *p); /* whatever the decoder does not set shows */
  p->frame = d;
  p->caplen = n;
  p->wirelen = wire;
  p->vlan = 0;
  return ct_decode_frame(p, link, &o);
}

/* Its first n bytes, with ESP left closed. */
static enum ct_reason decode_named(struct ct_packet *p, const char *name, uint32_t n) {
  const struct frame *f = named(name);
  return decode(p, f->d, n < f->n ? n : f->n, f->n, f->link, false);
}

static void check_packet(const struct frame *f, const struct ct_packet *p) {
  uint8_t proto = f->proto ? f->proto : 17;
  bool v6 = f->version == 6, ports = f->reason == CT_OK && (proto == 6 || proto == 17);
  CHECK_EQ(p->ip_version, v6 ? 6 : 4);
  CHECK_EQ(p->proto, proto);
  CHECK_EQ(p->dscp, 46);
  CHECK_EQ(p->ip_id, v6 ? 0 : 0x1234);
  CHECK(memcmp(p->src, v6 ? fd1 : v4a, 16) == 0);
  CHECK(memcmp(p->dst, v6 ? fd2 : v4b, 16) == 0);
  CHECK_EQ(p->sport, ports ? 5060 : 0);
  CHECK_EQ(p->dport, ports ? 5062 : 0);
  CHECK_EQ(p->len, 8);
  CHECK_EQ(p->wire_len, 8);
  CHECK(p->len == 8 && memcmp(p->payload, "payload!", 8) == 0);
  CHECK_EQ(p->tunnels, f->tunnels);
  CHECK_EQ(p->tunnel_depth, f->depth);
  CHECK_EQ(p->vlan, f->vlan);
  CHECK_EQ(p->tcp_seq, proto == 6 ? 0x01020304 : 0);
  CHECK_EQ(p->tcp_ack, proto == 6 ? 0x05060708 : 0);
  CHECK_EQ(p->tcp_flags, proto == 6 ? 0x18 : 0);
}

static void test_whole(const struct frame *f) {
  struct ct_packet p;
  uint8_t *d = exact_copy(f->d, f->n);
  enum ct_reason r = decode(&p, d, f->n, f->n, f->link, f->esp_null);
  CHECK_EQ(r, f->reason);
  check_promises(&p, r, d, f->n);
  if (r == f->reason && (r == CT_OK || r == CT_FRAGMENT)) check_packet(f, &p);
  free(d);
}

/* A snapshot length that leaves part of the payload keeps the packet; one that takes a header is a
 * named reason. A cut frame of which the wire length says nothing promises only to be safe. */
static void test_cuts(const struct frame *f) {
  struct ct_packet p;
  uint32_t tail = 0;
  for (uint32_t i = 0; i + 8 <= f->n; i++) {
    if (memcmp(f->d + i, "payload!", 8) == 0) tail = i;
  }
  for (uint32_t n = 0; n < f->n; n++) {
    uint8_t *d = exact_copy(f->d, n);
    enum ct_reason r = decode(&p, d, n, f->n, f->link, f->esp_null);
    check_promises(&p, r, d, n);
    if (f->reason == CT_OK && !f->esp_null && n >= tail && n < tail + 8 &&
        strcmp(f->name, "hperm_alt") != 0) {
      CHECK_EQ(r, CT_OK);
      CHECK_EQ(p.len, n - tail);
      CHECK_EQ(p.wire_len, 8);
      CHECK_EQ(p.tunnels, f->tunnels);
    }
    if (f->reason == CT_OK && n < tail && r == CT_OK) CHECK(p.len < p.wire_len || p.tunnels != f->tunnels);
    for (int null = 0; null < 2; null++) {
      r = decode(&p, d, n, n, f->link, null);
      check_promises(&p, r, d, n);
    }
    free(d);
  }
}

static void test_damage(const struct frame *f) {
  static const uint8_t masks[] = {0x01, 0x04, 0x0f, 0x10, 0x80, 0xff};
  struct ct_packet p;
  uint8_t *d = exact_copy(f->d, f->n);
  for (uint32_t i = 0; i < f->n; i++) {
    for (uint32_t m = 0; m < sizeof masks; m++) {
      d[i] ^= masks[m];
      enum ct_reason r = decode(&p, d, f->n, f->n + (m & 1) * 500, f->link, m & 2);
      check_promises(&p, r, d, f->n);
      d[i] = f->d[i];
    }
  }
  free(d);
}

static void test_frame(const struct frame *f) {
  subject = f->name;
  test_whole(f);
  test_cuts(f);
  test_damage(f);
}

/* The answer for every cut of a frame, as runs: each header takes exactly its own bytes. */
static void test_answers(void) {
  static const struct {
    const char *name, *runs;
  } rows[] = {
      {"ethernet", "link_short 14, ipv4_short 20, udp_short 8, ok 8"},
      {"ethernet_v6", "link_short 14, ipv6_short 40, udp_short 8, ok 8"},
      {"ipv4_options", "link_short 14, ipv4_short 28, udp_short 8, ok 8"},
      {"qinq", "link_short 14, vlan_short 8, ipv4_short 20, udp_short 8, ok 8"},
      {"mpls_three", "link_short 14, mpls_short 13, ipv6_short 39, udp_short 8, ok 8"},
      {"pppoe", "link_short 14, pppoe_bad 6, link_short 2, ipv4_short 20, udp_short 8, ok 12"},
      {"sll", "link_short 16, ipv4_short 20, udp_short 8, ok 8"},
      {"sll2", "link_short 20, ipv6_short 40, udp_short 8, ok 8"},
      {"null_big", "link_short 4, ipv4_short 20, udp_short 8, ok 8"},
      {"cisco_hdlc", "link_short 4, ipv4_short 20, udp_short 8, ok 8"},
      {"ipoib", "link_short 44, ipv4_short 20, udp_short 8, ok 8"},
      {"pktap", "link_short 30, ipv4_short 20, udp_short 8, ok 8"},
      {"nflog", "link_short 24, ipv4_short 20, udp_short 8, ok 8"},
      {"snap", "link_short 22, ipv4_short 20, udp_short 8, ok 10"},
      {"macsec", "link_short 30, ipv4_short 20, udp_short 8, ok 24"},
      {"nsh", "link_short 14, tunnel_bad 24, ipv4_short 20, udp_short 8, ok 8"},
      {"ipip", "link_short 14, ipv4_short 40, udp_short 8, ok 8"},
      {"v6_atomic", "link_short 14, ipv6_short 40, ipv6_ext 8, udp_short 8, ok 8"},
      {"v6_extensions", "link_short 14, ipv6_short 40, ipv6_ext 68, udp_short 8, ok 8"},
      {"ah4", "link_short 14, ipv4_short 20, ipv6_ext 24, udp_short 8, ok 8"},
      {"tcp_options", "link_short 14, ipv6_short 40, tcp_short 28, ok 8"},
      {"icmp", "link_short 14, ipv4_short 20, ok 8"},
      {"frag_last", "link_short 14, ipv4_short 20, fragment 10"},
      {"frag6_middle", "link_short 14, ipv6_short 40, ipv6_ext 8, fragment 8"},
      {"gre_all", "link_short 14, ipv4_short 20, gre_bad 16, ipv6_short 40, udp_short 8, ok 8"},
      {"gre_routing", "link_short 14, ipv4_short 20, gre_bad 20, ipv4_short 20, udp_short 8, ok 8"},
      {"gre_pptp",
       "link_short 14, ipv4_short 20, gre_bad 16, link_short 4, ipv4_short 20, udp_short 8, ok 8"},
      {"erspan2", "link_short 14, ipv4_short 20, gre_bad 8, erspan_bad 8, link_short 14, ipv4_short 20, "
                  "udp_short 8, ok 8"},
      {"erspan3_platform", "link_short 14, ipv4_short 20, gre_bad 8, erspan_bad 20, link_short 14, "
                           "ipv4_short 20, udp_short 8, ok 8"},
      /* In UDP, a tunnel header of which nothing can be told is a payload that was cut off. */
      {"vxlan",
       "link_short 14, ipv4_short 20, udp_short 8, ok 8, link_short 14, ipv4_short 20, udp_short 8, ok 8"},
      {"geneve_options",
       "link_short 14, ipv4_short 20, udp_short 8, ok 8, tunnel_bad 8, ipv4_short 1, ipv6_short 39, "
       "udp_short 8, ok 8"},
      {"gtpu_extensions",
       "link_short 14, ipv4_short 20, udp_short 8, ok 8, tunnel_bad 16, ipv4_short 20, udp_short 8, ok 8"},
      {"tzsp", "link_short 14, ipv4_short 20, udp_short 8, ok 5, tunnel_bad 7, link_short 14, ipv4_short 20, "
               "udp_short 8, ok 8"},
      /* Weaker signatures are believed only with the whole inner header in sight. */
      {"teredo", "link_short 14, ipv4_short 20, udp_short 8, ok 40, udp_short 8, ok 8"},
      {"l2tp", "link_short 14, ipv4_short 20, udp_short 8, ok 30, udp_short 8, ok 8"},
      {"mpls_udp", "link_short 14, ipv4_short 20, udp_short 8, ok 28, udp_short 8, ok 8"},
      {"hperm", "link_short 14, ipv4_short 20, udp_short 8, ok 46, udp_short 8, ok 8"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char runs[256] = "";
    const struct frame *f = named(rows[i].name);
    subject = rows[i].name;
    uint32_t run = 0;
    enum ct_reason last = CT_REASON_COUNT, r = CT_REASON_COUNT;
    for (uint32_t n = 0; n <= f->n; n++, run++) {
      struct ct_packet p;
      uint8_t *d = exact_copy(f->d, n);
      r = n < f->n ? decode(&p, d, n, f->n, f->link, false) : CT_REASON_COUNT;
      free(d);
      if (r != last && run > 0) {
        size_t at = strlen(runs);
        snprintf(runs + at, sizeof runs - at, "%s%s %u", at ? ", " : "", ct_reason_name(last), run);
        run = 0;
      }
      last = r;
    }
    if (strcmp(runs, rows[i].runs) != 0) fprintf(stderr, "  %s\n", runs);
    CHECK(strcmp(runs, rows[i].runs) == 0);
  }
}

static void test_fragments(void) {
  static const uint8_t first[] = {ETH(0x0800), 0x45, 0xb8, 0, 36, 0x12, 0x34, 0x20, 0, 64, 17,
                                  0,           0,    10,   0, 0,  1,    10,   0,    0, 2,  UDP_DATA};
  struct ct_packet p;
  subject = "fragments";
  CHECK_EQ(decode(&p, first, sizeof first, sizeof first, 1, false), CT_FRAGMENT);
  CHECK_EQ(p.frag_off, 0);
  CHECK_EQ(p.frag_more, 1);
  CHECK_EQ(p.frag_id, 0x1234);
  CHECK_EQ(p.len, 16);
  CHECK_EQ(p.sport, 0);
  CHECK_EQ(decode_named(&p, "frag_last", UINT32_MAX), CT_FRAGMENT);
  CHECK_EQ(p.frag_off, 1480);
  CHECK_EQ(p.frag_more, 0);
  CHECK_EQ(decode_named(&p, "frag6_middle", UINT32_MAX), CT_FRAGMENT);
  CHECK_EQ(p.frag_off, 0x05a8);
  CHECK_EQ(p.frag_more, 1);
  CHECK_EQ(p.frag_id, 7);
  CHECK_EQ(p.proto, 17);
  CHECK_EQ(decode_named(&p, "frag_in_ipip", UINT32_MAX), CT_FRAGMENT);
  CHECK_EQ(p.frag_off, 16);
}

/* What a reassembled payload holds is followed like the payload of a frame. */
static void test_reassembled(void) {
  static const uint8_t tunnel[] = {UDP(40000, 4789, 8 + NE4), 8, 0, 0, 0, 0, 0, 100, 0, E4};
  static const uint8_t after_fragment[] = {17, 0, 1, 4, 0, 0, 0, 0, UDP_DATA};
  struct ct_packet p;
  memset(&p, 0, sizeof p);
  subject = "reassembled";
  p.ip_version = 4;
  p.proto = 17;
  p.vlan = 55;
  uint8_t *d = exact_copy(tunnel, sizeof tunnel);
  CHECK_EQ(ct_decode_ip_payload(&p, d, sizeof tunnel, NULL), CT_OK);
  CHECK_EQ(p.sport, 5060);
  CHECK_EQ(p.tunnels, CT_T_VXLAN);
  CHECK_EQ(p.vlan, 55);
  CHECK(memcmp(p.src, v4a, 16) == 0);
  free(d);
  memset(&p, 0, sizeof p);
  p.ip_version = 6;
  p.proto = 60;
  memcpy(p.src, fd1, 16);
  d = exact_copy(after_fragment, sizeof after_fragment);
  CHECK_EQ(ct_decode_ip_payload(&p, d, sizeof after_fragment, NULL), CT_OK);
  CHECK_EQ(p.proto, 17);
  CHECK_EQ(p.dport, 5062);
  CHECK(memcmp(p.src, fd1, 16) == 0);
  free(d);
  for (uint32_t n = 0; n < sizeof tunnel; n++) {
    memset(&p, 0, sizeof p);
    p.ip_version = 4;
    p.proto = 17;
    d = exact_copy(tunnel, n);
    CHECK_EQ(ct_decode_ip_payload(&p, d, n, NULL), n < 8 ? CT_R_UDP_SHORT : CT_R_UDP_BAD);
    free(d);
  }
}

/* A port is no proof: each of these stays an ordinary datagram on its tunnel port. */
static void test_ordinary(void) {
  static const struct {
    uint16_t port;
    uint8_t d[64];
    uint8_t n;
  } rows[] = {
      {4789, {0x80, 0, 0, 1, 0, 0, 0, 160, 1, 2, 3, 4, 0xd5, 0xd5}, 64}, /* RTP on the VXLAN port */
      {8472, {0x80, 8, 0, 1, 0, 0, 0, 160, 1, 2, 3, 4, 0xd5, 0xd5}, 64},
      {4789, {8, 0, 0, 0, 0, 0, 1, 0, ETH(0x0806), 0, 1, 8, 0, 6, 4}, 64}, /* VXLAN with ARP */
      {4789, {8, 0, 0, 0, 0, 0, 1, 9, ETH(0x0800), 0x45}, 64},             /* reserved bytes set */
      {4789, {8, 1, 0, 0, 0, 0, 1, 0, ETH(0x0800), 0x45}, 64},
      {4789, {8, 0, 1, 0, 0, 0, 1, 0, ETH(0x0800), 0x45}, 64},
      {4789, {8, 0, 0, 1, 0, 0, 1, 0, ETH(0x0800), 0x45}, 64},
      {4790, {8, 0, 0, 1, 0, 0, 1, 0, ETH(0x0800), 0x45}, 64},      /* a protocol without its flag */
      {4790, {0x0c, 0, 0, 9, 0, 0, 1, 0, ETH(0x0800), 0x45}, 64},   /* no such protocol */
      {7932, {[24] = 0x86, 0xdd, 0x60, 0, 0, 0, 0, 5, 17, 64}, 64}, /* IPv6 length not exact */
      {4789, {8, 0, 0, 0, 0, 0, 1, 0, ETH(0x0800), 0x35}, 64},      /* not IPv4 in there */
      {6081, {1, 0, 0x65, 0x58, 0, 0, 1, 1}, 64},                   /* reserved byte set */
      {6081, {0x3f, 0, 0x08, 0x00, 0, 0, 1, 0}, 64},                /* options beyond the datagram */
      {2152, {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0}, 12},          /* GTP-U echo request */
      {2152, {0x30, 255, 0, 60, 0, 0, 0, 0, 0x45}, 64},             /* length beyond the datagram */
      {2152, {0x34, 255, 0, 12, 1, 2, 3, 4, 0x12, 0x34, 0, 1, 1, 0xde}, 14},
      {3544, {0x60, 0, 0, 0, 0, 60, 17, 64}, 64},           /* IPv6 length beyond it */
      {37008, {1, 4, 0, 1, 1}, 5},                          /* TZSP keep-alive */
      {37008, {1, 0, 0, 1, 9, 255}, 64},                    /* a tag beyond the datagram */
      {1701, {0xc8, 2, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0}, 12}, /* L2TP control */
      {6635, {0x80, 0, 1, 1, 0x45}, 64},
      {7932, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ETH(0x0800), IP4(17, 16, 10, 0, 0, 0xb8, 0)}, 64},
      {4500, {0, 0, 0, 0, 1, 2, 3, 4}, 28}, /* IKE */
      {4500, {0xff}, 1},
      {5060, {0}, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint8_t d[14 + 28 + 64] = {IN_UDP(0, 0)};
    char name[32];
    uint32_t n = rows[i].n, size = 42 + n;
    snprintf(name, sizeof name, "ordinary %zu", i);
    subject = name;
    d[17] = (uint8_t)(28 + n);
    d[39] = (uint8_t)(8 + n);
    d[36] = (uint8_t)(rows[i].port >> 8);
    d[37] = (uint8_t)rows[i].port;
    memcpy(d + 42, rows[i].d, n);
    struct ct_packet p;
    uint8_t *copy = exact_copy(d, size);
    CHECK_EQ(decode(&p, copy, size, size, 1, true), CT_OK);
    CHECK_EQ(p.dport, rows[i].port);
    CHECK_EQ(p.len, n);
    CHECK_EQ(p.tunnels, 0);
    free(copy);
  }
}

static void test_lengths(void) {
  struct ct_packet p;
  static const uint8_t jumbo[] = {ETH(0x86dd),         IP6(0, 0), 17, 0, 0xc2, 4, 0, 1, 0, 0x18, /* 65560 */
                                  UDP(5060, 5062, -8), DATA};
  subject = "jumbogram";
  CHECK_EQ(decode(&p, jumbo, sizeof jumbo, 14 + 40 + 65560 + 6, 1, false), CT_OK);
  CHECK_EQ(p.wire_len, 65560 - 16);
  CHECK_EQ(p.len, 8);
  static const uint8_t small_jumbo[] = {ETH(0x86dd), IP6(0, 0), 17, 0, 0xc2, 4, 0, 0, 0xff, 0xff, UDP_DATA};
  CHECK_EQ(decode(&p, small_jumbo, sizeof small_jumbo, sizeof small_jumbo, 1, false), CT_R_IPV6_BAD);
  subject = "empty datagram";
  static const uint8_t empty[] = {ETH(0x0800), INNER_IP4(17, 8), UDP(5060, 5062, 0)};
  static const uint8_t empty_tagged[] = {ETH(0x8100), 0, 7, 0x08, 0x00, INNER_IP4(17, 8), UDP(5060, 5062, 0)};
  CHECK_EQ(decode(&p, empty, sizeof empty, sizeof empty, 1, false), CT_OK);
  CHECK_EQ(p.wire_len, 0);
  CHECK_EQ(decode(&p, empty_tagged, sizeof empty_tagged, sizeof empty_tagged, 1, false), CT_OK);
  CHECK_EQ(p.wire_len, 0);
  CHECK_EQ(p.sport, 5060);
  subject = "header cut by the snapshot length";
  CHECK_EQ(decode_named(&p, "geneve_options", 54), CT_R_TUNNEL_BAD);
  CHECK_EQ(decode_named(&p, "vxlan", 54), CT_R_LINK_SHORT);
  CHECK_EQ(decode_named(&p, "vxlan", 70), CT_R_IPV4_SHORT);
  CHECK_EQ(decode_named(&p, "vxlan", 49), CT_OK);
  CHECK_EQ(p.dport, 4789);
  subject = "total length beyond the frame";
  uint8_t d[] = {E4};
  d[17] += 100;
  d[39] += 100;
  CHECK_EQ(decode(&p, d, sizeof d, sizeof d, 1, false), CT_OK);
  CHECK_EQ(p.len, 8);
  CHECK_EQ(p.wire_len, 108);
  subject = "tag handed over by the kernel";
  memset(&p, 0, sizeof p);
  p.frame = named("vlan")->d;
  p.caplen = p.wirelen = named("vlan")->n;
  p.vlan = 300;
  CHECK_EQ(ct_decode_frame(&p, 1, NULL), CT_OK);
  CHECK_EQ(p.vlan, 300);
  subject = "ESP without --decode-esp-null";
  CHECK_EQ(decode_named(&p, "esp_tunnel", UINT32_MAX), CT_R_ENCRYPTED);
}

static void test_names(void) {
  subject = "reasons";
  for (int i = 0; i < CT_REASON_COUNT; i++) {
    const char *name = ct_reason_name((enum ct_reason)i);
    CHECK(name != NULL);
    if (name == NULL) continue;
    CHECK(*name != 0 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name));
    for (int j = 0; j < i; j++) CHECK(strcmp(name, ct_reason_name((enum ct_reason)j)) != 0);
  }
  CHECK(strcmp(ct_reason_name((enum ct_reason)99), "unknown") == 0);
  subject = "tunnels";
  CHECK(strcmp(ct_tunnel_name(CT_TUNNEL_VLAN), "VLAN") == 0 && CT_T_VLAN == 1);
  CHECK(strcmp(ct_tunnel_name(CT_TUNNEL_HPERM), "HPERM") == 0 && CT_T_HPERM == 32768);
  CHECK(ct_tunnel_name(CT_TUNNEL_COUNT) == NULL);
  /* Everything else that gives no packet is a loss. */
  static const enum ct_reason fine[] = {CT_OK, CT_FRAGMENT, CT_R_NOT_IP, CT_R_ENCRYPTED, CT_R_PROTO_OTHER};
  for (int i = 0; i < CT_REASON_COUNT; i++) {
    subject = ct_reason_name((enum ct_reason)i);
    bool is_fine = false;
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) is_fine |= (int)fine[k] == i;
    CHECK_EQ(ct_reason_is_loss((enum ct_reason)i), !is_fine);
  }
  subject = "";
  CHECK(!ct_reason_is_loss((enum ct_reason)99));
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--corpus") == 0) {
    for (size_t i = 0; i < FRAMES; i++) {
      char name[64];
      const uint8_t head[3] = {(uint8_t)frames[i].link, (uint8_t)(frames[i].link >> 8), frames[i].esp_null};
      snprintf(name, sizeof name, "%03zu-%s", i, frames[i].name);
      write_seed(argv[2], name, head, sizeof head, frames[i].d, frames[i].n);
    }
    return 0;
  }
  for (size_t i = 0; i < FRAMES; i++) {
    struct frame f = frames[i];
    test_frame(&f);
    for (int k = 0; k < 3 && frames[i].also[k] != 0; k++) {
      f.link = frames[i].also[k];
      test_frame(&f);
    }
  }
  test_answers();
  test_fragments();
  test_reassembled();
  test_ordinary();
  test_lengths();
  test_names();
  return report("test_decode");
}
