/* exec.c - a thread starts the same program anew (execve) while the others are in the middle of SSL_read: they and
 * their connections are gone at once. The next life takes the peer's new connections at the same listener and goes on
 * with the conversations.
 */
#include "openssl.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define THREADS 4
#define MESSAGES 9
#define LIVES 3
#define EXCHANGES 2 /* of each connection in a life, before it ends */

/* What the next life needs. It lies in a file without a name, whose descriptor stays open. */
struct legacy {
  struct tally tally;
  unsigned life;
  int listener;
  pid_t peer;
};
static struct legacy *legacy;
static struct talk *talks[THREADS];
static unsigned waiting; /* threads in the middle of SSL_read */

static void reading(struct talk *t) {
  if (t->answered < EXCHANGES || legacy->life + 1 == LIVES) return;
  __sync_fetch_and_add(&waiting, 1);
  for (;;) pause();
}

static void *serve(void *t) {
  canary_serve(t);
  return NULL;
}

static void begin_anew(char **argv) {
  legacy->listener = canary_listener;
  legacy->peer = canary_peer;
  legacy->life++;
  canary_danger();
  execv("/proc/self/exe", argv);
  canary_die("execve");
}

int main(int argc, char **argv) {
  const char *left = getenv("CANARY_LEGACY");
  int fd = left == NULL ? memfd_create("legacy", 0) : atoi(left);
  if (left == NULL && ftruncate(fd, sizeof *legacy) != 0) return 1;
  legacy = mmap(NULL, sizeof *legacy, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (legacy == MAP_FAILED) return 1;
  tally = &legacy->tally;
  if (left == NULL) {
    char text[16];
    snprintf(text, sizeof text, "%d", fd);
    setenv("CANARY_LEGACY", text, 1);
    canary_begin(argc, argv, "exec", THREADS, MESSAGES, THREADS * (LIVES - 1));
  } else {
    canary_go_on(argv, "exec", legacy->listener, legacy->peer);
  }
  canary_openssl(reading, NULL);
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++) talks[i] = canary_open(CANARY_ANY);
  for (unsigned i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, serve, talks[i]);
  if (legacy->life + 1 < LIVES) {
    while (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) < THREADS) usleep(50);
    begin_anew(argv);
  }
  for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return canary_end();
}
