/* SPDX-License-Identifier: Apache-2.0
 * classify.c - decides what a transport payload is, by its content first and its ports second.
 *
 * The first byte separates what shares a media port (RFC 7983, RFC 5761): STUN 0-3, ZRTP 16-19, DTLS
 * 20-63, TURN channels 64-79, RTP and RTCP 128-191. SIP (RFC 3261 s7) begins with a token, which lies
 * in the gaps of that list or fails its checks. The gates decide only who hears of it.
 */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "core/record.h"
#include "decode/learned.h"
#include "decode/walk.h"

/* ---- SIP ---- */

/* Characters of an RFC 3261 token, with which a method is spelled. */
static const uint8_t token[256] = {
    ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['0' ... '9'] = 1, ['-'] = 1, ['.'] = 1,  ['!'] = 1, ['%'] = 1,
    ['*'] = 1,         ['_'] = 1,         ['+'] = 1,         ['`'] = 1, ['\''] = 1, ['~'] = 1,
};

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static bool starts(const uint8_t *d, uint32_t len, const char *word, uint32_t size) {
  return len >= size && memcmp(d, word, size) == 0;
}
#define STARTS(d, len, word) starts(d, len, word, (uint32_t)sizeof(word) - 1)

/* For lines that end before they say their version: one of the methods of the RFCs in front and a
 * URI that only SIP uses behind it. */
static bool known_request(const uint8_t *d, uint32_t method, const uint8_t *uri, uint32_t len) {
  static const char *const methods[] = {"INVITE",  "ACK",   "BYE",     "CANCEL", "REGISTER",
                                        "OPTIONS", "PRACK", "UPDATE",  "INFO",   "SUBSCRIBE",
                                        "NOTIFY",  "REFER", "MESSAGE", "PUBLISH"};
  bool known = false;
  for (uint32_t i = 0; i < sizeof methods / sizeof *methods && !known; i++) {
    known = strlen(methods[i]) == method && memcmp(d, methods[i], method) == 0;
  }
  return known && (STARTS(uri, len, "sip:") || STARTS(uri, len, "sips:") || STARTS(uri, len, "tel:"));
}

bool ct_looks_sip(const uint8_t *d, uint32_t len) {
  const uint8_t *end = d + ct_min32(len, 2048);
  while (d < end && (*d == '\r' || *d == '\n')) d++;
  if (CT_LIKELY(d == end || !token[*d])) return false;
  uint32_t n = (uint32_t)(end - d);
  if (STARTS(d, n, "SIP/2.0 ")) return n >= 11 && is_digit(d[8]) && is_digit(d[9]) && is_digit(d[10]);
  uint32_t method = 1;
  while (method <= 32 && method < n && token[d[method]]) method++;
  if (method > 32 || method >= n || d[method] != ' ') return false;
  const uint8_t *uri = d + method + 1;
  const uint8_t *feed = memchr(uri, '\n', (size_t)(end - uri));
  const uint8_t *line_end = feed ? feed : end;
  const uint8_t *version = memmem(uri, (size_t)(line_end - uri), " SIP/2.0", 8);
  if (version != NULL && version > uri) return true;
  return feed == NULL && known_request(d, method, uri, (uint32_t)(end - uri));
}

