/* SPDX-License-Identifier: Apache-2.0
 * gen_sip.c - the text of each message of a call (RFC 3261, SDP by RFC 8866), from the call's key.
 */
#include "gen_sip.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct text {
  char *b;
  size_t n;
};
__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int k = vsnprintf(t->b + t->n, SIP_MAX - t->n, fmt, ap);
  va_end(ap);
  if (k > 0) t->n += (size_t)k < SIP_MAX - t->n ? (size_t)k : SIP_MAX - t->n - 1;
}

/* Everything a message names, worked out once a message. */
struct names {
  char host[2][INET6_ADDRSTRLEN + 2]; /* as in a URI: IPv6 in brackets */
  char user[2][24];
  const char *transport;
};
static uint64_t derive(const struct call *c, uint32_t what) {
  uint64_t s = c->key + what * 0x2545f4914f6cdd1du;
  return rng_next(&s);
}
static void name_all(struct names *n, const struct call *c) {
  for (int i = 0; i < 2; i++) {
    char a[INET6_ADDRSTRLEN];
    inet_ntop(c->link.v6 ? AF_INET6 : AF_INET, c->sig[i].ip, a, sizeof(a));
    snprintf(n->host[i], sizeof(n->host[i]), c->link.v6 ? "[%s]" : "%s", a);
    snprintf(n->user[i], sizeof(n->user[i]), "+%s%07u", i == 0 ? "39055" : "44207", c->id);
  }
  n->transport = c->tcp ? "TCP" : "UDP";
}

struct request {
  const char *method;
  uint32_t cseq, branch;
  int from; /* who opened the transaction: 0 caller, 1 callee */
};
static struct request request_of(const struct call *c, enum message m) {
  int end = c->callee_hangs_up ? 1 : 0;
  switch (m) {
  case M_ACK: return (struct request){"ACK", 1, 12, 0};
  case M_ACK_FAILED: return (struct request){"ACK", 1, 10, 0};
  case M_BYE:
  case M_200_BYE: return (struct request){"BYE", end == 0 ? 2 : 1, 13, end};
  case M_CANCEL:
  case M_200_CANCEL: return (struct request){"CANCEL", 1, 10, 0};
  case M_REGISTER:
  case M_401: return (struct request){"REGISTER", 1, 10, 0};
  case M_REGISTER_AUTH:
  case M_200_REGISTER: return (struct request){"REGISTER", 2, 11, 0};
  case M_OPTIONS:
  case M_200_OPTIONS: return (struct request){"OPTIONS", 1, 10, 0};
  default: return (struct request){"INVITE", 1, 10, 0};
  }
}
static const char *status_of(enum message m) {
  switch (m) {
  case M_100: return "100 Trying";
  case M_180: return "180 Ringing";
  case M_200_INVITE:
  case M_200_BYE:
  case M_200_CANCEL:
  case M_200_REGISTER:
  case M_200_OPTIONS: return "200 OK";
  case M_302: return "302 Moved Temporarily";
  case M_401: return "401 Unauthorized";
  case M_404: return "404 Not Found";
  case M_408: return "408 Request Timeout";
  case M_486: return "486 Busy Here";
  case M_487: return "487 Request Terminated";
  default: return NULL;
  }
}

static size_t build_sdp(char *out, const struct call *c, int side) {
  struct text t = {out, 0};
  char ip[INET6_ADDRSTRLEN];
  const char *family = c->link.v6 ? "IP6" : "IP4";
  inet_ntop(c->link.v6 ? AF_INET6 : AF_INET, c->media[side].ip, ip, sizeof(ip));
  uint32_t session = (uint32_t)derive(c, 20 + (uint32_t)side);
  const char *slash = c->codec->rtpmap;
  while (*slash != '/') slash++;
  uint32_t clock = 0;
  for (const char *d = slash + 1; *d >= '0' && *d <= '9'; d++) clock = clock * 10 + (uint32_t)(*d - '0');
  add(&t, "v=0\r\no=- %u 1 IN %s %s\r\ns=-\r\nc=IN %s %s\r\nt=0 0\r\n", session, family, ip, family, ip);
  add(&t, "m=audio %u RTP/AVP %u 101\r\na=rtpmap:%u %s\r\n", c->media[side].port, c->codec->pt, c->codec->pt,
      c->codec->rtpmap);
  add(&t, "a=rtpmap:101 telephone-event/%u\r\na=fmtp:101 0-16\r\na=ptime:20\r\n", clock);
  if (c->mux) add(&t, "a=rtcp-mux\r\n");
  add(&t, "a=sendrecv\r\n");
  return t.n;
}

