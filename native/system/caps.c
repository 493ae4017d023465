/* SPDX-License-Identifier: Apache-2.0
 * caps.c - see caps.h.
 */
#define _GNU_SOURCE
#include "system/caps.h"
#include "core/clock.h"
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS 2u       /* walks over the threads: one that begins meanwhile has what its maker had */
#define ANSWER_MS 50u   /* that a thread has to give up its own; one deep in the kernel may not */
#define NAME_BYTES 4096 /* of a password entry */

static int get_caps(struct __user_cap_data_struct data[2]) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  return syscall(SYS_capget, &head, data) == 0 ? 0 : errno;
}

/* Async-signal-safe: a handler calls it. */
static int set_caps(uint64_t permitted, uint64_t effective) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {
      {.effective = (uint32_t)effective, .permitted = (uint32_t)permitted},
      {.effective = (uint32_t)(effective >> 32), .permitted = (uint32_t)(permitted >> 32)},
  };
  return syscall(SYS_capset, &head, data) == 0 ? 0 : errno;
}

static uint64_t both(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

uint64_t ct_caps_effective(void) {
  struct __user_cap_data_struct data[2];
  return get_caps(data) == 0 ? both(data[0].effective, data[1].effective) : 0;
}

static uint64_t permitted(void) {
  struct __user_cap_data_struct data[2];
  return get_caps(data) == 0 ? both(data[0].permitted, data[1].permitted) : 0;
}

bool ct_caps_set_aside(uint64_t *before) {
  *before = ct_caps_effective();
  return *before == 0 || set_caps(permitted(), 0) == 0;
}

void ct_caps_take_up(uint64_t before) {
  if (before != 0) set_caps(permitted(), before & permitted());
}

/* ---- every other thread ---- */

static atomic_uint answers;

static void on_signal(int number) {
  (void)number;
  int err = errno;
  if (set_caps(0, 0) == 0) atomic_fetch_add(&answers, 1);
  errno = err;
}

/* Signals every thread but this one; how many there were. -1 when they cannot be listed. */
static int signal_threads(int number) {
  DIR *tasks = opendir("/proc/self/task");
  if (tasks == NULL) return -1;
  pid_t self = (pid_t)syscall(SYS_gettid);
  int n = 0;
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
    pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (tid > 0 && tid != self && syscall(SYS_tgkill, getpid(), tid, number) == 0) n++;
  }
  closedir(tasks);
  return n;
}

static unsigned wait_for_answers(unsigned want) {
  for (unsigned i = 0; i < ANSWER_MS && atomic_load(&answers) < want; i++) { ct_nap_us(1000); }
  unsigned had = atomic_load(&answers);
  return had < want ? want - had : 0;
}

/* Threads that still have what they had. */
static uint32_t drop_in_threads(void) {
  int number = SIGRTMAX - 2;
  struct sigaction mine = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
  sigfillset(&mine.sa_mask);
  if (sigaction(number, &mine, &old) != 0) return UINT32_MAX;
  uint32_t left = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    atomic_store(&answers, 0);
    int n = signal_threads(number);
    left = n < 0 ? UINT32_MAX : wait_for_answers((unsigned)n);
    if (left != 0 && n < 0) break;
  }
  /* One that answers late must not be ended by the signal's usual effect. */
  if (left == 0) sigaction(number, &old, NULL);
  return left;
}

/* ---- another user ---- */

struct who {
  uid_t uid;
  gid_t gid;
  char name[256];
};

static int find_user(const char *user, struct who *out) {
  char text[NAME_BYTES], *end = NULL;
  struct passwd entry, *found = NULL;
  int err = getpwnam_r(user, &entry, text, sizeof text, &found);
  /* Digits alone, and no more than a uid holds: cut to 32 bits 4294967296 would be root. */
  unsigned long number = strtoul(user, &end, 10);
  if (found == NULL && *user >= '0' && *user <= '9' && *end == '\0' && number < UINT32_MAX)
    err = getpwuid_r((uid_t)number, &entry, text, sizeof text, &found);
  if (found == NULL) return err == 0 ? ENOENT : err;
  if (strlen(found->pw_name) >= sizeof out->name) return ENAMETOOLONG;
  out->uid = found->pw_uid;
  out->gid = found->pw_gid;
  memcpy(out->name, found->pw_name, strlen(found->pw_name) + 1);
  return 0;
}

static bool is_already(const struct who *who) {
  uid_t real, effective, saved;
  return getresuid(&real, &effective, &saved) == 0 && real == who->uid && effective == who->uid &&
         saved == who->uid;
}

static int become(const struct who *who, const char **step) {
  *step = "its groups cannot be taken on";
  if (initgroups(who->name, who->gid) != 0) return errno;
  *step = "its group cannot be taken on";
  if (setresgid(who->gid, who->gid, who->gid) != 0) return errno;
  *step = "it cannot be taken on";
  if (setresuid(who->uid, who->uid, who->uid) != 0) return errno;
  /* Nothing may be left that leads back. */
  *step = "root could be taken on again";
  return who->uid != 0 && setresuid(-1, 0, -1) == 0 ? EPERM : 0;
}

void ct_caps_drop(const char *user, uint64_t keep, struct ct_caps_result *out) {
  *out = (struct ct_caps_result){.step = "the user is not known"};
  struct who who = {.uid = geteuid()};
  bool has_changed = false;
  keep &= permitted();
  if (user != NULL) {
    out->err = find_user(user, &who);
    if (out->err != 0) return;
    if (!is_already(&who)) {
      out->step = "capabilities cannot be kept";
      if (keep != 0 && prctl(PR_SET_KEEPCAPS, 1) != 0) out->err = errno;
      if (out->err == 0) out->err = become(&who, &out->step);
      if (out->err != 0) return;
      has_changed = true;
    }
  }
  out->uid = who.uid;
  out->kept = ct_caps_effective();
  if (who.uid == 0) return; /* root has what it wants whatever is given up */
  prctl(PR_SET_KEEPCAPS, 0);
  /* What a program that is started would inherit. */
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  out->step = "capabilities cannot be given up";
  out->err = set_caps(keep, keep);
  if (out->err != 0) return;
  out->kept = ct_caps_effective();
  /* A change of user has reached them all. */
  if (!has_changed) out->threads_left = drop_in_threads();
}