static bool is_letter(uint8_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

/* scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ), a colon, and something behind it (RFC 3986 s3.1). */
static bool begins_with_scheme(const uint8_t *d, const uint8_t *end) {
  const uint8_t *at = d;
  if (at == end || !is_letter(*at)) return false;
  while (at < end && at - d <= 32 &&
         (is_letter(*at) || is_digit(*at) || *at == '+' || *at == '-' || *at == '.'))
    at++;
  return end - at >= 2 && *at == ':' && at[1] > ' ' && at[1] < 0x7f;
}

bool ct_begins_sip(const uint8_t *d, uint32_t len) {
  if (!ct_looks_sip(d, len)) return false;
  const uint8_t *end = d + ct_min32(len, 2048);
  while (*d == '\r' || *d == '\n') d++;
  uint32_t n = (uint32_t)(end - d);
  if (STARTS(d, n, "SIP/2.0 "))
    return d[8] >= '1' && d[8] <= '6' && (n == 11 || d[11] == ' ' || d[11] == '\r' || d[11] == '\n');
  const uint8_t *uri = (const uint8_t *)memchr(d, ' ', n) + 1;
  const uint8_t *feed = memchr(uri, '\n', (size_t)(end - uri));
  if (!begins_with_scheme(uri, end)) return false;
  if (feed == NULL) return known_request(d, (uint32_t)(uri - d) - 1, uri, (uint32_t)(end - uri));
  const uint8_t *last = feed; /* behind the version */
  while (last > uri && (last[-1] == '\r' || last[-1] == ' ')) last--;
  return last - uri > 8 && memcmp(last - 8, " SIP/2.0", 8) == 0;
}

/* "sip:" or "sip/" in any case: no SIP message is without the one in a URI or the other in a Via. */
static bool mentions_sip(const uint8_t *d, uint32_t len) {
  for (uint32_t i = 0; i + 4 <= len; i++) {
    if ((d[i] | 0x20) == 's' && (d[i + 1] | 0x20) == 'i' && (d[i + 2] | 0x20) == 'p' &&
        (d[i + 3] == ':' || d[i + 3] == '/')) {
      return true;
    }
  }
  return false;
}

/* A line of a session description (RFC 8866 s5). A sender that cuts its messages into datagrams sends
 * one that holds nothing else of SIP. */
static bool has_sdp_line(const uint8_t *d, uint32_t len) {
  for (uint32_t i = 0; i + 3 <= len; i++) {
    if (d[i] == '\n' && d[i + 1] >= 'a' && d[i + 1] <= 'z' && d[i + 2] == '=') return true;
  }
  return len >= 2 && d[0] >= 'a' && d[0] <= 'z' && d[1] == '=';
}

/* A datagram in the gate that does not start like SIP: TypeScript looks at it when it could still be
 * a damaged or junk-prefixed message. Text of other protocols and binary ones on a shared port never
 * get that far, or a wide gate would call every SSDP datagram a malformed message. */
static bool worth_reading(const uint8_t *d, uint32_t len) {
  uint32_t head = ct_min32(len, 16), printable = 0;
  if (len < 8) return false; /* shorter than the version alone */
  if (d[0] == '\r' && d[1] == '\n') return true;
  for (uint32_t i = 0; i < head; i++) {
    printable += (d[i] >= 0x20 && d[i] < 0x7f) || d[i] == '\r' || d[i] == '\n' || d[i] == '\t';
  }
  if (printable * 8 >= head * 7) {
    len = ct_min32(len, 8192);
    return mentions_sip(d, len) || has_sdp_line(d, len);
  }
  return memmem(d, ct_min32(len, 512), "SIP/2.0", 7) != NULL;
}

/* Datagrams that only hold a NAT binding open: RFC 5626 s3.5.1 and s4.4.1, zeros, and Cisco's word. */
static bool is_keepalive(const uint8_t *d, uint32_t len) {
  if (len == 3 && memcmp(d, "jaK", 3) == 0) return true;
  if (len > 8) return false;
  for (uint32_t i = 0; i < len; i++) {
    if (d[i] != '\r' && d[i] != '\n' && d[i] != 0) return false;
  }
  return true;
}

/* ---- RTP and RTCP ---- */

/* |V=2|P|X|  CC   |M|     PT      |       sequence number         |
 * |                           timestamp                           |
 * |                             SSRC                              |
 * | CSRC, CC times | with X: profile 16, length 16 in words, words |   RFC 3550 s5.1, s5.3.1
 * Lengths are held against the wire, not against what a snapshot length left of it. */
static bool is_rtp(const struct ct_packet *p) {
  const uint8_t *d = p->payload;
  if (p->len < 12 || p->sport < 1024 || p->dport < 1024) return false;
  uint32_t size = 12u + (d[0] & 15u) * 4u;
  if (d[0] & 0x10) {
    if (p->len >= size + 4) size += ct_be16(d + size + 2) * 4u;
    size += 4;
  }
  return size <= p->wire_len;
}

/* |V=2|P|   RC    |   PT 192-223  |  length in words, less one    |
 * |                       SSRC of the sender                      |   RFC 3550 s6.4.1, RFC 5761 s4
 * Only an empty SDES (202) or BYE (203) is without an SSRC. Whatever follows the first packet may be
 * encrypted (RFC 3711 s3.4), so the rest of a compound cannot be held to anything. */
static bool is_rtcp(const struct ct_packet *p) {
  const uint8_t *d = p->payload;
  if (p->len < 8 || d[1] < 192 || d[1] > 223 || p->sport < 1024 || p->dport < 1024) return false;
  uint32_t words = ct_be16(d + 2);
  return (words > 0 || d[1] == 202 || d[1] == 203) && (words + 1) * 4 <= p->wire_len;
}

/* ---- STUN, TURN, DTLS, ZRTP, HEP ---- */

/* |0 0|     message type 14       |        message length         |
 * |                  magic cookie 0x2112a442                      |
 * |              transaction id (12)                              |   RFC 5389 s6
 * RFC 3489 and its TURN drafts had no cookie: then a known type and the exact length must do. */
static bool is_stun(const uint8_t *d, uint32_t len, uint32_t wire) {
  if (len < 20) return false;
  uint32_t type = ct_be16(d), length = ct_be16(d + 2);
  if (length % 4 != 0 || length + 20 > wire) return false;
  if (ct_be32(d + 4) == 0x2112a442) return true;
  uint32_t method = type & 0x00ef; /* the class bits of RFC 3489 types: 0x0100 and 0x0010 */
  return length + 20 == wire && (type & 0xfe00) == 0 && method >= 1 && method <= 6;
}

/* |0 1| channel 0x4000-0x4fff |  length  | data |   RFC 8656 s12.4; over UDP padding is optional. */
static bool is_channel_data(const uint8_t *d, uint32_t len, uint32_t wire) {
  if (len < 4) return false;
  uint32_t length = ct_be16(d + 2);
  return length + 4 <= wire && wire <= ((length + 3) & ~3u) + 4;
}

/* Where the DATA attribute (0x0013) of a Send or Data indication has its value; false without one.
 * | type 16 | length 16 | value, padded to 4 | for each attribute, after the 20-byte header
 * (RFC 8489 s14, RFC 8656 s11.4). An indication has three or four of them. */
static bool data_attribute(const uint8_t *d, uint32_t len, uint32_t wire, uint32_t *at, uint32_t *size) {
  uint32_t end = ct_min32(20u + ct_be16(d + 2), len), pos = 20;
  for (uint32_t n = 0; n < 16 && pos + 4 <= end; n++) {
    uint32_t length = ct_be16(d + pos + 2);
    if (ct_be16(d + pos) == 0x0013) {
      *at = pos + 4;
      *size = length;
      return *at + length <= wire;
    }
    pos += 4 + ((length + 3) & ~3u);
  }
  return false;
}

/* TURN carries media after a header of its own: 4 bytes of ChannelData, or an indication up to its
 * DATA attribute. What is inside is measured like any other; the rest of TURN is for TypeScript. */
static enum ct_class unwrap_turn(struct ct_packet *p) {
  const uint8_t *d = p->payload;
  uint32_t at = 4, size = 0;
  if (d[0] >> 6 == 1) {
    size = ct_be16(d + 2);
  } else if (ct_be16(d) != 0x0016 && ct_be16(d) != 0x0017) {
    return CT_CLS_STUN;
  } else if (!data_attribute(d, p->len, p->wire_len, &at, &size)) {
    return CT_CLS_STUN;
  }
  if (size == 0 || at >= p->len || d[at] >> 6 != 2) return CT_CLS_STUN;
  struct ct_packet inner = *p;
  inner.payload = d + at;
  inner.len = ct_min32(p->len - at, size);
  inner.wire_len = size;
  enum ct_class c = is_rtcp(&inner) ? CT_CLS_RTCP : is_rtp(&inner) ? CT_CLS_RTP : CT_CLS_STUN;
  if (c == CT_CLS_STUN) return c;
  inner.wrap = d;
  inner.wrap_len = at;
  inner.cls_flags |= CT_FLAG_RELAYED;
  *p = inner;
  return c;
}

/* | type 20-25 | version fe ff or fe fd | epoch 16 | sequence 48 | length 16 |   RFC 6347 s4.1 */
static bool is_dtls(const uint8_t *d, uint32_t len, uint32_t wire) {
  return len >= 13 && d[0] <= 25 && d[1] == 0xfe && (d[2] == 0xff || d[2] == 0xfd) &&
         ct_be16(d + 11) + 13u <= wire;
}

/* |0 0 0 1| unused 12 | sequence 16 | "ZRTP" | SSRC |   RFC 6189 s5 */
static bool is_zrtp(const uint8_t *d, uint32_t len) { return len >= 12 && ct_be32(d + 4) == 0x5a525450; }

/* HEP3, once EEP3: | magic 4 | total length 16 | chunks |. */
static bool is_hep3(const uint8_t *d, uint32_t len, uint32_t wire) {
  if (!STARTS(d, len, "HEP3") && !STARTS(d, len, "EEP3")) return false;
  return len >= 6 && ct_be16(d + 4) >= 6 && ct_be16(d + 4) <= wire;
}

/* HEP 1 and 2: | version | header length | family | protocol | source port | destination port |
 * addresses |; the length is 16 or 40 by the family. Version 2 puts 12 bytes of time after it. */
static bool is_hep1(const uint8_t *d, uint32_t len, uint32_t wire) {
  if (len < 16 || (d[0] != 1 && d[0] != 2)) return false;
  bool family = (d[2] == 2 && d[1] == 16) || (d[2] == 10 && d[1] == 40);
  bool protocol = d[3] == 6 || d[3] == 17 || d[3] == 132;
  return family && protocol && wire > d[1] + (d[0] == 2 ? 12u : 0u);
}

static enum ct_class content(const struct ct_packet *p) {
  const uint8_t *d = p->payload;
  uint32_t len = p->len, wire = p->wire_len;
  switch (d[0] >> 4) {
  case 0:
    if (d[0] < 4 && is_stun(d, len, wire)) return CT_CLS_STUN;
    return is_hep1(d, len, wire) ? CT_CLS_HEP : CT_CLS_OTHER;
  case 1:
    if (d[0] < 20) return is_zrtp(d, len) ? CT_CLS_ENCRYPTED : CT_CLS_OTHER;
    return is_dtls(d, len, wire) ? CT_CLS_ENCRYPTED : CT_CLS_OTHER;
  case 4:
    if (is_hep3(d, len, wire)) return CT_CLS_HEP;
    return is_channel_data(d, len, wire) ? CT_CLS_STUN : CT_CLS_OTHER;
  default: return CT_CLS_OTHER;
  }
}

bool ct_is_learned(const struct ct_packet *p, const struct ct_gate *g) {
  return g->learned != NULL && (ct_learned_has(g->learned, p->dst, p->dport, p->ip_version) ||
                                ct_learned_has(g->learned, p->src, p->sport, p->ip_version));
}

/* Of a datagram that looks like SIP outside the gate. A socket that nobody named gives nothing that is in doubt. */
static enum ct_class sip_elsewhere(const struct ct_packet *p, const struct ct_gate *g) {
  bool taken = (g->any_sip || ct_is_learned(p, g)) && ct_begins_sip(p->payload, p->len);
  if (taken) return CT_CLS_SIP;
  return g->any_sip ? CT_CLS_OTHER : CT_CLS_SIP_OUT;
}

static enum ct_class classify_udp(struct ct_packet *p, const struct ct_gate *g,
                                  const struct ct_decode_opts *o) {
  bool gate = ct_port_in(g->sip, p->dport) || ct_port_in(g->sip, p->sport);
  p->cls_flags = gate ? CT_FLAG_SIP_GATE : 0;
  if (p->len == 0) return gate && p->wire_len == 0 ? CT_CLS_KEEPALIVE : CT_CLS_OTHER;
  if (CT_LIKELY(p->payload[0] >> 6 == 2)) {
    if (is_rtcp(p)) return CT_CLS_RTCP;
    if (is_rtp(p)) return CT_CLS_RTP;
  } else if (ct_looks_sip(p->payload, p->len)) {
    p->cls_flags |= CT_FLAG_LOOKS_SIP;
    return gate ? CT_CLS_SIP : sip_elsewhere(p, g);
  } else {
    enum ct_class c = content(p);
    /* A HEP datagram carries a SIP message: without -E it must not be mistaken for one. */
    if (c == CT_CLS_HEP && !(o && o->hep)) return CT_CLS_OTHER;
    if (c == CT_CLS_STUN) return unwrap_turn(p);
    if (c != CT_CLS_OTHER) return c;
  }
  if (!gate) return CT_CLS_OTHER;
  if (p->len == p->wire_len && is_keepalive(p->payload, p->len)) return CT_CLS_KEEPALIVE;
  return worth_reading(p->payload, p->len) ? CT_CLS_SIP : CT_CLS_OTHER;
}

/* |F|R R R| opcode 4 |M| length 7 | 16 or 64 more bits of length | mask 4, when M | data |
 * RFC 6455 s5.2. True for a text or binary frame that begins with a SIP message (RFC 7118). */
static bool is_websocket_sip(const uint8_t *d, uint32_t len) {
  uint8_t text[256];
  if (len < 2 || (d[0] & 0x70) || ((d[0] & 15) != 1 && (d[0] & 15) != 2)) return false;
  bool masked = d[1] & 0x80;
  uint64_t length = d[1] & 0x7f;
  uint32_t at = 2;
  if (length == 126) {
    if (len < 4) return false;
    length = ct_be16(d + 2);
    at = 4;
  } else if (length == 127) {
    if (len < 10) return false;
    length = (uint64_t)ct_be32(d + 2) << 32 | ct_be32(d + 6);
    at = 10;
  }
  uint32_t data = at + (masked ? 4 : 0);
  if (len <= data) return false;
  uint32_t n = ct_min32(len - data, sizeof text);
  if (length < n) n = (uint32_t)length;
  for (uint32_t i = 0; i < n; i++) text[i] = masked ? d[data + i] ^ d[at + (i & 3)] : d[data + i];
  return ct_looks_sip(text, n);
}

static enum ct_class classify_tcp(struct ct_packet *p, const struct ct_gate *g) {
  bool sip = ct_port_in(g->sip, p->dport) || ct_port_in(g->sip, p->sport);
  bool ws = ct_port_in(g->ws, p->dport) || ct_port_in(g->ws, p->sport);
  p->cls_flags = (uint8_t)((sip ? CT_FLAG_SIP_GATE : 0) | (ws ? CT_FLAG_WS_GATE : 0));
  if (p->len == 0) {
    /* FIN, SYN and RST delimit the connection; a segment whose data was all cut off is a gap in it. */
    bool matters = (p->tcp_flags & 7) != 0 || p->wire_len != 0;
    return (sip || ws) && matters ? CT_CLS_TCP : CT_CLS_OTHER;
  }
  if (ct_looks_sip(p->payload, p->len)) p->cls_flags |= CT_FLAG_LOOKS_SIP;
  if (sip || ws) return CT_CLS_TCP;
  if (p->cls_flags & CT_FLAG_LOOKS_SIP) return g->any_sip ? CT_CLS_OTHER : CT_CLS_SIP_OUT;
  return is_websocket_sip(p->payload, p->len) ? CT_CLS_WS_OUT : CT_CLS_OTHER;
}

enum ct_class ct_classify(struct ct_packet *p, const struct ct_gate *g, const struct ct_decode_opts *o) {
  enum ct_class c = CT_CLS_OTHER;
  /* What the walk said of a message stays. */
  if (CT_LIKELY(!p->is_message)) p->cls_flags = 0;
  if (CT_LIKELY(p->proto == 17)) {
    c = classify_udp(p, g, o);
  } else if (p->proto == 6) {
    c = classify_tcp(p, g);
  } else if (p->is_message) {
    c = CT_CLS_SIP; /* whatever its port: the capture says so */
  } else if (p->proto == 1 || p->proto == 58) {
    c = CT_CLS_ICMP;
  }
  p->cls = (uint8_t)c;
  return c;
}
