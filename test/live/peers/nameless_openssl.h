/* nameless_openssl.h - the connections of nameless_talk by OpenSSL; BIOs in memory, too, and a thread that sends for others. */
#ifndef NAMELESS_OPENSSL_H
#define NAMELESS_OPENSSL_H
#include <openssl/ssl.h>

struct end {
  SSL *ssl;
  BIO *in, *out; /* NULL: the library has the socket */
  int fd;
};

static SSL_CTX *context;

static void send_all(int fd, const char *from, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t r = send(fd, from + done, n - done, MSG_NOSIGNAL);
    need(r > 0, "send");
    done += (size_t)r;
  }
}

/* What the other thread sends, or receives where `to_send` is NULL. */
static struct {
  pthread_mutex_t turn, lock;
  pthread_cond_t changed;
  int fd, is_open;
  const char *to_send;
  char *into;
  size_t n;
  ssize_t result;
} job = {.turn = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *carry(void *arg) {
  (void)arg;
  pthread_mutex_lock(&job.lock);
  for (;;) {
    while (!job.is_open) pthread_cond_wait(&job.changed, &job.lock);
    if (job.to_send != NULL)
      send_all(job.fd, job.to_send, job.n);
    else
      job.result = recv(job.fd, job.into, job.n, 0);
    job.is_open = 0;
    pthread_cond_broadcast(&job.changed);
  }
  return NULL;
}

static ssize_t hand_over(int fd, const char *to_send, char *into, size_t n) {
  pthread_mutex_lock(&job.turn);
  pthread_mutex_lock(&job.lock);
  job.fd = fd;
  job.to_send = to_send;
  job.into = into;
  job.n = n;
  job.is_open = 1;
  pthread_cond_broadcast(&job.changed);
  while (job.is_open) pthread_cond_wait(&job.changed, &job.lock);
  ssize_t result = job.result;
  pthread_mutex_unlock(&job.lock);
  pthread_mutex_unlock(&job.turn);
  return result;
}

static int is_handed(void) {
  static __thread int pieces;
  return handed > 0 && ++pieces % handed == 0;
}

static void flush(struct end *e) {
  static __thread char buffer[4 * MOST];
  for (int n; e->out != NULL && (n = BIO_read(e->out, buffer, sizeof buffer)) > 0;) {
    if (is_handed())
      hand_over(e->fd, buffer, NULL, (size_t)n);
    else
      send_all(e->fd, buffer, (size_t)n);
  }
}

/* 0 when the other end has closed. */
static int fill(struct end *e) {
  static __thread char buffer[MOST];
  if (e->in == NULL) return 0;
  ssize_t n = is_handed() ? hand_over(e->fd, NULL, buffer, sizeof buffer) : recv(e->fd, buffer, sizeof buffer, 0);
  return n > 0 && BIO_write(e->in, buffer, (int)n) == n;
}

static int wants_more(struct end *e, int result) {
  flush(e);
  return SSL_get_error(e->ssl, result) == SSL_ERROR_WANT_READ && fill(e);
}

static void begin(struct end *e, int fd, int is_client, int in_memory) {
  *e = (struct end){.ssl = SSL_new(context), .fd = fd};
  if (in_memory) {
    e->in = BIO_new(BIO_s_mem());
    e->out = BIO_new(BIO_s_mem());
    SSL_set_bio(e->ssl, e->in, e->out);
  } else {
    SSL_set_fd(e->ssl, fd);
  }
  if (is_client)
    SSL_set_connect_state(e->ssl);
  else
    SSL_set_accept_state(e->ssl);
  int r;
  while ((r = SSL_do_handshake(e->ssl)) != 1) need(wants_more(e, r), "handshake");
  flush(e);
}

static void end(struct end *e) {
  SSL_free(e->ssl);
  close(e->fd);
}

static int read_some(struct end *e, char *to, int n) {
  for (int r;;) {
    if ((r = SSL_read(e->ssl, to, n)) > 0) return r;
    if (!wants_more(e, r)) return 0;
  }
}

static void write_whole_to(struct end *e, const char *from, int n) {
  need(SSL_write(e->ssl, from, n) == n, "write");
  flush(e);
}

static void set_up(int is_server) {
  context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (is_server) {
    need(SSL_CTX_use_certificate_file(context, "c.pem", SSL_FILETYPE_PEM) == 1 &&
             SSL_CTX_use_PrivateKey_file(context, "k.pem", SSL_FILETYPE_PEM) == 1,
         "certificate");
  }
  pthread_t other;
  if (handed > 0) need(pthread_create(&other, NULL, carry, NULL) == 0, "thread");
}

#endif
