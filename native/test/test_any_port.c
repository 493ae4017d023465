/* SPDX-License-Identifier: Apache-2.0
 * test_any_port.c - SIP on ports that nobody named: what is SIP beyond doubt, which sockets are learned, and which TCP
 * connections are taken.
 */
#include "core/record.h"
#include "decode/learned.h"
#include "decode_check.h"
#include "pipeline/sip_flows.h"

#define T(text) (const uint8_t *)(text), (uint32_t)sizeof(text) - 1
#define INVITE "INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.1\r\n\r\n"

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };

static struct ct_packet packet(uint8_t proto, uint16_t from, uint16_t to, const uint8_t *d, uint32_t n) {
  struct ct_packet p;
  memset(&p, 0, sizeof p);
  p.payload = d;
  p.len = p.wire_len = n;
  p.proto = proto;
  p.ip_version = 4;
  p.src[3] = 1;
  p.dst[3] = 2;
  p.sport = from;
  p.dport = to;
  return p;
}

/* ---- Beyond doubt ---- */

static void begins_sip(void) {
  static const char *const yes[] = {
      INVITE,
      "SIP/2.0 200 OK\r\n\r\n",
      "SIP/2.0 699\r\n",
      "SIP/2.0 100",
      "\r\n\r\nBYE sip:a@b SIP/2.0\r\n\r\n",
      "OPTIONS sip:a SIP/2.0\nVia: x\n\n",
      "NEWMETHOD urn:service:sos SIP/2.0\r\n",
      "INVITE sip:a@b; lr SIP/2.0 \r\n", /* spaces that should not be there are no other protocol */
      "INVITE sip:a",                    /* cut before its version */
      "REGISTER tel:+1",
  };
  static const char *const no[] = {
      "",
      "SIP/2.0 799 Nobody\r\n",
      "SIP/2.0 099 Nobody\r\n",
      "SIP/2.0 2000\r\n",
      "x y SIP/2.0\n",
      "INVITE : SIP/2.0\r\n",
      "INVITE sip: SIP/2.0\r\n",
      "INVITE 1sip:a SIP/2.0\r\n",
      "GET /sip:a SIP/2.0\r\n",
      "INVITE sip:a SIP/2.0 and more\r\n",
      "INVITE sip:a SIP/2.01\r\n",
      "INVITE http:a", /* cut, and no URI of SIP alone */
      "FETCH sip:a",
      "POST /?u=sip:a HTTP/1.1\r\n\r\nINVITE sip:a SIP/2.0\r\n",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa sip:a SIP/2.0\r\n",
      "\x80INVITE sip:a SIP/2.0\r\n",
  };
  for (size_t i = 0; i < COUNT(yes) + COUNT(no); i++) {
    bool begins = i < COUNT(yes);
    subject = begins ? yes[i] : no[i - COUNT(yes)];
    uint32_t n = (uint32_t)strlen(subject);
    uint8_t *d = exact_copy((const uint8_t *)subject, n);
    CHECK_EQ(ct_begins_sip(d, n), begins);
    free(d);
    for (uint32_t cut = 0; cut < n; cut++) {
      d = exact_copy((const uint8_t *)subject, cut);
      CHECK(!ct_begins_sip(d, cut) || ct_looks_sip(d, cut));
      free(d);
    }
  }
}

/* From every port SIP is taken, and what looks like it is nothing: neither counted nor read. */
static void any_port(void) {
  static const struct {
    const char *what;
    uint8_t proto;
    uint16_t port;
    const uint8_t *d;
    uint32_t n;
    enum ct_class class;
  } rows[] = {
      {"request", 17, 5080, T(INVITE), CT_CLS_SIP},
      {"request on a low port", 17, 53, T(INVITE), CT_CLS_SIP},
      {"look-alike", 17, 5080, T("x y SIP/2.0\n"), CT_CLS_OTHER},
      {"look-alike in the gate", 17, 5060, T("x y SIP/2.0\n"), CT_CLS_SIP},
      {"keep-alive", 17, 5080, T("\r\n\r\n"), CT_CLS_OTHER},
      {"damaged", 17, 5080, T("\x01\x02 sip:a@b from a prefix"), CT_CLS_OTHER},
      {"RTP", 17, 5080, T("\x80\x00\x00\x01\x00\x00\x00\xa0\x12\x34\x56\x78sip:a SIP/2.0"), CT_CLS_RTP},
      {"TCP, left to its connection", 6, 5080, T(INVITE), CT_CLS_OTHER},
      {"TCP in the gate", 6, 5060, T(INVITE), CT_CLS_TCP},
      {"WebSocket keeps its gate", 6, 5080, T("\x81\x14SIP/2.0 200 OK\r\n\r\n.."), CT_CLS_WS_OUT},
  };
  static struct ct_gate gate;
  gate.any_sip = true;
  gate.sip[5060 >> 6] |= UINT64_C(1) << (5060 & 63);
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct ct_packet p = packet(rows[i].proto, 40000, rows[i].port, rows[i].d, rows[i].n);
    subject = rows[i].what;
    CHECK_EQ(ct_classify(&p, &gate, NULL), rows[i].class);
  }
}

