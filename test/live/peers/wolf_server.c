/* wolf_server.c - a SIP server over TLS by wolfSSL, for tests: answers every request with 200.
 *
 *     wolf_server HOST PORT      prints "up"; expects c.pem and k.pem in the current folder
 */
#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

#include "sip_answer.h"

static void serve(WOLFSSL *ssl) {
  char in[8192], out[8192];
  for (;;) {
    int n = wolfSSL_read(ssl, in, sizeof in - 1);
    if (n <= 0) return;
    in[n] = '\0';
    answer(in, out, sizeof out);
    if (wolfSSL_write(ssl, out, (int)strlen(out)) <= 0) return;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  wolfSSL_Init();
  WOLFSSL_CTX *ctx = wolfSSL_CTX_new(wolfTLS_server_method());
  if (ctx == NULL || wolfSSL_CTX_use_certificate_file(ctx, "c.pem", WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS ||
      wolfSSL_CTX_use_PrivateKey_file(ctx, "k.pem", WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS)
    return 1;
  int listener = listen_at(argv[1], argv[2]);
  if (listener < 0) return 1;
  for (;;) {
    int s = accept(listener, NULL, NULL);
    if (s < 0) return 1;
    WOLFSSL *ssl = wolfSSL_new(ctx);
    wolfSSL_set_fd(ssl, s);
    if (wolfSSL_accept(ssl) == WOLFSSL_SUCCESS) serve(ssl);
    wolfSSL_free(ssl);
    close(s);
  }
}
