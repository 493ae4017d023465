/* cancel.c - threads are cancelled in the middle of SSL_read (pthread_cancel unwinds through its frames, and what was
 * to be cleaned up has to be); another thread takes the connection and goes on.
 */
#include "openssl.h"
#include <pthread.h>
#include <sched.h>

#define MESSAGES 8

static bool is_to_wait, is_waiting;
static unsigned cleaned;

/* Nothing was received yet. No system call is cancelled: from the signal that does it the unwinding sometimes fails, with
 * no probe near. */
static void reading(struct talk *t) {
  if (!t->is_up || !is_to_wait) return;
  __atomic_store_n(&is_waiting, true, __ATOMIC_RELEASE);
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}

static void clean(int *unused) {
  (void)unused;
  cleaned++;
}

static void *serve(void *t) {
  int guard __attribute__((cleanup(clean))) = 0;
  (void)guard;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  if (!((struct talk *)t)->is_up) canary_handshake((struct talk *)t);
  bool more = canary_read((struct talk *)t);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  return more && canary_write((struct talk *)t) ? t : NULL;
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, "cancel", 1, MESSAGES, 0);
  canary_openssl(reading, NULL);
  struct talk *t = canary_open(0);
  unsigned started = 0;
  for (void *how = t; how != NULL;) {
    pthread_t thread;
    is_waiting = false;
    is_to_wait = ++started % 2 == 0;
    pthread_create(&thread, NULL, serve, t);
    if (is_to_wait) {
      while (!__atomic_load_n(&is_waiting, __ATOMIC_ACQUIRE)) usleep(20);
      pthread_cancel(thread);
    }
    pthread_join(thread, &how);
    if (how == PTHREAD_CANCELED) canary_danger();
    if (cleaned != started) canary_wrong("what was to be cleaned up was not");
    cleaned = started;
  }
  return canary_end();
}
