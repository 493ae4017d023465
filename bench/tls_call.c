/* SPDX-License-Identifier: Apache-2.0
 * tls_call.c - an OpenSSL client and server in one thread, joined by memory: what one SSL call costs.
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/tls_call.c -lssl -lcrypto -o bench/out/tls_call
 *
 * Reads commands, one a line, and answers each with one:
 *   calls N BYTES PAIR   N messages written and read: "ns NANOSECONDS" of the thread's processor time a call. PAIR: which
 *                        connection (memory, memory-http, tcp, tcp-http); what goes over it is SIP or HTTP
 *   rate R SECONDS BYTES R calls a second, evenly: "made CALLS in SECONDS cpu SECONDS"
 *   sip R SECONDS        the same with whole phone calls of seven messages each, over connections of TCP
 * c.pem and k.pem are in the current folder.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 100
#define CONNECTIONS 8

struct pair {
  SSL *client, *server;
};

static char text[16384], http[16384], into[16384];
static struct pair memory, tcp[CONNECTIONS];
static SSL_CTX *server_context, *client_context;

static double now(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what) {
  fprintf(stderr, "tls_call: %s\n", what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

static void contexts(void) {
  server_context = SSL_CTX_new(TLS_server_method());
  client_context = SSL_CTX_new(TLS_client_method());
  if (SSL_CTX_use_certificate_file(server_context, "c.pem", SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_PrivateKey_file(server_context, "k.pem", SSL_FILETYPE_PEM) != 1)
    fail("certificate");
}

static void new_pair(struct pair *p) {
  p->server = SSL_new(server_context);
  p->client = SSL_new(client_context);
  SSL_set_accept_state(p->server);
  SSL_set_connect_state(p->client);
}

static void deliver(SSL *from, SSL *to, const char *what, int bytes) {
  if (SSL_write(from, what, bytes) != bytes) fail("SSL_write");
  if (SSL_read(to, into, sizeof into) != bytes) fail("SSL_read");
}

/* One thread is both ends: neither may wait for the other until both are done. */
static void shake_hands(const struct pair *p) {
  for (int i = 0; i < 1000 && !(SSL_is_init_finished(p->client) && SSL_is_init_finished(p->server)); i++) {
    SSL_do_handshake(p->client);
    SSL_do_handshake(p->server);
  }
  if (!SSL_is_init_finished(p->client) || !SSL_is_init_finished(p->server)) fail("handshake");
}

static void join_by_memory(struct pair *p) {
  BIO *a, *b;
  if (BIO_new_bio_pair(&a, 65536, &b, 65536) != 1) fail("BIO pair");
  new_pair(p);
  SSL_set_bio(p->server, a, a);
  SSL_set_bio(p->client, b, b);
  shake_hands(p);
  deliver(p->server, p->client, text, 1); /* tickets are waiting in front of the first data */
}

static int non_blocking(int fd, bool on) {
  int one = 1, flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) != 0 ||
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0)
    fail("socket options");
  return fd;
}

static void join_by_tcp(struct pair *p) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t len = sizeof to;
  int door = socket(AF_INET, SOCK_STREAM, 0), from = socket(AF_INET, SOCK_STREAM, 0);
  if (door < 0 || from < 0 || bind(door, (struct sockaddr *)&to, len) != 0 || listen(door, 1) != 0 ||
      getsockname(door, (struct sockaddr *)&to, &len) != 0 || connect(from, (struct sockaddr *)&to, len) != 0)
    fail("TCP");
  int at = accept(door, NULL, NULL);
  close(door);
  new_pair(p);
  SSL_set_fd(p->server, non_blocking(at, true));
  SSL_set_fd(p->client, non_blocking(from, true));
  shake_hands(p);
  non_blocking(at, false);
  non_blocking(from, false);
  deliver(p->server, p->client, text, 1);
}

/* ---- Phone calls ---- */

#define NUMBER "@@@@@@@@@@@@@@@" /* seven digits of the process, eight of the call */
#define DIGITS 15
#define MESSAGES 7
#define PLACES 8

static const struct message {
  bool by_server;
  const char *start, *cseq, *method;
  bool has_sdp;
} script[MESSAGES] = {
    {false, "INVITE sip:bob@example.net SIP/2.0", "1", "INVITE", true},
    {true, "SIP/2.0 100 Trying", "1", "INVITE", false},
    {true, "SIP/2.0 180 Ringing", "1", "INVITE", false},
    {true, "SIP/2.0 200 OK", "1", "INVITE", true},
    {false, "ACK sip:bob@192.0.2.2 SIP/2.0", "1", "ACK", false},
    {false, "BYE sip:bob@192.0.2.2 SIP/2.0", "2", "BYE", false},
    {true, "SIP/2.0 200 OK", "2", "BYE", false},
};
static struct ready {
  char text[1024];
  int len, places, at[PLACES];
} ready[MESSAGES];

