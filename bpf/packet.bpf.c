// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// packet.bpf.c - decides in the kernel which frames calltap wants, and how much of each.
//
// A socket filter (SO_ATTACH_BPF): the value returned is the length that is copied, 0 drops the frame. The rule
// everywhere: what native/decode/classify.c would give a name must pass, in a length at which it still gives the same
// name (test/live/packet-filter.slow.test.ts compares them on real captures). What neither of them could use is
// dropped here and counted by class. A frame this program cannot read passes whole: user space names the reason.
#include "kern.h"
#include "packet_class.h"
#include "tunnel_ports.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define WHOLE 0x7fffffff
#define DROP 0
#define PACKET_OUTGOING 4
#define LOOPBACK_IFINDEX 1 /* in every network namespace */
#define MAX_TAGS 4         /* VLAN tags, IPv6 extension headers; a longer stack passes whole */

/* Bytes of payload kept of what is only looked at. */
#define KEEP_RTP 96          /* header, contributing sources and the start of an extension */
#define KEEP_START_LINE 2048 /* ct_looks_sip() looks no further */
#define KEEP_WEBSOCKET 512
#define KEEP_ENCRYPTED 64

/* Set before the program is loaded. One bit a port, as struct ct_gate in native/decode/packet.h. Kernel names of
 * types: the skeleton repeats them. */
const volatile __u64 sip_gate[1024];
const volatile __u64 ws_gate[1024];
const volatile __u8 link_type; /* enum ct_filter_link */
const volatile __u8 pass_hep;
const volatile __u8 pass_esp;     /* --decode-esp-null */
const volatile __u8 whole_frames; /* payloads are retained or written */

/* One bit a port of the sockets that the agent learned to be of SIP. It writes them while the program runs, and knows the
 * addresses itself. */
volatile __u64 learned_gate[1024];

/* Entries in `media`; the agent keeps both. 0 saves two look-ups a packet. */
__u32 media_count;

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, CT_F_COUNT);
  __type(key, u32);
  __type(value, struct ct_filter_count);
} classes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, CT_MEDIA_MAX);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct ct_media_key);
  __type(value, u8);
} media SEC(".maps");

CT_GLOBAL int verdict(const struct __sk_buff *skb, u32 class, u32 keep) {
  struct ct_filter_count *n = bpf_map_lookup_elem(&classes, &class);
  if (n) {
    n->packets++;
    n->bytes += skb->len;
  }
  return (int)keep;
}

CT_INLINE u16 be16(const u8 *d) { return (u16)(d[0] << 8 | d[1]); }
CT_INLINE u32 be32(const u8 *d) { return (u32)d[0] << 24 | (u32)d[1] << 16 | (u32)d[2] << 8 | d[3]; }
/* The mask changes nothing: verifiers of Linux 6.1 and older lose the bounds of a value that be16() put together. */
CT_INLINE int in_gate(const volatile u64 *set, u16 port) {
  u64 word = port >> 6;
  asm volatile("%0 &= 1023" : "+r"(word));
  return (set[word] >> (port & 63)) & 1;
}

/* A frame that stands for several datagrams (segmentation offload) is never cut: it is split later. Nor is any where
 * frames are kept as they are. */
CT_INLINE u32 keep(const struct __sk_buff *skb, u32 payload, u32 bytes) {
  return skb->gso_size || whole_frames ? WHOLE : payload + bytes;
}

/* ---- Does text begin like a SIP message? ---- */

/* RFC 3261 token characters as two sets of 64. */
#define BIT(c) (1ull << ((c)&63))
#define TOKEN_LOW                                                                                            \
  (BIT('!') | BIT('%') | BIT('\'') | BIT('*') | BIT('+') | BIT('-') | BIT('.') | 0x3ffull << '0')
#define TOKEN_HIGH (0x3ffffffull << ('A' & 63) | 0x3ffffffull << ('a' & 63) | BIT('_') | BIT('`') | BIT('~'))

CT_INLINE int is_token(u8 c) {
  u64 set = c & 64 ? TOKEN_HIGH : TOKEN_LOW;
  return c < 128 && (set >> (c & 63)) & 1;
}

/* Over the first bytes of a payload: 1 like SIP, 0 not, -1 not yet decided (all of a long method). */
CT_INLINE int token_run(const u8 *d, u32 n) {
  for (u32 i = 0; i < n; i++) {
    if (d[i] == ' ') return i + 1 == n || (d[i + 1] > ' ' && d[i + 1] < 127);
    if (!is_token(d[i])) return 0;
  }
  return -1;
}

