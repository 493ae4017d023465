/* handler.c - a signal handler that runs in the middle of SSL_read and calls SSL_read and SSL_write itself, for another
 * connection: on the same stack, or on another one (-DALTSTACK) that lies above it, as a heap does to a thread's stack.
 */
#include "openssl.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef ALTSTACK
#define NAME "altstack"
#else
#define NAME "handler"
#endif
#define MESSAGES 12
#define STACK (256 * 1024)

static struct talk *outer, *inner;
static bool is_inside;

static void on_signal(int signal) {
  (void)signal;
  if (!inner->is_up) canary_handshake(inner);
  canary_answer(inner);
}

static void reading(struct talk *t) {
  if (t != outer || !t->is_up || is_inside || inner->next >= MESSAGES) return;
  is_inside = true;
  canary_danger();
  pthread_kill(pthread_self(), SIGUSR1);
  is_inside = false;
}

static void *run(void *above) {
  struct sigaction action = {.sa_handler = on_signal};
  if (above != NULL) {
    stack_t stack = {.ss_sp = above, .ss_size = STACK};
    action.sa_flags = SA_ONSTACK;
    if (sigaltstack(&stack, NULL) != 0) canary_die("sigaltstack");
  }
  sigaction(SIGUSR1, &action, NULL);
  outer = canary_open(0);
  inner = canary_open(1);
  canary_serve(outer);
  while (canary_answer(inner)) {}
  return NULL;
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, NAME, 2, MESSAGES, 0);
  canary_openssl(reading, NULL);
  /* One piece: the thread's stack, and above it that of its handlers. */
  char *memory = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, STACK);
  pthread_t thread;
#ifdef ALTSTACK
  pthread_create(&thread, &attributes, run, memory + STACK);
#else
  pthread_create(&thread, &attributes, run, NULL);
#endif
  pthread_join(thread, NULL);
  return canary_end();
}
