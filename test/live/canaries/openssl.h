/* openssl.h - canaries on OpenSSL: a transport (BIO) of our own, in which they do what they do.
 *
 * The hooks run inside SSL_accept, SSL_read and SSL_write, before each transfer.
 */
#ifndef CANARY_OPENSSL_H
#define CANARY_OPENSSL_H
#include "canary.h"
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

typedef void (*canary_hook)(struct talk *t);
struct canary_hooks {
  canary_hook reading, writing; /* may be NULL */
};

static BIO_METHOD *canary_method;
static SSL_CTX *canary_context;
static struct canary_hooks canary_hooks;

/* Whole or nothing: a jump out of the hook loses no bytes. */
static int canary_bio_read(BIO *b, char *p, int n) {
  struct talk *t = (struct talk *)BIO_get_data(b);
  if (canary_hooks.reading != NULL) canary_hooks.reading(t);
  return (int)recv(t->fd, p, (size_t)n, MSG_WAITALL);
}

static int canary_bio_write(BIO *b, const char *p, int n) {
  struct talk *t = (struct talk *)BIO_get_data(b);
  if (canary_hooks.writing != NULL) canary_hooks.writing(t);
  return (int)send(t->fd, p, (size_t)n, 0);
}

static long canary_bio_ctrl(BIO *b, int what, long n, void *p) {
  (void)b, (void)n, (void)p;
  return what == BIO_CTRL_FLUSH;
}

static int canary_ssl_read(struct talk *t, char *p, int n) { return SSL_read((SSL *)t->session, p, n); }
static int canary_ssl_write(struct talk *t, const char *p, int n) {
  return SSL_write((SSL *)t->session, p, n);
}

/* Once, before the first conversation. */
static inline void canary_openssl(canary_hook reading, canary_hook writing) {
  canary_hooks.reading = reading;
  canary_hooks.writing = writing;
  canary_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "canary");
  BIO_meth_set_read(canary_method, canary_bio_read);
  BIO_meth_set_write(canary_method, canary_bio_write);
  BIO_meth_set_ctrl(canary_method, canary_bio_ctrl);
  canary_context = SSL_CTX_new(TLS_server_method());
  if (SSL_CTX_use_certificate_file(canary_context, "c.pem", SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_PrivateKey_file(canary_context, "k.pem", SSL_FILETYPE_PEM) != 1)
    canary_die("c.pem and k.pem");
}

/* The session of an accepted connection; the handshake is still to come. */
static inline void canary_session(struct talk *t) {
  BIO *b = BIO_new(canary_method);
  SSL *ssl = SSL_new(canary_context);
  BIO_set_init(b, 1);
  BIO_set_data(b, t);
  SSL_set_bio(ssl, b, b);
  t->session = ssl;
  t->read = canary_ssl_read;
  t->write = canary_ssl_write;
}

static inline void canary_handshake(struct talk *t) {
  if (SSL_accept((SSL *)t->session) != 1) canary_wrong("the handshake");
  t->is_up = true;
}

/* Handshake and every message, to the end of the connection. */
static inline void canary_serve(struct talk *t) {
  canary_handshake(t);
  while (canary_answer(t)) {}
}

/* Takes connection i and prepares it. */
static inline struct talk *canary_open(unsigned i) {
  struct talk *t = (struct talk *)calloc(1, sizeof *t);
  canary_accept(t, i);
  canary_session(t);
  return t;
}

static inline void canary_close(struct talk *t) {
  SSL_free((SSL *)t->session);
  close(t->fd);
  free(t);
}

#endif