/* At `off` are `len` bytes, 12 at least. A token of at most 33 characters, a space and something visible; what is
 * shorter than such a token cannot be told. */
CT_GLOBAL int is_request_line(struct __sk_buff *skb, u32 off, u32 len) {
  u8 d[24];
  if (bpf_skb_load_bytes(skb, off, d, 12)) return 1;
  int run = token_run(d, 12);
  if (run >= 0) return run;
  if (len < 36 || bpf_skb_load_bytes(skb, off + 12, d, sizeof d)) return 1;
  return token_run(d, 24) > 0;
}

/* `head` is the first 12 bytes at `off`, `len` what there is. Line ends in front are allowed. A superset of
 * ct_looks_sip(): "SIP/2.0 nnn", or a request line. */
CT_INLINE int starts_like_sip(struct __sk_buff *skb, u32 off, u32 len, const u8 *head) {
  if (head[0] == '\r' || head[0] == '\n') return 1;
  if (be32(head) == 0x5349502f) return 1; /* "SIP/" */
  return is_token(head[0]) && is_request_line(skb, off, len);
}

/* ---- UDP ---- */

CT_INLINE int is_tunnel_port(u16 port) {
  switch (port) {
#define CT_ROW(name, port) case port:
    CT_TUNNEL_PORTS(CT_ROW)
#undef CT_ROW
    return 1;
  default: return 0;
  }
}

#define UNKNOWN 0xffffffff

struct net {
  u32 off;     /* of the IP header */
  u32 payload; /* of what the IP header carries */
  u32 len;     /* bytes of that by the IP header; UNKNOWN when it does not say */
  u8 version;
  u8 proto;
};

CT_INLINE int is_media_endpoint(struct __sk_buff *skb, const struct net *n, u16 sport, u16 dport) {
  struct ct_media_key key = {};
  u32 source = n->version == 4 ? 12 : 8;
  for (u32 side = 0; side < 2; side++) {
    long bad = n->version == 4 ? bpf_skb_load_bytes(skb, n->off + source + side * 4, key.addr, 4)
                               : bpf_skb_load_bytes(skb, n->off + source + side * 16, key.addr, 16);
    if (bad) return 0;
    key.port = bpf_htons(side == 0 ? sport : dport);
    if (bpf_map_lookup_elem(&media, &key)) return 1;
  }
  return 0;
}

/* What shares media ports by its first byte (RFC 7983), see classify.c; a class, or CT_F_COUNT for none. */
CT_INLINE u32 binary_class(const u8 *h, u32 len) {
  u32 words = be16(h + 2);
  if (h[0] < 4) {
    if (pass_hep && (h[0] == 1 || h[0] == 2) && (h[1] == 16 || h[1] == 40)) return CT_F_HEP;
    if (len < 20) return CT_F_COUNT;
    if (be32(h + 4) == 0x2112a442) return CT_F_STUN;
    return words + 20 == len && h[0] < 2 ? CT_F_STUN : CT_F_COUNT;
  }
  if (h[0] >= 16 && h[0] < 20) return be32(h + 4) == 0x5a525450 ? CT_F_ENCRYPTED : CT_F_COUNT;
  if (h[0] >= 20 && h[0] < 26) {
    return h[1] == 0xfe && (h[2] == 0xff || h[2] == 0xfd) ? CT_F_ENCRYPTED : CT_F_COUNT;
  }
  if (h[0] >= 64 && h[0] < 80) {
    if (pass_hep && (be32(h) == 0x48455033 || be32(h) == 0x45455033)) return CT_F_HEP;
    return words + 4 <= len && len <= ((words + 3) & ~3u) + 4 ? CT_F_STUN : CT_F_COUNT;
  }
  return CT_F_COUNT;
}

