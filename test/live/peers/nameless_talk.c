/* nameless_talk.c - a TLS server or client that says in every message which connection it is on, for tests that strip it.
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
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 65536

static int handed;
static void need(int ok, const char *what);

/* Each defines struct end, and reading, writing, beginning and ending it: set_up(), begin(), end(), read_some() for bytes that
 * are there, 0 when the other end has closed, and write_whole_to(). */
#if defined(WITH_GNUTLS)
#include "nameless_gnutls.h"
#elif defined(WITH_WOLFSSL)
#include "nameless_wolfssl.h"
#elif defined(WITH_MBEDTLS)
#include "nameless_mbedtls.h"
#else
#include "nameless_openssl.h"
#endif

static const int sizes[] = {100, 700, 3000, 16000}; /* and BYTES */

static int port, connections, messages, bytes, at_once = MOST;
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

static void write_whole(struct end *e, const char *from, int n) {
  note(e);
  write_whole_to(e, from, n);
}

static int read_whole(struct end *e, char *to, int n) {
  for (int done = 0; done < n;) {
    int r = read_some(e, to + done, n - done < at_once ? n - done : at_once);
    if (r == 0) return 0;
    done += r;
  }
  note(e);
  return 1;
}

/* A message of two records would wait for the answer to the first of them. */
static void send_at_once(int fd) {
  int one = 1;
  need(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0, "TCP_NODELAY");
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
  for (int n; (n = read_some(&e, text, MOST)) > 0;) {
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
    send_at_once(fd);
    begin(&e, fd, 1, i & 1);
    for (int k = 0; k < messages; k++) {
      char head[256];
      int n = k % 5 == 4 ? bytes : sizes[k % 5], body = n;
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
    set_up(1);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int door = socket(AF_INET, SOCK_STREAM, 0);
    need(door >= 0 && bind(door, (struct sockaddr *)&at, sizeof at) == 0 && listen(door, 64) == 0, "listen");
    printf("port %d\n", port_of(door, 0));
    fflush(stdout);
    for (;;) {
      pthread_t thread;
      int fd = accept(door, NULL, NULL);
      send_at_once(fd);
      need(fd >= 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0, "accept");
      pthread_detach(thread);
    }
  }
  if (argc < 7 || argc > 9 || strcmp(argv[1], "client") != 0) return 2;
  port = atoi(argv[2]);
  connections = atoi(argv[4]);
  messages = atoi(argv[5]);
  bytes = atoi(argv[6]);
  int threads = atoi(argv[3]);
  if (argc >= 8) at_once = atoi(argv[7]);
  if (argc >= 9) handed = atoi(argv[8]);
  set_up(0);
  need(threads > 0 && threads <= 64 && bytes > 0 && bytes <= MOST, "arguments");
  pthread_t thread[64];
  for (int i = 0; i < threads; i++) need(pthread_create(&thread[i], NULL, talk, NULL) == 0, "thread");
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  return 0;
}
