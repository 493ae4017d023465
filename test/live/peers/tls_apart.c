/* tls_apart.c - HTTP and SIP over TLS in one thread, which is both ends of each connection.
 *
 *     tls_apart again ROUNDS   ROUNDS requests of HTTP, then as many of SIP on the same two objects, cleared, over another
 *                              connection of TCP
 *     tls_apart mixed ROUNDS   a connection of HTTP and one of SIP over memory: what is encrypted for both is sent later, and
 *                              what was received for one is read after what came for the other
 *
 * Says "port P", where it listens. Each message names its client's port. Expects c.pem and k.pem in the current folder.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES 400
#define CLEAN 10 /* rounds in which nothing is mixed yet */

struct pair {
  SSL *client, *server;
  int fd[2];
  char text[BYTES + 1];
};

static SSL_CTX *contexts[2];
static int door;

static void need(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "tls_apart: %s\n", what);
  exit(1);
}

static void listen_anywhere(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t len = sizeof at;
  door = socket(AF_INET, SOCK_STREAM, 0);
  need(bind(door, (struct sockaddr *)&at, len) == 0 && listen(door, 4) == 0, "listen");
  getsockname(door, (struct sockaddr *)&at, &len);
  printf("port %d\n", ntohs(at.sin_port));
}

/* A connection of TCP; its messages begin with `start`. */
static void connect_tcp(struct pair *p, const char *start) {
  struct sockaddr_in to, own;
  socklen_t len = sizeof to;
  int one = 1;
  getsockname(door, (struct sockaddr *)&to, &len);
  p->fd[0] = socket(AF_INET, SOCK_STREAM, 0);
  need(connect(p->fd[0], (struct sockaddr *)&to, len) == 0, "connect");
  /* Else the second of two records waits for the other end. */
  setsockopt(p->fd[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  p->fd[1] = accept(door, NULL, NULL);
  getsockname(p->fd[0], (struct sockaddr *)&own, &len);
  memset(p->text, '.', BYTES);
  int n = snprintf(p->text, BYTES, "%s\r\nX-Port: %d;\r\n\r\n", start, ntohs(own.sin_port));
  p->text[n] = '.';
}

/* Moves what one end has encrypted to the socket, or from the other socket to its end. */
static void flush_out(SSL *ssl, int fd) {
  char wire[16384];
  int n = BIO_read(SSL_get_wbio(ssl), wire, sizeof wire);
  if (n > 0) need(send(fd, wire, (size_t)n, 0) == n, "send");
}

static void take_in(SSL *ssl, int fd, int flags) {
  char wire[16384];
  ssize_t n = recv(fd, wire, sizeof wire, flags);
  if (n > 0) BIO_write(SSL_get_rbio(ssl), wire, (int)n);
}

static void shake_hands(struct pair *p, int by_memory) {
  SSL *ends[2] = {p->client, p->server};
  SSL_set_connect_state(p->client);
  SSL_set_accept_state(p->server);
  for (int i = 0; i < 2 && !by_memory; i++) SSL_set_fd(ends[i], p->fd[i]);
  for (int turn = 0; turn < 1000 && !(SSL_is_init_finished(ends[0]) && SSL_is_init_finished(ends[1])); turn++) {
    for (int i = 0; i < 2; i++) {
      if (by_memory) take_in(ends[i], p->fd[i], MSG_DONTWAIT);
      SSL_do_handshake(ends[i]);
      if (by_memory) flush_out(ends[i], p->fd[i]);
    }
  }
  need(SSL_is_init_finished(p->client) && SSL_is_init_finished(p->server), "handshake");
}

static void write_to(SSL *ssl, const struct pair *p) {
  need(SSL_write(ssl, p->text, BYTES) == BYTES, "SSL_write");
}

static void read_from(SSL *ssl) {
  char into[BYTES];
  need(SSL_read(ssl, into, BYTES) == BYTES, "SSL_read");
}

static void make_objects(struct pair *p) {
  p->client = SSL_new(contexts[0]);
  p->server = SSL_new(contexts[1]);
}

/* ---- again ---- */

static void talk(struct pair *p, const char *start, int rounds) {
  connect_tcp(p, start);
  for (int i = 0; i < 2; i++) fcntl(p->fd[i], F_SETFL, O_NONBLOCK);
  shake_hands(p, 0);
  for (int i = 0; i < 2; i++) fcntl(p->fd[i], F_SETFL, 0);
  for (int i = 0; i < rounds; i++) {
    write_to(p->client, p);
    read_from(p->server);
    write_to(p->server, p);
    read_from(p->client);
  }
}

static void again(int rounds) {
  struct pair p;
  make_objects(&p);
  talk(&p, "GET / HTTP/1.1\r\nX-Secret: SECRET", rounds);
  need(SSL_clear(p.client) == 1 && SSL_clear(p.server) == 1, "SSL_clear");
  talk(&p, "MESSAGE sip:b@example.org SIP/2.0", rounds);
}

/* ---- mixed ---- */

static void over_memory(struct pair *p, const char *start) {
  make_objects(p);
  connect_tcp(p, start);
  SSL *ends[2] = {p->client, p->server};
  for (int i = 0; i < 2; i++) SSL_set_bio(ends[i], BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  shake_hands(p, 1);
}

static void one_by_one(struct pair *p) {
  write_to(p->client, p);
  flush_out(p->client, p->fd[0]);
  take_in(p->server, p->fd[1], 0);
  read_from(p->server);
}

static void mixed(int rounds) {
  struct pair http, sip;
  over_memory(&http, "GET / HTTP/1.1\r\nX-Secret: SECRET");
  over_memory(&sip, "MESSAGE sip:b@example.org SIP/2.0");
  for (int i = 0; i < CLEAN; i++) {
    one_by_one(&http);
    one_by_one(&sip);
  }
  for (int i = 0; i < rounds; i++) {
    write_to(sip.client, &sip);
    write_to(http.client, &http);
    flush_out(http.client, http.fd[0]);
    flush_out(sip.client, sip.fd[0]);
    write_to(sip.client, &sip);
    flush_out(sip.client, sip.fd[0]);
    take_in(sip.server, sip.fd[1], 0);
    read_from(sip.server);
    take_in(http.server, http.fd[1], 0);
    read_from(http.server);
    read_from(sip.server);
  }
}

int main(int argc, char **argv) {
  need(argc == 3, "usage: tls_apart again|mixed ROUNDS");
  setvbuf(stdout, NULL, _IOLBF, 0);
  contexts[0] = SSL_CTX_new(TLS_client_method());
  contexts[1] = SSL_CTX_new(TLS_server_method());
  need(SSL_CTX_use_certificate_file(contexts[1], "c.pem", SSL_FILETYPE_PEM) == 1, "c.pem");
  need(SSL_CTX_use_PrivateKey_file(contexts[1], "k.pem", SSL_FILETYPE_PEM) == 1, "k.pem");
  /* No tickets: they would come between the messages. */
  SSL_CTX_set_num_tickets(contexts[1], 0);
  listen_anywhere();
  if (strcmp(argv[1], "again") == 0) again(atoi(argv[2]));
  else mixed(atoi(argv[2]));
  return 0;
}