CT_INLINE int udp(struct __sk_buff *skb, const struct net *n) {
  u8 d[20] = {}; /* the header and the first 12 bytes behind it, where there are so many */
  u8 *h = d + 8;
  int has_head = bpf_skb_load_bytes(skb, n->payload, d, 20) == 0;
  if (!has_head && bpf_skb_load_bytes(skb, n->payload, d, 8)) return verdict(skb, CT_F_UNPARSED, WHOLE);
  u16 sport = be16(d), dport = be16(d + 2);
  u32 len = be16(d + 4), at = n->payload + 8;
  if (len < 8 || len > n->len) return verdict(skb, CT_F_UNPARSED, WHOLE);
  len -= 8;
  if (skb->gso_size && skb->gso_size < len) len = skb->gso_size;
  int gate = in_gate(sip_gate, dport) || in_gate(sip_gate, sport);
  if (is_tunnel_port(dport) || is_tunnel_port(sport)) return verdict(skb, CT_F_TUNNEL, WHOLE);

  if (len < 12) { /* a keep-alive, an empty RTCP packet, ChannelData */
    if (gate) return verdict(skb, CT_F_SIP, WHOLE);
    if (len >= 4 && bpf_skb_load_bytes(skb, at, h, 4) == 0) {
      if (h[0] >> 6 == 2) return verdict(skb, CT_F_RTCP, WHOLE);
      if (h[0] >= 64 && h[0] < 80) return verdict(skb, CT_F_STUN, WHOLE);
    }
  } else if (!has_head) {
    return verdict(skb, CT_F_UNPARSED, WHOLE);
  } else if (h[0] >> 6 == 2 && sport >= 1024 && dport >= 1024) {
    if (h[1] >= 192 && h[1] <= 223) return verdict(skb, CT_F_RTCP, WHOLE);
    if (gate || whole_frames) return verdict(skb, CT_F_RTP, WHOLE);
    /* Behind the fixed header and the CSRC list there is room for a telephone event, and to hear silence. */
    u32 head = h[0] & 0x10 ? KEEP_RTP : 28 + (h[0] & 15) * 4;
    return verdict(skb, CT_F_RTP, keep(skb, at, head));
  } else {
    if (gate) return verdict(skb, CT_F_SIP, WHOLE);
    if (starts_like_sip(skb, at, len, h)) {
      if (in_gate(learned_gate, dport) || in_gate(learned_gate, sport)) return verdict(skb, CT_F_SIP, WHOLE);
      return verdict(skb, CT_F_SIP_OUTSIDE, keep(skb, at, KEEP_START_LINE));
    }
    u32 class = binary_class(h, len);
    if (class == CT_F_ENCRYPTED) return verdict(skb, class, keep(skb, at, KEEP_ENCRYPTED));
    if (class != CT_F_COUNT) return verdict(skb, class, WHOLE);
  }
  if (media_count && is_media_endpoint(skb, n, sport, dport)) return verdict(skb, CT_F_MEDIA, WHOLE);
  return verdict(skb, CT_F_DROP_UDP, DROP);
}

/* ---- TCP ---- */

/* | fin rsv opcode | mask length | 0, 2 or 8 more of length | masking key, when masked | text |  RFC 6455 s5.2
 * True for an unfinished or final text or binary frame of which the first four bytes could begin SIP. */
CT_INLINE int is_websocket_sip(struct __sk_buff *skb, u32 at, const u8 *h) {
  if ((h[0] & 0x7f) != 1 && (h[0] & 0x7f) != 2) return 0;
  u32 size = h[1] & 0x7f;
  u32 off = at + (size == 127 ? 10 : size == 126 ? 4 : 2);
  u8 key[4] = {}, text[4];
  if (h[1] & 0x80) {
    if (bpf_skb_load_bytes(skb, off, key, 4)) return 0;
    off += 4;
  }
  /* Fewer than four bytes cannot be told; the shortest message is longer. */
  if (bpf_skb_load_bytes(skb, off, text, 4)) return 0;
#pragma unroll
  for (u32 i = 0; i < 4; i++) {
    u8 c = text[i] ^ key[i];
    if (c == '\r' || c == '\n') return 1;
    if (i > 0 && (c == ' ' || c == '/')) return 1;
    if (!is_token(c)) return 0;
  }
  return 1;
}

