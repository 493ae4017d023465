/* traced.c - a debugger is attached: it single-steps through the beginning of each TLS call, through as much of the
 * first ones as fits into its time, and goes away in the middle of one. The debugged program stops itself before each
 * call: a breakpoint on the very instruction that is probed would go to the probe.
 */
#include "openssl.h"
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#define MESSAGES 8
#define TRACED 8      /* calls */
#define WHOLE 2       /* of these, to their return */
#define STEPS 200     /* of the others */
#define LIMIT_MS 1500 /* for the whole ones together */

static pid_t debugged;
static volatile unsigned begun, returned; /* in the debugged process */

static int traced_read(struct talk *t, char *p, int n) {
  if (begun++ < TRACED) raise(SIGTRAP);
  int r = SSL_read((SSL *)t->session, p, n);
  returned++;
  return r;
}

static int traced_write(struct talk *t, const char *p, int n) {
  if (begun++ < TRACED) raise(SIGTRAP);
  int r = SSL_write((SSL *)t->session, p, n);
  returned++;
  return r;
}

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* How many calls have returned there. */
static unsigned returned_there(void) { return (unsigned)ptrace(PTRACE_PEEKDATA, debugged, &returned, 0); }

/* Waits until it stops by a step or by itself; anything else ends the debugging. */
static void wait_for_trap(void) {
  int status;
  if (waitpid(debugged, &status, 0) != debugged || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
    canary_die("the debugged did not stop as it has to");
}

static void step(void) {
  if (ptrace(PTRACE_SINGLESTEP, debugged, 0, 0) != 0) canary_die("stepping");
  wait_for_trap();
}

static void debug(void) {
  long until = now_ms() + LIMIT_MS;
  int status;
  for (unsigned call = 0; call < TRACED; call++) {
    wait_for_trap();
    unsigned before = returned_there();
    for (unsigned n = 0;; n++) {
      if (call >= WHOLE && n == STEPS) break;
      if (n % 64 == 63 && (returned_there() != before || now_ms() > until)) break;
      step();
    }
    canary_danger();
    ptrace(call + 1 < TRACED ? PTRACE_CONT : PTRACE_DETACH, debugged, 0, 0);
  }
  if (waitpid(debugged, &status, 0) != debugged || !WIFEXITED(status) || WEXITSTATUS(status) != 9)
    canary_wrong("the debugged did not end as it has to");
}

static void serve(void) {
  struct talk *t = canary_open(0);
  canary_handshake(t);
  t->read = traced_read;
  t->write = traced_write;
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  while (canary_answer(t)) {}
  _exit(9);
}

int main(int argc, char **argv) {
  cpu_set_t one;
  canary_begin(argc, argv, "traced", 1, MESSAGES, 0);
  canary_openssl(NULL, NULL);
  /* They take turns: without a wake-up of another processor a step costs less. */
  sched_getaffinity(0, sizeof one, &one);
  for (int i = 0, is_first = 1; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET(i, &one) && !is_first) CPU_CLR(i, &one);
    if (CPU_ISSET(i, &one)) is_first = 0;
  }
  sched_setaffinity(0, sizeof one, &one);
  debugged = fork();
  if (debugged == 0) serve();
  debug();
  return canary_end();
}
