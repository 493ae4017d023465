/* green.c - green threads: three threads of the kernel run whichever fiber is ready, but never the one they ran last, so
 * that one enters SSL_read on one thread, goes on in the middle of it on another, and returns on a third.
 */
#include "fibers.h"
#include "openssl.h"
#include <poll.h>
#include <pthread.h>

#define FIBERS 8
#define THREADS 3
#define MESSAGES 8
#define STACK (256 * 1024)

static struct talk *talks[FIBERS];
static struct fiber fibers[FIBERS];
static pthread_t last[FIBERS]; /* where it ran before */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned ready[FIBERS], n_ready, n_over;

static void leave(struct talk *t) {
  last[t->i] = pthread_self();
  fiber_yield(&fibers[t->i]);
}

static void reading(struct talk *t) {
  struct pollfd p = {.fd = t->fd, .events = POLLIN};
  do leave(t);
  while (poll(&p, 1, 0) == 0);
}

static void serve(void *t) { canary_serve(t); }

/* A ready fiber that this thread did not run last, or n_ready. The lock is held. */
static unsigned pick(unsigned *seed) {
  unsigned first = n_ready == 0 ? 0 : (unsigned)rand_r(seed) % n_ready;
  for (unsigned k = 0; k < n_ready; k++) {
    unsigned at = (first + k) % n_ready;
    if (last[ready[at]] == 0 || !pthread_equal(last[ready[at]], pthread_self())) return at;
  }
  return n_ready;
}

/* A fiber is put back once nothing runs on its stack any more. */
static void *run(void *v) {
  unsigned seed = (unsigned)(uintptr_t)v;
  for (;;) {
    pthread_mutex_lock(&lock);
    if (n_over == FIBERS) break;
    unsigned at = pick(&seed);
    if (at == n_ready) {
      pthread_mutex_unlock(&lock);
      usleep(20);
      continue;
    }
    unsigned i = ready[at];
    ready[at] = ready[--n_ready];
    pthread_mutex_unlock(&lock);
    if (last[i] != 0) canary_danger();
    fiber_resume(&fibers[i]);
    pthread_mutex_lock(&lock);
    if (fibers[i].is_over)
      n_over++;
    else
      ready[n_ready++] = i;
    pthread_mutex_unlock(&lock);
    usleep(20);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, "green", FIBERS, MESSAGES, 0);
  canary_openssl(reading, leave);
  for (unsigned i = 0; i < FIBERS; i++) {
    talks[i] = canary_open(i);
    fiber_make(&fibers[i], malloc(STACK), STACK, serve, talks[i]);
    ready[n_ready++] = i;
  }
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1));
  for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return canary_end();
}