CT_INLINE int tcp(struct __sk_buff *skb, const struct net *n) {
  u8 d[14];
  if (bpf_skb_load_bytes(skb, n->payload, d, sizeof d)) return verdict(skb, CT_F_UNPARSED, WHOLE);
  u16 sport = be16(d), dport = be16(d + 2);
  u32 header = (d[12] >> 4) * 4u;
  u32 at = n->payload + header;
  if (header < 20 || header > n->len || at > skb->len) return verdict(skb, CT_F_UNPARSED, WHOLE);
  /* SYN, FIN and RST delimit a connection; an acknowledgement alone says nothing. */
  int is_empty = n->len == header;
  if (in_gate(sip_gate, dport) || in_gate(sip_gate, sport) || in_gate(ws_gate, dport) ||
      in_gate(ws_gate, sport) || in_gate(learned_gate, dport) || in_gate(learned_gate, sport)) {
    if (is_empty && !(d[13] & 7)) return verdict(skb, CT_F_DROP_TCP, DROP);
    return verdict(skb, CT_F_TCP, WHOLE);
  }
  if (is_empty) return verdict(skb, CT_F_DROP_TCP, DROP);
  u8 h[12];
  if (bpf_skb_load_bytes(skb, at, h, sizeof h)) return verdict(skb, CT_F_DROP_TCP, DROP);
  /* TLS, the bulk of it, is told by its first byte. */
  if (starts_like_sip(skb, at, skb->len - at, h))
    return verdict(skb, CT_F_TCP_OUTSIDE, keep(skb, at, KEEP_START_LINE));
  if (is_websocket_sip(skb, at, h)) return verdict(skb, CT_F_TCP_OUTSIDE, keep(skb, at, KEEP_WEBSOCKET));
  return verdict(skb, CT_F_DROP_TCP, DROP);
}

/* ---- IP ---- */

CT_INLINE int icmp(struct __sk_buff *skb, const struct net *n) {
  u8 type;
  if (bpf_skb_load_bytes(skb, n->payload, &type, 1)) return verdict(skb, CT_F_UNPARSED, WHOLE);
  int is_error = n->version == 4 ? type == 3 || type == 11 || type == 12 : type >= 1 && type <= 4;
  return is_error ? verdict(skb, CT_F_ICMP, WHOLE) : verdict(skb, CT_F_DROP_ICMP, DROP);
}

/* Protocols that may carry a call, seen from an IP header. */
CT_INLINE int carries_packets(u8 proto) {
  switch (proto) {
  case 4:  /* IPv4 */
  case 41: /* IPv6 */
  case 47: /* GRE */
  case 51: /* AH */
  case 137: /* MPLS */ return 1;
  case 50: return pass_esp;
  default: return 0;
  }
}

CT_INLINE int fragment(struct __sk_buff *skb, u8 proto) {
  int wanted = proto == 17 || proto == 6 || carries_packets(proto);
  return wanted ? verdict(skb, CT_F_FRAGMENT, WHOLE) : verdict(skb, CT_F_DROP_PROTO, DROP);
}

CT_INLINE int transport(struct __sk_buff *skb, const struct net *n) {
  if (n->payload > skb->len) return verdict(skb, CT_F_UNPARSED, WHOLE);
  if (n->proto == 17) return udp(skb, n);
  if (n->proto == 6) return tcp(skb, n);
  if (n->proto == (n->version == 4 ? 1 : 58)) return icmp(skb, n);
  if (n->proto == 132) return verdict(skb, CT_F_SCTP, WHOLE);
  return carries_packets(n->proto) ? verdict(skb, CT_F_TUNNEL, WHOLE) : verdict(skb, CT_F_DROP_PROTO, DROP);
}

CT_INLINE int ipv4(struct __sk_buff *skb, u32 off) {
  u8 d[10];
  if (bpf_skb_load_bytes(skb, off, d, sizeof d)) return verdict(skb, CT_F_UNPARSED, WHOLE);
  u32 header = (d[0] & 15) * 4u, total = be16(d + 2);
  /* A total length of 0 is what segmentation offload leaves. */
  if (d[0] >> 4 != 4 || header < 20 || (total != 0 && total < header))
    return verdict(skb, CT_F_UNPARSED, WHOLE);
  if (be16(d + 6) & 0x3fff) return fragment(skb, d[9]);
  struct net n = {.off = off, .payload = off + header, .version = 4, .proto = d[9]};
  n.len = total == 0 ? UNKNOWN : total - header;
  return transport(skb, &n);
}

