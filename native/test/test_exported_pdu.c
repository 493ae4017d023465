/* SPDX-License-Identifier: Apache-2.0
 * test_exported_pdu.c - messages without a frame are read as they were put, whole, cut at every length and damaged, and
 * nothing else is taken for one.
 */
#include "core/exported_pdu.h"
#include "core/record.h"
#include "decode_check.h"

#define SIP "OPTIONS sip:a@b SIP/2.0\r\n\r\n"
#define N_SIP ((uint32_t)sizeof SIP - 1)
static const uint8_t src[16] = {192, 0, 2, 1, 5, 6, 7, 8, 9}, dst[16] = {198, 51, 100, 2, 6, 7, 8, 9};

static enum ct_reason decode(struct ct_packet *p, const uint8_t *d, uint32_t n, uint32_t link) {
  memset(p, 0xa5, sizeof *p); /* whatever the decoder does not set shows */
  p->frame = d;
  p->caplen = p->wirelen = n;
  p->vlan = 0;
  enum ct_reason r = ct_decode_frame(p, link, NULL);
  check_promises(p, r, d, n);
  return r;
}

static uint32_t put(uint8_t *out, const struct ct_pdu *pdu) {
  uint32_t tags = ct_pdu_put(out, pdu);
  CHECK(tags <= CT_PDU_TAGS);
  memcpy(out + tags, SIP, N_SIP);
  return tags;
}

static void check(const struct ct_packet *p, const struct ct_pdu *pdu, uint32_t len) {
  static struct ct_gate none;
  struct ct_packet classified = *p;
  const uint32_t size = pdu->version == 6 ? 16 : pdu->version;
  CHECK_EQ(p->is_message, true);
  CHECK_EQ(p->ip_version, pdu->version);
  CHECK_EQ(p->proto, 0);
  CHECK_EQ(memcmp(p->src, src, size), 0);
  CHECK_EQ(memcmp(p->dst, dst, size), 0);
  for (uint32_t i = size; i < 16; i++) CHECK_EQ(p->src[i] | p->dst[i], 0);
  CHECK_EQ(p->sport, pdu->version == 0 ? 0 : pdu->src_port);
  CHECK_EQ(p->dport, pdu->version == 0 ? 0 : pdu->dst_port);
  CHECK_EQ(p->transport, pdu->transport);
  CHECK_EQ(p->origin, pdu->origin);
  CHECK_EQ(p->len, len);
  CHECK_EQ(p->wire_len, len + pdu->is_cut);
  CHECK_EQ(memcmp(p->payload, SIP, len), 0);
  /* No port is in the gate. */
  CHECK_EQ(ct_classify(&classified, &none, NULL), CT_CLS_SIP);
  CHECK_EQ(classified.cls_flags, pdu->is_weak ? CT_FLAG_WEAK : 0);
}

/* Every kind, whole and cut at every length. */
static void round_trips(void) {
  uint8_t out[CT_PDU_TAGS + N_SIP];
  struct ct_packet p;
  for (uint32_t i = 0; i < 3 * CT_TRANSPORTS * 3 * 4; i++) {
    const uint32_t kind = i / 4;
    const struct ct_pdu pdu = {src,
                               dst,
                               40000,
                               65535,
                               (uint8_t[]){4, 6, 0}[kind % 3],
                               (uint8_t)(kind / 3 % CT_TRANSPORTS),
                               (uint8_t)(kind / 3 / CT_TRANSPORTS),
                               (i & 1) != 0,
                               (i & 2) != 0};
    const uint32_t tags = put(out, &pdu);
    for (uint32_t n = 0; n <= tags + N_SIP; n++) {
      uint8_t *d = exact_copy(out, n);
      enum ct_reason r = decode(&p, d, n, CT_PDU_LINK);
      CHECK_EQ(r, n < tags ? CT_R_LINK_SHORT : CT_OK);
      if (r == CT_OK) check(&p, &pdu, n - tags);
      free(d);
    }
  }
}

/* Tags of other programs, and ones that cannot be. */
#define TAG(type, len) 0, type, 0, len
#define NAMED TAG(12, 4), 's', 'i', 'p', 0
#define FROM TAG(20, 4), 10, 0, 0, 1
#define TO TAG(21, 4), 10, 0, 0, 2
#define END TAG(0, 0)
#define ROW(...) .d = (const uint8_t[]){__VA_ARGS__}, .n = sizeof((const uint8_t[]){__VA_ARGS__})

