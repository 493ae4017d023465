/* SPDX-License-Identifier: Apache-2.0
 * decode_frames.h - one frame for each encapsulation, as rows of bytes, with what it must decode to.
 *
 * Every frame carries the same packet, so that a row states only what differs: 10.0.0.1:5060 to
 * 10.0.0.2:5062 (or fd00::1 to fd00::2), DSCP 46, "payload!". Outer headers use 192.0.2.x, DSCP 0.
 */
#ifndef CALLTAP_DECODE_FRAMES_H
#define CALLTAP_DECODE_FRAMES_H
#include "decode/packet.h"

#define B16(x) (uint8_t)((x) >> 8), (uint8_t)((x)&255)
#define DATA 'p', 'a', 'y', 'l', 'o', 'a', 'd', '!'
#define ETH(type) 2, 0, 0, 0, 0, 1, /* destination */ 2, 0, 0, 0, 0, 2, /* source */ B16(type)
/* n: bytes after this header. Identification 0x1234, don't fragment, TTL 64. */
#define IP4(proto, n, a, b, c, tos, sum)                                                                     \
  0x45, tos, B16(20 + (n)), 0x12, 0x34, 0x40, 0, 64, proto, B16(sum), a, b, c, 1, a, b, c, 2
#define INNER_IP4(proto, n) IP4(proto, n, 10, 0, 0, 0xb8, 0)
#define OUTER_IP4(proto, n) IP4(proto, n, 192, 0, 2, 0, 0)
#define FD(last) 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last
#define IP6(next, n) 0x6b, 0x80, 0, 0, /* version, DSCP 46 */ B16(n), next, 64, FD(1), FD(2)
#define DB(last) 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last
#define OUTER_IP6(next, n) 0x60, 0, 0, 0, B16(n), next, 64, DB(1), DB(2)
#define UDP(from, to, n) B16(from), B16(to), B16(8 + (n)), 0, 0
#define UDP_DATA UDP(5060, 5062, 8), DATA
#define TCP(words, flags)                                                                                    \
  B16(5060), B16(5062), 1, 2, 3, 4, 5, 6, 7, 8, (words) << 4, flags, 0xff, 0xff, 0, 0, 0, 0
#define V4 INNER_IP4(17, 16), UDP_DATA /* 36 bytes */
#define V6 IP6(17, 16), UDP_DATA       /* 56 bytes */
#define N4 36
#define N6 56
#define E4 ETH(0x0800), V4 /* 50 bytes */
#define NE4 50
#define IN_UDP(port, n) ETH(0x0800), OUTER_IP4(17, 8 + (n)), UDP(40000, port, n)
#define IN_GRE(n) ETH(0x0800), OUTER_IP4(47, n)