static void add_party(struct text *t, const struct call *c, const struct names *n, const char *header,
                      int who, bool tag) {
  add(t, "%s: <sip:%s@%s>", header, n->user[who], n->host[who]);
  if (tag) add(t, ";tag=%08" PRIx32, (uint32_t)derive(c, 30 + (uint32_t)who));
  add(t, "\r\n");
}

/* RFC 8224: a signed token of a thousand bytes and more is what makes INVITEs outgrow the MTU. */
static void add_identity(struct text *t, const struct call *c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  uint64_t s = derive(c, 40);
  add(t, "Identity: ");
  for (uint32_t i = 0; i < c->identity_len && t->n + 1 < SIP_MAX; i++) {
    t->b[t->n++] = i % 700 == 350 ? '.' : digits[rng_below(&s, 64)];
  }
  add(t, ";info=<https://cert.example.net/passport.cer>;alg=ES256;ppt=shaken\r\n");
}

size_t sip_build(char *buf, const struct call *c, enum message m, int *side) {
  struct text t = {buf, 0};
  struct names n;
  name_all(&n, c);
  const struct request r = request_of(c, m);
  const char *status = status_of(m);
  int callee = !r.from;
  bool registers = m == M_REGISTER || m == M_REGISTER_AUTH || m == M_401 || m == M_200_REGISTER;
  bool dialog = m == M_ACK || m == M_BYE || m == M_200_BYE;
  *side = status == NULL ? r.from : callee;
  if (status != NULL)
    add(&t, "SIP/2.0 %s\r\n", status);
  else if (registers)
    add(&t, "REGISTER sip:%s SIP/2.0\r\n", n.host[1]);
  else
    add(&t, "%s sip:%s@%s:5060 SIP/2.0\r\n", r.method, n.user[callee], n.host[callee]);
  add(&t, "Via: SIP/2.0/%s %s:%u;branch=z9hG4bK%016" PRIx64 ";rport\r\n", n.transport, n.host[r.from],
      c->sig[r.from].port, derive(c, r.branch));
  if (status == NULL) add(&t, "Max-Forwards: 70\r\n");
  add_party(&t, c, &n, "From", r.from, true);
  add_party(&t, c, &n, "To", registers ? 0 : callee,
            dialog || m == M_ACK_FAILED || (status != NULL && m != M_100));
  add(&t, "Call-ID: %016" PRIx64 "-%" PRIu32 "@bench.example.net\r\nCSeq: %" PRIu32 " %s\r\n", derive(c, 1),
      c->id, r.cseq, r.method);
  if (m == M_INVITE || m == M_180 || m == M_200_INVITE || registers) {
    int who = registers ? 0 : *side;
    add(&t, "Contact: <sip:%s@%s:%u;transport=%s>%s\r\n", n.user[who], n.host[who], c->sig[who].port,
        c->tcp ? "tcp" : "udp", m == M_200_REGISTER ? ";expires=3600" : "");
  }
  if (m == M_302) add(&t, "Contact: <sip:voicemail@%s>\r\n", n.host[1]);
  if (m == M_401) {
    add(&t, "WWW-Authenticate: Digest realm=\"bench.example.net\",nonce=\"%016" PRIx64 "\",algorithm=MD5\r\n",
        derive(c, 2));
  }
  if (m == M_REGISTER_AUTH) {
    add(&t,
        "Authorization: Digest username=\"%s\",realm=\"bench.example.net\",nonce=\"%016" PRIx64
        "\",uri=\"sip:%s\",response=\"%016" PRIx64 "%016" PRIx64 "\"\r\n",
        n.user[0], derive(c, 2), n.host[1], derive(c, 3), derive(c, 4));
  }
  if (m == M_REGISTER || m == M_REGISTER_AUTH) add(&t, "Expires: 3600\r\n");
  add(&t, status != NULL && !registers ? "Server: bench-uas/1.0\r\n" : "User-Agent: bench-uac/1.0\r\n");
  if (m == M_INVITE) {
    add(&t, "Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE\r\nSupported: timer, replaces\r\n");
    if (c->identity_len > 0) add_identity(&t, c);
  }
  if (m == M_INVITE || m == M_200_INVITE) {
    char sdp[1024];
    size_t k = build_sdp(sdp, c, *side);
    add(&t, "Content-Type: application/sdp\r\nContent-Length: %zu\r\n\r\n%s", k, sdp);
  } else {
    add(&t, "Content-Length: 0\r\n\r\n");
  }
  return t.n;
}