/* ---- Learned sockets ---- */

static struct ct_learned_key key(uint8_t last, uint16_t port, uint16_t version) {
  struct ct_learned_key k = {.ip_version = version, .port = (uint16_t)(port << 8 | port >> 8)};
  k.addr[3] = last;
  return k;
}

static void learned_sockets(void) {
  static struct ct_learned learned;
  static struct ct_gate gate;
  gate.learned = &learned;
  struct ct_packet asked = packet(17, 40000, 5080, T(INVITE)), other = packet(17, 40000, 5081, T(INVITE));
  struct ct_packet answered = packet(17, 5080, 40000, T("SIP/2.0 200 OK\r\n\r\n"));
  answered.src[3] = 2;
  answered.dst[3] = 1;
  subject = "nothing is learned";
  CHECK_EQ(ct_classify(&asked, &gate, NULL), CT_CLS_SIP_OUT);
  struct ct_learned_key all[CT_LEARNED_MAX + 1] = {key(2, 5080, 4)};
  ct_learned_set(&learned, all, 1);
  subject = "either end";
  CHECK_EQ(ct_classify(&asked, &gate, NULL), CT_CLS_SIP);
  CHECK_EQ(ct_classify(&answered, &gate, NULL), CT_CLS_SIP);
  CHECK_EQ(ct_classify(&other, &gate, NULL), CT_CLS_SIP_OUT);
  struct ct_packet tcp = packet(6, 40000, 5080, T(INVITE));
  CHECK_EQ(ct_classify(&tcp, &gate, NULL), CT_CLS_SIP_OUT); /* left to its connection */
  CHECK(ct_is_learned(&tcp, &gate) && !ct_is_learned(&other, &gate));
  subject = "nothing in doubt";
  struct ct_packet doubt = packet(17, 40000, 5080, T("x y SIP/2.0\n"));
  CHECK_EQ(ct_classify(&doubt, &gate, NULL), CT_CLS_SIP_OUT);
  subject = "the same port elsewhere";
  asked.dst[3] = 3;
  CHECK_EQ(ct_classify(&asked, &gate, NULL), CT_CLS_SIP_OUT);
  subject = "the same bytes as an address of IPv6";
  asked.dst[3] = 2;
  asked.ip_version = 6;
  CHECK_EQ(ct_classify(&asked, &gate, NULL), CT_CLS_SIP_OUT);
  asked.ip_version = 4;
  subject = "as many as there is room for";
  for (uint32_t i = 0; i <= CT_LEARNED_MAX; i++)
    all[i] = key((uint8_t)i, (uint16_t)(6000 + i), i % 2 ? 6 : 4);
  ct_learned_set(&learned, all, CT_LEARNED_MAX + 1);
  for (uint32_t i = 0; i <= CT_LEARNED_MAX; i++)
    CHECK_EQ(ct_learned_has(&learned, all[i].addr, (uint16_t)(6000 + i), (uint8_t)all[i].ip_version),
             i < CT_LEARNED_MAX);
  CHECK(!ct_learned_port(&learned, 5080));
  CHECK_EQ(ct_classify(&asked, &gate, NULL), CT_CLS_SIP_OUT);
  subject = "one goes, one comes";
  all[7] = key(2, 5080, 4);
  ct_learned_set(&learned, all, CT_LEARNED_MAX);
  CHECK(!ct_learned_has(&learned, (const uint8_t[16]){0, 0, 0, 7}, 6007, 6));
  CHECK_EQ(ct_classify(&asked, &gate, NULL), CT_CLS_SIP);
  for (uint32_t i = 0; i < CT_LEARNED_MAX; i++)
    CHECK(ct_learned_has(&learned, all[i].addr, i == 7 ? 5080 : (uint16_t)(6000 + i),
                         (uint8_t)all[i].ip_version));
}

/* ---- Connections ---- */

struct segment {
  bool back; /* from the one that was called */
  uint8_t flags;
  uint32_t seq;
  const uint8_t *d;
  uint32_t n;
  bool taken;
};

#define DATA(text) ACK, 101, T(text)

