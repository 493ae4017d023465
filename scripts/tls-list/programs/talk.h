/* talk.h - what the C programs share: a TCP connection to the far end, and SIP messages that go round on it. */
#ifndef TLS_LIST_TALK_H
#define TLS_LIST_TALK_H
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 4096

static void need(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static int far_end(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(getenv("TLS_PORT")))};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  need(connect(fd, (struct sockaddr *)&at, sizeof at) == 0, "connect");
  return fd;
}

/* The message of the environment with each NUMBER as a number; its bytes. */
static int message(char to[MOST], int number) {
  const char *from = getenv("TLS_MESSAGE");
  int n = 0;
  for (const char *at; (at = strstr(from, "NUMBER")) != NULL; from = at + 6)
    n += snprintf(to + n, (size_t)(MOST - n), "%.*s%d", (int)(at - from), from, number);
  return n + snprintf(to + n, (size_t)(MOST - n), "%s", from);
}

/* Both move what they can and return how many bytes: at least one. */
static void talk(void *tls, int (*put)(void *, char *, int), int (*get)(void *, char *, int)) {
  static char text[MOST];
  for (int number = 1;; number++) {
    int n = message(text, number);
    need(put(tls, text, n) == n, "write");
    need(get(tls, text, MOST) > 0, "read");
    usleep(500000);
  }
}
#endif
