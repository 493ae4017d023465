/* SPDX-License-Identifier: Apache-2.0
 * ask.c - asks an HTTP server at a fixed rate, come what may, and tells how long answers took (open loop).
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/ask.c -o bench/out/ask
 *   ask ADDRESS PORT WARM SECONDS RATE SOURCES PATH...
 *
 * Asks for WARM seconds, and then for SECONDS that are told apart: a server that has just started compiles what it runs.
 * Requests come from 127.0.0.2, 127.0.0.3 and so on (SOURCES of them), each with CONNECTIONS kept alive. A request has a
 * moment at which it is due; its time runs from then, whether a connection was free or not, so that a server which
 * stalls is not asked less. A connection that the server closed is opened again when it is needed. The last line of stdout is JSON, times in ms.
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
  int fd; /* -1: the server has closed it, as it may where nothing was asked for a while */
  uint32_t source;
  bool busy;
  const char *path;
  int64_t due_ns;
  size_t have, want; /* bytes of the answer; want 0 until its header is whole */
  char *answer;
};

static struct connection all[MAX_SOURCES * CONNECTIONS];
static uint32_t n_all, failed;
/* Times of the requests that were due in one part of the run, in the order of their answers. */
static struct part {
  double *took_ms;
  uint32_t answered, total;
  int64_t begins_ns;
} parts[2];

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static struct sockaddr_in server = {.sin_family = AF_INET};

static void open_connection(struct connection *c) {
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002u + c->source)};
  int one = 1;
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (c->fd < 0 || bind(c->fd, (struct sockaddr *)&from, sizeof from) != 0) die("bind");
  if (connect(c->fd, (struct sockaddr *)&server, sizeof server) != 0) die("connect");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void ask(struct connection *c, const char *path, int64_t due) {
  char text[512];
  int n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
  if (c->fd < 0) open_connection(c);
  c->busy = true;
  c->path = path;
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
  /* What comes unasked says that nothing was asked for too long (408), and goes before the end. */
  if (k <= 0 || !c->busy) {
    close(c->fd);
    c->fd = -1;
    if (c->busy && c->have > 0) die("the server hung up");
    if (c->busy) ask(c, c->path, c->due_ns);
    return;
  }
  c->have += (size_t)k;
  if (c->want == 0) c->want = whole(c);
  if (c->want == 0 || c->have < c->want) return;
  if (memcmp(c->answer, "HTTP/1.1 200", 12) != 0) failed++;
  struct part *p = &parts[c->due_ns >= parts[1].begins_ns];
  p->took_ms[p->answered++] = (double)(now_ns() - c->due_ns) / 1e6;
  c->busy = false;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
static double rank(const struct part *p, double share) {
  if (p->answered == 0) return 0;
  uint32_t i = (uint32_t)(share * p->answered);
  return p->took_ms[i < p->answered ? i : p->answered - 1];
}

int main(int argc, char **argv) {
  if (argc < 8) {
    fprintf(stderr, "usage: ask ADDRESS PORT WARM SECONDS RATE SOURCES PATH...\n");
    return 2;
  }
  double warm = atof(argv[3]), seconds = atof(argv[4]), rate = atof(argv[5]);
  uint32_t sources = (uint32_t)atoi(argv[6]), paths = (uint32_t)argc - 7;
  parts[0].total = (uint32_t)(warm * rate);
  parts[1].total = (uint32_t)(seconds * rate);
  uint32_t total = parts[0].total + parts[1].total;
  if (sources == 0 || sources > MAX_SOURCES || parts[1].total == 0) return 2;
  for (uint32_t i = 0; i < 2; i++) {
    parts[i].took_ms = calloc(total, sizeof *parts[i].took_ms);
    if (parts[i].took_ms == NULL) die("calloc");
  }
  server.sin_port = htons((uint16_t)atoi(argv[2]));
  if (inet_pton(AF_INET, argv[1], &server.sin_addr) != 1) die(argv[1]);
  for (; n_all < sources * CONNECTIONS; n_all++) {
    all[n_all] = (struct connection){.source = n_all % sources, .answer = malloc(ANSWER_BYTES)};
    if (all[n_all].answer == NULL) die("malloc");
    open_connection(&all[n_all]);
  }
  int64_t begun = now_ns(), over = begun + (int64_t)((warm + seconds) * 1e9) + PATIENCE_NS;
  parts[1].begins_ns = begun + (int64_t)((double)parts[0].total / rate * 1e9);
  uint32_t asked = 0;
  while (parts[0].answered + parts[1].answered < total && now_ns() < over) {
    int64_t now = now_ns(), due = 0;
    for (; asked < total; asked++) {
      due = begun + (int64_t)((double)asked / rate * 1e9);
      /* Sources take turns, so that each keeps its share of the rate. */
      struct connection *c = NULL;
      for (uint32_t k = 0; k < CONNECTIONS && c == NULL; k++)
        if (!all[asked % sources + k * sources].busy) c = &all[asked % sources + k * sources];
      if (due > now || c == NULL) break;
      ask(c, argv[7 + asked % paths], due);
    }
    struct pollfd p[MAX_SOURCES * CONNECTIONS];
    for (uint32_t i = 0; i < n_all; i++) p[i] = (struct pollfd){.fd = all[i].fd, .events = POLLIN};
    struct timespec nap = {0, due > now ? (long)(due - now < 1000000 ? due - now : 1000000) : 1000000};
    if (ppoll(p, n_all, &nap, NULL) < 0 && errno != EINTR) die("poll");
    for (uint32_t i = 0; i < n_all; i++)
      if (p[i].revents != 0) take(&all[i]);
  }
  for (uint32_t i = 0; i < 2; i++)
    qsort(parts[i].took_ms, parts[i].answered, sizeof *parts[i].took_ms, by_value);
  const struct part *p = &parts[1];
  printf("{\"asked\": %" PRIu32 ", \"unanswered\": %" PRIu32 ", \"not200\": %" PRIu32
         ", \"warmP99\": %.2f, \"p50\": %.2f, \"p99\": %.2f, \"p999\": %.2f, \"max\": %.2f}\n",
         total, total - parts[0].answered - p->answered, failed, rank(&parts[0], 0.99), rank(p, 0.5),
         rank(p, 0.99), rank(p, 0.999), rank(p, 1));
  return 0;
}
