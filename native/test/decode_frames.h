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

/* A SACK, then the chunk named, with "SIP/2.0 200" in it. */
#define SCTP B16(5060), B16(5060), 1, 2, 3, 4, 5, 6, 7, 8, 3, 0, B16(5), 0, 0, 0, 0
#define TSN 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0
#define SIP_200 'S', 'I', 'P', '/', '2', '.', '0', ' ', '2', '0', '0'
/* The SPI is 0x100. */
#define ESP 0, 0, 1, 0, 0, 0, 0, 1

struct frame {
  const char *name;
  const uint8_t *d;
  uint32_t n, link, also[3]; /* also: link types under which the same bytes are the same packet */
  enum ct_reason reason;
  uint32_t tunnels;
  uint16_t vlan;
  uint8_t depth, version; /* version 0: 4 */
  bool esp_null;
  uint8_t proto; /* 0: 17 */
};
#define F(id, linktype, ...)                                                                                 \
  .name = #id, .link = linktype, .d = (const uint8_t[]){__VA_ARGS__}, .n = sizeof((const uint8_t[]){__VA_ARGS__})
#define IN(levels, bits) .depth = levels, .tunnels = bits

static const struct frame frames[] = {
    /* Links */
    {F(ethernet, 1, E4)},
    {F(ethernet_padded, 1, E4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
    {F(ethernet_v6, 1, ETH(0x86dd), V6), .version = 6},
    {F(ipv4_options, 1, ETH(0x0800), 0x47, 0xb8, B16(28 + 16), 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0,
       0, 2, 0x94, 4, 0, 0, 1, 1, 1, 0, /* router alert, padding */ UDP_DATA)},
    {F(ipv4_offload, 1, ETH(0x0800), 0x45, 0xb8, 0, 0, /* total length 0 */ 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0,
       0, 1, 10, 0, 0, 2, UDP_DATA)},
    {F(ipv4_offload_padded, 1, ETH(0x0800), 0x45, 0xb8, 0, 0, 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0,
       0, 2, UDP_DATA, 0, 0)},
    {F(ipv4_offload_udp, 1, ETH(0x0800), 0x45, 0xb8, 0, 0, 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0,
       2, UDP(5060, 5062, -8), DATA)},
    {F(sll, 113, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0, 0x08, 0x00, V4)},
    {F(sll_vlan, 113, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0, 0x81, 0x00, 0, 7, 0x08, 0x00, V4),
       .tunnels = CT_T_VLAN, .vlan = 7},
    {F(sll_pppoe, 113, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0, 0x88, 0x64, 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21, V4),
       IN(1, CT_T_PPPOE)},
    {F(sll_gre, 113, 0, 0, 3, 10, /* ARPHRD_IPGRE */ 0, 4, 2, 0, 0, 0, 0, 2, 0, 0, 0x08, 0x00, V4)},
    {F(sll2, 276, 0x86, 0xdd, 0, 0, 0, 0, 0, 3, 0, 1, 4, 6, 2, 0, 0, 0, 0, 2, 0, 0, V6), .version = 6},
    {F(raw4, 101, V4), .also = {12, 14, 228}},
    {F(raw6, 101, V6), .also = {229}, .version = 6},
    {F(null_little, 0, 2, 0, 0, 0, V4)},
    {F(null_big, 0, 0, 0, 0, 2, V4)},
    {F(null_little_v6, 0, 30, 0, 0, 0, V6), .version = 6},
    {F(loop_v6, 108, 0, 0, 0, 24, V6), .version = 6},
    {F(ppp, 9, 0, 0x21, V4)},
    {F(ppp_framed, 9, 0xff, 3, 0, 0x57, V6), .also = {50, 104}, .version = 6},
    {F(ppp_short, 9, 0x21, V4)},
    {F(ppp_mpls, 9, 0xff, 3, 0x02, 0x81, 0, 1, 0x01, 64, V4), IN(1, CT_T_MPLS)},
    {F(ppp_direction, 204, 1, 0xff, 3, 0, 0x21, V4)},
    {F(cisco_hdlc, 104, 0x0f, 0, 0x08, 0x00, V4), .also = {50}},
    {F(hdlc_address, 104, 0x0e, 3, 0x08, 0x00, V4), .reason = CT_R_NOT_IP},
    {F(pppoe_link, 51, 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21, V4), IN(1, CT_T_PPPOE)},
    {F(nflog, 239, 2, 0, 0, 5, /* AF_INET, version, group */ 8, 0, 1, 0, 8, 0, 1, 0, /* packet header */ 7, 0, 10, 0,
       'i', 'n', 0, 0, /* prefix, padded */ N4 + 4, 0, 9, 0, V4)},
    {F(nflog_big, 239, 2, 0, 0, 5, 0, 8, 0, 1, 8, 0, 1, 0, 0, N4 + 4, 0, 9, V4)},
    {F(ipoib, 242, [40] = 0x08, 0x00, 0, 0, V4)},
    {F(pktap, 258, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 9, 9, 9, E4)},
    {F(snap, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, B16(8 + N4), 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00, V4, 0, 0)},
    {F(llc_other, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, B16(3 + N4), 6, 7, 3, V4), .reason = CT_R_NOT_IP},
    {F(llc_ip, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, B16(3 + N4), 6, 6, 3, V4)},
    {F(link_unknown, 4711, V4), .reason = CT_R_LINK_UNKNOWN},
    {F(arp, 1, ETH(0x0806), 0, 1, 8, 0, 6, 4, 0, 1), .reason = CT_R_NOT_IP},
    {F(stp, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 7, 0x42, 0x42, 3, 0, 0, 0, 0), .reason = CT_R_NOT_IP},
    /* Tags and labels */
    {F(vlan, 1, ETH(0x8100), 0x60, 100, 0x08, 0x00, V4), .tunnels = CT_T_VLAN, .vlan = 100},
    {F(qinq, 1, ETH(0x88a8), 0, 200, 0x81, 0x00, 0, 100, 0x08, 0x00, V4), .tunnels = CT_T_VLAN, .vlan = 200},
    {F(qinq_9100, 1, ETH(0x9100), 0x0f, 0xff, 0x81, 0x00, 0, 100, 0x08, 0x00, V4), .tunnels = CT_T_VLAN,
       .vlan = 4095},
    {F(qinq_9200, 1, ETH(0x9200), 0, 9, 0x86, 0xdd, V6), .tunnels = CT_T_VLAN, .vlan = 9, .version = 6},
    {F(qinq_8100, 1, ETH(0x8100), 0, 200, 0x81, 0x00, 0, 100, 0x08, 0x00, V4), .tunnels = CT_T_VLAN, .vlan = 200},
    {F(vlan_snap, 1, ETH(0x8100), 0, 100, B16(8 + N4), 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00, V4), .tunnels = CT_T_VLAN,
       .vlan = 100},
    {F(vlan_nine, 1, ETH(0x8100), 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1,
       0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x08, 0, V4), .reason = CT_R_TOO_DEEP},
    {F(mpls, 1, ETH(0x8847), 0, 1, 0x01, 64, V4), IN(1, CT_T_MPLS)},
    {F(mpls_three, 1, ETH(0x8848), 0, 1, 0, 64, 0, 2, 0, 64, 0, 3, 0x41, 64, V6), IN(1, CT_T_MPLS), .version = 6},
    {F(mpls_pw_word, 1, ETH(0x8847), 0, 1, 0x01, 64, 0, 0, 0, 0, /* control word */ E4), IN(1, CT_T_MPLS)},
    {F(mpls_pw_plain, 1, ETH(0x8847), 0, 1, 0x01, 64, E4), IN(1, CT_T_MPLS)},
    {F(mpls_pw_mac4, 1, ETH(0x8847), 0, 1, 0x01, 64, 0x46, 0, 0, 0, 0, 1, /* a MAC that begins like IPv4 */ 2, 0, 0,
       0, 0, 2, 0x08, 0x00, V4), IN(1, CT_T_MPLS)},
    {F(mpls_bfd, 1, ETH(0x8847), 0, 1, 0x01, 64, 0x10, 0, 0, 7, 0x20, 0, 0, 0), .reason = CT_R_NOT_IP},
    {F(mpls_endless, 1, ETH(0x8847), 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64, 0, 1, 0, 64, 0,
       1, 0, 64, 0, 1, 0, 64, 0, 1, 1, 64, V4), .reason = CT_R_TOO_DEEP},
    {F(pppoe, 1, ETH(0x8864), 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21, V4, 0, 0, 0, 0), IN(1, CT_T_PPPOE)},
    {F(pppoe_v6, 1, ETH(0x8864), 0x11, 0, 0, 9, B16(2 + N6), 0, 0x57, V6), IN(1, CT_T_PPPOE), .version = 6},
    {F(pppoe_vlan, 1, ETH(0x8100), 0, 31, 0x88, 0x64, 0x11, 0, 0, 9, B16(2 + N4), 0, 0x21, V4), IN(1,
       CT_T_PPPOE | CT_T_VLAN), .vlan = 31},
    {F(pppoe_code, 1, ETH(0x8864), 0x11, 7, 0, 9, B16(2 + N4), 0, 0x21, V4), .reason = CT_R_PPPOE_BAD},
    {F(pppoe_lcp, 1, ETH(0x8864), 0x11, 0, 0, 9, 0, 6, 0xc0, 0x21, 9, 1, 0, 4), .reason = CT_R_NOT_IP},
    {F(pppoe_mppe, 1, ETH(0x8864), 0x11, 0, 0, 9, 0, 6, 0x00, 0xfd, 9, 1, 0, 4), .reason = CT_R_ENCRYPTED},
    {F(macsec, 1, ETH(0x88e5), 0x20, 0, /* SC, long */ 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 0, 1, /* SCI */ 0x08, 0x00, V4,
       /* ICV */ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), IN(1, CT_T_MACSEC)},
    {F(macsec_short, 1, ETH(0x88e5), 0x00, 2 + N4, 0, 0, 0, 1, 0x08, 0x00, V4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
       13, 14, 15, 16), IN(1, CT_T_MACSEC)},
    {F(macsec_secret, 1, ETH(0x88e5), 0x2c, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9),
       .reason = CT_R_ENCRYPTED},
    {F(metadata, 1, ETH(0x8909), 1, 1, 0, 1, 0, 7, /* security group 7 */ 0x08, 0x00, V4)},
    {F(metadata_gre, 1, IN_GRE(4 + 8 + N4), 0, 0, 0x89, 0x09, 0x08, 0x00, 1, 1, 0, 1, 0, 7, V4), IN(1, CT_T_GRE)},
    {F(nsh, 1, ETH(0x894f), 0x0f, 0xc6, 1, 1, /* length 24, MD type 1, IPv4 */ 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0, 0,
       0, 0, 0, 0, 0, 0, 0, 0, V4), IN(1, CT_T_NSH)},
    {F(nsh_ethernet, 1, ETH(0x894f), 0x0f, 0xc3, 2, 3, 0, 0, 1, 255, 0, 1, 0, 0, E4), IN(1, CT_T_NSH)},
    {F(nsh_nsh, 1, ETH(0x894f), 0x0f, 0xc2, 2, 4, 0, 0, 1, 255, 0x0f, 0xc2, 2, 2, 0, 0, 1, 255, V6), IN(2, CT_T_NSH),
       .version = 6},
    {F(nsh_length, 1, ETH(0x894f), 0x0f, 0xc5, 1, 1, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, V4),
       .reason = CT_R_TUNNEL_BAD},
    /* IP in IP, extension headers */
    {F(ipip, 1, ETH(0x0800), OUTER_IP4(4, N4), V4), IN(1, CT_T_IPIP)},
    {F(six_in_four, 1, ETH(0x0800), OUTER_IP4(41, N6), V6), IN(1, CT_T_IPIP), .version = 6},
    {F(four_in_six, 1, ETH(0x86dd), OUTER_IP6(4, N4), V4), IN(1, CT_T_IPIP)},
    {F(six_in_six, 1, ETH(0x86dd), OUTER_IP6(41, N6), V6), IN(1, CT_T_IPIP), .version = 6},
    {F(ipip_nine, 1, ETH(0x0800), OUTER_IP4(4, 196), OUTER_IP4(4, 176), OUTER_IP4(4, 156), OUTER_IP4(4, 136),
       OUTER_IP4(4, 116), OUTER_IP4(4, 96), OUTER_IP4(4, 76), OUTER_IP4(4, 56), OUTER_IP4(4, 36), V4),
       .reason = CT_R_TOO_DEEP},
    {F(mpls_in_ip, 1, ETH(0x0800), OUTER_IP4(137, 4 + N4), 0, 1, 0x01, 64, V4), IN(1, CT_T_MPLS)},
    {F(v6_extensions, 1, ETH(0x86dd), IP6(0, 68 + 16), 43, 0, 5, 2, 0, 0, 1, 0, /* hop by hop: router alert */ 60, 0,
       4, 0, 0, 0, 0, 0, /* routing, no segments left */ 135, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
       /* destination, 16 bytes */ 139, 0, 0, 0, 0, 0, 0, 0, /* mobility */ 140, 0, 0, 0, 0, 0, 0, 0, /* HIP */ 51, 0,
       0, 0, 0, 0, 0, 0, /* shim6 */ 17, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, /* AH of 12 bytes */ UDP_DATA),
       .version = 6},
    {F(v6_atomic, 1, ETH(0x86dd), IP6(44, 24), 17, 0, 0, 0, 0, 0, 0, 7, UDP_DATA), .version = 6},
    {F(v6_offload, 1, ETH(0x86dd), IP6(17, 0), UDP_DATA), .version = 6},
    {F(v6_ext_nine, 1, ETH(0x86dd), IP6(60, 88), 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0,
       0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60, 0, 1, 4, 0, 0, 0, 0, 60,
       0, 1, 4, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0, UDP_DATA), .reason = CT_R_IPV6_EXT},
    {F(ah4, 1, ETH(0x0800), INNER_IP4(51, 24 + 16), 17, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9,
       10, 11, 12, UDP_DATA)},
    {F(frag_last, 1, ETH(0x0800), 0x45, 0xb8, 0, 28, 0x12, 0x34, 0, 185, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, DATA,
       0, 0), .reason = CT_FRAGMENT},
    {F(frag6_middle, 1, ETH(0x86dd), IP6(44, 16), 17, 0, 0x05, 0xa9, 0, 0, 0, 7, DATA), .reason = CT_FRAGMENT,
       .version = 6},
    {F(frag_in_ipip, 1, ETH(0x0800), OUTER_IP4(4, 28), 0x45, 0xb8, 0, 28, 0x12, 0x34, 0x20, 2, 64, 17, 0, 0, 10, 0, 0,
       1, 10, 0, 0, 2, DATA), .reason = CT_FRAGMENT, IN(1, CT_T_IPIP)},
    /* Transports */
    {F(tcp, 1, ETH(0x0800), INNER_IP4(6, 28), TCP(5, 0x18), DATA), .proto = 6},
    {F(tcp_options, 1, ETH(0x86dd), IP6(6, 36), TCP(7, 0x18), 1, 1, 8, 10, 0, 0, 0, 0, DATA), .version = 6,
       .proto = 6},
    {F(tcp_offset, 1, ETH(0x0800), INNER_IP4(6, 28), TCP(4, 0x18), DATA), .reason = CT_R_TCP_BAD},
    {F(tcp_beyond, 1, ETH(0x0800), INNER_IP4(6, 28), TCP(8, 0x18), DATA), .reason = CT_R_TCP_BAD},
    {F(icmp, 1, ETH(0x0800), INNER_IP4(1, 8), DATA), .proto = 1},
    {F(icmp6, 1, ETH(0x86dd), IP6(58, 8), DATA), .version = 6, .proto = 58},
    {F(sctp, 1, ETH(0x0800), INNER_IP4(132, 8), DATA), .reason = CT_R_PROTO_OTHER},
    {F(sctp_sip, 1, ETH(0x0800), INNER_IP4(132, 48), SCTP, 0, 3, B16(27), TSN, SIP_200, 0), .reason = CT_R_SIP_SCTP},
    {F(sctp_sip_idata, 1, ETH(0x86dd), IP6(132, 52), SCTP, 64, 2, B16(31), TSN, 0, 0, 0, 0, SIP_200, 0),
       .reason = CT_R_SIP_SCTP},
    {F(sctp_sip_cut, 1, ETH(0x0800), INNER_IP4(132, 80), SCTP, 0, 2, B16(60), TSN, SIP_200), .reason = CT_R_SIP_SCTP},
    {F(sctp_middle, 1, ETH(0x0800), INNER_IP4(132, 48), SCTP, 0, 1, B16(27), TSN, SIP_200, 0),
       .reason = CT_R_PROTO_OTHER},
    {F(sctp_short, 1, ETH(0x0800), INNER_IP4(132, 36), SCTP, 0, 3, B16(3), TSN, 0), .reason = CT_R_PROTO_OTHER},
    {F(udp_length_short, 1, ETH(0x0800), INNER_IP4(17, 16), UDP(5060, 5062, -1), DATA), .reason = CT_R_UDP_BAD},
    {F(udp_length_zero, 1, ETH(0x0800), INNER_IP4(17, 16), UDP(5060, 5062, -8), DATA), .reason = CT_R_UDP_BAD},
    {F(udp_length_long, 1, ETH(0x0800), INNER_IP4(17, 16), UDP(5060, 5062, 9), DATA), .reason = CT_R_UDP_BAD},
    {F(udp_trailer, 1, ETH(0x0800), INNER_IP4(17, 20), UDP(5060, 5062, 8), DATA, 9, 9, 9, 9)},
    {F(ipv4_version, 1, ETH(0x0800), V6), .reason = CT_R_IPV4_BAD},
    {F(ipv4_header, 1, ETH(0x0800), 0x44, 0, 0, 36, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, UDP_DATA),
       .reason = CT_R_IPV4_BAD},
    {F(ipv4_total, 1, ETH(0x0800), 0x45, 0, 0, 19, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, UDP_DATA),
       .reason = CT_R_IPV4_BAD},
    {F(ipv6_version, 1, ETH(0x86dd), V4, 0, 0, 0, 0), .reason = CT_R_IPV6_BAD},
    /* GRE */
    {F(gre, 1, IN_GRE(4 + N4), 0, 0, 0x08, 0x00, V4), IN(1, CT_T_GRE)},
    {F(gre_all, 1, IN_GRE(16 + N6), 0xb0, 0, 0x86, 0xdd, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, /* C K S */ V6), IN(1,
       CT_T_GRE), .version = 6},
    {F(gre_routing, 1, IN_GRE(20 + N4), 0x40, 0, 0x08, 0x00, 0, 0, 0, 0, 8, 0, 0, 4, 10, 9, 9, 9, 0, 0, 0, 0, V4),
       IN(1, CT_T_GRE)},
    {F(gre_teb, 1, IN_GRE(4 + 4 + NE4), 0, 0, 0x65, 0x58, ETH(0x8100), 0, 130, 0x08, 0x00, V4), IN(1,
       CT_T_GRE | CT_T_VLAN), .vlan = 130},
    {F(gre_mpls, 1, IN_GRE(8 + N4), 0, 0, 0x88, 0x47, 0, 1, 0x01, 64, V4), IN(2, CT_T_GRE | CT_T_MPLS)},
    {F(gre_nsh, 1, IN_GRE(12 + N4), 0, 0, 0x89, 0x4f, 0x0f, 0xc2, 2, 1, 0, 0, 1, 255, V4), IN(2,
       CT_T_GRE | CT_T_NSH)},
    {F(gre_wccp, 1, IN_GRE(8 + N4), 0, 0, 0x88, 0x3e, 0, 0, 0, 0, V4), IN(1, CT_T_GRE)},
    {F(gre_pptp, 1, IN_GRE(16 + 4 + N4), 0x30, 0x81, 0x88, 0x0b, B16(4 + N4), 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0xff, 3,
       0, 0x21, V4), IN(1, CT_T_GRE)},
    {F(gre_pptp_ack, 1, IN_GRE(12), 0x20, 0x81, 0x88, 0x0b, 0, 0, 0, 9, 0, 0, 0, 2), .reason = CT_R_NOT_IP},
    {F(gre_version, 1, IN_GRE(4 + N4), 0, 2, 0x08, 0x00, V4), .reason = CT_R_GRE_BAD},
    {F(gre_keepalive, 1, IN_GRE(4), 0, 0, 0, 0), .reason = CT_R_NOT_IP},
    {F(gre_over_v6, 1, ETH(0x86dd), OUTER_IP6(47, 4 + N4), 0, 0, 0x08, 0x00, V4), IN(1, CT_T_GRE)},
    {F(erspan1, 1, IN_GRE(4 + NE4), 0, 0, 0x88, 0xbe, E4), IN(1, CT_T_GRE | CT_T_ERSPAN)},
    {F(erspan2, 1, IN_GRE(16 + NE4), 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 100, 0, 1, 0, 0, 0, 0, E4), IN(1,
       CT_T_GRE | CT_T_ERSPAN)},
    {F(erspan3, 1, IN_GRE(20 + NE4), 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 100, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, E4),
       IN(1, CT_T_GRE | CT_T_ERSPAN)},
    {F(erspan3_platform, 1, IN_GRE(28 + NE4), 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 100, 0, 1, 0, 0, 0, 0, 0, 0, 0,
       1, 1, 2, 3, 4, 5, 6, 7, 8, E4), IN(1, CT_T_GRE | CT_T_ERSPAN)},
    {F(erspan3_ip, 1, IN_GRE(20 + N4), 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 100, 0, 1, 0, 0, 0, 0, 0, 0, 0x08, 0,
       V4), IN(1, CT_T_GRE | CT_T_ERSPAN)},
    {F(erspan_version, 1, IN_GRE(16 + NE4), 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x70, 100, 0, 1, 0, 0, 0, 0, E4),
       .reason = CT_R_ERSPAN_BAD},
    /* In UDP */
    {F(vxlan, 1, IN_UDP(4789, 8 + NE4), 8, 0, 0, 0, 0, 0, 100, 0, E4), IN(1, CT_T_VXLAN)},
    {F(vxlan_linux, 1, IN_UDP(8472, 8 + NE4), 8, 0, 0, 0, 0, 0, 100, 0, E4), IN(1, CT_T_VXLAN)},
    {F(vxlan_policy, 1, IN_UDP(4789, 8 + NE4), 0x88, 0, 0, 9, 0, 0, 100, 0, E4), IN(1, CT_T_VXLAN)},
    {F(vxlan_reply, 1, ETH(0x0800), OUTER_IP4(17, 16 + NE4), UDP(4789, 40000, 8 + NE4), 8, 0, 0, 0, 0, 0, 100, 0, E4),
       IN(1, CT_T_VXLAN)},
    {F(vxlan_gpe, 1, IN_UDP(4790, 8 + N4), 0x0c, 0, 0, 1, 0, 0, 100, 0, V4), IN(1, CT_T_VXLAN)},
    {F(vxlan_gpe_nsh, 1, IN_UDP(4790, 16 + NE4), 0x0c, 0, 0, 4, 0, 0, 100, 0, 0x0f, 0xc2, 2, 3, 0, 0, 1, 255, E4),
       IN(1, CT_T_VXLAN | CT_T_NSH)},
    {F(vxlan_gpe_plain, 1, IN_UDP(4790, 8 + NE4), 0x08, 0, 0, 0, 0, 0, 100, 0, E4), IN(1, CT_T_VXLAN)},
    {F(geneve, 1, IN_UDP(6081, 8 + NE4), 0, 0, 0x65, 0x58, 0, 0, 100, 0, E4), IN(1, CT_T_GENEVE)},
    {F(geneve_options, 1, IN_UDP(6081, 16 + N6), 2, 0x40, /* critical */ 0x86, 0xdd, 0, 0, 100, 0, 1, 2, 0x80, 1, 9,
       9, 9, 9, V6), IN(1, CT_T_GENEVE), .version = 6},
    {F(gtpu, 1, IN_UDP(2152, 8 + N4), 0x30, 255, B16(N4), 0, 0, 0, 9, V4), IN(1, CT_T_GTPU)},
    {F(gtpu_sequence, 1, IN_UDP(2152, 12 + N6), 0x32, 255, B16(4 + N6), 0, 0, 0, 9, 0, 1, 0, 0, V6), IN(1, CT_T_GTPU),
       .version = 6},
    {F(gtpu_extensions, 1, IN_UDP(2152, 24 + N4), 0x34, 255, B16(16 + N4), 0, 0, 0, 9, 0, 0, 0, 0x85, 1, 0x10, 1,
       0xc0, 2, 0, 0, 0, 0, 0, 0, 0, V4), IN(1, CT_T_GTPU)},
    {F(gtpu_ethernet, 1, IN_UDP(2152, 8 + NE4), 0x30, 255, B16(NE4), 0, 0, 0, 9, E4), IN(1, CT_T_GTPU)},
    {F(teredo, 1, IN_UDP(3544, N6), V6), IN(1, CT_T_TEREDO), .version = 6},
    {F(teredo_trailer, 1, IN_UDP(3544, N6 + 4), V6, 1, 2, 3, 4), IN(1, CT_T_TEREDO), .version = 6},
    {F(teredo_origin, 1, IN_UDP(3544, 8 + N6), 0, 0, 0xab, 0xcd, 1, 2, 3, 4, V6), IN(1, CT_T_TEREDO), .version = 6},
    {F(teredo_both, 1, IN_UDP(3544, 18 + 8 + N6), 0, 1, 2, 3, 'i', 'd', 'a', 'u', 't', 1, 2, 3, 4, 5, 6, 7, 8, 0,
       /* auth */ 0, 0, 0xab, 0xcd, 1, 2, 3, 4, V6), IN(1, CT_T_TEREDO), .version = 6},
    {F(tzsp, 1, IN_UDP(37008, 12 + NE4), 1, 0, 0, 1, 10, 1, 0xc4, 0, /* RSSI, padding */ 13, 1, 6, 1, E4), IN(1,
       CT_T_TZSP)},
    {F(l2tp, 1, IN_UDP(1701, 6 + 4 + N4), 0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21, V4), IN(1, CT_T_L2TP)},
    {F(l2tp_all, 1, IN_UDP(1701, 18 + 2 + N6), 0x4a, 2, B16(18 + 2 + N6), 0, 1, 0, 2, 0, 0, 0, 0, /* L S O */ 0, 4, 9,
       9, 9, 9, 0, 0x57, V6), IN(1, CT_T_L2TP), .version = 6},
    {F(mpls_udp, 1, IN_UDP(6635, 8 + N4), 0, 1, 0, 64, 0, 2, 0x01, 64, V4), IN(1, CT_T_MPLS)},
    {F(hperm, 1, IN_UDP(7932, 12 + NE4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ETH(0x0800), IP4(17, 16, 10, 0, 0,
       0xb8, 0x13db), UDP_DATA), IN(1, CT_T_HPERM)},
    {F(hperm_alt, 1, IN_UDP(3333, NE4), ETH(0x0800), IP4(17, 16, 10, 0, 0, 0xb8, 0x13db), UDP_DATA), IN(1,
       CT_T_HPERM)},
    {F(hperm_v6, 1, IN_UDP(7932, 12 + 14 + N6), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ETH(0x86dd), V6), IN(1,
       CT_T_HPERM), .version = 6},
    {F(vxlan_geneve, 1, ETH(0x0800), OUTER_IP4(17, 70 + NE4), UDP(1, 4789, 62 + NE4), 8, 0, 0, 0, 0, 0, 1, 0,
       ETH(0x8100), 0, 77, 0x08, 0x00, OUTER_IP4(17, 16 + NE4), UDP(1, 6081, 8 + NE4), 0, 0, 0x65, 0x58, 0, 0, 1, 0,
       E4), IN(2, CT_T_VXLAN | CT_T_GENEVE | CT_T_VLAN), .vlan = 77},
    /* ESP with NULL encryption */
    {F(esp_tunnel, 1, ETH(0x0800), OUTER_IP4(50, 8 + N4 + 4 + 12), ESP, IP4(17, 16, 10, 0, 0, 0xb8, 0x13db), UDP_DATA,
       1, 2, 2, 4, /* ICV */ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), IN(2, CT_T_ESP_NULL | CT_T_IPIP),
       .esp_null = true},
    {F(esp_transport, 1, ETH(0x0800), INNER_IP4(50, 8 + 16 + 4 + 16), ESP, UDP_DATA, 1, 2, 2, 17, 91, 92, 93, 94, 95,
       96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106), IN(1, CT_T_ESP_NULL), .esp_null = true},
    {F(esp_gmac, 1, ETH(0x86dd), OUTER_IP6(50, 16 + N6 + 8 + 16), ESP, 7, 7, 7, 7, 7, 7, 7, 7, /* IV */ V6, 1, 2, 3,
       4, 5, 6, 6, 41, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106), IN(2,
       CT_T_ESP_NULL | CT_T_IPIP), .version = 6, .esp_null = true},
    {F(esp_tcp, 1, ETH(0x0800), INNER_IP4(50, 8 + 28 + 4 + 12), ESP, TCP(5, 0x18), DATA, 1, 2, 2, 6, 91, 92, 93, 94,
       95, 96, 97, 98, 99, 100, 101, 102), IN(1, CT_T_ESP_NULL), .proto = 6, .esp_null = true},
    {F(esp_udp, 1, ETH(0x0800), OUTER_IP4(17, 8 + 8 + N6 + 4 + 12), UDP(4500, 4500, 8 + N6 + 4 + 12), ESP, V6, 1, 2,
       2, 41, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102), IN(2, CT_T_ESP_NULL | CT_T_IPIP), .version = 6,
       .esp_null = true},
    {F(esp_udp_length, 1, ETH(0x0800), INNER_IP4(50, 8 + 16 + 4 + 12), ESP, UDP(5060, 5062, 7), DATA, 1, 2, 2, 17, 91,
       92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102), .reason = CT_R_ENCRYPTED, .esp_null = true},
    {F(esp_padding, 1, ETH(0x0800), INNER_IP4(50, 8 + 16 + 4 + 12), ESP, UDP_DATA, 1, 1, 2, 17, 91, 92, 93, 94, 95,
       96, 97, 98, 99, 100, 101, 102), .reason = CT_R_ENCRYPTED, .esp_null = true},
    {F(esp_aligned, 1, ETH(0x0800), INNER_IP4(50, 8 + 16 + 5 + 12), ESP, UDP_DATA, 1, 2, 3, 3, 17, 91, 92, 93, 94, 95,
       96, 97, 98, 99, 100, 101, 102), .reason = CT_R_ENCRYPTED, .esp_null = true},
    {F(esp_tcp_flags, 1, ETH(0x0800), INNER_IP4(50, 8 + 28 + 4 + 12), ESP, TCP(5, 0x03), DATA, 1, 2, 2, 6, 91, 92, 93,
       94, 95, 96, 97, 98, 99, 100, 101, 102), .reason = CT_R_ENCRYPTED, .esp_null = true},
    {F(esp_ipv4_sum, 1, ETH(0x0800), OUTER_IP4(50, 8 + N4 + 4 + 12), ESP, V4, 1, 2, 2, 4, 91, 92, 93, 94, 95, 96, 97,
       98, 99, 100, 101, 102), .reason = CT_R_ENCRYPTED, .esp_null = true},
    {F(esp_secret, 1, ETH(0x0800), OUTER_IP4(50, 36), ESP, 0xde, 0xad, 0xbe, 0xef, 4, 8, 15, 16, 23, 42, 9, 8, 7, 6,
       5, 4, 3, 2, 1, 9, 1, 2, 3, 4, 5, 6, 7, 8), .reason = CT_R_ENCRYPTED, .esp_null = true},
};
#define FRAMES (sizeof frames / sizeof *frames)

#endif
