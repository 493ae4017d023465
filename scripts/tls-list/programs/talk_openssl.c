/* Talks SIP over TLS by OpenSSL. */
#include "talk.h"
#include <openssl/ssl.h>

static int put(void *tls, char *from, int n) { return SSL_write(tls, from, n); }
static int get(void *tls, char *to, int n) { return SSL_read(tls, to, n); }

int main(void) {
  SSL *tls = SSL_new(SSL_CTX_new(TLS_client_method()));
  SSL_set_fd(tls, far_end());
  need(SSL_connect(tls) == 1, "handshake");
  talk(tls, put, get);
}
