/* nameless_wolfssl.h - the connections of nameless_talk by wolfSSL. */
#ifndef NAMELESS_WOLFSSL_H
#define NAMELESS_WOLFSSL_H
#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

struct end {
  WOLFSSL *ssl;
  int fd;
};

static WOLFSSL_CTX *context;

static void set_up(int is_server) {
  wolfSSL_Init();
  context = wolfSSL_CTX_new(is_server ? wolfTLS_server_method() : wolfTLS_client_method());
  need(context != NULL, "context");
  wolfSSL_CTX_set_verify(context, WOLFSSL_VERIFY_NONE, NULL);
  if (is_server)
    need(wolfSSL_CTX_use_certificate_file(context, "c.pem", WOLFSSL_FILETYPE_PEM) == WOLFSSL_SUCCESS &&
             wolfSSL_CTX_use_PrivateKey_file(context, "k.pem", WOLFSSL_FILETYPE_PEM) == WOLFSSL_SUCCESS,
         "certificate");
}

static void begin(struct end *e, int fd, int is_client, int in_memory) {
  (void)in_memory;
  *e = (struct end){.ssl = wolfSSL_new(context), .fd = fd};
  wolfSSL_set_fd(e->ssl, fd);
  need((is_client ? wolfSSL_connect(e->ssl) : wolfSSL_accept(e->ssl)) == WOLFSSL_SUCCESS, "handshake");
}

static void end(struct end *e) {
  wolfSSL_free(e->ssl);
  close(e->fd);
}

static int read_some(struct end *e, char *to, int n) {
  int r = wolfSSL_read(e->ssl, to, n);
  return r > 0 ? r : 0;
}

static void write_whole_to(struct end *e, const char *from, int n) {
  need(wolfSSL_write(e->ssl, from, n) == n, "write");
}

#endif