static void write_script(void) {
  static const char sdp[] =
      "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n"
      "m=audio 20000 RTP/SAVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\n"
      "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNk\r\n";
  for (int i = 0; i < MESSAGES; i++) {
    const struct message *m = &script[i];
    struct ready *r = &ready[i];
    r->len = snprintf(
        r->text, sizeof r->text,
        "%s\r\nVia: SIP/2.0/TLS 192.0.2.1:5061;branch=z9hG4bK" NUMBER "%s\r\nMax-Forwards: 70\r\n"
        "From: \"Agent\" <sip:u" NUMBER "@example.net>;tag=a" NUMBER "\r\nTo: <sip:bob@example.net>%s\r\n"
        "Call-ID: " NUMBER "-bench\r\nCSeq: %s %s\r\nContact: <sip:a@192.0.2.1:5061;transport=tls>\r\n"
        "User-Agent: bench\r\n%sContent-Length: %zu\r\n\r\n%s",
        m->start, m->method, i < 2 ? "" : ";tag=b", m->cseq, m->method,
        m->has_sdp ? "Content-Type: application/sdp\r\n" : "", m->has_sdp ? sizeof sdp - 1 : 0,
        m->has_sdp ? sdp : "");
    const char *at = r->text;
    while ((at = strstr(at, NUMBER)) != NULL && r->places < PLACES) {
      r->at[r->places++] = (int)(at - r->text);
      at += DIGITS;
    }
  }
}

/* The next message of its call; how many SSL calls that took. */
static long next_message(void) {
  static unsigned long number;
  static int step;
  struct ready *r = &ready[step];
  const struct pair *p = &tcp[number % CONNECTIONS];
  char digits[32];
  snprintf(digits, sizeof digits, "%07d%08lu", (int)getpid() % 10000000, number % 100000000);
  for (int i = 0; i < r->places; i++) memcpy(r->text + r->at[i], digits, DIGITS);
  SSL *from = script[step].by_server ? p->server : p->client;
  if (SSL_write(from, r->text, r->len) != r->len) fail("SSL_write");
  if (SSL_read(script[step].by_server ? p->client : p->server, into, sizeof into) != r->len) fail("SSL_read");
  step = (step + 1) % MESSAGES;
  number += step == 0;
  return 2;
}

static long next_bytes(int bytes) {
  deliver(memory.client, memory.server, text, bytes);
  return 2;
}

/* Connections by name; joined when they are first asked for. */
static struct measured {
  const char *name;
  void (*join)(struct pair *);
  const char *what;
  struct pair pair;
} measured[] = {{"memory", join_by_memory, text, {NULL, NULL}},
                {"memory-http", join_by_memory, http, {NULL, NULL}},
                {"tcp", join_by_tcp, text, {NULL, NULL}},
                {"tcp-http", join_by_tcp, http, {NULL, NULL}}};

static const struct measured *measured_pair(const char *name) {
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
    struct measured *m = &measured[i];
    if (strcmp(m->name, name) != 0) continue;
    if (m->pair.client == NULL) m->join(&m->pair);
    return m;
  }
  return NULL;
}

/* Evenly, in batches that are small beside what a ring holds. `bytes` 0: phone calls. */
static void at_rate(double rate, double seconds, int bytes) {
  double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  long calls = 0;
  while (now(CLOCK_MONOTONIC) - start < seconds) {
    for (long end = calls + BATCH; calls < end;) calls += bytes == 0 ? next_message() : next_bytes(bytes);
    double wait = start + (double)calls / rate - now(CLOCK_MONOTONIC);
    if (wait > 0) {
      struct timespec t = {0, (long)(wait * 1e9)};
      nanosleep(&t, NULL);
    }
  }
  printf("made %ld in %.3f cpu %.3f\n", calls, now(CLOCK_MONOTONIC) - start,
         now(CLOCK_THREAD_CPUTIME_ID) - cpu);
}

int main(void) {
  char line[128], name[16];
  memset(text, '.', sizeof text);
  memcpy(text, "MESSAGE sip:b@example.org SIP/2.0\r\n\r\n", 37);
  memset(http, '.', sizeof http);
  memcpy(http, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 38);
  contexts();
  join_by_memory(&memory);
  write_script();
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("ready\n");
  while (fgets(line, sizeof line, stdin) != NULL) {
    long n, bytes;
    double rate, seconds;
    const struct measured *m = NULL;
    if (sscanf(line, "calls %ld %ld %15s", &n, &bytes, name) == 3 && bytes > 0 && bytes <= 16000 &&
        (m = measured_pair(name)) != NULL) {
      double start = now(CLOCK_THREAD_CPUTIME_ID);
      for (long i = 0; i < n; i++) deliver(m->pair.client, m->pair.server, m->what, (int)bytes);
      printf("ns %.1f\n", (now(CLOCK_THREAD_CPUTIME_ID) - start) * 1e9 / (2.0 * (double)n));
    } else if (sscanf(line, "rate %lf %lf %ld", &rate, &seconds, &bytes) == 3 && bytes > 0 &&
               bytes <= 16000) {
      at_rate(rate, seconds, (int)bytes);
    } else if (sscanf(line, "sip %lf %lf", &rate, &seconds) == 2) {
      for (int i = 0; i < CONNECTIONS && tcp[i].client == NULL; i++) join_by_tcp(&tcp[i]);
      at_rate(rate, seconds, 0);
    } else {
      printf("unknown\n");
    }
  }
  return 0;
}
