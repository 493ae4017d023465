/* jump.c - a signal ends a call: its handler leaves SSL_read or SSL_write by siglongjmp, out of the transport, and the
 * call is made again, as old programs do with timeouts. The handler runs on the same stack, or on one of its own
 * (-DALTSTACK) above it. Every third time the jump leaves two calls at once: an SSL_write within the SSL_read.
 */
#include "openssl.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#ifdef ALTSTACK
#define NAME "altjump"
#else
#define NAME "jump"
#endif
#define MESSAGES 12
#define STACK (256 * 1024)

static struct talk *a, *b;
static sigjmp_buf place;
static bool is_armed, is_within;

static void on_signal(int signal) {
  (void)signal;
  siglongjmp(place, 1);
}

static void hook(struct talk *t) {
  if (is_within && t == b) pthread_kill(pthread_self(), SIGUSR1);
  if (t != a || !is_armed) return;
  is_armed = false;
  canary_danger();
  if (++t->steps % 3 == 0) {
    is_within = true;
    canary_write(b);
  }
  pthread_kill(pthread_self(), SIGUSR1);
  canary_wrong("the signal did not come");
}

/* The half of an exchange, after it was begun and left `times`. */
static bool at_last(bool (*half)(struct talk *), struct talk *t, int times) {
  volatile int left = times;
  bool is_left = sigsetjmp(place, 1) != 0;
  is_within = false;
  is_armed = left-- > 0;
  if (is_left && left < -times - 1) canary_die("it is left again and again");
  return half(t);
}

static void *run(void *above) {
  struct sigaction action = {.sa_handler = on_signal};
  if (above != NULL) {
    stack_t stack = {.ss_sp = above, .ss_size = STACK};
    action.sa_flags = SA_ONSTACK;
    if (sigaltstack(&stack, NULL) != 0) canary_die("sigaltstack");
  }
  sigaction(SIGUSR1, &action, NULL);
  a = canary_open(0);
  b = canary_open(1);
  canary_handshake(a);
  canary_handshake(b);
  bool more_a = true, more_b = true;
  while (more_a || more_b) {
    /* b has a request that is not yet answered while a is left. */
    if (more_b) more_b = canary_read(b);
    if (more_a) more_a = at_last(canary_read, a, more_b ? 2 : 0) && at_last(canary_write, a, more_b ? 2 : 0);
    if (more_b) more_b = canary_write(b);
  }
  return NULL;
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, NAME, 2, MESSAGES, 0);
  canary_openssl(hook, hook);
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
