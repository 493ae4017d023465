/* process.c - other processes begin in the middle of SSL_read and SSL_write, by turns: vfork with _exit; vfork with exec
 * (of the peer, which without arguments exits with 2); posix_spawn; fork with a child that leaves at once.
 * -DCLONE: a process of its own in the same memory (clone with CLONE_VM) reads and answers another connection in the
 * meantime. -DFORK: the child that fork made goes on in the middle of the call and serves the connection to its end;
 * the parent's call fails.
 */
#include "openssl.h"
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#if defined(CLONE)
#define NAME "clone"
#elif defined(FORK)
#define NAME "fork"
#else
#define NAME "vfork"
#endif
#define MESSAGES 10
#define STACK (256 * 1024)

static void ended_with(pid_t child, int expected) {
  int status = 0;
  if (child <= 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != expected)
    canary_wrong("a child did not end as it has to");
}

#if defined(CLONE)

static struct talk *other;
static bool is_busy;

static int in_same_memory(void *stack) {
  (void)stack;
  return canary_answer(other) ? 7 : 8;
}

static void hook(struct talk *t) {
  static char stack[STACK] __attribute__((aligned(16)));
  if (t == other || !t->is_up || is_busy || other->next >= MESSAGES || t->steps++ % 2 != 0) return;
  is_busy = true;
  canary_danger();
  ended_with(clone(in_same_memory, stack + STACK, CLONE_VM | SIGCHLD, NULL), 7);
  is_busy = false;
}

static void run(void) {
  struct talk *t = canary_open(0);
  other = canary_open(1);
  canary_handshake(other);
  canary_serve(t);
  while (canary_answer(other)) {}
}

#elif defined(FORK)

static pid_t child;

/* In the child the call goes on as if nothing had been; in the parent it returns an error. */
static void hook(struct talk *t) {
  if (!t->is_up || t->steps++ != 2 * t->i) return;
  canary_danger();
  child = fork();
  if (child < 0) canary_die("fork");
  if (child == 0) return;
  t->is_lost = true;
  t->fd = -1;
}

static void run(void) {
  for (unsigned i = 0; i < 4; i++) {
    struct talk *t = canary_open(i);
    int fd = t->fd;
    child = -1;
    canary_handshake(t);
    while (canary_answer(t)) {}
    if (child == 0) _exit(t->next == MESSAGES ? 5 : 6);
    if (!t->is_lost) canary_wrong("there was no child");
    close(fd);
    ended_with(child, 5);
  }
}

#else

static void hook(struct talk *t) {
  extern char **environ;
  char *const argv[] = {(char *)"peer", NULL};
  pid_t child = -1;
  if (!t->is_up) return;
  canary_danger();
  switch (t->steps++ % 4) {
  case 0:
    child = vfork();
    if (child == 0) _exit(3);
    ended_with(child, 3);
    return;
  case 1:
    child = vfork();
    if (child == 0) {
      execv("./peer", argv);
      _exit(127);
    }
    ended_with(child, 2);
    return;
  case 2:
    if (posix_spawn(&child, "./peer", NULL, NULL, argv, environ) != 0) canary_wrong("posix_spawn");
    ended_with(child, 2);
    return;
  default:
    child = fork();
    if (child == 0) _exit(4);
    ended_with(child, 4);
  }
}

static void run(void) { canary_serve(canary_open(0)); }

#endif

int main(int argc, char **argv) {
#if defined(CLONE)
  canary_begin(argc, argv, NAME, 2, MESSAGES, 0);
#elif defined(FORK)
  canary_begin(argc, argv, NAME, 4, MESSAGES, 0);
#else
  canary_begin(argc, argv, NAME, 1, MESSAGES, 0);
#endif
  canary_openssl(hook, hook);
  run();
  return canary_end();
}
