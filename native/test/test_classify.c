/* SPDX-License-Identifier: Apache-2.0
 * test_classify.c - payloads by content and by gate, each cut at every byte.
 *
 * With --corpus DIR it writes the payloads as seeds for fuzz_classify instead.
 */
#include "core/record.h"
#include "decode_check.h"

#define T(text) (const uint8_t *)(text), sizeof(text) - 1
#define COOKIE "\x21\x12\xa4\x42"
#define ID12 "abcdefghijkl"
#define RTP12 "\x00\x01\x00\x00\x00\xa0\x12\x34\x56\x78" /* after V, P, X, CC and PT */
#define INVITE "INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.1\r\n\r\n"

static struct ct_gate gate, everything;

struct row {
  const char *name;
  const uint8_t *d;
  size_t n;
  enum ct_class in, out; /* class on a gate port, and outside */
};
static const struct row udp_rows[] = {
    {"request", T(INVITE), CT_CLS_SIP, CT_CLS_SIP_OUT},
    {"response", T("SIP/2.0 200 OK\r\n\r\n"), CT_CLS_SIP, CT_CLS_SIP_OUT},
    {"leading CRLF", T("\r\n\r\nBYE sip:a@b SIP/2.0\r\n\r\n"), CT_CLS_SIP, CT_CLS_SIP_OUT},
    {"unknown method", T("NEWMETHOD!~ sip:a SIP/2.0\r\n\r\n"), CT_CLS_SIP, CT_CLS_SIP_OUT},
    {"bare LF", T("OPTIONS sip:a SIP/2.0\nVia: x\n\n"), CT_CLS_SIP, CT_CLS_SIP_OUT},
    {"spaces in the URI", T("INVITE sip:a@b; lr SIP/2.0 \r\n\r\n"), CT_CLS_SIP, CT_CLS_SIP_OUT},
    {"bad version", T("OPTIONS sip:a SIP/7.0\r\n\r\n"), CT_CLS_SIP, CT_CLS_OTHER},
    {"bad code", T("SIP/2.0 OK 200\r\n\r\n"), CT_CLS_SIP, CT_CLS_OTHER},
    {"no method", T(" sip:a SIP/2.0\r\n\r\n"), CT_CLS_SIP, CT_CLS_OTHER},
    {"CRLF then text", T("\r\n\x01\x02\x03\x04\x05\x06\x07"), CT_CLS_SIP, CT_CLS_OTHER},
    {"byte order mark", T("\xef\xbb\xbfINVITE sip:a SIP/2.0\r\n\r\n"), CT_CLS_SIP, CT_CLS_OTHER},
    {"junk in front", T("\x00\x00\x07\x1b\x00\x01\x02\x03\x04\x05INVITE sip:a SIP/2.0\r\n"), CT_CLS_SIP,
     CT_CLS_OTHER},
    {"SSDP", T("M-SEARCH * HTTP/1.1\r\nHost: 239.255.255.250:1900\r\n\r\n"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"MGCP", T("RSIP 1 aaln/*@gw MGCP 1.0\r\nRM: restart\r\n\r\n"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"rest of a description", T("P 0 8\r\na=sendrecv\r\n"), CT_CLS_SIP, CT_CLS_OTHER},
    {"description alone", T("v=0\r\no=- 1 1\r\n"), CT_CLS_SIP, CT_CLS_OTHER},
    {"DNS",
     T("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x07"
       "example\x03"
       "com\x00\x00\x01\x00\x01"),
     CT_CLS_OTHER, CT_CLS_OTHER},
    {"NTP", T("\x23\x02\x06\xe8\x00\x00\x0b\x1c\x00\x00\x0d\x26\x0a\x0b\x0c\x0d\x00\x00\x00\x00"),
     CT_CLS_OTHER, CT_CLS_OTHER},
    {"DHCP", T("\x01\x01\x06\x00\x39\x03\xf3\x26\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
     CT_CLS_OTHER, CT_CLS_OTHER},
    {"CRLF CRLF", T("\r\n\r\n"), CT_CLS_KEEPALIVE, CT_CLS_OTHER},
    {"empty", T(""), CT_CLS_KEEPALIVE, CT_CLS_OTHER},
    {"zeros", T("\0\0\0\0"), CT_CLS_KEEPALIVE, CT_CLS_OTHER},
    {"jaK", T("jaK"), CT_CLS_KEEPALIVE, CT_CLS_OTHER},
    {"ten CR", T("\r\r\r\r\r\r\r\r\r\r"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"other text", T("<134>kernel: DROP IN=ppp0 OUT= SRC=192.0.2.1"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"two bytes of junk", T("\x01\x02 sip:a@b from a prefix"), CT_CLS_SIP, CT_CLS_OTHER},
    {"three bytes of junk", T("\x05\x06\x07 sip:a@b from a prefix"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"lower case", T(" invite sip/2.0 x\r\n"), CT_CLS_SIP, CT_CLS_OTHER},
    {"short text", T("hi there"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"RTP", T("\x80\x00" RTP12 "audio"), CT_CLS_RTP, CT_CLS_RTP},
    {"RTP header only", T("\x80\xe5" RTP12), CT_CLS_RTP, CT_CLS_RTP},
    {"RTP with CSRC", T("\x82\x08" RTP12 "12345678a"), CT_CLS_RTP, CT_CLS_RTP},
    {"RTP with CSRC beyond", T("\x8f\x08" RTP12 "12345678a"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"RTP with extension", T("\x90\x6f" RTP12 "\xbe\xde\x00\x01zzzza"), CT_CLS_RTP, CT_CLS_RTP},
    {"RTP with extension beyond", T("\x90\x6f" RTP12 "\xbe\xde\x00\x02zzzza"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"RTP with extension cut", T("\x90\x6f" RTP12 "\xbe\xde\x00"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"RTCP SR", T("\x80\xc8\x00\x06ttttssssrrrrqqqqppppoooo"), CT_CLS_RTCP, CT_CLS_RTCP},
    {"RTCP RR, empty", T("\x80\xc9\x00\x01zzzz"), CT_CLS_RTCP, CT_CLS_RTCP},
    {"RTCP, last type", T("\x80\xdf\x00\x01zzzz"), CT_CLS_RTCP, CT_CLS_RTCP},
    {"RTCP, past the last type", T("\x80\xe0\x00\x01zzzz"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"RTCP BYE, empty", T("\x80\xcb\x00\x00zzzz"), CT_CLS_RTCP, CT_CLS_RTCP},
    {"RTCP RR without SSRC", T("\x80\xc9\x00\x00zzzz"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"RTCP beyond", T("\x80\xc9\x00\x02zzzz"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"RTP with a marker where RTCP would be", T("\x80\xc9\x77\x77ttttssssrrrr"), CT_CLS_RTP, CT_CLS_RTP},
    {"STUN", T("\x00\x01\x00\x00" COOKIE ID12), CT_CLS_STUN, CT_CLS_STUN},
    {"STUN with attribute", T("\x01\x01\x00\x08" COOKIE ID12 "\x00\x20\x00\x04zzzz"), CT_CLS_STUN, CT_CLS_STUN},
    {"TURN, with trailing bytes", T("\x00\x08\x00\x00" COOKIE ID12 "aaaa"), CT_CLS_STUN, CT_CLS_STUN},
    {"STUN of odd length", T("\x00\x01\x00\x02" COOKIE ID12 "aa"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"STUN beyond", T("\x01\x01\x00\x0c" COOKIE ID12 "\x00\x20\x00\x04zzzz"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"classic STUN", T("\x01\x01\x00\x08wxyz" ID12 "\x00\x01\x00\x04zzzz"), CT_CLS_STUN, CT_CLS_STUN},
    {"classic STUN, other type",
     T("\x01\x07\x00\x08wxyz" ID12 "\x00\x01\x00\x04zzzz"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"TURN channel", T("\x40\x01\x00\x05hello"), CT_CLS_STUN, CT_CLS_STUN},
    {"TURN channel, padded", T("\x4f\xff\x00\x05hello\0\0\0"), CT_CLS_STUN, CT_CLS_STUN},
    {"TURN channel, too long", T("\x40\x01\x00\x05hello\0\0\0\0"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"DTLS", T("\x16\xfe\xff\0\0\0\0\0\0\0\0\0\x04text"), CT_CLS_ENCRYPTED, CT_CLS_ENCRYPTED},
    {"DTLS 1.2 data", T("\x17\xfe\xfd\0\1\0\0\0\0\0\0\0\x04text"), CT_CLS_ENCRYPTED, CT_CLS_ENCRYPTED},
    {"DTLS beyond", T("\x17\xfe\xfd\0\1\0\0\0\0\0\0\0\x05text"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"TLS over UDP", T("\x16\x03\x01\0\0\0\0\0\0\0\0\0\x04text"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"ZRTP", T("\x10\x00\x12\x34ZRTPssrc\x50\x5a"), CT_CLS_ENCRYPTED, CT_CLS_ENCRYPTED},
    {"HEP3", T("HEP3\x00\x0c\x00\x00\x00\x01\x00\x06"), CT_CLS_HEP, CT_CLS_HEP},
    {"HEP3, old name", T("EEP3\x00\x0c\x00\x00\x00\x01\x00\x06"), CT_CLS_HEP, CT_CLS_HEP},
    {"HEP3 beyond", T("HEP3\x00\x0d\x00\x00\x00\x01\x00\x06"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"HEP1, protocol", T("\x01\x10\x02\x13\x13\xc4\x13\xc4SSSSTTTT12345678"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"HEP1, family",
     T("\x01\x28\x02\x11\x13\xc4\x13\xc4SSSSTTTT12345678901234567890123456789012"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"HEP2 without a message",
     T("\x02\x10\x02\x11\x13\xc4\x13\xc4SSSSTTTTtime........"), CT_CLS_OTHER, CT_CLS_OTHER},
    {"HEP1", T("\x01\x10\x02\x11\x13\xc4\x13\xc4SSSSTTTT" INVITE), CT_CLS_HEP, CT_CLS_HEP},
    {"HEP2 over IPv6",
     T("\x02\x28\x0a\x11\x13\xc4\x13\xc4SSSSSSSSSSSSSSSSTTTTTTTTTTTTTTTTtime........" INVITE), CT_CLS_HEP, CT_CLS_HEP},
};
static const struct row tcp_rows[] = {
    {"request", T(INVITE), CT_CLS_TCP, CT_CLS_SIP_OUT},
    {"middle of a message", T("ntent-Length: 0\r\n\r\n"), CT_CLS_TCP, CT_CLS_OTHER},
    {"empty", T(""), CT_CLS_OTHER, CT_CLS_OTHER},
    {"WebSocket text", T("\x81\x14SIP/2.0 200 OK\r\n\r\n.."), CT_CLS_TCP, CT_CLS_WS_OUT},
    {"WebSocket, long", T("\x82\x7e\x00\x80" INVITE), CT_CLS_TCP, CT_CLS_WS_OUT},
    {"WebSocket, longest", T("\x82\x7f\0\0\0\0\0\1\0\0" INVITE), CT_CLS_TCP, CT_CLS_WS_OUT},
    /* "SIP/2.0 200 OK\r\n" under the mask 20 20 20 20. */
    {"WebSocket masked", T("\x81\x90    sip\x0f\x12\x0e\x10\0\x12\x10\x10\0ok-*"), CT_CLS_TCP, CT_CLS_WS_OUT},
    {"WebSocket, shorter than the message", T("\x81\x06SIP/2.0 200 OK\r\n\r\n.."), CT_CLS_TCP, CT_CLS_OTHER},
    {"WebSocket, long but shorter", T("\x81\x7e\x00\x06SIP/2.0 200 OK\r\n\r\n.."), CT_CLS_TCP, CT_CLS_OTHER},
    {"WebSocket compressed", T("\xc1\x14SIP/2.0 200 OK\r\n\r\n.."), CT_CLS_TCP, CT_CLS_OTHER},
    {"WebSocket ping", T("\x89\x14SIP/2.0 200 OK\r\n\r\n.."), CT_CLS_TCP, CT_CLS_OTHER},
    {"WebSocket, other text", T("\x81\x14{\"jsonrpc\":\"2.0\"....}"), CT_CLS_TCP, CT_CLS_OTHER},
    {"HTTP", T("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), CT_CLS_TCP, CT_CLS_OTHER},
    {"TLS", T("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), CT_CLS_TCP, CT_CLS_OTHER},
};

static struct ct_packet packet(const uint8_t *d, size_t n, size_t wire, uint8_t proto, uint16_t from,
                               uint16_t to) {
  struct ct_packet p;
  memset(&p, 0, sizeof p);
  p.payload = d;
  p.len = (uint32_t)n;
  p.wire_len = (uint32_t)wire;
  p.proto = proto;
  p.ip_version = 4;
  p.sport = from;
  p.dport = to;
  return p;
}

static enum ct_class classify(const uint8_t *d, size_t n, size_t wire, uint8_t proto, uint16_t from,
                              uint16_t to, const struct ct_gate *g, uint8_t *flags) {
  const struct ct_decode_opts o = {.hep = true};
  struct ct_packet p = packet(d, n, wire, proto, from, to);
  p.cls_flags = 0xff;
  enum ct_class c = ct_classify(&p, g, &o);
  CHECK_EQ(p.cls, c);
  CHECK(c < CT_CLS_COUNT);
  *flags = p.cls_flags;
  return c;
}

static void test_row(const struct row *r, uint8_t proto) {
  uint8_t flags;
  uint8_t *d = exact_copy(r->d, r->n);
  bool sip = r->in == CT_CLS_SIP || r->in == CT_CLS_TCP;
  uint8_t looks = sip && r->out == CT_CLS_SIP_OUT ? CT_FLAG_LOOKS_SIP : 0;
  subject = r->name;
  CHECK_EQ(classify(d, r->n, r->n, proto, 40000, 5060, &gate, &flags), r->in);
  CHECK_EQ(flags, CT_FLAG_SIP_GATE | looks);
  CHECK_EQ(classify(d, r->n, r->n, proto, 5061, 40000, &gate, &flags), r->in);
  CHECK_EQ(flags, CT_FLAG_SIP_GATE | looks);
  CHECK_EQ(classify(d, r->n, r->n, proto, 40000, 40002, &gate, &flags), r->out);
  CHECK_EQ(flags, looks);
  CHECK_EQ(classify(d, r->n, r->n, proto, 40000, 40002, &everything, &flags), r->in);
  free(d);
  for (size_t n = 0; n < r->n; n++) {
    d = exact_copy(r->d, n);
    (void)classify(d, n, r->n, proto, 40000, 5060, &gate, &flags);
    (void)classify(d, n, n, proto, 40000, 40002, &gate, &flags);
    (void)ct_looks_sip(d, (uint32_t)n);
    free(d);
  }
}

/* With a snapshot length the wire decides what fits, the bytes decide what is read. */
static void test_cut_and_ports(void) {
  enum { SIP = CT_FLAG_SIP_GATE, WS = CT_FLAG_WS_GATE, LOOKS = CT_FLAG_LOOKS_SIP };
  static const struct {
    const char *what;
    const uint8_t *d;
    size_t n, wire;
    uint8_t proto;
    uint16_t from, to;
    const struct ct_gate *gate;
    enum ct_class class;
    uint8_t flags;
  } rows[] = {
      {"RTP, cut", T("\x90\x6f" RTP12), 180, 17, 40000, 40002, &gate, CT_CLS_RTP, 0},
      {"RTCP, cut", T("\x80\xc8\x00\x06zzzz"), 28, 17, 40000, 40003, &gate, CT_CLS_RTCP, 0},
      {"STUN, cut", T("\x01\x01\x00\x08" COOKIE ID12), 28, 17, 40000, 3478, &gate, CT_CLS_STUN, 0},
      {"CRLF, cut", T("\r\n"), 300, 17, 5060, 5060, &gate, CT_CLS_OTHER, SIP},
      {"nothing left", T(""), 300, 17, 5060, 5060, &gate, CT_CLS_OTHER, SIP},
      {"SIP, cut", T("INVITE sip:bob@exam"), 300, 17, 5060, 5060, &gate, CT_CLS_SIP, SIP | LOOKS},
      {"RTP from a low port", T("\x80\x00" RTP12), 12, 17, 53, 40002, &gate, CT_CLS_OTHER, 0},
      {"RTP to a low port", T("\x80\x00" RTP12), 12, 17, 40002, 1023, &gate, CT_CLS_OTHER, 0},
      {"RTP, lowest ports", T("\x80\x00" RTP12), 12, 17, 1024, 1024, &gate, CT_CLS_RTP, 0},
      {"RTCP, lowest ports", T("\x80\xc9\x00\x01zzzz"), 8, 17, 1024, 1024, &gate, CT_CLS_RTCP, 0},
      {"RTCP from a low port", T("\x80\xc9\x00\x01zzzz"), 8, 17, 53, 40002, &everything, CT_CLS_OTHER, SIP},
      {"WebSocket port", T("GET"), 3, 6, 40002, 8080, &gate, CT_CLS_TCP, WS},
      {"both gates", T("GET"), 3, 6, 5060, 8080, &gate, CT_CLS_TCP, WS | SIP},
      {"WebSocket port, UDP", T("GET"), 3, 17, 40002, 8080, &gate, CT_CLS_OTHER, 0},
      {"ICMP", T("\x03\x03"), 2, 1, 0, 0, &gate, CT_CLS_ICMP, 0},
      {"ICMPv6", T("\x01\x04"), 2, 58, 0, 0, &gate, CT_CLS_ICMP, 0},
      {"SCTP", T(INVITE), 20, 132, 5060, 5060, &gate, CT_CLS_OTHER, 0},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    uint8_t flags;
    subject = rows[i].what;
    CHECK_EQ(classify(rows[i].d, rows[i].n, rows[i].wire, rows[i].proto, rows[i].from, rows[i].to, rows[i].gate,
                      &flags),
             rows[i].class);
    CHECK_EQ(flags, rows[i].flags);
  }
  subject = "TCP flags";
  for (int bits = 0; bits < 64; bits++) {
    struct ct_packet p = packet((const uint8_t *)"", 0, 0, 6, 40000, 5060);
    p.tcp_flags = (uint8_t)bits;
    CHECK_EQ(ct_classify(&p, &gate, NULL), bits & 7 ? CT_CLS_TCP : CT_CLS_OTHER);
    p.dport = 40001;
    CHECK_EQ(ct_classify(&p, &gate, NULL), CT_CLS_OTHER);
  }
  subject = "HEP without -E";
  struct ct_packet p =
      packet(T("HEP3\x00\x30\0\0\0\x0f\0\x2aINVITE sip:a SIP/2.0\r\n\r\n............"), 0, 17, 9060, 9060);
  p.wire_len = p.len;
  CHECK_EQ(ct_classify(&p, &everything, NULL), CT_CLS_OTHER);
}

/* RTP and RTCP come out of TURN's framing; all that is not exactly so stays TURN. */
static void test_relayed(void) {
  static const struct {
    const char *name;
    const uint8_t *d;
    size_t n;
    enum ct_class c;
    uint32_t wrap, len;
  } rows[] = {
      {"channel, RTP", T("\x40\x01\x00\x0e\x80\x00" RTP12 "vo"), CT_CLS_RTP, 4, 14},
      {"channel, RTP, padded", T("\x40\x01\x00\x0e\x80\x00" RTP12 "vo\0\0"), CT_CLS_RTP, 4, 14},
      {"channel, RTCP", T("\x40\x01\x00\x08\x81\xc9\x00\x01\x12\x34\x56\x78"), CT_CLS_RTCP, 4, 8},
      {"channel, RTP of 11 bytes", T("\x40\x01\x00\x0b\x80\x00\x00\x01\0\0\0\0\0\0\0"), CT_CLS_STUN, 0, 15},
      {"channel, STUN", T("\x40\x01\x00\x14\x00\x01\x00\x00" COOKIE ID12), CT_CLS_STUN, 0, 24},
      {"channel, empty", T("\x40\x01\x00\x00"), CT_CLS_STUN, 0, 4},
      {"data indication, RTP",
       T("\x00\x17\x00\x1c" COOKIE ID12 "\x00\x12\x00\x08\x00\x01\x11\x22\x33\x44\x55\x66\x00\x13\x00\x0c"
         "\x80\x00" RTP12),
       CT_CLS_RTP, 36, 12},
      {"send indication, RTCP",
       T("\x00\x16\x00\x0c" COOKIE ID12 "\x00\x13\x00\x08\x81\xc9\x00\x01\x12\x34\x56\x78"), CT_CLS_RTCP, 24,
       8},
      {"send indication without data", T("\x00\x16\x00\x04" COOKIE ID12 "\x00\x1a\x00\x00"), CT_CLS_STUN, 0,
       24},
      {"data beyond the datagram", T("\x00\x17\x00\x10" COOKIE ID12 "\x00\x13\x00\x40\x80\x00" RTP12),
       CT_CLS_STUN, 0, 36},
      {"DATA in a request", T("\x00\x03\x00\x10" COOKIE ID12 "\x00\x13\x00\x0c\x80\x00" RTP12), CT_CLS_STUN,
       0, 36},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    for (size_t n = rows[i].n; n > 0; n--) {
      uint8_t *d = exact_copy(rows[i].d, n);
      struct ct_packet p = packet(d, n, rows[i].n, 17, 40000, 3478);
      enum ct_class c = ct_classify(&p, &gate, NULL);
      subject = rows[i].name;
      CHECK(p.payload >= d && p.payload + p.len <= d + n);
      CHECK((p.cls_flags & CT_FLAG_RELAYED) == 0 || p.wrap == d);
      if (n == rows[i].n) {
        CHECK_EQ(c, rows[i].c);
        CHECK_EQ(p.cls_flags, c == CT_CLS_STUN ? 0 : CT_FLAG_RELAYED);
        CHECK_EQ(p.payload - d, rows[i].wrap);
        CHECK_EQ(p.len, rows[i].len);
        CHECK_EQ(p.wire_len, rows[i].len);
        if (c != CT_CLS_STUN) CHECK_EQ(p.wrap_len, rows[i].wrap);
      }
      free(d);
    }
  }
}

static void test_looks_sip(void) {
  static const char *const yes[] = {
      "ACK sip:a SIP/2.0\r\n",
      "SIP/2.0 100\r\n",
      "SIP/2.0 100 ",
      "SIP/2.0 100",
      "x y SIP/2.0\n",
      "INVITE sip:a",
      "INVITE sips:",
      "REGISTER tel:+1",
      "PUBLISH sip:a@b;method=x",
      "\n\r\n\rINFO sip:a SIP/2.0\r\n",
  };
  static const char *const no[] = {
      "",
      "\r\n\r\n",
      "SIP/2.0",
      "SIP/2.0 20",
      "SIP/2.0 2x0 OK\r\n",
      "SIP/2.0 x00 OK\r\n",
      "SIP/2.0 20x OK\r\n",
      "INVITE  SIP/2.0\r\n",
      "SIP/1.0 200 OK\r\n",
      "INVITE",
      "INVITE ",
      "INVITE sip",
      "INVITE http://a",
      "INVITE SIP/2.0\r\n",
      "INVITE\tsip:a SIP/2.0\r\n",
      "INVITE sip:a\r\nSIP/2.0\r\n",
      "INVITED sip:a",
      "<134>INVITE sip:a SIP/2.0\r\n",
      "aaaaaaaaaabbbbbbbbbbccccccccccddd sip:a SIP/2.0\r\n",
      "\x80INVITE sip:a SIP/2.0\r\n",
      "NOTIFY * HTTP/1.1\r\n",
  };
  for (size_t i = 0; i < COUNT(yes) + COUNT(no); i++) {
    bool looks = i < COUNT(yes);
    subject = looks ? yes[i] : no[i - COUNT(yes)];
    uint8_t *d = exact_copy((const uint8_t *)subject, strlen(subject));
    CHECK_EQ(ct_looks_sip(d, (uint32_t)strlen(subject)), looks);
    free(d);
  }
  /* The version is looked for in 2048 bytes and no further. */
  enum { LONG = 4000 };
  uint8_t *d = malloc(LONG);
  if (d == NULL) abort();
  subject = "long line";
  memset(d, 'a', LONG);
  static const uint8_t version[] = {' ', 'S', 'I', 'P', '/', '2', '.', '0'};
  d[3] = ' ';
  memcpy(d + 2040, version, sizeof version);
  CHECK(ct_looks_sip(d, LONG));
  memset(d + 2040, 'a', sizeof version);
  memcpy(d + 2041, version, sizeof version);
  CHECK(!ct_looks_sip(d, LONG));
  free(d);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--corpus") == 0) {
    for (size_t i = 0; i < COUNT(udp_rows) + COUNT(tcp_rows); i++) {
      bool udp = i < COUNT(udp_rows);
      const struct row *r = udp ? &udp_rows[i] : &tcp_rows[i - COUNT(udp_rows)];
      const uint8_t head[4] = {udp ? 17 : 6, 0x18, 3, 0};
      char name[32];
      snprintf(name, sizeof name, "%s-%03zu", udp ? "udp" : "tcp", i);
      write_seed(argv[2], name, head, sizeof head, r->d, r->n);
    }
    return 0;
  }
  memset(everything.sip, 0xff, sizeof everything.sip);
  memset(everything.ws, 0xff, sizeof everything.ws);
  for (uint16_t port = 5060; port <= 5061; port++) gate.sip[port >> 6] |= UINT64_C(1) << (port & 63);
  gate.ws[8080 >> 6] |= UINT64_C(1) << (8080 & 63);
  for (size_t i = 0; i < COUNT(udp_rows); i++) test_row(&udp_rows[i], 17);
  for (size_t i = 0; i < COUNT(tcp_rows); i++) test_row(&tcp_rows[i], 6);
  test_cut_and_ports();
  test_relayed();
  test_looks_sip();
  return report("test_classify");
}
