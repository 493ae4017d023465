/* deep.c - SSL_read and SSL_write are called with hardly more stack than they need: deep in a recursion, some hundred
 * bytes above the guard page. What they need is measured first, on the first messages.
 */
#include "openssl.h"
#include <pthread.h>
#include <sys/mman.h>

#define MESSAGES 12
#define MEASURED 4
#define STACK (256 * 1024)
#define MARGIN 512
#define PAINT 0xa5

static char *memory; /* the guard page and then the stack */
static long page;

/* Bytes at the bottom of the stack that nothing was ever written to. */
static size_t untouched(void) {
  size_t n = 0;
  while ((unsigned char)memory[page + (long)n] == PAINT) n++;
  return n;
}

/* Goes down until the stack pointer is `at`; then one exchange. */
static __attribute__((noinline)) bool dive(struct talk *t, const char *at) {
  volatile char frame[64];
  frame[0] = 1;
  if ((const char *)__builtin_frame_address(0) - at > 192) {
    bool more = dive(t, at);
    return frame[0] == 1 && more;
  }
  return canary_answer(t);
}

static void *run(void *unused) {
  (void)unused;
  struct talk *t = canary_open(0);
  canary_handshake(t);
  /* What was written by the handshake lies deeper than what is measured now. */
  const char *here = __builtin_frame_address(0);
  memset(memory + page, PAINT, (size_t)(here - memory - page) - 1024);
  for (int k = 0; k < MEASURED; k++)
    if (!dive(t, here - 2048)) canary_wrong("the measuring exchanges");
  size_t needed = (size_t)(here - 2048 - memory - page) - untouched();
  const char *bottom = memory + page + needed + MARGIN;
  do canary_danger();
  while (dive(t, bottom));
  if (untouched() > 2 * MARGIN) canary_wrong("it was not as deep as it has to be");
  return NULL;
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, "deep", 1, MESSAGES, 0);
  canary_openssl(NULL, NULL);
  page = sysconf(_SC_PAGESIZE);
  memory = mmap(NULL, STACK + (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, (size_t)page, PROT_NONE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory + page, STACK);
  pthread_t thread;
  pthread_create(&thread, &attributes, run, NULL);
  pthread_join(thread, NULL);
  return canary_end();
}
