/* SPDX-License-Identifier: Apache-2.0
 * packet_gso.c - undoes UDP segmentation offload: one captured frame becomes the datagrams it stands for.
 *
 * A sender with UDP_SEGMENT, or a card that joins what it receives, hands over one IP packet with the
 * payloads of many after a single set of headers (Linux UDP GSO and GRO). Counting it as one packet
 * would lose nine RTP packets of ten. Each segment gets the headers with its own lengths (RFC 791,
 * RFC 8200, RFC 768), identification and checksums.
 */
#include "core/datagram.h"
#include "decode/walk.h"
#include "live/packet_ring.h"
#include <string.h>

enum { LINK_ETHERNET = 1, LINK_RAW_IP = 101 };

/* ---- The headers of one frame, in order ---- */

enum part_kind { PART_END, PART_IPV4, PART_IPV6, PART_UDP, PART_BAD };
struct part {
  enum part_kind kind;
  uint32_t at, size; /* of an IP header with its extensions */
};
struct cursor {
  const uint8_t *d;
  uint32_t at, end; /* `end` is where the payload begins */
  bool is_link;     /* at an Ethernet header */
  bool is_ip;
};

static struct part bad(void) { return (struct part){.kind = PART_BAD}; }

static bool ether(struct cursor *c) {
  if (c->end - c->at < 14) return false;
  uint32_t type = ct_be16(c->d + c->at + 12);
  c->at += 14;
  for (uint32_t n = 0; type == 0x8100 || type == 0x88a8; n++) {
    if (n == CT_MAX_TAGS || c->end - c->at < 4) return false;
    type = ct_be16(c->d + c->at + 2);
    c->at += 4;
  }
  return type == 0x0800 || type == 0x86dd;
}

/* Moves behind an IP header; false when it is not one, or what follows is not known here. */
static bool ip(struct cursor *c, struct part *p) {
  const uint8_t *d = c->d + c->at;
  uint32_t left = c->end - c->at, proto, size;
  if (left >= 20 && d[0] >> 4 == 4) {
    p->kind = PART_IPV4;
    size = (d[0] & 15u) * 4u;
    proto = d[9];
    if (size < 20 || size > left) return false;
  } else if (left >= 40 && d[0] >> 4 == 6) {
    p->kind = PART_IPV6;
    size = 40;
    proto = d[6];
    for (uint32_t n = 0; proto == 0 || proto == 43 || proto == 60; n++) {
      if (n == CT_MAX_TAGS || left - size < 8) return false;
      uint32_t more = (d[size + 1] + 1u) * 8u;
      proto = d[size];
      if (more > left - size) return false;
      size += more;
    }
  } else {
    return false;
  }
  p->at = c->at;
  p->size = size;
  c->at += size;
  c->is_ip = proto == 4 || proto == 41;
  return proto == 17 || c->is_ip;
}

/* The next header that holds a length. Between the UDP headers of a tunnel only VXLAN and GENEVE are
 * known: the two that the stack itself segments. */
static struct part next_part(struct cursor *c) {
  struct part p = {.kind = PART_END, .at = c->at};
  if (c->at == c->end) return p;
  if (c->is_link) {
    c->is_link = false;
    c->is_ip = ether(c);
    if (!c->is_ip) return bad();
  }
  if (c->is_ip) return ip(c, &p) ? p : bad();
  if (c->end - c->at < 8) return bad();
  p.kind = PART_UDP;
  uint32_t port = ct_be16(c->d + c->at + 2);
  c->at += 8;
  if (c->at == c->end) return p;
  if (c->end - c->at < 8) return bad();
  bool is_geneve = port == CT_PORT_GENEVE && ct_be16(c->d + c->at + 2) == 0x6558;
  uint32_t tunnel = is_geneve ? 8u + (c->d[c->at] & 0x3fu) * 4u : 8u;
  if (!is_geneve && port != CT_PORT_VXLAN && port != CT_PORT_VXLAN_LINUX) return bad();
  if (tunnel > c->end - c->at) return bad();
  c->at += tunnel;
  c->is_link = true;
  return p;
}

static struct cursor start(const struct ct_gso *g, const uint8_t *d) {
  bool is_link = g->linktype == LINK_ETHERNET;
  return (struct cursor){.d = d, .end = g->header, .is_link = is_link, .is_ip = !is_link};
}

bool ct_gso_open(struct ct_gso *g, const uint8_t *frame, uint32_t len, uint32_t linktype, uint32_t size) {
  struct ct_packet p = {.frame = frame, .caplen = len, .wirelen = len};
  if (size == 0 || (linktype != LINK_ETHERNET && linktype != LINK_RAW_IP)) return false;
  if (ct_decode_frame(&p, linktype, NULL) != CT_OK || p.proto != 17 || p.len != p.wire_len) return false;
  if (p.len / size >= CT_GSO_SEGMENTS) return false;
  *g = (struct ct_gso){.frame = frame,
                       .header = (uint32_t)(p.payload - frame),
                       .payload = p.len,
                       .size = size,
                       .linktype = linktype};
  struct cursor c = start(g, frame);
  struct part part;
  enum part_kind last = PART_BAD;
  while ((part = next_part(&c)).kind != PART_END) {
    if (part.kind == PART_BAD) return false;
    last = part.kind;
  }
  return last == PART_UDP && g->payload > 0;
}

uint32_t ct_gso_need(const struct ct_gso *g) {
  uint32_t left = g->payload - g->done;
  return left == 0 ? 0 : g->header + ct_min32(left, g->size);
}

uint32_t ct_gso_next(struct ct_gso *g, uint8_t *out, uint32_t room) {
  uint32_t total = ct_gso_need(g);
  if (total == 0 || total > room) return 0;
  memcpy(out, g->frame, g->header);
  memcpy(out + g->header, g->frame + g->header + g->done, total - g->header);
  struct cursor c = start(g, out);
  struct part part;
  const uint8_t *ip_header = NULL;
  while ((part = next_part(&c)).kind != PART_END) {
    uint8_t *d = out + part.at;
    if (part.kind == PART_IPV4) {
      ct_put16(d + 2, total - part.at);
      ct_put16(d + 4, ct_be16(d + 4) + g->index);
      ct_put16(d + 10, 0);
      ct_put16(d + 10, ct_fold16(ct_sum16(0, d, part.size)));
    } else if (part.kind == PART_IPV6) {
      ct_put16(d + 4, total - part.at - 40);
    }
    if (part.kind == PART_IPV4 || part.kind == PART_IPV6) {
      ip_header = d;
    } else {
      /* The datagram itself gets a checksum; that of a tunnel around it would change with it and is
       * left out, as IPv4 allows and VXLAN and GENEVE do by default. */
      ct_put16(d + 4, total - part.at);
      if (part.at + 8 == g->header && ip_header != NULL)
        ct_udp_checksum(d, total - part.at, ip_header);
      else
        ct_put16(d + 6, 0);
    }
  }
  g->done += total - g->header;
  g->index++;
  return total;
}
