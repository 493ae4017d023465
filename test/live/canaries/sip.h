/* sip.h - the messages that a canary and its peer exchange: each is known to the last byte on both sides, so that a
 * byte that is lost, doubled or changed is noticed.
 *
 * Connection i, message k: a MESSAGE with a text body whose length and letters follow from i and k, and its 200.
 */
#ifndef CANARY_SIP_H
#define CANARY_SIP_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIP_MAX 4096 /* bytes of a message */

static inline unsigned sip_body_length(unsigned i, unsigned k) { return 40 + (i * 37 + k * 211) % 1500; }

/* Writes message k of connection i; its length. `port` is the client's, so that a reader can check addresses. */
static inline size_t sip_message(char out[SIP_MAX], bool is_answer, const char *prefix, unsigned port,
                                 unsigned i, unsigned k) {
  unsigned body = sip_body_length(i, k);
  int n = snprintf(out, SIP_MAX,
                   "%s\r\n"
                   "Via: SIP/2.0/TLS 127.0.0.1:%u;branch=z9hG4bK%s.%u.%u\r\n"
                   "From: <sip:%s@127.0.0.1:%u>;tag=%u\r\n"
                   "To: <sip:canary@127.0.0.1>%s\r\n"
                   "Call-ID: %s.%u.%u\r\n"
                   "CSeq: %u MESSAGE\r\n"
                   "Max-Forwards: 70\r\n"
                   "Content-Type: text/plain\r\n"
                   "Content-Length: %u\r\n\r\n",
                   is_answer ? "SIP/2.0 200 OK" : "MESSAGE sip:canary@127.0.0.1 SIP/2.0", port, prefix, i, k,
                   prefix, port, i, is_answer ? ";tag=c" : "", prefix, i, k, k + 1, body);
  if (n < 0 || (size_t)n + body > SIP_MAX) abort();
  for (unsigned at = 0; at < body; at++) out[(unsigned)n + at] = (char)('a' + (at * 7 + i + k) % 26);
  return (size_t)n + body;
}

/* The length of the whole message at the beginning of `in`; 0 when more is to come. */
static inline size_t sip_whole(const char *in, size_t have) {
  const char *end = (const char *)memmem(in, have, "\r\n\r\n", 4);
  if (end == NULL) return 0;
  const char *field = (const char *)memmem(in, (size_t)(end - in), "Content-Length: ", 16);
  size_t whole = (size_t)(end - in) + 4 + (field == NULL ? 0 : strtoul(field + 16, NULL, 10));
  return whole <= have ? whole : 0;
}

#endif