static void connections(void) {
  enum { MOST = 8 };
  static const struct {
    const char *what;
    struct segment s[MOST];
  } rows[] = {
      {"from its begin",
       {{false, SYN, 100, T(""), false},
        {true, SYN | ACK, 500, T(""), false},
        {false, ACK, 101, T(""), false},
        {false, DATA(INVITE), true},
        {true, ACK, 501, T("SIP/2.0 100 Trying\r\n\r\n"), true},
        {false, ACK, 168, T("the rest of something"), true},
        {false, FIN | ACK, 190, T(""), true}}},
      {"joined late",
       {{false, ACK, 7, T("Content-Length: 0\r\n\r\n"), false}, {false, ACK, 26, T(INVITE), true}}},
      {"keep-alives in front",
       {{false, SYN, 100, T(""), false},
        {false, DATA("\r\n\r\n"), false},
        {false, ACK, 105, T(INVITE), true}}},
      {"behind a load balancer",
       {{false, SYN, 100, T(""), false},
        {false, DATA("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n"), false},
        {false, ACK, 133, T(INVITE), true}}},
      {"SIP in the body of HTTP",
       {{false, SYN, 100, T(""), false},
        {false, DATA("POST /trace HTTP/1.1\r\n\r\n"), false},
        {false, ACK, 125, T(INVITE), false},
        {true, ACK, 501, T("SIP/2.0 200 OK\r\n\r\n"), false},
        {false, FIN | ACK, 200, T(""), false}}},
      {"the same, joined late",
       {{true, ACK, 9, T("HTTP/1.1 200 OK\r\n\r\n"), false}, {true, ACK, 28, T(INVITE), false}}},
      {"behind TLS",
       {{false, ACK, 9, T("\x17\x03\x03\x00\x05zzzzz"), false}, {false, ACK, 19, T(INVITE), false}}},
      {"behind a banner",
       {{false, SYN, 100, T(""), false},
        {true, SYN | ACK, 500, T(""), false},
        {true, ACK, 501, T("220 ftp\r\n"), false},
        {false, ACK, 101, T(INVITE), false}}},
      {"the ends are used again",
       {{false, ACK, 101, T(INVITE), true},
        {false, SYN, 900, T(""), true},
        {false, ACK, 901, T("GET / HTTP/1.0\r\n\r\n"), false},
        {false, ACK, 919, T(INVITE), false},
        {false, SYN, 70, T(""), false},
        {false, ACK, 71, T(INVITE), true}}},
      {"after a reset",
       {{false, ACK, 101, T(INVITE), true},
        {true, RST, 501, T(""), true},
        {false, ACK, 168, T("the rest of something"), false},
        {false, ACK, 190, T(INVITE), true}}},
      {"data with the SYN", {{false, SYN, 100, T(INVITE), true}, {false, ACK, 168, T("more"), true}}},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct ct_sip_flows *f = ct_sip_flows_create((const uint64_t[2]){1, 2});
    CHECK(f != NULL);
    subject = rows[i].what;
    for (uint32_t k = 0; k < MOST && rows[i].s[k].d != NULL; k++) {
      const struct segment *s = &rows[i].s[k];
      uint8_t *d = exact_copy(s->d, s->n);
      struct ct_packet p = packet(6, s->back ? 8088 : 40000, s->back ? 40000 : 8088, d, s->n);
      if (s->back) p.src[3] = 2, p.dst[3] = 1;
      p.tcp_flags = s->flags;
      p.tcp_seq = s->seq;
      if (ct_sip_flows_take(f, &p) != s->taken) {
        printf("segment %u\n", k);
        CHECK(false);
      }
      free(d);
    }
    ct_sip_flows_free(f);
  }
}

/* As many connections as there are: none that carries SIP gives way to those that do not. */
static void many_connections(void) {
  struct ct_sip_flows *f = ct_sip_flows_create((const uint64_t[2]){3, 4});
  CHECK(f != NULL);
  subject = "many connections";
  struct ct_packet sip = packet(6, 40000, 5080, T(INVITE));
  CHECK(ct_sip_flows_take(f, &sip));
  struct ct_packet other = packet(6, 1, 80, T(""));
  other.tcp_flags = SYN;
  for (uint32_t i = 0; i < 8 * CT_SIP_FLOWS; i++) {
    memcpy(other.src, &i, sizeof i);
    CHECK(!ct_sip_flows_take(f, &other));
  }
  struct ct_packet rest = packet(6, 40000, 5080, T("the rest of something"));
  CHECK(ct_sip_flows_take(f, &rest));
  subject = "an acknowledgement alone";
  struct ct_packet ack = packet(6, 40000, 5080, T(""));
  ack.tcp_flags = ACK;
  CHECK(!ct_sip_flows_take(f, &ack));
  subject = "data that the capture cut off";
  ack.wire_len = 9;
  CHECK(ct_sip_flows_take(f, &ack));
  ct_sip_flows_free(f);
}

int main(void) {
  begins_sip();
  any_port();
  learned_sockets();
  connections();
  many_connections();
  return report("test_any_port");
}
