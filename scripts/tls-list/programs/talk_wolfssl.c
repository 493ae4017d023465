/* Talks SIP over TLS by wolfSSL. */
#include "talk.h"
#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

static int put(void *tls, char *from, int n) { return wolfSSL_write(tls, from, n); }
static int get(void *tls, char *to, int n) { return wolfSSL_read(tls, to, n); }

int main(void) {
  WOLFSSL_CTX *context = wolfSSL_CTX_new(wolfTLSv1_2_client_method());
  wolfSSL_CTX_set_verify(context, WOLFSSL_VERIFY_NONE, NULL);
  WOLFSSL *tls = wolfSSL_new(context);
  wolfSSL_set_fd(tls, far_end());
  need(wolfSSL_connect(tls) == WOLFSSL_SUCCESS, "handshake");
  talk(tls, put, get);
}
