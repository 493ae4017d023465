/* gnutls_fiber.c - the fibers of fiber.c on GnuTLS: gnutls_record_recv and gnutls_record_send over transport functions
 * that yield.
 */
#include "canary.h"
#include "fibers.h"
#include <gnutls/gnutls.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIBERS 5
#define MESSAGES 8
#define STACK (256 * 1024)

static gnutls_certificate_credentials_t credentials;
static struct talk talks[FIBERS];
static struct fiber fibers[FIBERS];

static void leave(struct talk *t) {
  canary_danger();
  fiber_yield(&fibers[t->i]);
}

static ssize_t pull(gnutls_transport_ptr_t v, void *p, size_t n) {
  struct talk *t = v;
  struct pollfd readable = {.fd = t->fd, .events = POLLIN};
  while (poll(&readable, 1, 0) == 0) leave(t);
  return recv(t->fd, p, n, 0);
}

static ssize_t push(gnutls_transport_ptr_t v, const void *p, size_t n) {
  struct talk *t = v;
  leave(t);
  return send(t->fd, p, n, 0);
}

static int tls_read(struct talk *t, char *p, int n) {
  return (int)gnutls_record_recv(t->session, p, (size_t)n);
}
static int tls_write(struct talk *t, const char *p, int n) {
  return (int)gnutls_record_send(t->session, p, (size_t)n);
}

static void serve(void *v) {
  struct talk *t = v;
  if (gnutls_handshake(t->session) != GNUTLS_E_SUCCESS) canary_wrong("the handshake");
  while (canary_answer(t)) {}
}

static void prepare(struct talk *t, unsigned i) {
  gnutls_session_t session;
  canary_accept(t, i);
  gnutls_init(&session, GNUTLS_SERVER);
  gnutls_set_default_priority(session);
  gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
  gnutls_transport_set_ptr(session, t);
  gnutls_transport_set_pull_function(session, pull);
  gnutls_transport_set_push_function(session, push);
  t->session = session;
  t->read = tls_read;
  t->write = tls_write;
  fiber_make(&fibers[i], malloc(STACK), STACK, serve, t);
}

int main(int argc, char **argv) {
  unsigned seed = 1;
  canary_begin(argc, argv, "gnutls-fiber", FIBERS, MESSAGES, 0);
  gnutls_certificate_allocate_credentials(&credentials);
  if (gnutls_certificate_set_x509_key_file(credentials, "c.pem", "k.pem", GNUTLS_X509_FMT_PEM) !=
      GNUTLS_E_SUCCESS)
    canary_die("c.pem and k.pem");
  for (unsigned i = 0; i < FIBERS; i++) prepare(&talks[i], i);
  for (unsigned left = FIBERS; left > 0;) {
    unsigned i = (unsigned)rand_r(&seed) % FIBERS;
    if (fibers[i].is_over) continue;
    fiber_resume(&fibers[i]);
    if (fibers[i].is_over) left--;
    if (rand_r(&seed) % 4 == 0) usleep(50);
  }
  return canary_end();
}
