/* gnutls_server.c - a SIP server over TLS by GnuTLS, for tests: answers every request with 200.
 *
 *     gnutls_server HOST PORT    prints "up"; expects c.pem and k.pem in the current folder
 */
#include <gnutls/gnutls.h>

#include "sip_answer.h"

static void serve(gnutls_session_t session) {
  char in[8192], out[8192];
  for (;;) {
    ssize_t n = gnutls_record_recv(session, in, sizeof in - 1);
    if (n <= 0) return;
    in[n] = '\0';
    answer(in, out, sizeof out);
    if (gnutls_record_send(session, out, strlen(out)) <= 0) return;
  }
}

int main(int argc, char **argv) {
  gnutls_certificate_credentials_t credentials;
  if (argc != 3) return 2;
  gnutls_certificate_allocate_credentials(&credentials);
  if (gnutls_certificate_set_x509_key_file(credentials, "c.pem", "k.pem", GNUTLS_X509_FMT_PEM) !=
      GNUTLS_E_SUCCESS)
    return 1;
  int listener = listen_at(argv[1], argv[2]);
  if (listener < 0) return 1;
  for (;;) {
    gnutls_session_t session;
    int s = accept(listener, NULL, NULL), how;
    if (s < 0) return 1;
    gnutls_init(&session, GNUTLS_SERVER);
    gnutls_set_default_priority(session);
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
    gnutls_transport_set_int(session, s);
    do how = gnutls_handshake(session);
    while (how < 0 && !gnutls_error_is_fatal(how));
    if (how == GNUTLS_E_SUCCESS) serve(session);
    gnutls_deinit(session);
    close(s);
  }
}
