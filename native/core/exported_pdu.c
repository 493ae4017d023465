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
  uint8_t padded[32] = {0};
  uint32_t len = (uint32_t)strlen(text);
  memcpy(padded, text, len);
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
