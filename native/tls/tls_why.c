/* SPDX-License-Identifier: Apache-2.0
 * tls_why.c - words a refusal of the kernel: what this process lacks, and what would give it that.
 */
#define _GNU_SOURCE
#include "tls/tls_why.h"
#include "system/caps.h"
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool is_denied(int err) { return err == EPERM || err == EACCES; }

/* ---- The facts ---- */

/* The mode of seccomp; 0 when it cannot be read. */
static long read_seccomp(void) {
  char line[256];
  long seccomp = 0;
  FILE *f = fopen("/proc/self/status", "re");
  if (f == NULL) return 0;
  while (fgets(line, sizeof line, f) != NULL) {
    if (strncmp(line, "Seccomp:", 8) == 0) seccomp = strtol(line + 8, NULL, 10);
  }
  fclose(f);
  return seccomp;
}

static bool is_locked_down(void) {
  char text[128] = "";
  FILE *f = fopen("/sys/kernel/security/lockdown", "re");
  if (f == NULL) return false;
  bool locked = fgets(text, sizeof text, f) != NULL && strstr(text, "[confidentiality]") != NULL;
  fclose(f);
  return locked;
}

/* The first user namespace maps every id to itself: "0 0 4294967295". */
static bool is_user_ns(void) {
  char line[128] = "", *at = line;
  FILE *f = fopen("/proc/self/uid_map", "re");
  if (f == NULL) return false;
  bool has_line = fgets(line, sizeof line, f) != NULL;
  fclose(f);
  unsigned long inside = strtoul(at, &at, 10), outside = strtoul(at, &at, 10), count = strtoul(at, &at, 10);
  return has_line && (inside != outside || count != UINT32_MAX);
}

/* Calls that ask for nothing are answered EINVAL and EFAULT by the kernel, to whom it lets ask. */
static bool is_refused(long result, int err) { return result < 0 && (is_denied(err) || err == ENOSYS); }

void ct_tls_facts(struct ct_tls_facts *f) {
  uint64_t caps = ct_caps_effective();
  struct utsname name;
  struct rlimit memory;
  memset(f, 0, sizeof *f);
  if (uname(&name) == 0) memcpy(f->kernel, name.release, strnlen(name.release, sizeof f->kernel - 1));
  f->is_admin = caps >> CAP_SYS_ADMIN & 1;
  f->has_bpf = f->is_admin || (caps >> CAP_BPF & 1);
  f->has_perfmon = f->is_admin || (caps >> CAP_PERFMON & 1);
  f->is_user_ns = is_user_ns();
  f->is_locked_down = is_locked_down();
  f->has_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  f->is_filtered = read_seccomp() == 2;
  long result = syscall(SYS_bpf, -1, NULL, 0);
  f->bpf_refused = is_refused(result, errno);
  result = syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
  f->perf_refused = is_refused(result, errno);
  f->memory_is_limited = getrlimit(RLIMIT_MEMLOCK, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY;
}

/* ---- The words ---- */

static const char *refused_calls(const struct ct_tls_facts *f) {
  if (!f->perf_refused) return "bpf()";
  return f->bpf_refused ? "bpf() and perf_event_open()" : "perf_event_open()";
}

/* Rights that are missing or count for nothing; false when none is. */
static bool explain_rights(const struct ct_tls_facts *f, int err, const char *what, char why[CT_TLS_WHY]) {
  bool is_refused_early = f->is_filtered && (f->bpf_refused || f->perf_refused);
  if (is_denied(err) && !(f->has_bpf && f->has_perfmon)) {
    snprintf(why, CT_TLS_WHY,
             "%s: missing %s%s%s; run as root, or give the service AmbientCapabilities=CAP_BPF CAP_PERFMON",
             what, f->has_bpf ? "" : "CAP_BPF", f->has_bpf || f->has_perfmon ? "" : " and ",
             f->has_perfmon ? "" : "CAP_PERFMON");
  } else if ((is_denied(err) || err == ENOSYS) && is_refused_early) {
    snprintf(
        why, CT_TLS_WHY,
        "%s: a seccomp filter refuses %s; allow it: SystemCallFilter=@system-service bpf perf_event_open in "
        "the unit, --security-opt seccomp=FILE for a container",
        what, refused_calls(f));
  } else if (is_denied(err) && f->is_user_ns) {
    snprintf(
        why, CT_TLS_WHY,
        "%s: this is a user namespace (a rootless container), where capabilities do not reach the kernel; "
        "run it on the host, or in a container that root starts",
        what);
  } else if (is_denied(err) && f->is_locked_down) {
    snprintf(why, CT_TLS_WHY, "%s: kernel lockdown is set to confidentiality; boot with lockdown=integrity",
             what);
  } else {
    return false;
  }
  return true;
}

void ct_tls_explain_by(const struct ct_tls_facts *f, int err, const char *what, char why[CT_TLS_WHY]) {
  if (explain_rights(f, err, what, why)) return;
  bool is_attaching = strncmp(what, "attaching", 9) == 0;
  if (!f->has_btf) {
    snprintf(
        why, CT_TLS_WHY,
        "%s: the kernel has no type information (/sys/kernel/btf/vmlinux); it needs CONFIG_DEBUG_INFO_BTF=y",
        what);
  } else if (err == EPERM && f->memory_is_limited) {
    snprintf(
        why, CT_TLS_WHY,
        "%s: %s by Linux %s; before 5.11 it counts eBPF as locked memory: LimitMEMLOCK=infinity in the unit, "
        "or ulimit -l unlimited",
        what, strerror(err), f->kernel);
  } else if (!f->is_admin && is_attaching && (err == EINVAL || is_denied(err))) {
    /* Single probes take it. What the verifier denies it denies to everybody. */
    snprintf(why, CT_TLS_WHY,
             "%s: %s; Linux %s asks for CAP_SYS_ADMIN here, as all do before 6.6: give the "
             "service deploy/calltap.service.d/old-kernels.conf, or run as root",
             what, strerror(err), f->kernel);
  } else if (err == E2BIG) {
    snprintf(why, CT_TLS_WHY,
             "%s: the verifier of Linux %s gives up on programs of this size; run a newer kernel (6.18 takes "
             "them), or let "
             "the server mirror its SIP by HEP",
             what, f->kernel);
  } else if (err == ENOMEM) {
    snprintf(
        why, CT_TLS_WHY,
        "%s: not enough kernel memory; give a smaller --uprobe-ring-bytes, or the service more (MemoryMax=, "
        "LimitMEMLOCK=)",
        what);
  } else {
    snprintf(why, CT_TLS_WHY, "%s: %s (Linux %s)", what, strerror(err), f->kernel);
  }
}

void ct_tls_explain(int err, const char *what, char why[CT_TLS_WHY]) {
  struct ct_tls_facts facts;
  ct_tls_facts(&facts);
  ct_tls_explain_by(&facts, err, what, why);
}
