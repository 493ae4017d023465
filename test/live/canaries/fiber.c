/* fiber.c - several fibers a thread, each in SSL_accept, SSL_read or SSL_write over a transport that yields when there
 * is nothing to read and before each write; they are resumed in random order, not in the order they entered.
 *
 * Where their stacks lie: STACKS 0 apart, each from malloc (the default); 1 one behind the other, 32 KiB each, in one
 * piece; 2 the same within the stack of the thread that runs them; 3 apart, 16 KiB each; 4 all at the same place, into
 * which each is copied before it runs (HAND_MADE only): calls of several fibers are open with the same stack pointer.
 * HAND_MADE: the switch is not swapcontext. NAME is given with them.
 */
#include "fibers.h"
#include "openssl.h"
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#ifndef STACKS
#define STACKS 0
#define NAME "fiber"
#endif
#define FIBERS 5
#ifdef HAND_MADE
#define THREADS 1
#else
#define THREADS 2
#endif
#define MESSAGES 8
#define STACK (STACKS == 0 || STACKS == 4 ? 256 * 1024 : STACKS == 3 ? 16 * 1024 : 32 * 1024)

static struct talk *talks[THREADS * FIBERS];
static struct fiber fibers[THREADS * FIBERS];

static void leave(struct talk *t) {
  canary_danger();
  fiber_yield(&fibers[t->i]);
}

static void reading(struct talk *t) {
  struct pollfd p = {.fd = t->fd, .events = POLLIN};
  while (poll(&p, 1, 0) == 0) leave(t);
}

static void writing(struct talk *t) { leave(t); }

static void serve(void *t) { canary_serve(t); }

/* Runs fiber i until it yields. `top` is the end of its stack. */
static void resume(unsigned i, char *top) {
#if STACKS == 4
  static struct {
    char *bytes;
    size_t n;
  } copies[THREADS * FIBERS];
  if (copies[i].bytes == NULL) copies[i].bytes = malloc(STACK);
  /* A new one is not there yet: it is made in place. */
  if (copies[i].n == 0)
    fiber_make(&fibers[i], top - STACK, STACK, serve, talks[i]);
  else
    memcpy(fibers[i].own, copies[i].bytes, copies[i].n);
  fiber_resume(&fibers[i]);
  copies[i].n = (size_t)(top - (char *)fibers[i].own);
  memcpy(copies[i].bytes, fibers[i].own, copies[i].n);
#else
  (void)top;
  fiber_resume(&fibers[i]);
#endif
}

static void *run(void *v) {
  unsigned first = (unsigned)(uintptr_t)v, seed = first;
#if STACKS == 4
  char *memory = malloc(STACK);
#elif STACKS == 2
  char memory[FIBERS * STACK] __attribute__((aligned(16)));
#elif STACKS == 1
  char *memory = malloc(FIBERS * STACK);
#endif
  for (unsigned i = 0; STACKS != 4 && i < FIBERS; i++) {
#if STACKS == 1 || STACKS == 2
    void *stack = memory + i * STACK;
#else
    void *stack = malloc(STACK);
#endif
    fiber_make(&fibers[first + i], stack, STACK, serve, talks[first + i]);
  }
#if STACKS == 4
  char *top = memory + STACK;
#else
  char *top = NULL;
#endif
  for (unsigned left = FIBERS; left > 0;) {
    unsigned i = first + (unsigned)rand_r(&seed) % FIBERS;
    if (fibers[i].is_over) continue;
    resume(i, top);
    if (fibers[i].is_over) left--;
    if (rand_r(&seed) % 4 == 0) usleep(50);
  }
  return NULL;
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, NAME, THREADS * FIBERS, MESSAGES, 0);
  canary_openssl(reading, writing);
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS * FIBERS; i++) talks[i] = canary_open(i);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i * FIBERS));
  for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return canary_end();
}
