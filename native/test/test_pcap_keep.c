/* SPDX-License-Identifier: Apache-2.0
 * test_pcap_keep.c - the ring of -O: never more files than asked for, and nothing removed that is not one of them.
 */
#define _GNU_SOURCE
#include "output/pcap_keep.h"
#include "pcap_written.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

static struct ct_pcap_writer *open_ring(const char *path, uint32_t keep) {
  struct ct_pw_opts o = {
      .path = path, .linktype = 1, .split_bytes = 1000, .gate = &gate, .counters = n, .keep_files = keep};
  int err = 0;
  memset(n, 0, sizeof(n));
  atomic_store(&gate, 1);
  struct ct_pcap_writer *w = ct_pcap_write_open(&o, &err);
  CHECK(w != NULL);
  return w;
}

static uint32_t entries(void) {
  DIR *dir = opendir(folder);
  uint32_t count = 0;
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) count += e->d_name[0] != '.';
  closedir(dir);
  return count;
}

static bool is_there(const char *name) {
  struct stat st;
  return lstat(at(name), &st) == 0;
}

static void empty_folder(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s/*", folder);
  CHECK(system(command) == 0);
}

static void never_more_than_asked_for(void) {
  const uint32_t keep = 50;
  struct ct_pcap_writer *w = open_ring(at("cap.pcap"), keep);
  for (uint32_t i = 0; i < 3000; i++) {
    CHECK(put(w, i, 100, 1));
    if (i % 8 == 0) CHECK(entries() <= keep);
  }
  uint64_t files = n[CT_PW_FILES];
  CHECK(files > 300);
  CHECK_EQ(n[CT_PW_REMOVED], files - keep);
  CHECK_EQ(n[CT_PW_REMOVE_ERRORS], 0);
  ct_pcap_write_close(w);
  CHECK_EQ(entries(), keep);
  char name[64];
  for (uint64_t f = files - keep + 1; f <= files; f++) {
    snprintf(name, sizeof name, "cap.pcap.%05u", (unsigned)f);
    CHECK(is_there(name));
  }
  /* A later run goes on behind it, also where the first numbers are free, and removes what is older. */
  w = open_ring(at("cap.pcap"), 10);
  CHECK_EQ(entries(), 10);
  snprintf(name, sizeof name, "cap.pcap.%05u", (unsigned)files + 1);
  CHECK(is_there(name));
  CHECK_EQ(n[CT_PW_REMOVED], keep - 9);
  ct_pcap_write_close(w);
  /* Without the option nothing is removed. */
  w = open_ring(at("cap.pcap"), 0);
  for (uint32_t i = 0; i < 300; i++) CHECK(put(w, i, 100, 1));
  CHECK_EQ(n[CT_PW_REMOVED], 0);
  CHECK_EQ(entries(), 10 + n[CT_PW_FILES]);
  ct_pcap_write_close(w);
  empty_folder();
}

static void nothing_else_is_removed(void) {
  static const char *const OTHERS[] = {
      "cap.pcap",           "cap.pcap.1",      "cap.pcap.0001",    "cap.pcap.000001", "cap.pcap.00001.gz",
      "cap.pcap.00001 ",    "cap.pcap.0000a",  "cap.pcap.-0001",   "xcap.pcap.00001", "cap.pcapng.00001",
      "cap.pcap.000000001", "cap.pcap..00001", "cap.pcap.00000",   "cap.pcap_00001",  "CAP.pcap.00001",
      "cap",                ".00001",          "cap.pcap.00001.1", "target"};
  const uint32_t others = sizeof(OTHERS) / sizeof(OTHERS[0]);
  for (uint32_t i = 0; i < others; i++) write_file(OTHERS[i], "x", 1);
  CHECK_EQ(symlink("target", at("cap.pcap.00002")), 0);
  CHECK_EQ(symlink(at("target"), at("cap.pcap.00003")), 0);
  CHECK_EQ(mkdir(at("cap.pcap.00004"), 0700), 0);
  CHECK_EQ(mkfifo(at("cap.pcap.00005"), 0600), 0);
  write_file("cap.pcap.00006", "of an earlier run", 17);
  struct ct_pcap_writer *w = open_ring(at("cap.pcap"), 2);
  CHECK(is_there("cap.pcap.00007"));
  CHECK(is_there("cap.pcap.00006"));
  for (uint32_t i = 0; i < 200; i++) CHECK(put(w, i, 100, 1));
  CHECK(!is_there("cap.pcap.00006"));
  CHECK(!is_there("cap.pcap.00007"));
  ct_pcap_write_close(w);
  for (uint32_t i = 0; i < others; i++) CHECK_EQ(size_of(at(OTHERS[i])), 1);
  for (uint32_t i = 2; i <= 5; i++) {
    char name[32];
    snprintf(name, sizeof name, "cap.pcap.%05u", i);
    CHECK(is_there(name));
  }
  CHECK_EQ(entries(), others - 1 + 4 + 2); /* ".00001" is hidden */
  empty_folder();
}

