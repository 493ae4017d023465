/* nameless_talk.c - an OpenSSL server or client that says in every message which connection it is on, for tests that strip it.
 *
 *     nameless_talk server                                           prints "port PORT"; a thread a connection
 *     nameless_talk client PORT THREADS CONNECTIONS MESSAGES BYTES [AT_ONCE [HANDED]]
 *
 * CONNECTIONS one after the other in each thread; a client reads AT_ONCE bytes in a call at most. Of what passes through
 * memory another thread, the same for all connections, sends and receives every HANDED-th piece; 0: none.
 *
 * Expects c.pem and k.pem in the current folder. The server answers each message of BYTES with the same; in every second
 * connection of a client OpenSSL reads and writes memory, and the program the socket. X-Port is the client's port.
 *
 * Around each message both ends also call note_text(), which takes the arguments of SSL_write and has nothing to do with TLS.
 */
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 65536

struct end {
  SSL *ssl;
  BIO *in, *out; /* NULL: the library has the socket */
  int fd;
};

static SSL_CTX *context;
static int port, connections, messages, bytes, at_once = MOST, handed;
static volatile long noted;

static void need(int ok, const char *what) {
  if (ok) return;
  perror(what);
  exit(1);
}

/* What it is handed looks like SIP. It must not be shown. */
__attribute__((noipa)) int note_text(void *to, const char *text, int length) {
  for (int i = 0; i < length; i++) noted += text[i];
  return to == NULL ? 0 : length;
}

static void note(struct end *e) {
  static const char text[] = "MESSAGE sip:secret@example.org SIP/2.0\r\nContent-Length: 0\r\n\r\nnobody sent this";
  note_text(e, text, sizeof text - 1);
}

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

static void write_whole(struct end *e, const char *from, int n) {
  note(e);
  need(SSL_write(e->ssl, from, n) == n, "write");
  flush(e);
}

static int read_whole(struct end *e, char *to, int n) {
  for (int done = 0; done < n;) {
    int r = SSL_read(e->ssl, to + done, n - done < at_once ? n - done : at_once);
    if (r > 0)
      done += r;
    else if (!wants_more(e, r))
      return 0;
  }
  note(e);
  return 1;
}

static int port_of(int fd, int of_peer) {
  struct sockaddr_in at;
  socklen_t length = sizeof at;
  need((of_peer ? getpeername : getsockname)(fd, (struct sockaddr *)&at, &length) == 0, "address");
  return ntohs(at.sin_port);
}

static void *serve(void *arg) {
  char *text = malloc(MOST);
  struct end e;
  begin(&e, (int)(intptr_t)arg, 0, 0);
  /* Whole messages: Content-Length says how long the rest is. */
  for (int n; (n = SSL_read(e.ssl, text, MOST)) > 0;) {
    char head[256] = "";
    memcpy(head, text, n < 255 ? (size_t)n : 255u);
    const char *length = strstr(head, "Content-Length: "), *body = strstr(head, "\r\n\r\n");
    need(length != NULL && body != NULL, "message");
    int whole = (int)(body + 4 - head) + atoi(length + 16);
    if (n < whole) need(read_whole(&e, text + n, whole - n), "rest");
    write_whole(&e, text, whole);
  }
  end(&e);
  free(text);
  return NULL;
}

static void *talk(void *arg) {
  char *out = malloc(MOST), *in = malloc(MOST);
  (void)arg;
  for (int i = 0; i < connections; i++) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct end e;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    need(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0, "connect");
    begin(&e, fd, 1, i & 1);
    for (int k = 0; k < messages; k++) {
      char head[256];
      /* The largest every fifth time: most messages fit one record, some need several. */
      int n = k % 5 == 4 ? bytes : 200 + k, body = n;
      int length;
      do {
        length = snprintf(head, sizeof head, "MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: %d;\r\nContent-Length: %d\r\n\r\n",
                          port_of(fd, 0), body);
      } while (length + body != n && (body = n - length) >= 0);
      memset(out, '.', (size_t)n);
      memcpy(out, head, (size_t)length);
      write_whole(&e, out, n);
      need(read_whole(&e, in, n) && memcmp(in, out, (size_t)n) == 0, "answer");
    }
    end(&e);
  }
  free(out);
  free(in);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "server") == 0) {
    context = SSL_CTX_new(TLS_server_method());
    need(SSL_CTX_use_certificate_file(context, "c.pem", SSL_FILETYPE_PEM) == 1 &&
             SSL_CTX_use_PrivateKey_file(context, "k.pem", SSL_FILETYPE_PEM) == 1,
         "certificate");
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int door = socket(AF_INET, SOCK_STREAM, 0);
    need(door >= 0 && bind(door, (struct sockaddr *)&at, sizeof at) == 0 && listen(door, 64) == 0, "listen");
    printf("port %d\n", port_of(door, 0));
    fflush(stdout);
    for (;;) {
      pthread_t thread;
      int fd = accept(door, NULL, NULL);
      need(fd >= 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0, "accept");
      pthread_detach(thread);
    }
  }
  if (argc < 7 || argc > 9 || strcmp(argv[1], "client") != 0) return 2;
  context = SSL_CTX_new(TLS_client_method());
  port = atoi(argv[2]);
  connections = atoi(argv[4]);
  messages = atoi(argv[5]);
  bytes = atoi(argv[6]);
  int threads = atoi(argv[3]);
  if (argc >= 8) at_once = atoi(argv[7]);
  if (argc >= 9) handed = atoi(argv[8]);
  need(threads > 0 && threads <= 64 && bytes > 0 && bytes <= MOST, "arguments");
  pthread_t thread[64], other;
  need(pthread_create(&other, NULL, carry, NULL) == 0, "thread");
  for (int i = 0; i < threads; i++) need(pthread_create(&thread[i], NULL, talk, NULL) == 0, "thread");
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  return 0;
}
