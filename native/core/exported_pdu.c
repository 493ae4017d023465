/* SPDX-License-Identifier: Apache-2.0
 * exported_pdu.c - see exported_pdu.h.
 */
#include "core/exported_pdu.h"
#include "core/datagram.h"
#include "core/record.h"
#include <stdio.h>
#include <string.h>

enum tag {
  TAG_END = 0,
  TAG_DISSECTOR = 12,
  TAG_IPV4_SRC = 20,
  TAG_IPV4_DST = 21,
  TAG_IPV6_SRC = 22,
  TAG_IPV6_DST = 23,
  TAG_PORT_TYPE = 24,
  TAG_SRC_PORT = 25,
  TAG_DST_PORT = 26,
  TAG_COLUMN = 33,
};
enum port_type { PORT_TCP = 2, PORT_UDP = 3 };

static const char DISSECTOR[] = "sip", COLUMN[] = "SIP/", WEAK[] = " weak", CUT[] = " cut";
static const char *const TRANSPORT[CT_TRANSPORTS] = {"UDP", "TCP", "WS", "TLS", "WSS"};
static const char *const ORIGIN[] = {"wire", "hep", "uprobe"};
#define ORIGINS ((uint32_t)(sizeof ORIGIN / sizeof *ORIGIN))
_Static_assert(CT_ORIGIN_WIRE == 0 && CT_ORIGIN_HEP == 1 && CT_ORIGIN_UPROBE == 2 && ORIGINS == 3,
               "a name each");

static uint8_t *put_tag(uint8_t *at, enum tag tag, const void *value, uint32_t len) {
  ct_put16(at, tag);
  ct_put16(at + 2, len);
  if (len > 0) memcpy(at + 4, value, len);
  return at + 4 + len;
}

/* A text is padded with zeros to a multiple of four; its length counts them, and one of them ends it. */
static uint8_t *put_text(uint8_t *at, enum tag tag, const char *text) {
  char padded[32] = {0};
  uint32_t len = (uint32_t)snprintf(padded, sizeof padded, "%s", text);
  return put_tag(at, tag, padded, (len + 4) & ~3u);
}

static uint8_t *put_number(uint8_t *at, enum tag tag, uint32_t number) {
  uint8_t value[4] = {0, 0, (uint8_t)(number >> 8), (uint8_t)number};
  return put_tag(at, tag, value, sizeof value);
}

uint32_t ct_pdu_put(uint8_t *out, const struct ct_pdu *pdu) {
  const uint32_t transport = pdu->transport < CT_TRANSPORTS ? pdu->transport : CT_OVER_UDP;
  const bool is_six = pdu->version == 6;
  const char *origin = ORIGIN[pdu->origin < ORIGINS ? pdu->origin : CT_ORIGIN_WIRE];
  char column[28];
  snprintf(column, sizeof column, "%s%s %s%s%s", COLUMN, TRANSPORT[transport], origin,
           pdu->is_weak ? WEAK : "", pdu->is_cut ? CUT : "");
  uint8_t *at = put_text(out, TAG_DISSECTOR, DISSECTOR);
  if (pdu->version != 0) {
    at = put_tag(at, is_six ? TAG_IPV6_SRC : TAG_IPV4_SRC, pdu->src, is_six ? 16 : 4);
    at = put_tag(at, is_six ? TAG_IPV6_DST : TAG_IPV4_DST, pdu->dst, is_six ? 16 : 4);
  }
  at = put_number(at, TAG_PORT_TYPE, transport == CT_OVER_UDP ? PORT_UDP : PORT_TCP);
  at = put_number(at, TAG_SRC_PORT, pdu->src_port);
  at = put_number(at, TAG_DST_PORT, pdu->dst_port);
  at = put_text(at, TAG_COLUMN, column);
  return (uint32_t)(put_tag(at, TAG_END, NULL, 0) - out);
}

/* ---- reading ---- */

static uint32_t get16(const uint8_t *d) { return (uint32_t)d[0] << 8 | d[1]; }

/* The rest of a text. */
struct text {
  const uint8_t *d;
  uint32_t len;
};