/* What somebody moved away stays, and so does what he put in its place. */
static void a_name_that_leads_elsewhere(void) {
  struct ct_pcap_writer *w = open_ring(at("r"), 3);
  for (uint32_t i = 0; n[CT_PW_FILES] < 3; i++) CHECK(put(w, i, 100, 1));
  CHECK_EQ(rename(at("r.00001"), at("moved")), 0);
  write_file("other", "x", 1);
  CHECK_EQ(rename(at("other"), at("r.00001")), 0);
  CHECK_EQ(unlink(at("r.00002")), 0);
  CHECK_EQ(symlink("moved", at("r.00002")), 0);
  for (uint32_t i = 100; n[CT_PW_FILES] < 8; i++) CHECK(put(w, i, 100, 1));
  CHECK_EQ(size_of(at("r.00001")), 1);
  CHECK(is_there("r.00002"));
  CHECK(size_of(at("moved")) > 100);
  CHECK_EQ(n[CT_PW_REMOVED], 3);
  CHECK_EQ(n[CT_PW_REMOVE_ERRORS], 0);
  ct_pcap_write_close(w);
  empty_folder();
}

/* The index of a file goes with it, also where somebody else removed the file; no other file of that name does. */
static void indexes_go_with_their_files(void) {
  struct ct_pcap_writer *w = open_ring(at("r"), 3);
  for (uint32_t i = 0; n[CT_PW_FILES] < 3; i++) CHECK(put(w, i, 100, 1));
  write_file("r.00001.idx", "x", 1);
  write_file("r.00002.idx", "x", 1);
  CHECK_EQ(mkdir(at("r.00003.idx"), 0700), 0);
  write_file("r.00004.idx", "x", 1);
  write_file("other.00001.idx", "x", 1);
  CHECK_EQ(unlink(at("r.00002")), 0);
  for (uint32_t i = 100; n[CT_PW_FILES] < 6; i++) CHECK(put(w, i, 100, 1));
  CHECK(!is_there("r.00001") && !is_there("r.00001.idx"));
  CHECK(!is_there("r.00002.idx"));
  CHECK(!is_there("r.00003") && is_there("r.00003.idx"));
  CHECK(is_there("r.00004") && is_there("r.00004.idx"));
  CHECK(is_there("other.00001.idx"));
  CHECK_EQ(n[CT_PW_REMOVED], 2);
  CHECK_EQ(n[CT_PW_REMOVE_ERRORS], 0);
  ct_pcap_write_close(w);
  empty_folder();
}

/* Before the disk would refuse the next file the oldest go; two stay, whatever else fills it. */
static void a_small_disk(void) {
  CHECK_EQ(mkdir(at("disk"), 0700), 0);
  if (mount("none", at("disk"), "tmpfs", 0, "size=1m,mode=0700") != 0) return;
  struct ct_pw_opts o = {
      .path = at("disk/r"), .linktype = 1, .split_bytes = 100000, .gate = &gate, .counters = n, .keep_files = 50};
  int err = 0;
  memset(n, 0, sizeof(n));
  struct ct_pcap_writer *w = ct_pcap_write_open(&o, &err);
  CHECK(w != NULL);
  for (uint32_t i = 0; i < 10000; i++) CHECK(put(w, i, 700, 1));
  CHECK_EQ(n[CT_PW_LOST], 0);
  CHECK_EQ(n[CT_PW_WRITE_ERRORS], 0);
  CHECK(n[CT_PW_FILES] > 60);
  CHECK(n[CT_PW_FILES] - n[CT_PW_REMOVED] > 5);
  int other = open(at("disk/other"), O_CREAT | O_WRONLY, 0600);
  for (uint32_t i = 0; i < 3000; i++) {
    CHECK(write(other, bytes, 400) != 0); /* or the disk is full */
    put(w, i, 700, 1);
  }
  close(other);
  CHECK(n[CT_PW_FILES] - n[CT_PW_REMOVED] >= 2);
  CHECK(is_there("disk/other"));
  ct_pcap_write_close(w);
  CHECK_EQ(umount(at("disk")), 0);
  empty_folder();
}

static void numbers_go_on_in_order(void) {
  write_file("r.99998", "x", 1);
  struct ct_pcap_writer *w = open_ring(at("r"), 3);
  for (uint32_t i = 0; n[CT_PW_FILES] < 3; i++) CHECK(put(w, i, 100, 1));
  ct_pcap_write_close(w);
  CHECK(!is_there("r.99998"));
  CHECK(is_there("r.99999"));
  CHECK(is_there("r.100001"));
  w = open_ring(at("r"), 2);
  CHECK(is_there("r.100002"));
  CHECK(is_there("r.100001"));
  CHECK_EQ(entries(), 2);
  ct_pcap_write_close(w);
  write_file("r.999999999", "x", 1);
  struct ct_pw_opts o = {.path = at("r"), .linktype = 1, .split_bytes = 1000, .counters = n, .keep_files = 9};
  int err = 0;
  CHECK(ct_pcap_write_open(&o, &err) == NULL);
  CHECK_EQ(err, EEXIST);
  empty_folder();
}

int main(void) {
  folder_make();
  never_more_than_asked_for();
  nothing_else_is_removed();
  a_name_that_leads_elsewhere();
  indexes_go_with_their_files();
  a_small_disk();
  numbers_go_on_in_order();
  return folder_report("pcap_keep");
}
