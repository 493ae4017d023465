/* SPDX-License-Identifier: Apache-2.0
 * tls_call.c - an OpenSSL client and server in one thread, joined by memory: what one SSL call costs.
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/tls_call.c -lssl -lcrypto -o bench/out/tls_call
 *
 * Reads commands, one a line, and answers each with one:
 *   calls N BYTES        N messages written and read: "ns NANOSECONDS" of the thread's processor time a call
 *   rate R SECONDS BYTES R calls a second, evenly: "made CALLS in SECONDS"
 * c.pem and k.pem are in the current folder.
 */
#define _GNU_SOURCE
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH 100

static char text[16384], into[16384];
static SSL *client, *server;

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

static void join(void) {
  SSL_CTX *sc = SSL_CTX_new(TLS_server_method()), *cc = SSL_CTX_new(TLS_client_method());
  if (SSL_CTX_use_certificate_file(sc, "c.pem", SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_PrivateKey_file(sc, "k.pem", SSL_FILETYPE_PEM) != 1)
    fail("certificate");
  BIO *a, *b;
  if (BIO_new_bio_pair(&a, 65536, &b, 65536) != 1) fail("BIO pair");
  server = SSL_new(sc);
  client = SSL_new(cc);
  SSL_set_bio(server, a, a);
  SSL_set_bio(client, b, b);
  SSL_set_accept_state(server);
  SSL_set_connect_state(client);
  for (int i = 0; i < 20; i++) {
    SSL_do_handshake(client);
    SSL_do_handshake(server);
  }
  if (!SSL_is_init_finished(client) || !SSL_is_init_finished(server)) fail("handshake");
  /* Tickets are waiting in front of the first data. */
  if (SSL_write(server, text, 1) != 1 || SSL_read(client, into, 1) != 1) fail("first byte");
}

static void message(int bytes) {
  if (SSL_write(client, text, bytes) != bytes) fail("SSL_write");
  if (SSL_read(server, into, sizeof into) != bytes) fail("SSL_read");
}

int main(void) {
  char line[128];
  memset(text, '.', sizeof text);
  memcpy(text, "MESSAGE sip:b@example.org SIP/2.0\r\n\r\n", 37);
  join();
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("ready\n");
  while (fgets(line, sizeof line, stdin) != NULL) {
    long n, bytes;
    double rate, seconds;
    if (sscanf(line, "calls %ld %ld", &n, &bytes) == 2 && bytes > 0 && bytes <= 16000) {
      double start = now(CLOCK_THREAD_CPUTIME_ID);
      for (long i = 0; i < n; i++) message((int)bytes);
      printf("ns %.1f\n", (now(CLOCK_THREAD_CPUTIME_ID) - start) * 1e9 / (2.0 * (double)n));
    } else if (sscanf(line, "rate %lf %lf %ld", &rate, &seconds, &bytes) == 3 && bytes > 0 &&
               bytes <= 16000) {
      double start = now(CLOCK_MONOTONIC);
      long calls = 0;
      while (now(CLOCK_MONOTONIC) - start < seconds) {
        for (int i = 0; i < BATCH / 2; i++) message((int)bytes);
        calls += BATCH;
        double due = start + (double)calls / rate, wait = due - now(CLOCK_MONOTONIC);
        if (wait > 0) {
          struct timespec t = {0, (long)(wait * 1e9)};
          nanosleep(&t, NULL);
        }
      }
      printf("made %ld in %.3f\n", calls, now(CLOCK_MONOTONIC) - start);
    } else {
      printf("unknown\n");
    }
  }
  return 0;
}
