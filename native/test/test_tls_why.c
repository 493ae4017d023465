/* SPDX-License-Identifier: Apache-2.0
 * test_tls_why.c - each refusal names what is missing and what would help; what a seccomp filter does is seen.
 */
#define _GNU_SOURCE
#include "check.h"
#include "tls/tls_why.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct ct_tls_facts ROOT = {
    .kernel = "6.1.0-50-amd64", .is_admin = true, .has_bpf = true, .has_perfmon = true, .has_btf = true};

static struct ct_tls_facts service(void) {
  struct ct_tls_facts f = ROOT;
  f.is_admin = false;
  return f;
}

static void says(struct ct_tls_facts f, int err, const char *what, const char *wanted) {
  char why[CT_TLS_WHY] = "";
  ct_tls_explain_by(&f, err, what, why);
  subject = why;
  CHECK(strncmp(why, what, strlen(what)) == 0);
  CHECK(strstr(why, wanted) != NULL);
  CHECK(strchr(why, '\n') == NULL && strlen(why) < CT_TLS_WHY - 1);
  subject = "";
}

static void words(void) {
  static const char load[] = "loading the eBPF programs", attach[] = "attaching a probe";
  struct ct_tls_facts f = service();
  f.has_perfmon = false;
  says(f, EPERM, load, ": missing CAP_PERFMON; run as root, or give the service AmbientCapabilities=");
  f.has_bpf = false;
  says(f, EACCES, load, ": missing CAP_BPF and CAP_PERFMON; ");
  says(service(), EINVAL, load, "Invalid argument (Linux 6.1.0-50-amd64)");
  /* Not a matter of rights. */
  says(service(), EACCES, load, "Permission denied (Linux 6.1.0-50-amd64)");
  says(ROOT, EINVAL, load, "Invalid argument (Linux 6.1.0-50-amd64)");

  f = ROOT;
  f.is_filtered = true;
  says(f, EPERM, load, "Operation not permitted");
  f.bpf_refused = true;
  says(f, EPERM, load, ": a seccomp filter refuses bpf(); allow it: SystemCallFilter=");
  says(f, ENOSYS, load, "--security-opt seccomp=FILE");
  f.perf_refused = true;
  says(f, EACCES, attach, "refuses bpf() and perf_event_open(); ");
  f.bpf_refused = false;
  says(f, EACCES, attach, "refuses perf_event_open(); ");
  says(f, ENOMEM, load, "--uprobe-ring-bytes");
  says(f, E2BIG, load, "the verifier of Linux 6.1.0-50-amd64 gives up on programs of this size");
  /* Refused, but by no filter. */
  f.is_filtered = false;
  says(f, EPERM, attach, "Operation not permitted (Linux 6.1.0-50-amd64)");

  f = ROOT;
  f.is_user_ns = true;
  says(f, EPERM, load, "rootless container");
  f = ROOT;
  f.is_locked_down = true;
  says(f, EPERM, load, "lockdown=integrity");
  f = ROOT;
  f.has_btf = false;
  says(f, EINVAL, load, "CONFIG_DEBUG_INFO_BTF=y");

  for (int i = 0; i < 3; i++) {
    int err = i == 0 ? EINVAL : i == 1 ? EACCES : EPERM;
    says(service(), err, attach, "Linux 6.1.0-50-amd64 asks for CAP_SYS_ADMIN here");
    says(service(), err, "attaching to /usr/lib/x86_64-linux-gnu/libssl.so.3", "old-kernels.conf");
    says(ROOT, err, attach, " (Linux 6.1.0-50-amd64)");
  }
  f = service();
  f.memory_is_limited = true;
  says(f, EPERM, load, "LimitMEMLOCK=infinity");
  says(f, ENOENT, attach, "No such file or directory (Linux 6.1.0-50-amd64)");
}

/* From now on these calls are refused in this process. */
static bool refuse(unsigned first, unsigned second) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void facts(void) {
  struct ct_tls_facts f;
  ct_tls_facts(&f);
  CHECK(f.kernel[0] >= '1' && f.kernel[0] <= '9');
  CHECK(!f.is_admin || (f.has_bpf && f.has_perfmon));
  bool was_refused = f.bpf_refused;
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    if (child == 0) {
      bool ok = refuse(SYS_perf_event_open, i == 0 ? SYS_perf_event_open : SYS_bpf);
      ct_tls_facts(&f);
      _exit(ok && f.is_filtered && f.perf_refused && f.bpf_refused == (i == 1 || was_refused) ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  }
}

int main(void) {
  words();
  facts();
  return report("tls_why");
}