static bool take(struct text *t, const char *word) {
  const uint32_t n = (uint32_t)strlen(word);
  if (t->d == NULL || t->len < n || memcmp(t->d, word, n) != 0) return false;
  t->d += n;
  t->len -= n;
  return true;
}

/* The number of the name that stands before a blank or the end; `n` for another one. */
static uint32_t take_name(struct text *t, const char *const *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    struct text rest = *t;
    if (!take(&rest, names[i]) || (rest.len > 0 && rest.d[0] != ' ')) continue;
    *t = rest;
    return i;
  }
  return n;
}

static void read_column(struct ct_pdu *pdu, struct text t) {
  while (t.len > 0 && t.d[t.len - 1] == 0) t.len--;
  if (!take(&t, COLUMN)) return;
  const uint32_t transport = take_name(&t, TRANSPORT, CT_TRANSPORTS);
  if (transport == CT_TRANSPORTS || !take(&t, " ")) return;
  const uint32_t origin = take_name(&t, ORIGIN, ORIGINS);
  const bool is_weak = take(&t, WEAK), is_cut = take(&t, CUT);
  if (origin == ORIGINS || t.len > 0) return;
  pdu->transport = (uint8_t)transport;
  pdu->origin = (uint8_t)origin;
  pdu->is_weak = is_weak;
  pdu->is_cut = is_cut;
}

/* What the tags held; addresses and the column mean something only together or after the rest. */
struct tags {
  const uint8_t *address[4]; /* from TAG_IPV4_SRC on */
  struct text column;
  uint32_t port_type, ports[2];
  bool is_sip;
};

/* False when the length is none for the tag. */
static bool read_tag(struct tags *t, uint32_t tag, const uint8_t *value, uint32_t len) {
  switch (tag) {
  case TAG_DISSECTOR: {
    struct text name = {value, len};
    t->is_sip = take(&name, DISSECTOR) && (name.len == 0 || name.d[0] == 0);
    return true;
  }
  case TAG_IPV4_SRC:
  case TAG_IPV4_DST:
  case TAG_IPV6_SRC:
  case TAG_IPV6_DST: t->address[tag - TAG_IPV4_SRC] = value; return len == (tag < TAG_IPV6_SRC ? 4 : 16);
  case TAG_PORT_TYPE:
  case TAG_SRC_PORT:
  case TAG_DST_PORT: {
    if (len != 4) return false;
    uint32_t number = get16(value) << 16 | get16(value + 2);
    if (tag == TAG_PORT_TYPE)
      t->port_type = number;
    else
      t->ports[tag - TAG_SRC_PORT] = number;
    return tag == TAG_PORT_TYPE || number <= UINT16_MAX;
  }
  case TAG_COLUMN: t->column = (struct text){value, len}; return true;
  default: return true;
  }
}

enum ct_pdu_status ct_pdu_read(struct ct_pdu *pdu, const uint8_t *d, uint32_t len, uint32_t *tags) {
  struct tags t = {0};
  uint32_t at = 0, tag, size;
  do {
    if (len - at < 4) return CT_PDU_SHORT;
    tag = get16(d + at);
    size = get16(d + at + 2);
    at += 4;
    if (size > len - at) return CT_PDU_SHORT;
    if (!read_tag(&t, tag, d + at, size)) return CT_PDU_BAD;
    at += size;
  } while (tag != TAG_END);
  if (!t.is_sip) return CT_PDU_OTHER;
  *tags = at;
  *pdu = (struct ct_pdu){.transport = t.port_type == PORT_TCP ? CT_OVER_TCP : CT_OVER_UDP};
  for (uint32_t i = 0; i < 4; i += 2) {
    if (t.address[i] == NULL || t.address[i + 1] == NULL) continue;
    pdu->version = i == 0 ? 4 : 6;
    pdu->src = t.address[i];
    pdu->dst = t.address[i + 1];
    pdu->src_port = (uint16_t)t.ports[0];
    pdu->dst_port = (uint16_t)t.ports[1];
  }
  read_column(pdu, t.column);
  return CT_PDU_OK;
}