/* Extension headers: | next | length in 8 bytes beyond the first 8 | ...   RFC 8200 s4 */
CT_INLINE int ipv6(struct __sk_buff *skb, u32 off) {
  u8 d[8];
  if (bpf_skb_load_bytes(skb, off, d, sizeof d)) return verdict(skb, CT_F_UNPARSED, WHOLE);
  if (d[0] >> 4 != 6) return verdict(skb, CT_F_UNPARSED, WHOLE);
  struct net n = {.off = off, .payload = off + 40, .len = be16(d + 4), .version = 6, .proto = d[6]};
  if (n.len == 0) n.len = UNKNOWN;
  for (u32 i = 0; i < MAX_TAGS; i++) {
    u32 size;
    switch (n.proto) {
    case 0:   /* hop by hop */
    case 43:  /* routing */
    case 44:  /* fragment */
    case 60:  /* destination options */
    case 135: /* mobility */
    case 139: /* HIP */
    case 140: /* shim6 */ break;
    default: return transport(skb, &n);
    }
    if (bpf_skb_load_bytes(skb, n.payload, d, 8)) return verdict(skb, CT_F_UNPARSED, WHOLE);
    /* A fragment header without offset and more-bit is a whole packet (RFC 6946). */
    if (n.proto == 44 && (be16(d + 2) & 0xfff9)) return fragment(skb, d[0]);
    size = n.proto == 44 ? 8 : (d[1] + 1u) * 8u;
    if (size > n.len) return verdict(skb, CT_F_UNPARSED, WHOLE);
    n.proto = d[0];
    n.payload += size;
    if (n.len != UNKNOWN) n.len -= size;
  }
  return verdict(skb, CT_F_UNPARSED, WHOLE);
}

/* ---- Link ---- */

/* Sockets on Ethernet and on links without a header may share the program: the kernel says what follows, so
 * the Ethertype and the version nibble after a header must agree with it. `d` is the first 16 bytes. */
CT_INLINE int has_link_header(const u8 *d, u16 protocol) {
  u8 version = protocol == 0x0800 ? 4 : 6;
  if (link_type != CT_LINK_MIXED) return link_type == CT_LINK_ETHER;
  if ((protocol != 0x0800 && protocol != 0x86dd) || d[0] >> 4 != version) return 1;
  return be16(d + 12) == protocol && d[14] >> 4 == version;
}

CT_INLINE int is_vlan(u16 type) {
  return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200;
}

/* Ethertypes behind which user space finds IP. */
CT_INLINE int carries_ip(u16 type) {
  switch (type) {
  case 0x6558: /* bridged Ethernet */
  case 0x880b: /* PPP */
  case 0x8847: /* MPLS */
  case 0x8848:
  case 0x8864: /* PPPoE session */
  case 0x88e5: /* MACsec */
  case 0x8909: /* Cisco MetaData */
  case 0x894f: /* NSH */ return 1;
  default: return 0;
  }
}

/* 802.2: IP with a SNAP header, or straight after LLC. Spanning tree and its kind are the rest. */
CT_INLINE int llc(struct __sk_buff *skb, u32 off) {
  u8 d[3];
  if (bpf_skb_load_bytes(skb, off, d, sizeof d)) return verdict(skb, CT_F_UNPARSED, WHOLE);
  int is_snap = d[0] == 0xaa && d[1] == 0xaa && d[2] == 3, is_ip = d[0] == 6 && d[1] == 6 && d[2] == 3;
  return is_snap || is_ip ? verdict(skb, CT_F_TUNNEL, WHOLE) : verdict(skb, CT_F_DROP_NOT_IP, DROP);
}

SEC("socket")
int calltap_packet(struct __sk_buff *skb) {
  if (skb->pkt_type == PACKET_OUTGOING && skb->ifindex == LOOPBACK_IFINDEX) {
    return verdict(skb, CT_F_DROP_COPY, DROP);
  }
  u16 type = bpf_ntohs((u16)skb->protocol);
  u32 off = 0;
  u8 d[16];
  if (bpf_skb_load_bytes(skb, 0, d, sizeof d)) return verdict(skb, CT_F_UNPARSED, WHOLE);
  if (has_link_header(d, type)) {
    type = be16(d + 12);
    off = 14;
    /* The tag a card or the stack has taken out is not here; these are the ones left in the frame. */
    for (u32 i = 0; is_vlan(type); i++) {
      if (i == MAX_TAGS || bpf_skb_load_bytes(skb, off + 2, d, 2)) return verdict(skb, CT_F_UNPARSED, WHOLE);
      type = be16(d);
      off += 4;
    }
    if (type <= 1500) return llc(skb, off);
  }
  if (type == 0x0800) return ipv4(skb, off);
  if (type == 0x86dd) return ipv6(skb, off);
  return carries_ip(type) ? verdict(skb, CT_F_TUNNEL, WHOLE) : verdict(skb, CT_F_DROP_NOT_IP, DROP);
}