static const struct {
  const char *name;
  const uint8_t *d;
  uint32_t n;
  enum ct_reason reason;
  uint8_t version, transport, origin;
} rows[] = {
    {"no address", ROW(NAMED, END), CT_OK, 0, CT_OVER_UDP, 0},
    {"without the zero", ROW(TAG(12, 3), 's', 'i', 'p', END), CT_OK, 0, CT_OVER_UDP, 0},
    {"Wireshark by TCP", ROW(NAMED, FROM, TO, TAG(24, 4), 0, 0, 0, 2, TAG(30, 4), 0, 0, 0, 9, END), CT_OK, 4,
     CT_OVER_TCP, 0},
    {"its column", ROW(NAMED, FROM, TO, TAG(24, 4), 0, 0, 0, 3, TAG(33, 4), 'S', 'I', 'P', 0, END), CT_OK, 4,
     CT_OVER_UDP, 0},
    {"one address", ROW(NAMED, FROM, TAG(25, 4), 0, 0, 19, 196, END), CT_OK, 0, CT_OVER_UDP, 0},
    {"an origin", ROW(NAMED, TAG(33, 10), 'S', 'I', 'P', '/', 'W', 'S', ' ', 'h', 'e', 'p', END), CT_OK, 0,
     CT_OVER_WS, CT_ORIGIN_HEP},
    {"no such transport", ROW(NAMED, TAG(33, 10), 'S', 'I', 'P', '/', 'W', 'X', ' ', 'h', 'e', 'p', END),
     CT_OK, 0, CT_OVER_UDP, 0},
    {"no such origin", ROW(NAMED, TAG(33, 11), 'S', 'I', 'P', '/', 'W', 'S', ' ', 'h', 'e', 'p', '2', END),
     CT_OK, 0, CT_OVER_UDP, 0},
    {"more words", ROW(NAMED, TAG(33, 12), 'S', 'I', 'P', '/', 'W', 'S', ' ', 'h', 'e', 'p', ' ', 'x', END),
     CT_OK, 0, CT_OVER_UDP, 0},
    {"another dissector", ROW(TAG(12, 8), 's', 'i', 'p', 'f', 'r', 'a', 'g', 0, END), CT_R_PROTO_OTHER, 0, 0,
     0},
    {"no dissector", ROW(FROM, TO, END), CT_R_PROTO_OTHER, 0, 0, 0},
    {"no end", ROW(NAMED, FROM, TO), CT_R_LINK_SHORT, 0, 0, 0},
    {"a tag beyond the packet", ROW(TAG(12, 9), 's', 'i', 'p', 0, END), CT_R_LINK_SHORT, 0, 0, 0},
    {"a short address", ROW(NAMED, TAG(20, 3), 10, 0, 0, END), CT_R_PDU_BAD, 0, 0, 0},
    {"a long address", ROW(NAMED, TAG(22, 4), 10, 0, 0, 1, END), CT_R_PDU_BAD, 0, 0, 0},
    {"a short port", ROW(NAMED, TAG(25, 2), 19, 196, END), CT_R_PDU_BAD, 0, 0, 0},
    {"a port too large", ROW(NAMED, TAG(26, 4), 0, 1, 0, 0, END), CT_R_PDU_BAD, 0, 0, 0},
};

static void others(void) {
  for (uint32_t i = 0; i < COUNT(rows); i++) {
    struct ct_packet p;
    uint8_t *d = exact_copy(rows[i].d, rows[i].n);
    subject = rows[i].name;
    enum ct_reason r = decode(&p, d, rows[i].n, CT_PDU_LINK);
    CHECK_EQ(r, rows[i].reason);
    if (r == CT_OK) {
      CHECK_EQ(p.ip_version, rows[i].version);
      CHECK_EQ(p.transport, rows[i].transport);
      CHECK_EQ(p.origin, rows[i].origin);
      CHECK_EQ(p.sport, 0);
    }
    free(d);
  }
  subject = "";
}

/* On any other link type the same bytes are no message, and neither are they behind the header of macOS. */
static void other_links(void) {
  uint8_t out[20 + CT_PDU_TAGS + N_SIP] = {20, 0, 0, 0, 1, 0, 0, 0, CT_PDU_LINK};
  const struct ct_pdu pdu = {src, dst, 1, 2, 4, CT_OVER_TLS, CT_ORIGIN_UPROBE, false, false};
  struct ct_packet p;
  const uint32_t n = put(out + 20, &pdu) + N_SIP;
  for (uint32_t link = 0; link < 300; link++) {
    if (link == CT_PDU_LINK) continue;
    decode(&p, out + 20, n, link);
    CHECK_EQ(p.is_message, false);
  }
  CHECK_EQ(decode(&p, out, 20 + n, 258), CT_R_LINK_UNKNOWN);
  CHECK_EQ(p.is_message, false);
}

static void damage(void) {
  uint8_t out[CT_PDU_TAGS + N_SIP];
  const struct ct_pdu pdu = {src, dst, 1, 2, 6, CT_OVER_WSS, CT_ORIGIN_UPROBE, true, true};
  struct ct_packet p;
  const uint32_t n = put(out, &pdu) + N_SIP;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t value = 0; value < 256; value++) {
      uint8_t *d = exact_copy(out, n);
      d[i] = (uint8_t)value;
      decode(&p, d, n, CT_PDU_LINK);
      free(d);
    }
  }
}

int main(int argc, char **argv) {
  uint8_t out[CT_PDU_TAGS + N_SIP];
  if (argc == 3 && strcmp(argv[1], "--corpus") == 0) {
    static const uint8_t head[3] = {CT_PDU_LINK};
    const struct ct_pdu pdu = {src, dst, 40000, 5061, 4, CT_OVER_TLS, CT_ORIGIN_UPROBE, true, true};
    write_seed(argv[2], "exported-pdu", head, sizeof head, out, put(out, &pdu) + N_SIP);
    return 0;
  }
  round_trips();
  others();
  other_links();
  damage();
  return report("test_exported_pdu");
}
