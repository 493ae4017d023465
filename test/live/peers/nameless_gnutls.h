/* nameless_gnutls.h - the connections of nameless_talk by GnuTLS. */
#ifndef NAMELESS_GNUTLS_H
#define NAMELESS_GNUTLS_H
#include <gnutls/gnutls.h>

struct end {
  gnutls_session_t session;
  int fd;
};

static gnutls_certificate_credentials_t credentials;

static void set_up(int is_server) {
  need(gnutls_certificate_allocate_credentials(&credentials) == 0, "credentials");
  if (is_server)
    need(gnutls_certificate_set_x509_key_file(credentials, "c.pem", "k.pem", GNUTLS_X509_FMT_PEM) == 0, "certificate");
}

static void begin(struct end *e, int fd, int is_client, int in_memory) {
  (void)in_memory;
  e->fd = fd;
  need(gnutls_init(&e->session, is_client ? GNUTLS_CLIENT : GNUTLS_SERVER) == 0, "session");
  gnutls_set_default_priority(e->session);
  gnutls_credentials_set(e->session, GNUTLS_CRD_CERTIFICATE, credentials);
  gnutls_transport_set_int(e->session, fd);
  int how;
  do how = gnutls_handshake(e->session);
  while (how < 0 && !gnutls_error_is_fatal(how));
  need(how == 0, "handshake");
}

static void end(struct end *e) {
  gnutls_deinit(e->session);
  close(e->fd);
}

static int read_some(struct end *e, char *to, int n) {
  ssize_t r;
  do r = gnutls_record_recv(e->session, to, (size_t)n);
  while (r < 0 && !gnutls_error_is_fatal((int)r));
  return r > 0 ? (int)r : 0;
}

/* A call takes one record at most. */
static void write_whole_to(struct end *e, const char *from, int n) {
  for (int done = 0; done < n;) {
    ssize_t r = gnutls_record_send(e->session, from + done, (size_t)(n - done));
    need(r > 0, "write");
    done += (int)r;
  }
}

#endif
