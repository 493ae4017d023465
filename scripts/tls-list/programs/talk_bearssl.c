/* Talks SIP over TLS by BearSSL. */
#include "talk.h"
#include <bearssl.h>

/* Takes any certificate that says its key, which the far end's does: as BearSSL's own "known key" engine, with the key of
 * the certificate that comes. */
struct any {
  const br_x509_class *vtable;
  br_x509_decoder_context decoder;
};

static void start_chain(const br_x509_class **c, const char *name) { (void)c, (void)name; }
static void start_cert(const br_x509_class **c, uint32_t n) {
  (void)n;
  br_x509_decoder_init(&((struct any *)c)->decoder, NULL, NULL);
}
static void append(const br_x509_class **c, const unsigned char *from, size_t n) {
  br_x509_decoder_push(&((struct any *)c)->decoder, from, n);
}
static void end_cert(const br_x509_class **c) { (void)c; }
static unsigned end_chain(const br_x509_class **c) { return (void)c, 0; }
static const br_x509_pkey *key_of(const br_x509_class *const *c, unsigned *usages) {
  if (usages != NULL) *usages = BR_KEYTYPE_KEYX | BR_KEYTYPE_SIGN;
  return br_x509_decoder_get_pkey(&((struct any *)c)->decoder);
}
static const br_x509_class any_class = {sizeof(struct any), start_chain, start_cert, append, end_cert, end_chain, key_of};

static int read_fd(void *fd, unsigned char *to, size_t n) { return (int)read(*(int *)fd, to, n); }
static int write_fd(void *fd, const unsigned char *from, size_t n) { return (int)write(*(int *)fd, from, n); }

static int put(void *tls, char *from, int n) {
  return br_sslio_write_all(tls, from, (size_t)n) == 0 && br_sslio_flush(tls) == 0 ? n : -1;
}
static int get(void *tls, char *to, int n) { return br_sslio_read(tls, to, (size_t)n); }

int main(void) {
  static br_ssl_client_context client;
  static br_x509_minimal_context unused;
  static unsigned char buffer[BR_SSL_BUFSIZE_BIDI];
  static struct any any = {.vtable = &any_class};
  static br_sslio_context tls;
  int fd = far_end();
  br_ssl_client_init_full(&client, &unused, NULL, 0);
  br_ssl_engine_set_x509(&client.eng, &any.vtable);
  br_ssl_engine_set_buffer(&client.eng, buffer, sizeof buffer, 1);
  br_ssl_client_reset(&client, "localhost", 0);
  br_sslio_init(&tls, &client.eng, read_fd, &fd, write_fd, &fd);
  talk(&tls, put, get);
}
