/* tls_modes.c - sends bytes both ways between two OpenSSL objects of one thread, through every pair of functions.
 *
 *     tls_modes BYTES          leaves MODE.client.tx and MODE.server.tx, what each end sent, in the current folder
 *
 * The modes: SSL_read and SSL_write; their _ex forms; both mixed with SSL_peek and SSL_peek_ex in front of every read;
 * and with SSL_MODE_ENABLE_PARTIAL_WRITE. Pieces are of 1 to 100,000 bytes, the sockets' buffers small. Ends with 1 when
 * an end received other bytes than were sent. Expects c.pem and k.pem in the current folder.
 */
#include <fcntl.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 100000

enum { EX = 1, PEEK = 2, PARTIAL = 4 };

struct end {
  SSL *ssl;
  unsigned char *tx, *rx;
  size_t sent, got, piece;
};

static unsigned seed = 1;
static size_t any(size_t most) { return 1 + (size_t)rand_r(&seed) % most; }

static void need(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "tls_modes: %s\n", what);
  exit(1);
}

static void write_some(struct end *e, size_t total, int mode) {
  size_t done = 0, left = total - e->sent;
  if (left == 0) return;
  if (e->piece > left) e->piece = left;
  if (mode & EX) {
    if (SSL_write_ex(e->ssl, e->tx + e->sent, e->piece, &done) != 1) return;
  } else {
    int n = SSL_write(e->ssl, e->tx + e->sent, (int)e->piece);
    if (n <= 0) return;
    done = (size_t)n;
  }
  e->sent += done;
  e->piece = any(rand_r(&seed) % 3 == 0 ? 900 : MOST);
}

static void read_some(struct end *e, size_t total, int mode) {
  unsigned char peeked[512];
  size_t done = 0, left = total - e->got, most = any(MOST);
  if (left == 0) return;
  if (most > left) most = left;
  if (mode & PEEK) {
    if (mode & EX)
      SSL_peek_ex(e->ssl, peeked, sizeof peeked, &done);
    else
      SSL_peek(e->ssl, peeked, sizeof peeked);
    done = 0;
  }
  if (mode & EX) {
    if (SSL_read_ex(e->ssl, e->rx + e->got, most, &done) != 1) return;
  } else {
    int n = SSL_read(e->ssl, e->rx + e->got, (int)most);
    if (n <= 0) return;
    done = (size_t)n;
  }
  e->got += done;
}

static void begin(struct end *e, SSL_CTX *context, int fd, size_t total, const char *name, int mode) {
  int small = 16384;
  e->ssl = SSL_new(context);
  e->tx = malloc(total);
  e->rx = malloc(total);
  need(e->ssl != NULL && e->tx != NULL && e->rx != NULL, "memory");
  for (size_t i = 0; i < total; i++) e->tx[i] = (unsigned char)rand_r(&seed);
  snprintf((char *)e->tx, total, "%d.%s", mode, name);
  e->piece = any(MOST);
  need(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0 &&
           fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0 && SSL_set_fd(e->ssl, fd) == 1,
       "socket");
  /* A write that was refused may go on from where the bytes have moved to: here they never move. */
  SSL_clear_mode(e->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE);
  if (mode & PARTIAL) SSL_set_mode(e->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE);
  char path[64];
  snprintf(path, sizeof path, "%d.%s.tx", mode, name);
  FILE *f = fopen(path, "wb");
  need(f != NULL && fwrite(e->tx, 1, total, f) == total && fclose(f) == 0, path);
}

int main(int argc, char **argv) {
  static const int modes[] = {0, EX, PEEK, PARTIAL | EX | PEEK};
  if (argc != 2) return 2;
  size_t total = (size_t)atol(argv[1]);
  SSL_CTX *of_server = SSL_CTX_new(TLS_server_method()), *of_client = SSL_CTX_new(TLS_client_method());
  need(SSL_CTX_use_certificate_file(of_server, "c.pem", SSL_FILETYPE_PEM) == 1 &&
           SSL_CTX_use_PrivateKey_file(of_server, "k.pem", SSL_FILETYPE_PEM) == 1,
       "certificate");
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    struct end client = {0}, server = {0};
    int pair[2];
    need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
    begin(&client, of_client, pair[0], total, "client", modes[m]);
    begin(&server, of_server, pair[1], total, "server", modes[m]);
    SSL_set_connect_state(client.ssl);
    SSL_set_accept_state(server.ssl);
    while (client.got < total || server.got < total) {
      write_some(&client, total, modes[m]);
      read_some(&server, total, modes[m]);
      write_some(&server, total, modes[m]);
      read_some(&client, total, modes[m]);
    }
    need(memcmp(client.tx, server.rx, total) == 0 && memcmp(server.tx, client.rx, total) == 0, "other bytes");
    for (struct end *e = &client; e != NULL; e = e == &client ? &server : NULL) {
      SSL_free(e->ssl);
      free(e->tx);
      free(e->rx);
    }
    close(pair[0]);
    close(pair[1]);
  }
  return 0;
}
