/* SPDX-License-Identifier: Apache-2.0
 * test_pcap_write_full.c - what a full disk, a file taken away and a kill leave of a capture that is written.
 */
#define _GNU_SOURCE
#include "pcap_written.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void all_accounted(struct ct_pcap_writer *w, const char *path, uint32_t offered) {
  ct_pcap_write_close(w);
  struct answer a = read_back(path, 700, 1);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(a.bad, 0);
  CHECK_EQ(a.records, n[CT_PW_FRAMES]);
  CHECK_EQ(n[CT_PW_FRAMES] + n[CT_PW_LOST], offered);
  CHECK_EQ(n[CT_PW_BYTES], size_of(path));
  CHECK_EQ(a.last, offered - 1); /* it continued after */
}
static void cut_short(const char *name) {
  struct ct_pcap_writer *w = open_at(at(name), 1, 0, 0);
  struct rlimit was, limit;
  CHECK_EQ(getrlimit(RLIMIT_FSIZE, &was), 0);
  limit = was;
  limit.rlim_cur = 300000;
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  int64_t now = clock_now();
  uint32_t i = 0;
  for (; i < 2000; i++) put(w, i, 700, 1);
  CHECK(n[CT_PW_WRITE_ERRORS] == 1); /* not a failed write a frame */
  CHECK_EQ(n[CT_PW_LAST_ERRNO], EFBIG);
  CHECK(n[CT_PW_LOST] > 0);
  CHECK(size_of(at(name)) > 299000 && size_of(at(name)) <= 300000);
  struct answer a = read_back(at(name), 700, 1); /* now, as after a crash */
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(a.bad, 0);
  CHECK_EQ(a.records, n[CT_PW_FRAMES]);
  ct_pcap_write_tick(w, now + 2 * SECOND);
  CHECK_EQ(n[CT_PW_WRITE_ERRORS], 2);
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &was), 0);
  ct_pcap_write_tick(w, now + 4 * SECOND);
  CHECK_EQ(n[CT_PW_LAST_ERRNO], 0);
  for (; i < 2100; i++) CHECK(put(w, i, 700, 1));
  all_accounted(w, at(name), i);
}
/* A disk that a file of others fills again when ours is taken away: the file is moved, or removed, and reopened. */
static void refill(const char *name, uint32_t blocks) {
  int fd = open(at(name), O_CREAT | O_WRONLY | O_APPEND, 0600);
  for (uint32_t k = 0; k < blocks; k++) CHECK_EQ(write(fd, bytes, 4096), 4096);
  close(fd);
}
static void taken_away_while_full(const char *name, uint64_t split, bool is_removed) {
  struct ct_pcap_writer *w = open_at(at(name), 1, split, 0);
  char open_name[300];
  ct_pcap_write_name(w, open_name, sizeof open_name);
  int64_t now = clock_now();
  uint32_t i = 0;
  refill("disk/other", 120);
  for (; i < 3000; i++) put(w, i, 700, 1);
  CHECK_EQ(n[CT_PW_LAST_ERRNO], ENOSPC);
  uint64_t in_old = n[CT_PW_FRAMES];
  ct_pcap_write_reopen(w); /* nothing was taken away: without a split the frames that wait keep waiting */
  if (split == 0) {
    uint64_t lost = n[CT_PW_LOST];
    ct_pcap_write_tick(w, now += 2 * SECOND);
    CHECK_EQ(n[CT_PW_LOST], lost);
    ct_pcap_write_reopen(w);
  }
  if (is_removed)
    CHECK_EQ(unlink(open_name), 0);
  else
    CHECK_EQ(rename(open_name, at("disk/moved")), 0);
  ct_pcap_write_tick(w, now += 2 * SECOND); /* the new file is there, with or without room */
  CHECK_EQ(n[CT_PW_FILES], 2);
  CHECK_EQ(n[CT_PW_FRAMES] + n[CT_PW_LOST], i);
  CHECK_EQ(n[CT_PW_FRAMES], in_old);
  CHECK_EQ(n[CT_PW_LAST_ERRNO], is_removed ? 0 : ENOSPC); /* removing it made room as soon as it was closed */
  CHECK_EQ(unlink(at("disk/other")), 0);
  ct_pcap_write_tick(w, now += 2 * SECOND);
  CHECK_EQ(n[CT_PW_LAST_ERRNO], 0);
  for (uint32_t k = 0; k < 100; k++, i++) CHECK(put(w, i, 700, 1));
  ct_pcap_write_name(w, open_name, sizeof open_name);
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_FRAMES], in_old + 100);
  CHECK_EQ(n[CT_PW_FRAMES] + n[CT_PW_LOST], i);
  check_file(open_name, 700, 100, i - 100);
  CHECK_EQ(unlink(open_name), 0);
  if (is_removed) return;
  struct answer a = read_back(at("disk/moved"), 700, 1);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(a.records, in_old);
  CHECK_EQ(unlink(at("disk/moved")), 0);
}
static void disk_full(void) {
  if (unshare(CLONE_NEWNS) != 0 || mkdir(at("disk"), 0700) != 0 ||
      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", at("disk"), "tmpfs", 0, "size=1m") != 0) {
    printf("skipped: a full disk (%s)\n", strerror(errno));
    return;
  }
  struct ct_pcap_writer *w = open_at(at("disk/f.pcapng"), 1, 0, 0);
  int64_t now = clock_now();
  uint32_t i = 0;
  refill("disk/other", 120);
  for (; i < 3000; i++) put(w, i, 700, 1);
  CHECK_EQ(n[CT_PW_LAST_ERRNO], ENOSPC);
  CHECK(n[CT_PW_LOST] > 0);
  CHECK_EQ(unlink(at("disk/other")), 0);
  ct_pcap_write_tick(w, now + 2 * SECOND);
  for (; i < 3100; i++) CHECK(put(w, i, 700, 1));
  all_accounted(w, at("disk/f.pcapng"), i);
  CHECK_EQ(unlink(at("disk/f.pcapng")), 0);
  for (int k = 0; k < 4; k++) taken_away_while_full(k & 1 ? "disk/g.pcapng" : "disk/g.pcap", 0, (k & 2) != 0);
  taken_away_while_full("disk/h.pcap", 100000000, false);
  taken_away_while_full("disk/h.pcap", 100000000, true);
  CHECK_EQ(umount(at("disk")), 0);
  rmdir(at("disk"));
}

static void killed(const char *name) {
  int done[2];
  CHECK_EQ(pipe(done), 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    struct ct_pcap_writer *w = open_at(at(name), 1, 0, 0);
    for (uint32_t i = 0; i < 3000; i++) put(w, i, 500, 1);
    if (write(done[1], &n[CT_PW_FRAMES], 8) != 8) _exit(1);
    raise(SIGKILL);
  }
  int status = 0;
  uint64_t written = 0;
  CHECK_EQ(read(done[0], &written, 8), 8);
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(written > 2000);
  check_file(at(name), 500, written, 0);
  close(done[0]);
  close(done[1]);
}

int main(void) {
  folder_make();
  cut_short("short.pcap");
  cut_short("short.pcapng");
  killed("kill.pcap");
  killed("kill.pcapng");
  disk_full();
  return folder_report("pcap writer, full disk");
}
