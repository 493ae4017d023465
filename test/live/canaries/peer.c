/* peer.c - the other end of every canary: a TLS client that sends requests, checks each byte of the answers and says
 * how many were right.
 *
 *     peer PORT PREFIX CONNECTIONS MESSAGES RECONNECTS
 *
 * It is linked with its own OpenSSL and stripped, so that no probe is in it: what calltap shows of a canary's messages
 * was read in the canary. RECONNECTS: how often a connection may end without an answer; the request is then sent again
 * on a new one. Exits 0 when every request was answered and no connection ended more often than that.
 */
#include "sip.h"
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static unsigned port, messages, reconnects;
static const char *prefix;
static unsigned right, wrong, ended;
static SSL_CTX *tls;

struct line {
  unsigned i, port;
  int fd;
};

static void say(const char *what, unsigned i, unsigned k) {
  fprintf(stderr, "peer: connection %u, message %u: %s\n", i, k, what);
}

static void reach(struct line *l) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof to;
  l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(l->fd, (struct sockaddr *)&to, sizeof to) != 0 ||
      getsockname(l->fd, (struct sockaddr *)&to, &size) != 0) {
    perror("peer: connect");
    exit(1);
  }
  l->port = ntohs(to.sin_port);
}

static SSL *greet(struct line *l) {
  SSL *ssl = SSL_new(tls);
  SSL_set_fd(ssl, l->fd);
  if (SSL_connect(ssl) == 1) return ssl;
  SSL_free(ssl);
  return NULL;
}

/* 1: answered; 0: the connection ended; -1: another answer. */
static int ask(const struct line *l, SSL *ssl, unsigned k) {
  char out[SIP_MAX], in[SIP_MAX], expected[SIP_MAX];
  size_t n = sip_message(out, false, prefix, l->port, l->i, k);
  if (SSL_write(ssl, out, (int)n) <= 0) return 0;
  size_t have = 0, whole = 0;
  while (whole == 0) {
    int r = SSL_read(ssl, in + have, (int)(sizeof in - have));
    if (r <= 0) return have == 0 ? 0 : -1;
    have += (size_t)r;
    whole = sip_whole(in, have);
  }
  n = sip_message(expected, true, prefix, l->port, l->i, k);
  return whole == n && have == n && memcmp(in, expected, n) == 0 ? 1 : -1;
}

static void *converse(void *v) {
  struct line *l = v;
  SSL *ssl = greet(l);
  unsigned seed = l->i;
  for (unsigned k = 0; k < messages;) {
    int how = ssl == NULL ? 0 : ask(l, ssl, k);
    if (how == 1) {
      __sync_fetch_and_add(&right, 1);
      k++;
      usleep(100 * (unsigned)(rand_r(&seed) % 12));
      continue;
    }
    if (how < 0) {
      __sync_fetch_and_add(&wrong, 1);
      say("another answer", l->i, k);
      break;
    }
    if (__sync_add_and_fetch(&ended, 1) > reconnects) {
      say("the connection ended", l->i, k);
      break;
    }
    SSL_free(ssl);
    close(l->fd);
    reach(l);
    ssl = greet(l);
  }
  if (ssl != NULL) SSL_shutdown(ssl);
  SSL_free(ssl);
  close(l->fd);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  port = (unsigned)atoi(argv[1]);
  prefix = argv[2];
  unsigned n = (unsigned)atoi(argv[3]);
  messages = (unsigned)atoi(argv[4]);
  reconnects = (unsigned)atoi(argv[5]);
  signal(SIGPIPE, SIG_IGN);
  tls = SSL_CTX_new(TLS_client_method());
  struct line *lines = calloc(n, sizeof *lines);
  pthread_t *threads = calloc(n, sizeof *threads);
  /* In order: the canary takes them in order. */
  for (unsigned i = 0; i < n; i++) {
    lines[i].i = i;
    reach(&lines[i]);
  }
  for (unsigned i = 0; i < n; i++) pthread_create(&threads[i], NULL, converse, &lines[i]);
  for (unsigned i = 0; i < n; i++) pthread_join(threads[i], NULL);
  if (right != n * messages)
    fprintf(stderr, "peer: %u of %u answered, %u wrong, %u ended\n", right, n * messages, wrong, ended);
  return right == n * messages && wrong == 0 ? 0 : 1;
}
