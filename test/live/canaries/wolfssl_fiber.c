/* wolfssl_fiber.c - the fibers of fiber.c on wolfSSL: wolfSSL_read and wolfSSL_write over callbacks that yield. */
#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

#include "canary.h"
#include "fibers.h"
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIBERS 5
#define MESSAGES 8
#define STACK (256 * 1024)

static WOLFSSL_CTX *context;
static struct talk talks[FIBERS];
static struct fiber fibers[FIBERS];

static void leave(struct talk *t) {
  canary_danger();
  fiber_yield(&fibers[t->i]);
}

static int take(WOLFSSL *ssl, char *p, int n, void *v) {
  struct talk *t = v;
  struct pollfd readable = {.fd = t->fd, .events = POLLIN};
  (void)ssl;
  while (poll(&readable, 1, 0) == 0) leave(t);
  int r = (int)recv(t->fd, p, (size_t)n, 0);
  return r > 0 ? r : WOLFSSL_CBIO_ERR_CONN_CLOSE;
}

static int give(WOLFSSL *ssl, char *p, int n, void *v) {
  struct talk *t = v;
  (void)ssl;
  leave(t);
  return (int)send(t->fd, p, (size_t)n, 0);
}

static int tls_read(struct talk *t, char *p, int n) { return wolfSSL_read(t->session, p, n); }
static int tls_write(struct talk *t, const char *p, int n) { return wolfSSL_write(t->session, p, n); }

static void serve(void *v) {
  struct talk *t = v;
  if (wolfSSL_accept(t->session) != WOLFSSL_SUCCESS) canary_wrong("the handshake");
  while (canary_answer(t)) {}
}

static void prepare(struct talk *t, unsigned i) {
  canary_accept(t, i);
  WOLFSSL *ssl = wolfSSL_new(context);
  wolfSSL_SetIOReadCtx(ssl, t);
  wolfSSL_SetIOWriteCtx(ssl, t);
  t->session = ssl;
  t->read = tls_read;
  t->write = tls_write;
  fiber_make(&fibers[i], malloc(STACK), STACK, serve, t);
}

int main(int argc, char **argv) {
  unsigned seed = 1;
  canary_begin(argc, argv, "wolfssl-fiber", FIBERS, MESSAGES, 0);
  wolfSSL_Init();
  context = wolfSSL_CTX_new(wolfTLSv1_2_server_method());
  wolfSSL_CTX_SetIORecv(context, take);
  wolfSSL_CTX_SetIOSend(context, give);
  if (wolfSSL_CTX_use_certificate_file(context, "c.pem", WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS ||
      wolfSSL_CTX_use_PrivateKey_file(context, "k.pem", WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS)
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