struct frame {
  const char *name;
  const uint8_t *d;
  uint32_t n, link;
  enum ct_reason reason;
  uint32_t tunnels;
  uint16_t vlan;
  uint8_t depth, version; /* version 0: 4 */
  bool esp_null;
  uint8_t proto; /* 0: 17 */
};
#define FRAME(id, ...) static const uint8_t id[] = {__VA_ARGS__}
#define ROW(id, linktype, ...)                                                                               \
  { .name = #id, .d = id, .n = sizeof id, .link = linktype, __VA_ARGS__ }

/* Links */
FRAME(ethernet, E4);
FRAME(ethernet_padded, E4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
FRAME(ethernet_v6, ETH(0x86dd), V6);
FRAME(ipv4_options, ETH(0x0800), 0x47, 0xb8, B16(28 + 16), 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10,
      0, 0, 2, 0x94, 4, 0, 0, 1, 1, 1, 0, /* router alert, padding */ UDP_DATA);
FRAME(ipv4_offload, ETH(0x0800), 0x45, 0xb8, 0, 0, /* total length 0 */ 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10,
      0, 0, 1, 10, 0, 0, 2, UDP_DATA);
FRAME(ipv4_offload_padded, ETH(0x0800), 0x45, 0xb8, 0, 0, 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10,
      0, 0, 2, UDP_DATA, 0, 0);
FRAME(ipv4_offload_udp, ETH(0x0800), 0x45, 0xb8, 0, 0, 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0,
      0, 2, UDP(5060, 5062, -8), DATA);
FRAME(sll, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0, 0x08, 0x00, V4);
FRAME(sll_vlan, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0, 0x81, 0x00, 0, 7, 0x08, 0x00, V4);
FRAME(sll_pppoe, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0, 0x88, 0x64, 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21,
      V4);
FRAME(sll_gre, 0, 0, 3, 10, /* ARPHRD_IPGRE */ 0, 4, 2, 0, 0, 0, 0, 2, 0, 0, 0x08, 0x00, V4);
FRAME(sll2, 0x86, 0xdd, 0, 0, 0, 0, 0, 3, 0, 1, 4, 6, 2, 0, 0, 0, 0, 2, 0, 0, V6);
FRAME(raw4, V4);
FRAME(raw6, V6);
FRAME(null_little, 2, 0, 0, 0, V4);
FRAME(null_big, 0, 0, 0, 2, V4);
FRAME(null_little_v6, 30, 0, 0, 0, V6);
FRAME(loop_v6, 0, 0, 0, 24, V6);
FRAME(ppp, 0, 0x21, V4);
FRAME(ppp_framed, 0xff, 3, 0, 0x57, V6);
FRAME(ppp_short, 0x21, V4);
FRAME(ppp_mpls, 0xff, 3, 0x02, 0x81, 0, 1, 0x01, 64, V4);
FRAME(ppp_direction, 1, 0xff, 3, 0, 0x21, V4);
FRAME(cisco_hdlc, 0x0f, 0, 0x08, 0x00, V4);
FRAME(hdlc_address, 0x0e, 3, 0x08, 0x00, V4);
FRAME(pppoe_link, 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21, V4);
FRAME(nflog, 2, 0, 0, 5, /* AF_INET, version, group */ 8, 0, 1, 0, 8, 0, 1, 0, /* packet header */
      7, 0, 10, 0, 'i', 'n', 0, 0, /* prefix, padded */ N4 + 4, 0, 9, 0, V4);
FRAME(nflog_big, 2, 0, 0, 5, 0, 8, 0, 1, 8, 0, 1, 0, 0, N4 + 4, 0, 9, V4);
FRAME(ipoib, [40] = 0x08, 0x00, 0, 0, V4);
FRAME(pktap, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 9, 9, 9, E4);
FRAME(snap, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, B16(8 + N4), 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00, V4, 0, 0);
FRAME(llc_other, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, B16(3 + N4), 6, 7, 3, V4);
FRAME(llc_ip, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, B16(3 + N4), 6, 6, 3, V4);
FRAME(link_unknown, V4);
FRAME(arp, ETH(0x0806), 0, 1, 8, 0, 6, 4, 0, 1);
FRAME(stp, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 7, 0x42, 0x42, 3, 0, 0, 0, 0);
/* Tags and labels */
FRAME(vlan, ETH(0x8100), 0x60, 100, 0x08, 0x00, V4);
FRAME(qinq, ETH(0x88a8), 0, 200, 0x81, 0x00, 0, 100, 0x08, 0x00, V4);
FRAME(qinq_9100, ETH(0x9100), 0x0f, 0xff, 0x81, 0x00, 0, 100, 0x08, 0x00, V4);
FRAME(qinq_9200, ETH(0x9200), 0, 9, 0x86, 0xdd, V6);
FRAME(qinq_8100, ETH(0x8100), 0, 200, 0x81, 0x00, 0, 100, 0x08, 0x00, V4);
FRAME(vlan_snap, ETH(0x8100), 0, 100, B16(8 + N4), 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00, V4);
FRAME(vlan_nine, ETH(0x8100), 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1,
      0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x08, 0, V4);
FRAME(mpls, ETH(0x8847), 0, 1, 0x01, 64, V4);
FRAME(mpls_three, ETH(0x8848), 0, 1, 0, 64, 0, 2, 0, 64, 0, 3, 0x41, 64, V6);
FRAME(mpls_pw_word, ETH(0x8847), 0, 1, 0x01, 64, 0, 0, 0, 0, /* control word */ E4);
FRAME(mpls_pw_plain, ETH(0x8847), 0, 1, 0x01, 64, E4);
FRAME(mpls_pw_mac4, ETH(0x8847), 0, 1, 0x01, 64, 0x46, 0, 0, 0, 0, 1, /* a MAC that begins like IPv4 */
      2, 0, 0, 0, 0, 2, 0x08, 0x00, V4);
FRAME(mpls_bfd, ETH(0x8847), 0, 1, 0x01, 64, 0x10, 0, 0, 7, 0x20, 0, 0, 0);
FRAME(mpls_endless, ETH(0x8847), 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64,
      0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 1, 64, V4);
FRAME(pppoe, ETH(0x8864), 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21, V4, 0, 0, 0, 0);
FRAME(pppoe_v6, ETH(0x8864), 0x11, 0, 0, 9, B16(2 + N6), 0, 0x57, V6);
FRAME(pppoe_vlan, ETH(0x8100), 0, 31, 0x88, 0x64, 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21, V4);
FRAME(pppoe_code, ETH(0x8864), 0x11, 7, 0, 9, B16(2 + N4), 0, 0x21, V4);
FRAME(pppoe_lcp, ETH(0x8864), 0x11, 0, 0, 9, 0, 6, 0xc0, 0x21, 9, 1, 0, 4);
FRAME(pppoe_mppe, ETH(0x8864), 0x11, 0, 0, 9, 0, 6, 0x00, 0xfd, 9, 1, 0, 4);
FRAME(macsec, ETH(0x88e5), 0x20, 0, /* SC, long */ 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 0, 1, /* SCI */ 0x08, 0x00,
      V4, /* ICV */ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
FRAME(macsec_short, ETH(0x88e5), 0x00, 2 + N4, 0, 0, 0, 1, 0x08, 0x00, V4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
      12, 13, 14, 15, 16);
FRAME(macsec_secret, ETH(0x88e5), 0x2c, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9);
FRAME(metadata, ETH(0x8909), 1, 1, 0, 1, 0, 7, /* security group 7 */ 0x08, 0x00, V4);
FRAME(metadata_gre, IN_GRE(4 + 8 + N4), 0, 0, 0x89, 0x09, 0x08, 0x00, 1, 1, 0, 1, 0, 7, V4);
FRAME(nsh, ETH(0x894f), 0x0f, 0xc6, 1, 1, /* length 24, MD type 1, IPv4 */ 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, V4);
FRAME(nsh_ethernet, ETH(0x894f), 0x0f, 0xc3, 2, 3, 0, 0, 1, 255, 0, 1, 0, 0, E4);
FRAME(nsh_nsh, ETH(0x894f), 0x0f, 0xc2, 2, 4, 0, 0, 1, 255, 0x0f, 0xc2, 2, 2, 0, 0, 1, 255, V6);
FRAME(nsh_length, ETH(0x894f), 0x0f, 0xc5, 1, 1, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, V4);

/* IP in IP, extension headers */
FRAME(ipip, ETH(0x0800), OUTER_IP4(4, N4), V4);
FRAME(six_in_four, ETH(0x0800), OUTER_IP4(41, N6), V6);
FRAME(four_in_six, ETH(0x86dd), OUTER_IP6(4, N4), V4);
FRAME(six_in_six, ETH(0x86dd), OUTER_IP6(41, N6), V6);
FRAME(ipip_nine, ETH(0x0800), OUTER_IP4(4, 196), OUTER_IP4(4, 176), OUTER_IP4(4, 156), OUTER_IP4(4, 136),
      OUTER_IP4(4, 116), OUTER_IP4(4, 96), OUTER_IP4(4, 76), OUTER_IP4(4, 56), OUTER_IP4(4, 36), V4);
FRAME(mpls_in_ip, ETH(0x0800), OUTER_IP4(137, 4 + N4), 0, 1, 0x01, 64, V4);
FRAME(v6_extensions, ETH(0x86dd), IP6(0, 68 + 16), 43, 0, 5, 2, 0, 0, 1, 0, /* hop by hop: router alert */
      60, 0, 4, 0, 0, 0, 0, 0, /* routing, no segments left */ 135, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, /* destination, 16 bytes */
      139, 0, 0, 0, 0, 0, 0, 0, /* mobility */ 140, 0, 0, 0, 0, 0, 0, 0, /* HIP */ 51, 0, 0, 0, 0, 0, 0,
      0, /* shim6 */
      17, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, /* AH of 12 bytes */ UDP_DATA);
FRAME(v6_atomic, ETH(0x86dd), IP6(44, 24), 17, 0, 0, 0, 0, 0, 0, 7, UDP_DATA);
FRAME(v6_jumbo, ETH(0x86dd), IP6(0, 0), 17, 0, 0xc2, 4, 0, 1, 0, 0x18,
      /* jumbo payload 65560 */ UDP(5060, 5062, -8), DATA);
FRAME(v6_offload, ETH(0x86dd), IP6(17, 0), UDP_DATA);
FRAME(v6_ext_nine, ETH(0x86dd), IP6(60, 88), 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0,
      0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0,
      0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0, UDP_DATA);
FRAME(ah4, ETH(0x0800), INNER_IP4(51, 24 + 16), 17, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8,
      9, 10, 11, 12, UDP_DATA);
FRAME(frag_first, ETH(0x0800), 0x45, 0xb8, 0, 36, 0x12, 0x34, 0x20, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
      UDP_DATA);
FRAME(frag_last, ETH(0x0800), 0x45, 0xb8, 0, 28, 0x12, 0x34, 0, 185, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
      DATA, 0, 0);
FRAME(frag6_middle, ETH(0x86dd), IP6(44, 16), 17, 0, 0x05, 0xa9, 0, 0, 0, 7, DATA);
FRAME(frag_in_ipip, ETH(0x0800), OUTER_IP4(4, 28), 0x45, 0xb8, 0, 28, 0x12, 0x34, 0x20, 2, 64, 17, 0, 0, 10,
      0, 0, 1, 10, 0, 0, 2, DATA);
/* Transports */
FRAME(tcp, ETH(0x0800), INNER_IP4(6, 28), TCP(5, 0x18), DATA);
FRAME(tcp_options, ETH(0x86dd), IP6(6, 36), TCP(7, 0x18), 1, 1, 8, 10, 0, 0, 0, 0, DATA);
FRAME(tcp_offset, ETH(0x0800), INNER_IP4(6, 28), TCP(4, 0x18), DATA);
FRAME(tcp_beyond, ETH(0x0800), INNER_IP4(6, 28), TCP(8, 0x18), DATA);
FRAME(icmp, ETH(0x0800), INNER_IP4(1, 8), DATA);
FRAME(icmp6, ETH(0x86dd), IP6(58, 8), DATA);
FRAME(sctp, ETH(0x0800), INNER_IP4(132, 8), DATA);
/* A SACK, then the chunk named, with "SIP/2.0 200" in it. */
#define SCTP B16(5060), B16(5060), 1, 2, 3, 4, 5, 6, 7, 8, 3, 0, B16(5), 0, 0, 0, 0
#define TSN 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0
#define SIP_200 'S', 'I', 'P', '/', '2', '.', '0', ' ', '2', '0', '0'
FRAME(sctp_sip, ETH(0x0800), INNER_IP4(132, 48), SCTP, 0, 3, B16(27), TSN, SIP_200, 0);
FRAME(sctp_sip_idata, ETH(0x86dd), IP6(132, 52), SCTP, 64, 2, B16(31), TSN, 0, 0, 0, 0, SIP_200, 0);
FRAME(sctp_sip_cut, ETH(0x0800), INNER_IP4(132, 80), SCTP, 0, 2, B16(60), TSN, SIP_200);
FRAME(sctp_middle, ETH(0x0800), INNER_IP4(132, 48), SCTP, 0, 1, B16(27), TSN, SIP_200, 0);
FRAME(sctp_short, ETH(0x0800), INNER_IP4(132, 36), SCTP, 0, 3, B16(3), TSN, 0);
FRAME(udp_length_short, ETH(0x0800), INNER_IP4(17, 16), UDP(5060, 5062, -1), DATA);
FRAME(udp_length_zero, ETH(0x0800), INNER_IP4(17, 16), UDP(5060, 5062, -8), DATA);
FRAME(udp_length_long, ETH(0x0800), INNER_IP4(17, 16), UDP(5060, 5062, 9), DATA);
FRAME(udp_trailer, ETH(0x0800), INNER_IP4(17, 20), UDP(5060, 5062, 8), DATA, 9, 9, 9, 9);
FRAME(ipv4_version, ETH(0x0800), V6);
FRAME(ipv4_header, ETH(0x0800), 0x44, 0, 0, 36, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, UDP_DATA);
FRAME(ipv4_total, ETH(0x0800), 0x45, 0, 0, 19, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, UDP_DATA);
FRAME(ipv6_version, ETH(0x86dd), V4, 0, 0, 0, 0);

/* GRE */
FRAME(gre, IN_GRE(4 + N4), 0, 0, 0x08, 0x00, V4);
FRAME(gre_all, IN_GRE(16 + N6), 0xb0, 0, 0x86, 0xdd, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, /* C K S */ V6);
FRAME(gre_routing, IN_GRE(20 + N4), 0x40, 0, 0x08, 0x00, 0, 0, 0, 0, 8, 0, 0, 4, 10, 9, 9, 9, 0, 0, 0, 0, V4);
FRAME(gre_teb, IN_GRE(4 + 4 + NE4), 0, 0, 0x65, 0x58, ETH(0x8100), 0, 130, 0x08, 0x00, V4);
FRAME(gre_mpls, IN_GRE(8 + N4), 0, 0, 0x88, 0x47, 0, 1, 0x01, 64, V4);
FRAME(gre_nsh, IN_GRE(12 + N4), 0, 0, 0x89, 0x4f, 0x0f, 0xc2, 2, 1, 0, 0, 1, 255, V4);
FRAME(gre_wccp, IN_GRE(8 + N4), 0, 0, 0x88, 0x3e, 0, 0, 0, 0, V4);
FRAME(gre_pptp, IN_GRE(16 + 4 + N4), 0x30, 0x81, 0x88, 0x0b, B16(4 + N4), 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0xff,
      3, 0, 0x21, V4);
FRAME(gre_pptp_ack, IN_GRE(12), 0x20, 0x81, 0x88, 0x0b, 0, 0, 0, 9, 0, 0, 0, 2);
FRAME(gre_version, IN_GRE(4 + N4), 0, 2, 0x08, 0x00, V4);
FRAME(gre_keepalive, IN_GRE(4), 0, 0, 0, 0);
FRAME(gre_over_v6, ETH(0x86dd), OUTER_IP6(47, 4 + N4), 0, 0, 0x08, 0x00, V4);
FRAME(erspan1, IN_GRE(4 + NE4), 0, 0, 0x88, 0xbe, E4);
FRAME(erspan2, IN_GRE(16 + NE4), 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 100, 0, 1, 0, 0, 0, 0, E4);
FRAME(erspan3, IN_GRE(20 + NE4), 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 100, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
      E4);
FRAME(erspan3_platform, IN_GRE(28 + NE4), 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 100, 0, 1, 0, 0, 0, 0, 0, 0,
      0, 1, 1, 2, 3, 4, 5, 6, 7, 8, E4);
FRAME(erspan3_ip, IN_GRE(20 + N4), 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 100, 0, 1, 0, 0, 0, 0, 0, 0, 0x08,
      0, V4);
FRAME(erspan_version, IN_GRE(16 + NE4), 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x70, 100, 0, 1, 0, 0, 0, 0, E4);

/* In UDP */
FRAME(vxlan, IN_UDP(4789, 8 + NE4), 8, 0, 0, 0, 0, 0, 100, 0, E4);
FRAME(vxlan_linux, IN_UDP(8472, 8 + NE4), 8, 0, 0, 0, 0, 0, 100, 0, E4);
FRAME(vxlan_policy, IN_UDP(4789, 8 + NE4), 0x88, 0, 0, 9, 0, 0, 100, 0, E4);
FRAME(vxlan_reply, ETH(0x0800), OUTER_IP4(17, 16 + NE4), UDP(4789, 40000, 8 + NE4), 8, 0, 0, 0, 0, 0, 100, 0,
      E4);
FRAME(vxlan_gpe, IN_UDP(4790, 8 + N4), 0x0c, 0, 0, 1, 0, 0, 100, 0, V4);
FRAME(vxlan_gpe_nsh, IN_UDP(4790, 16 + NE4), 0x0c, 0, 0, 4, 0, 0, 100, 0, 0x0f, 0xc2, 2, 3, 0, 0, 1, 255, E4);
FRAME(vxlan_gpe_plain, IN_UDP(4790, 8 + NE4), 0x08, 0, 0, 0, 0, 0, 100, 0, E4);
FRAME(geneve, IN_UDP(6081, 8 + NE4), 0, 0, 0x65, 0x58, 0, 0, 100, 0, E4);
FRAME(geneve_options, IN_UDP(6081, 16 + N6), 2, 0x40, /* critical */ 0x86, 0xdd, 0, 0, 100, 0, 1, 2, 0x80, 1,
      9, 9, 9, 9, V6);
FRAME(gtpu, IN_UDP(2152, 8 + N4), 0x30, 255, B16(N4), 0, 0, 0, 9, V4);
FRAME(gtpu_sequence, IN_UDP(2152, 12 + N6), 0x32, 255, B16(4 + N6), 0, 0, 0, 9, 0, 1, 0, 0, V6);
FRAME(gtpu_extensions, IN_UDP(2152, 24 + N4), 0x34, 255, B16(16 + N4), 0, 0, 0, 9, 0, 0, 0, 0x85, 1, 0x10, 1,
      0xc0, 2, 0, 0, 0, 0, 0, 0, 0, V4);
FRAME(gtpu_ethernet, IN_UDP(2152, 8 + NE4), 0x30, 255, B16(NE4), 0, 0, 0, 9, E4);
FRAME(teredo, IN_UDP(3544, N6), V6);
FRAME(teredo_trailer, IN_UDP(3544, N6 + 4), V6, 1, 2, 3, 4);
FRAME(teredo_origin, IN_UDP(3544, 8 + N6), 0, 0, 0xab, 0xcd, 1, 2, 3, 4, V6);
FRAME(teredo_both, IN_UDP(3544, 18 + 8 + N6), 0, 1, 2, 3, 'i', 'd', 'a', 'u', 't', 1, 2, 3, 4, 5, 6, 7, 8,
      0, /* auth */
      0, 0, 0xab, 0xcd, 1, 2, 3, 4, V6);
FRAME(tzsp, IN_UDP(37008, 12 + NE4), 1, 0, 0, 1, 10, 1, 0xc4, 0, /* RSSI, padding */ 13, 1, 6, 1, E4);
FRAME(l2tp, IN_UDP(1701, 6 + 4 + N4), 0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21, V4);
FRAME(l2tp_all, IN_UDP(1701, 18 + 2 + N6), 0x4a, 2, B16(18 + 2 + N6), 0, 1, 0, 2, 0, 0, 0, 0, /* L S O */ 0,
      4, 9, 9, 9, 9, 0, 0x57, V6);
FRAME(mpls_udp, IN_UDP(6635, 8 + N4), 0, 1, 0, 64, 0, 2, 0x01, 64, V4);
FRAME(hperm, IN_UDP(7932, 12 + NE4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ETH(0x0800),
      IP4(17, 16, 10, 0, 0, 0xb8, 0x13db), UDP_DATA);
FRAME(hperm_alt, IN_UDP(3333, NE4), ETH(0x0800), IP4(17, 16, 10, 0, 0, 0xb8, 0x13db), UDP_DATA);
FRAME(hperm_v6, IN_UDP(7932, 12 + 14 + N6), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ETH(0x86dd), V6);
FRAME(vxlan_geneve, ETH(0x0800), OUTER_IP4(17, 70 + NE4), UDP(1, 4789, 62 + NE4), 8, 0, 0, 0, 0, 0, 1, 0,
      ETH(0x8100), 0, 77, 0x08, 0x00, OUTER_IP4(17, 16 + NE4), UDP(1, 6081, 8 + NE4), 0, 0, 0x65, 0x58, 0, 0,
      1, 0, E4);

/* ESP with NULL encryption; the SPI is 0x100 */
#define ESP 0, 0, 1, 0, 0, 0, 0, 1
FRAME(esp_tunnel, ETH(0x0800), OUTER_IP4(50, 8 + N4 + 4 + 12), ESP, IP4(17, 16, 10, 0, 0, 0xb8, 0x13db),
      UDP_DATA, 1, 2, 2, 4,
      /* ICV */ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
FRAME(esp_transport, ETH(0x0800), INNER_IP4(50, 8 + 16 + 4 + 16), ESP, UDP_DATA, 1, 2, 2, 17, 91, 92, 93, 94,
      95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106);
FRAME(esp_gmac, ETH(0x86dd), OUTER_IP6(50, 16 + N6 + 8 + 16), ESP, 7, 7, 7, 7, 7, 7, 7, 7, /* IV */ V6, 1, 2,
      3, 4, 5, 6, 6, 41, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106);
FRAME(esp_tcp, ETH(0x0800), INNER_IP4(50, 8 + 28 + 4 + 12), ESP, TCP(5, 0x18), DATA, 1, 2, 2, 6, 91, 92, 93,
      94, 95, 96, 97, 98, 99, 100, 101, 102);
FRAME(esp_udp, ETH(0x0800), OUTER_IP4(17, 8 + 8 + N6 + 4 + 12), UDP(4500, 4500, 8 + N6 + 4 + 12), ESP, V6, 1,
      2, 2, 41, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102);
FRAME(esp_udp_length, ETH(0x0800), INNER_IP4(50, 8 + 16 + 4 + 12), ESP, UDP(5060, 5062, 7), DATA, 1, 2, 2, 17,
      91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102);
FRAME(esp_padding, ETH(0x0800), INNER_IP4(50, 8 + 16 + 4 + 12), ESP, UDP_DATA, 1, 1, 2, 17, 91, 92, 93, 94,
      95, 96, 97, 98, 99, 100, 101, 102);
FRAME(esp_aligned, ETH(0x0800), INNER_IP4(50, 8 + 16 + 5 + 12), ESP, UDP_DATA, 1, 2, 3, 3, 17, 91, 92, 93, 94,
      95, 96, 97, 98, 99, 100, 101, 102);
FRAME(esp_tcp_flags, ETH(0x0800), INNER_IP4(50, 8 + 28 + 4 + 12), ESP, TCP(5, 0x03), DATA, 1, 2, 2, 6, 91, 92,
      93, 94, 95, 96, 97, 98, 99, 100, 101, 102);
FRAME(esp_ipv4_sum, ETH(0x0800), OUTER_IP4(50, 8 + N4 + 4 + 12), ESP, V4, 1, 2, 2, 4, 91, 92, 93, 94, 95, 96,
      97, 98, 99, 100, 101, 102);
FRAME(esp_secret, ETH(0x0800), OUTER_IP4(50, 36), ESP, 0xde, 0xad, 0xbe, 0xef, 4, 8, 15, 16, 23, 42, 9, 8, 7,
      6, 5, 4, 3, 2, 1, 9, 1, 2, 3, 4, 5, 6, 7, 8);

static const struct frame frames[] = {
    ROW(ethernet, 1),
    ROW(ethernet_padded, 1),
    ROW(ethernet_v6, 1, .version = 6),
    ROW(ipv4_options, 1),
    ROW(ipv4_offload, 1),
    ROW(ipv4_offload_padded, 1),
    ROW(ipv4_offload_udp, 1),
    ROW(sll, 113),
    ROW(sll_vlan, 113, .tunnels = CT_T_VLAN, .vlan = 7),
    ROW(sll_pppoe, 113, .tunnels = CT_T_PPPOE, .depth = 1),
    ROW(sll_gre, 113),
    ROW(sll2, 276, .version = 6),
    ROW(raw4, 101),
    ROW(raw4, 12),
    ROW(raw4, 14),
    ROW(raw4, 228),
    ROW(raw6, 101, .version = 6),
    ROW(raw6, 229, .version = 6),
    ROW(null_little, 0),
    ROW(null_big, 0),
    ROW(null_little_v6, 0, .version = 6),
    ROW(loop_v6, 108, .version = 6),
    ROW(ppp, 9),
    ROW(ppp_framed, 9, .version = 6),
    ROW(ppp_framed, 50, .version = 6),
    ROW(ppp_short, 9),
    ROW(ppp_mpls, 9, .tunnels = CT_T_MPLS, .depth = 1),
    ROW(ppp_direction, 204),
    ROW(cisco_hdlc, 104),
    ROW(cisco_hdlc, 50),
    ROW(hdlc_address, 104, .reason = CT_R_NOT_IP),
    ROW(ppp_framed, 104, .version = 6),
    ROW(pppoe_link, 51, .tunnels = CT_T_PPPOE, .depth = 1),
    ROW(nflog, 239),
    ROW(nflog_big, 239),
    ROW(ipoib, 242),
    ROW(pktap, 258),
    ROW(snap, 1),
    ROW(llc_ip, 1),
    ROW(llc_other, 1, .reason = CT_R_NOT_IP),
    ROW(link_unknown, 4711, .reason = CT_R_LINK_UNKNOWN),
    ROW(arp, 1, .reason = CT_R_NOT_IP),
    ROW(stp, 1, .reason = CT_R_NOT_IP),
    ROW(vlan, 1, .tunnels = CT_T_VLAN, .vlan = 100),
    ROW(qinq, 1, .tunnels = CT_T_VLAN, .vlan = 200),
    ROW(qinq_9100, 1, .tunnels = CT_T_VLAN, .vlan = 4095),
    ROW(qinq_9200, 1, .tunnels = CT_T_VLAN, .vlan = 9, .version = 6),
    ROW(qinq_8100, 1, .tunnels = CT_T_VLAN, .vlan = 200),
    ROW(vlan_snap, 1, .tunnels = CT_T_VLAN, .vlan = 100),
    ROW(vlan_nine, 1, .reason = CT_R_TOO_DEEP),
    ROW(mpls, 1, .tunnels = CT_T_MPLS, .depth = 1),
    ROW(mpls_three, 1, .tunnels = CT_T_MPLS, .depth = 1, .version = 6),
    ROW(mpls_pw_word, 1, .tunnels = CT_T_MPLS, .depth = 1),
    ROW(mpls_pw_plain, 1, .tunnels = CT_T_MPLS, .depth = 1),
    ROW(mpls_pw_mac4, 1, .tunnels = CT_T_MPLS, .depth = 1),
    ROW(mpls_bfd, 1, .reason = CT_R_NOT_IP),
    ROW(mpls_endless, 1, .reason = CT_R_TOO_DEEP),
    ROW(pppoe, 1, .tunnels = CT_T_PPPOE, .depth = 1),
    ROW(pppoe_v6, 1, .tunnels = CT_T_PPPOE, .depth = 1, .version = 6),
    ROW(pppoe_vlan, 1, .tunnels = CT_T_PPPOE | CT_T_VLAN, .depth = 1, .vlan = 31),
    ROW(pppoe_code, 1, .reason = CT_R_PPPOE_BAD),
    ROW(pppoe_lcp, 1, .reason = CT_R_NOT_IP),
    ROW(pppoe_mppe, 1, .reason = CT_R_ENCRYPTED),
    ROW(macsec, 1, .tunnels = CT_T_MACSEC, .depth = 1),
    ROW(macsec_short, 1, .tunnels = CT_T_MACSEC, .depth = 1),
    ROW(metadata, 1),
    ROW(metadata_gre, 1, .tunnels = CT_T_GRE, .depth = 1),
    ROW(macsec_secret, 1, .reason = CT_R_ENCRYPTED),
    ROW(nsh, 1, .tunnels = CT_T_NSH, .depth = 1),
    ROW(nsh_ethernet, 1, .tunnels = CT_T_NSH, .depth = 1),
    ROW(nsh_nsh, 1, .tunnels = CT_T_NSH, .depth = 2, .version = 6),
    ROW(nsh_length, 1, .reason = CT_R_TUNNEL_BAD),
    ROW(ipip, 1, .tunnels = CT_T_IPIP, .depth = 1),
    ROW(six_in_four, 1, .tunnels = CT_T_IPIP, .depth = 1, .version = 6),
    ROW(four_in_six, 1, .tunnels = CT_T_IPIP, .depth = 1),
    ROW(six_in_six, 1, .tunnels = CT_T_IPIP, .depth = 1, .version = 6),
    ROW(ipip_nine, 1, .reason = CT_R_TOO_DEEP),
    ROW(mpls_in_ip, 1, .tunnels = CT_T_MPLS, .depth = 1),
    ROW(v6_extensions, 1, .version = 6),
    ROW(v6_atomic, 1, .version = 6),
    ROW(v6_offload, 1, .version = 6),
    ROW(v6_ext_nine, 1, .reason = CT_R_IPV6_EXT),
    ROW(ah4, 1),
    ROW(frag_in_ipip, 1, .reason = CT_FRAGMENT, .tunnels = CT_T_IPIP, .depth = 1),
    ROW(frag_last, 1, .reason = CT_FRAGMENT),
    ROW(frag6_middle, 1, .reason = CT_FRAGMENT, .version = 6),
    ROW(tcp, 1, .proto = 6),
    ROW(tcp_options, 1, .version = 6, .proto = 6),
    ROW(tcp_offset, 1, .reason = CT_R_TCP_BAD),
    ROW(tcp_beyond, 1, .reason = CT_R_TCP_BAD),
    ROW(icmp, 1, .proto = 1),
    ROW(icmp6, 1, .version = 6, .proto = 58),
    ROW(sctp, 1, .reason = CT_R_PROTO_OTHER),
    ROW(sctp_sip, 1, .reason = CT_R_SIP_SCTP),
    ROW(sctp_sip_idata, 1, .reason = CT_R_SIP_SCTP),
    ROW(sctp_sip_cut, 1, .reason = CT_R_SIP_SCTP),
    ROW(sctp_middle, 1, .reason = CT_R_PROTO_OTHER),
    ROW(sctp_short, 1, .reason = CT_R_PROTO_OTHER),
    ROW(udp_length_short, 1, .reason = CT_R_UDP_BAD),
    ROW(udp_length_zero, 1, .reason = CT_R_UDP_BAD),
    ROW(udp_length_long, 1, .reason = CT_R_UDP_BAD),
    ROW(udp_trailer, 1),
    ROW(ipv4_version, 1, .reason = CT_R_IPV4_BAD),
    ROW(ipv4_header, 1, .reason = CT_R_IPV4_BAD),
    ROW(ipv4_total, 1, .reason = CT_R_IPV4_BAD),
    ROW(ipv6_version, 1, .reason = CT_R_IPV6_BAD),
    ROW(gre, 1, .tunnels = CT_T_GRE, .depth = 1),
    ROW(gre_all, 1, .tunnels = CT_T_GRE, .depth = 1, .version = 6),
    ROW(gre_routing, 1, .tunnels = CT_T_GRE, .depth = 1),
    ROW(gre_teb, 1, .tunnels = CT_T_GRE | CT_T_VLAN, .depth = 1, .vlan = 130),
    ROW(gre_mpls, 1, .tunnels = CT_T_GRE | CT_T_MPLS, .depth = 2),
    ROW(gre_nsh, 1, .tunnels = CT_T_GRE | CT_T_NSH, .depth = 2),
    ROW(gre_wccp, 1, .tunnels = CT_T_GRE, .depth = 1),
    ROW(gre_pptp, 1, .tunnels = CT_T_GRE, .depth = 1),
    ROW(gre_pptp_ack, 1, .reason = CT_R_NOT_IP),
    ROW(gre_version, 1, .reason = CT_R_GRE_BAD),
    ROW(gre_keepalive, 1, .reason = CT_R_NOT_IP),
    ROW(gre_over_v6, 1, .tunnels = CT_T_GRE, .depth = 1),
    ROW(erspan1, 1, .tunnels = CT_T_GRE | CT_T_ERSPAN, .depth = 1),
    ROW(erspan2, 1, .tunnels = CT_T_GRE | CT_T_ERSPAN, .depth = 1),
    ROW(erspan3, 1, .tunnels = CT_T_GRE | CT_T_ERSPAN, .depth = 1),
    ROW(erspan3_platform, 1, .tunnels = CT_T_GRE | CT_T_ERSPAN, .depth = 1),
    ROW(erspan3_ip, 1, .tunnels = CT_T_GRE | CT_T_ERSPAN, .depth = 1),
    ROW(erspan_version, 1, .reason = CT_R_ERSPAN_BAD),
    ROW(vxlan, 1, .tunnels = CT_T_VXLAN, .depth = 1),
    ROW(vxlan_linux, 1, .tunnels = CT_T_VXLAN, .depth = 1),
    ROW(vxlan_policy, 1, .tunnels = CT_T_VXLAN, .depth = 1),
    ROW(vxlan_reply, 1, .tunnels = CT_T_VXLAN, .depth = 1),
    ROW(vxlan_gpe, 1, .tunnels = CT_T_VXLAN, .depth = 1),
    ROW(vxlan_gpe_nsh, 1, .tunnels = CT_T_VXLAN | CT_T_NSH, .depth = 1),
    ROW(vxlan_gpe_plain, 1, .tunnels = CT_T_VXLAN, .depth = 1),
    ROW(geneve, 1, .tunnels = CT_T_GENEVE, .depth = 1),
    ROW(geneve_options, 1, .tunnels = CT_T_GENEVE, .depth = 1, .version = 6),
    ROW(gtpu, 1, .tunnels = CT_T_GTPU, .depth = 1),
    ROW(gtpu_sequence, 1, .tunnels = CT_T_GTPU, .depth = 1, .version = 6),
    ROW(gtpu_extensions, 1, .tunnels = CT_T_GTPU, .depth = 1),
    ROW(gtpu_ethernet, 1, .tunnels = CT_T_GTPU, .depth = 1),
    ROW(teredo, 1, .tunnels = CT_T_TEREDO, .depth = 1, .version = 6),
    ROW(teredo_trailer, 1, .tunnels = CT_T_TEREDO, .depth = 1, .version = 6),
    ROW(teredo_origin, 1, .tunnels = CT_T_TEREDO, .depth = 1, .version = 6),
    ROW(teredo_both, 1, .tunnels = CT_T_TEREDO, .depth = 1, .version = 6),
    ROW(tzsp, 1, .tunnels = CT_T_TZSP, .depth = 1),
    ROW(l2tp, 1, .tunnels = CT_T_L2TP, .depth = 1),
    ROW(l2tp_all, 1, .tunnels = CT_T_L2TP, .depth = 1, .version = 6),
    ROW(mpls_udp, 1, .tunnels = CT_T_MPLS, .depth = 1),
    ROW(hperm, 1, .tunnels = CT_T_HPERM, .depth = 1),
    ROW(hperm_v6, 1, .tunnels = CT_T_HPERM, .depth = 1, .version = 6),
    ROW(hperm_alt, 1, .tunnels = CT_T_HPERM, .depth = 1),
    ROW(vxlan_geneve, 1, .tunnels = CT_T_VXLAN | CT_T_GENEVE | CT_T_VLAN, .depth = 2, .vlan = 77),
    ROW(esp_tunnel, 1, .tunnels = CT_T_ESP_NULL | CT_T_IPIP, .depth = 2, .esp_null = true),
    ROW(esp_transport, 1, .tunnels = CT_T_ESP_NULL, .depth = 1, .esp_null = true),
    ROW(esp_gmac, 1, .tunnels = CT_T_ESP_NULL | CT_T_IPIP, .depth = 2, .version = 6, .esp_null = true),
    ROW(esp_tcp, 1, .tunnels = CT_T_ESP_NULL, .depth = 1, .proto = 6, .esp_null = true),
    ROW(esp_udp, 1, .tunnels = CT_T_ESP_NULL | CT_T_IPIP, .depth = 2, .version = 6, .esp_null = true),
    ROW(esp_udp_length, 1, .reason = CT_R_ENCRYPTED, .esp_null = true),
    ROW(esp_padding, 1, .reason = CT_R_ENCRYPTED, .esp_null = true),
    ROW(esp_aligned, 1, .reason = CT_R_ENCRYPTED, .esp_null = true),
    ROW(esp_tcp_flags, 1, .reason = CT_R_ENCRYPTED, .esp_null = true),
    ROW(esp_ipv4_sum, 1, .reason = CT_R_ENCRYPTED, .esp_null = true),
    ROW(esp_secret, 1, .reason = CT_R_ENCRYPTED, .esp_null = true),
    ROW(esp_tunnel, 1, .reason = CT_R_ENCRYPTED),
};
#define FRAMES (sizeof frames / sizeof *frames)

#endif
