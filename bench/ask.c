/* SPDX-License-Identifier: Apache-2.0
 * ask.c - asks an HTTP server at a fixed rate, come what may, and tells how long answers took (open loop).
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/ask.c -o bench/out/ask
 *   ask ADDRESS PORT SECONDS RATE SOURCES PATH...
 *
 * Requests come from 127.0.0.2, 127.0.0.3 and so on (SOURCES of them), each with CONNECTIONS kept alive. A request has a
 * moment at which it is due; its time runs from then, whether a connection was free or not, so that a server which
 * stalls is not asked less. The last line of stdout is JSON, times in ms.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 4u
#define MAX_SOURCES 16u
#define ANSWER_BYTES (1u << 20)
#define PATIENCE_NS 5000000000ll /* for answers still due at the end */

struct connection {
  int fd;
  bool busy;
  int64_t due_ns;
  size_t have, want; /* bytes of the answer; want 0 until its header is whole */
  char *answer;
};

static struct connection all[MAX_SOURCES * CONNECTIONS];
static uint32_t n_all, answered, failed, late_starts;
static double *took_ms;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void open_connection(struct connection *c, uint32_t source, const char *address, uint16_t port) {
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002u + source)};
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  int one = 1;
  if (inet_pton(AF_INET, address, &to.sin_addr) != 1) die(address);
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (c->fd < 0 || bind(c->fd, (struct sockaddr *)&from, sizeof from) != 0) die("bind");
  if (connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0) die("connect");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  c->answer = malloc(ANSWER_BYTES);
  if (c->answer == NULL) die("malloc");
}

static void ask(struct connection *c, const char *path, int64_t due) {
  char text[512];
  int n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: bench\r\n\r\n", path);
  c->busy = true;
  c->due_ns = due;
  c->have = c->want = 0;
  if (send(c->fd, text, (size_t)n, MSG_NOSIGNAL) != n) die("send");
}

/* Length of the whole answer once its header is there; 0 before. */
static size_t whole(const struct connection *c) {
  const char *end = memmem(c->answer, c->have, "\r\n\r\n", 4);
  if (end == NULL) return 0;
  for (const char *p = c->answer; p < end; p++) {
    if (strncasecmp(p, "\r\ncontent-length:", 17) == 0)
      return (size_t)(end - c->answer) + 4 + strtoul(p + 17, NULL, 10);
  }
  fprintf(stderr, "ask: an answer without a length\n");
  exit(1);
}

static void take(struct connection *c) {
  ssize_t k = recv(c->fd, c->answer + c->have, ANSWER_BYTES - c->have, MSG_DONTWAIT);
  if (k < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (k <= 0) die("the server hung up");
  c->have += (size_t)k;
  if (c->want == 0) c->want = whole(c);
  if (c->want == 0 || c->have < c->want) return;
  if (memcmp(c->answer, "HTTP/1.1 200", 12) != 0) failed++;
  took_ms[answered++] = (double)(now_ns() - c->due_ns) / 1e6;
  c->busy = false;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
static double rank(double share) {
  if (answered == 0) return 0;
  uint32_t i = (uint32_t)(share * answered);
  return took_ms[i < answered ? i : answered - 1];
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: ask ADDRESS PORT SECONDS RATE SOURCES PATH...\n");
    return 2;
  }
  double seconds = atof(argv[3]), rate = atof(argv[4]);
  uint32_t sources = (uint32_t)atoi(argv[5]), paths = (uint32_t)argc - 6, total = (uint32_t)(seconds * rate);
  if (sources == 0 || sources > MAX_SOURCES || total == 0) return 2;
  took_ms = calloc(total, sizeof *took_ms);
  if (took_ms == NULL) die("calloc");
  for (uint32_t i = 0; i < sources * CONNECTIONS; i++)
    open_connection(&all[n_all++], i % sources, argv[1], (uint16_t)atoi(argv[2]));
  int64_t begun = now_ns(), over = begun + (int64_t)(seconds * 1e9) + PATIENCE_NS;
  uint32_t asked = 0;
  while (answered < total && now_ns() < over) {
    int64_t now = now_ns();
    for (; asked < total; asked++) {
      int64_t due = begun + (int64_t)((double)asked / rate * 1e9);
      /* Sources take turns, so that each keeps its share of the rate. */
      struct connection *c = NULL;
      for (uint32_t k = 0; k < CONNECTIONS && c == NULL; k++)
        if (!all[asked % sources + k * sources].busy) c = &all[asked % sources + k * sources];
      if (due > now || c == NULL) break;
      if (now - due > 1000000) late_starts++;
      ask(c, argv[6 + asked % paths], due);
    }
    struct pollfd p[MAX_SOURCES * CONNECTIONS];
    for (uint32_t i = 0; i < n_all; i++) p[i] = (struct pollfd){.fd = all[i].fd, .events = POLLIN};
    if (poll(p, n_all, 1) < 0 && errno != EINTR) die("poll");
    for (uint32_t i = 0; i < n_all; i++)
      if (p[i].revents != 0) take(&all[i]);
  }
  qsort(took_ms, answered, sizeof *took_ms, by_value);
  printf("{\"asked\": %" PRIu32 ", \"answered\": %" PRIu32 ", \"not200\": %" PRIu32
         ", \"lateStarts\": %" PRIu32 ", \"p50\": %.2f, \"p99\": %.2f, \"p999\": %.2f, \"max\": %.2f}\n",
         asked, answered, failed, late_starts, rank(0.5), rank(0.99), rank(0.999), rank(1));
  return 0;
}
