/* canary.c - see canary.h. */
#include "canary.h"
#include <arpa/inet.h>
#include <errno.h>
#include <libgen.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What hangs has failed; a machine without KVM takes its time. */
#define LIMIT_SECONDS 120

struct tally *tally;
int canary_listener;
pid_t canary_peer;
const char *canary_prefix;
unsigned canary_connections, canary_messages;
static const char *canary_name;

void canary_wrong(const char *what) {
  __sync_fetch_and_add(&tally->wrong, 1);
  fprintf(stderr, "canary %s: %s (errno %d)\n", canary_name, what, errno);
}

void canary_die(const char *what) {
  canary_wrong(what);
  if (canary_peer > 0) kill(canary_peer, SIGKILL);
  _exit(1);
}

static void go_home(const char *program) {
  char path[4096];
  snprintf(path, sizeof path, "%s", program);
  if (chdir(dirname(path)) != 0) canary_die("its own folder");
}

static void wait_for_end_of_input(void) {
  char c;
  puts("up");
  fflush(stdout);
  while (read(0, &c, 1) > 0) {}
  exit(0);
}

static void listen_on_loopback(struct sockaddr_in *at) {
  socklen_t size = sizeof *at;
  *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  canary_listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(canary_listener, (struct sockaddr *)at, size) != 0 || listen(canary_listener, 64) != 0 ||
      getsockname(canary_listener, (struct sockaddr *)at, &size) != 0)
    canary_die("listening");
}

static void start_peer(unsigned port, unsigned reconnects) {
  char text[4][16];
  const unsigned numbers[4] = {port, canary_connections, canary_messages, reconnects};
  for (int i = 0; i < 4; i++) snprintf(text[i], sizeof text[i], "%u", numbers[i]);
  canary_peer = fork();
  if (canary_peer != 0) return;
  close(canary_listener);
  alarm(LIMIT_SECONDS);
  execl("./peer", "peer", text[0], canary_prefix, text[1], text[2], text[3], (char *)NULL);
  _exit(127);
}

void canary_begin(int argc, char **argv, const char *name, unsigned connections, unsigned messages,
                  unsigned reconnects) {
  canary_name = name;
  if (tally == NULL)
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (argc != 2) canary_die("usage: CANARY PREFIX, or CANARY wait");
  go_home(argv[0]);
  if (strcmp(argv[1], "wait") == 0) wait_for_end_of_input();
  signal(SIGPIPE, SIG_IGN);
  alarm(LIMIT_SECONDS);
  canary_prefix = argv[1];
  canary_connections = connections;
  canary_messages = messages;
  struct sockaddr_in at;
  listen_on_loopback(&at);
  start_peer(ntohs(at.sin_port), reconnects);
}

void canary_go_on(char **argv, const char *name, int listener, pid_t peer) {
  canary_name = name;
  canary_prefix = argv[1];
  canary_listener = listener;
  canary_peer = peer;
  signal(SIGPIPE, SIG_IGN);
}

void canary_accept(struct talk *t, unsigned i) {
  struct sockaddr_in from;
  socklen_t size = sizeof from;
  t->i = i;
  t->fd = accept4(canary_listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);
  if (t->fd < 0) canary_die("accepting");
  t->port = ntohs(from.sin_port);
  setsockopt(t->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

/* Which conversation it is that a connection goes on with. */
static void learn_number(struct talk *t) {
  char pattern[256];
  const char *at = memmem(t->in, t->have, "Call-ID: ", 9);
  snprintf(pattern, sizeof pattern, "Call-ID: %s.%%u.%%u", canary_prefix);
  if (at == NULL || sscanf(at, pattern, &t->i, &t->next) != 2) canary_wrong("whose request is this");
}

bool canary_read(struct talk *t) {
  size_t whole;
  while ((whole = sip_whole(t->in, t->have)) == 0) {
    int n = t->read(t, t->in + t->have, (int)(sizeof t->in - t->have));
    if (n <= 0) {
      if (t->have != 0) canary_wrong("a connection ended within a message");
      return false;
    }
    t->have += (size_t)n;
  }
  if (t->i == CANARY_ANY) learn_number(t);
  size_t n = sip_message(t->out, false, canary_prefix, t->port, t->i, t->next);
  if (whole != n || t->have != n || memcmp(t->in, t->out, n) != 0) {
    canary_wrong("another request than was sent");
    return false;
  }
  __sync_fetch_and_add(&tally->requests, 1);
  t->have = 0;
  return true;
}

bool canary_write(struct talk *t) {
  size_t n = sip_message(t->out, true, canary_prefix, t->port, t->i, t->next);
  if (t->write(t, t->out, (int)n) != (int)n) {
    if (!t->is_lost) canary_wrong("an answer could not be written");
    return false;
  }
  __sync_fetch_and_add(&tally->answers, 1);
  t->next++;
  t->answered++;
  return true;
}

bool canary_answer(struct talk *t) { return canary_read(t) && canary_write(t); }

int canary_end(void) {
  int status = 0;
  if (waitpid(canary_peer, &status, 0) != canary_peer || status != 0)
    canary_wrong("the peer was not content");
  if (tally->dangers == 0) canary_wrong("nothing dangerous was done");
  if (tally->requests == 0 || tally->answers == 0) canary_wrong("nothing was exchanged");
  printf("canary %s: %u requests, %u answers, %u dangers\n", canary_name, tally->requests, tally->answers,
         tally->dangers);
  fflush(stdout);
  return tally->wrong == 0 ? 0 : 1;
}
