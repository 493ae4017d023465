/* SPDX-License-Identifier: Apache-2.0
 * tls_why.c - words a refusal of the kernel: what this process lacks, and what would give it that.
 */
#define _GNU_SOURCE
#include "tls_probe.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT 38
#define CAP_BPF_BIT 39

/* Effective capabilities of this process; 0 when they cannot be read. */
static uint64_t capabilities(void) {
  char line[256];
  uint64_t found = 0;
  FILE *f = fopen("/proc/self/status", "re");
  if (f == NULL) return 0;
  while (fgets(line, sizeof line, f) != NULL) {
    if (strncmp(line, "CapEff:", 7) == 0) found = strtoull(line + 7, NULL, 16);
  }
  fclose(f);
  return found;
}

static bool is_locked_down(void) {
  char text[128] = "";
  FILE *f = fopen("/sys/kernel/security/lockdown", "re");
  if (f == NULL) return false;
  bool locked = fgets(text, sizeof text, f) != NULL && strstr(text, "[confidentiality]") != NULL;
  fclose(f);
  return locked;
}

void ct_tls_explain(int err, const char *what, char why[CT_TLS_WHY]) {
  uint64_t caps = capabilities();
  bool is_admin = caps >> CAP_SYS_ADMIN_BIT & 1;
  bool bpf = is_admin || (caps >> CAP_BPF_BIT & 1), perfmon = is_admin || (caps >> CAP_PERFMON_BIT & 1);
  if ((err == EPERM || err == EACCES) && !(bpf && perfmon)) {
    snprintf(why, CT_TLS_WHY,
             "%s: missing %s%s%s; run as root, or give the service AmbientCapabilities=CAP_BPF CAP_PERFMON",
             what, bpf ? "" : "CAP_BPF", bpf || perfmon ? "" : " and ", perfmon ? "" : "CAP_PERFMON");
  } else if ((err == EPERM || err == EACCES) && is_locked_down()) {
    snprintf(why, CT_TLS_WHY, "%s: kernel lockdown is set to confidentiality; boot with lockdown=integrity",
             what);
  } else if (access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    snprintf(
        why, CT_TLS_WHY,
        "%s: the kernel has no type information (/sys/kernel/btf/vmlinux); it needs CONFIG_DEBUG_INFO_BTF=y",
        what);
  } else if (err == ENOMEM) {
    snprintf(why, CT_TLS_WHY,
             "%s: not enough kernel memory; use a smaller ring or raise the limit on locked memory", what);
  } else {
    snprintf(why, CT_TLS_WHY, "%s: %s", what, strerror(err));
  }
}
