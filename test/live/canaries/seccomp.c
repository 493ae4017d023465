/* seccomp.c - a sandboxed server: after the handshake any system call but the few it needs kills the process. Return
 * probes of kernels 6.11 to 6.13 make one of their own in the process.
 */
#include "openssl.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MESSAGES 16

#define ALLOW(nr)                                                                                            \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void lock_in(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(__NR_recvfrom),
      ALLOW(__NR_sendto),
      ALLOW(__NR_write),
      ALLOW(__NR_close),
      ALLOW(__NR_brk),
      ALLOW(__NR_mmap),
      ALLOW(__NR_munmap),
      ALLOW(__NR_futex),
      ALLOW(__NR_getpid),
      ALLOW(__NR_exit_group),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = {.len = sizeof rules / sizeof rules[0], .filter = rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    canary_die("seccomp");
  canary_danger();
}

static void serve(void) {
  struct talk *t = canary_open(0);
  canary_handshake(t);
  lock_in();
  while (canary_answer(t)) {}
  _exit(9);
}

int main(int argc, char **argv) {
  int status = 0;
  canary_begin(argc, argv, "seccomp", 1, MESSAGES, 0);
  canary_openssl(NULL, NULL);
  pid_t child = fork();
  if (child == 0) serve();
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 9)
    canary_wrong("the sandbox was left");
  return canary_end();
}
