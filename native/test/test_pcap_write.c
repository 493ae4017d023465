/* SPDX-License-Identifier: Apache-2.0
 * test_pcap_write.c - what is written is read back by pcap_read: formats, splits, gate, several threads.
 */
#define _GNU_SOURCE
#include "pcap_written.h"
#include "core/exported_pdu.h"
#include "core/record.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

static void round_trip(const char *name) {
  static const struct {
    int64_t ts;
    uint32_t cap, wire, link;
  } V[] = {{1700000000123456789ll, 60, 60, 113},
           {0, 0, 0, 113},
           {4294967295999999999ll, 1, 1500, 113},
           {1700000000999999999ll, 61, 61, 113},
           {5, 262080, 262080, 113},
           {6, 300000, 300000, 113},
           {7, 63, 10, 113},
           {8, 62, 62, 1},
           {9, 64, 64, 276}};
  const uint32_t count = sizeof(V) / sizeof(V[0]);
  bool is_ng = strstr(name, "pcapng") != NULL;
  struct ct_pcap_writer *w = open_at(at(name), 113, 0, 0);
  for (uint32_t i = 0; i < count; i++)
    CHECK_EQ(ct_pcap_write(w, frame_of(i, V[i].cap), V[i].ts, V[i].cap, V[i].wire, V[i].link),
             is_ng || V[i].link == 113);
  char open_name[64];
  ct_pcap_write_name(w, open_name, sizeof(open_name));
  CHECK(strcmp(open_name, at(name)) == 0);
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_FRAMES], is_ng ? count : count - 2);
  CHECK_EQ(n[CT_PW_LINK_REFUSED], is_ng ? 0 : 2);
  CHECK_EQ(n[CT_PW_CUT], 1);
  CHECK_EQ(n[CT_PW_BYTES], size_of(at(name)));
  enum ct_pcap_status st;
  int err;
  struct ct_pcap *f = ct_pcap_open(at(name), &st, &err);
  CHECK(f != NULL);
  struct ct_frame r;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_ng && V[i].link != 113) continue;
    CHECK_EQ(ct_pcap_next(f, &r), CT_PCAP_RECORD);
    CHECK_EQ(r.ts_ns, V[i].ts);
    CHECK_EQ(r.caplen, V[i].cap > CT_PW_MAX_FRAME ? CT_PW_MAX_FRAME : V[i].cap);
    CHECK_EQ(r.wirelen, V[i].wire < V[i].cap ? V[i].cap : V[i].wire);
    CHECK_EQ(r.linktype, V[i].link);
    CHECK_EQ(memcmp(r.data, frame_of(i, r.caplen), r.caplen), 0);
  }
  CHECK_EQ(ct_pcap_next(f, &r), CT_PCAP_EOF);
  ct_pcap_close(f);
}

/* A message without a frame: its bytes are a frame of link type 252, and a comment follows them. */
static void messages(void) {
  static const uint8_t v4[8] = {192, 0, 2, 1, 198, 51, 100, 2};
  const struct ct_pdu pdu = {v4, v4 + 4, 40000, 5061, 4, CT_OVER_TLS, CT_ORIGIN_UPROBE, true, true};
  static uint8_t frame[CT_PDU_TAGS + 300000];
  char longest[300];
  memset(longest, 'c', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  const uint32_t tags = ct_pdu_put(frame, &pdu);
  CHECK(tags <= CT_PDU_TAGS);
  struct ct_pcap_writer *w = open_at(at("messages.pcapng"), CT_PW_LINK_UNKNOWN, 0, 0);
  for (uint32_t i = 0; i < 9; i++)
    CHECK(ct_pcap_write_message(w, frame, i, tags + i, i == 8 ? longest : &"abcdefgh"[8 - i]));
  CHECK(ct_pcap_write_message(w, frame, 9, sizeof frame, longest));
  CHECK(put(w, 10, 60, 1));
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_CUT], 1);
  CHECK_EQ(n[CT_PW_FRAMES], 11);
  CHECK_EQ(n[CT_PW_BYTES], size_of(at("messages.pcapng")));
  enum ct_pcap_status st;
  int err;
  struct ct_pcap *f = ct_pcap_open(at("messages.pcapng"), &st, &err);
  struct ct_frame r;
  for (uint32_t i = 0; i < 11; i++) {
    CHECK_EQ(ct_pcap_next(f, &r), CT_PCAP_RECORD);
    CHECK_EQ(r.linktype, i == 10 ? 1 : CT_PDU_LINK);
    CHECK_EQ(r.if_index, i == 10);
    if (i > 8) continue;
    CHECK_EQ(r.caplen, tags + i);
    CHECK_EQ(r.wirelen, tags + i);
    CHECK_EQ(memcmp(r.data, frame, r.caplen), 0);
  }
  CHECK_EQ(ct_pcap_next(f, &r), CT_PCAP_EOF);
  ct_pcap_close(f);
  /* Each file of a split has both interfaces; a pcap file has no place for a message, whatever came before. */
  w = open_at(at("split.pcapng"), CT_PW_LINK_UNKNOWN, 400, 0);
  for (uint32_t i = 0; i < 4; i++) {
    CHECK(ct_pcap_write_message(w, frame, i, tags, "probe"));
    CHECK(put(w, i, 60, 1));
  }
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_FILES], 4);
  for (uint32_t i = 1; i <= 4; i++) {
    char part[64];
    snprintf(part, sizeof part, "split.pcapng.%05u", i);
    f = ct_pcap_open(at(part), &st, &err);
    CHECK_EQ(ct_pcap_next(f, &r), CT_PCAP_RECORD);
    CHECK_EQ(r.linktype, CT_PDU_LINK);
    CHECK_EQ(ct_pcap_next(f, &r), CT_PCAP_RECORD);
    CHECK_EQ(r.linktype, 1);
    CHECK_EQ(ct_pcap_next(f, &r), CT_PCAP_EOF);
    ct_pcap_close(f);
  }
  w = open_at(at("messages.pcap"), CT_PW_LINK_UNKNOWN, 0, 0);
  CHECK(!ct_pcap_write_message(w, frame, 1, tags, "probe"));
  atomic_store(&gate, 0);
  CHECK(!ct_pcap_write_message(w, frame, 2, tags, "probe"));
  atomic_store(&gate, 1);
  CHECK(put(w, 3, 100, 1));
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_MESSAGES_REFUSED], 1);
  CHECK_EQ(n[CT_PW_GATED], 1);
  check_file(at("messages.pcap"), 100, 1, 3);
}

static void link_types(void) {
  struct ct_pcap_writer *w = open_at(at("many.pcapng"), CT_PW_LINK_UNKNOWN, 0, 0);
  for (uint32_t i = 0; i < 20; i++) CHECK_EQ(put(w, i, 10, 100 + i), i < CT_PW_LINKTYPES);
  CHECK_EQ(put(w, 21, 10, 70000), false);
  CHECK_EQ(n[CT_PW_LINK_REFUSED], 5);
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_FRAMES], CT_PW_LINKTYPES);
  /* pcap: the first frame's link type becomes the file's; none at all is Ethernet. */
  w = open_at(at("late.pcap"), CT_PW_LINK_UNKNOWN, 0, 0);
  CHECK_EQ(size_of(at("late.pcap")), 0);
  CHECK(put(w, 0, 10, 113));
  CHECK(!put(w, 1, 10, 1));
  ct_pcap_write_close(w);
  struct answer a = read_back(at("late.pcap"), 10, 113);
  CHECK_EQ(a.records, 1);
  CHECK_EQ(a.bad, 0);
  ct_pcap_write_close(open_at(at("empty.pcap"), CT_PW_LINK_UNKNOWN, 0, 0));
  check_file(at("empty.pcap"), 1, 0, 0);
  CHECK_EQ(size_of(at("empty.pcap")), 24);
  ct_pcap_write_close(open_at(at("empty.pcapng"), 1, 0, 0));
  check_file(at("empty.pcapng"), 1, 0, 0);
}

static void flushes(void) {
  struct ct_pcap_writer *w = open_at(at("tick.pcap"), 1, 0, 0);
  int64_t now = clock_now();
  CHECK(put(w, 0, 100, 1));
  ct_pcap_write_tick(w, now + SECOND / 2);
  CHECK_EQ(size_of(at("tick.pcap")), 0);
  ct_pcap_write_tick(w, now + 2 * SECOND);
  check_file(at("tick.pcap"), 100, 1, 0);
  /* A block is written when it is full, without a tick. */
  uint32_t i = 1;
  while (n[CT_PW_BYTES] < CT_PW_BUFFER / 2) CHECK(put(w, i++, 100, 1));
  struct answer a = read_back(at("tick.pcap"), 100, 1);
  CHECK_EQ(a.end, CT_PCAP_EOF);
  CHECK_EQ(a.records, n[CT_PW_FRAMES]);
  CHECK(a.records > 2000);
  ct_pcap_write_close(w);
  check_file(at("tick.pcap"), 100, i, 0);
  CHECK_EQ(n[CT_PW_FRAMES], i);
  struct stat st;
  CHECK_EQ(stat(at("tick.pcap"), &st), 0);
  CHECK_EQ(st.st_mode & 0777, 0600);
}

static void split_by_size(const char *name) {
  char part[64];
  struct ct_pcap_writer *w = open_at(at(name), 1, 10000, 0);
  for (uint32_t i = 0; i < 500; i++) CHECK(put(w, i, 100, 1));
  ct_pcap_write_close(w);
  uint32_t next = 0, files = 0;
  for (; files < 20; files++) {
    snprintf(part, sizeof(part), "%s.%05u", name, files + 1);
    if (size_of(at(part)) < 0) break;
    CHECK(size_of(at(part)) <= 10000);
    struct answer a = read_back(at(part), 100, 1);
    CHECK_EQ(a.end, CT_PCAP_EOF);
    CHECK_EQ(a.bad, 0);
    CHECK_EQ(a.first, next);
    next = a.last + 1;
  }
  CHECK_EQ(next, 500);
  CHECK_EQ(files, n[CT_PW_FILES]);
  CHECK(files >= 6);
  CHECK_EQ(size_of(at(name)), -1);
  /* Started again it continues with the next number: nothing is overwritten. */
  w = open_at(at(name), 1, 10000, 0);
  snprintf(part, sizeof(part), "%s.%05u", name, files + 1);
  char open_name[128];
  ct_pcap_write_name(w, open_name, sizeof(open_name));
  CHECK(strcmp(open_name, at(part)) == 0);
  ct_pcap_write_close(w);
  check_file(at(part), 100, 0, 0);
}

static void split_by_time(void) {
  struct ct_pcap_writer *w = open_at(at("hour.pcapng"), 1, 0, 3600);
  int64_t now = clock_now();
  ct_pcap_write_tick(w, now + 4000 * SECOND);
  CHECK_EQ(n[CT_PW_FILES], 1); /* a file without a frame is not left behind */
  CHECK(put(w, 1, 50, 1));
  ct_pcap_write_tick(w, now + 4001 * SECOND);
  CHECK_EQ(n[CT_PW_FILES], 2);
  CHECK(put(w, 2, 50, 1));
  ct_pcap_write_tick(w, now + 7600 * SECOND);
  CHECK_EQ(n[CT_PW_FILES], 2);
  ct_pcap_write_tick(w, now + 7602 * SECOND);
  CHECK_EQ(n[CT_PW_FILES], 3);
  ct_pcap_write_close(w);
  check_file(at("hour.pcapng.00001"), 50, 1, 1);
  check_file(at("hour.pcapng.00002"), 50, 1, 2);
  check_file(at("hour.pcapng.00003"), 50, 0, 0);
}

static void persistence_gate(void) {
  struct ct_pcap_writer *w = open_at(at("gate.pcap"), 1, 0, 0);
  int64_t now = clock_now();
  CHECK(put(w, 1, 40, 1));
  atomic_store(&gate, 0);
  CHECK(!put(w, 2, 40, 1)); /* at once */
  ct_pcap_write_tick(w, now + 10 * SECOND);
  CHECK_EQ(size_of(at("gate.pcap")), 0); /* closed: nothing reaches the disk by itself */
  ct_pcap_write_settle(w);
  check_file(at("gate.pcap"), 40, 1, 1); /* but what was taken before is saved */
  for (uint32_t i = 3; i < 9000; i++) put(w, i, 40, 1);
  ct_pcap_write_tick(w, now + 20 * SECOND);
  check_file(at("gate.pcap"), 40, 1, 1);
  CHECK_EQ(n[CT_PW_GATED], 8998);
  atomic_store(&gate, 1);
  CHECK(put(w, 9001, 40, 1));
  atomic_store(&gate, 0);
  ct_pcap_write_settle(w);
  ct_pcap_write_close(w);
  struct answer a = read_back(at("gate.pcap"), 40, 1);
  CHECK_EQ(a.records, 2);
  CHECK_EQ(a.last, 9001);
  CHECK_EQ(n[CT_PW_FRAMES], 2);
  /* Closed without settling: what waits stays off the disk, and is counted. */
  w = open_at(at("gate2.pcap"), 1, 0, 0);
  CHECK(put(w, 1, 40, 1));
  atomic_store(&gate, 0);
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_LOST], 1);
  CHECK_EQ(size_of(at("gate2.pcap")), 0);
}

static void reopen(const char *name) {
  struct ct_pcap_writer *w = open_at(at(name), 1, 0, 0);
  int64_t now = clock_now();
  CHECK(put(w, 1, 40, 1));
  ct_pcap_write_reopen(w); /* nothing was moved: the file continues */
  ct_pcap_write_tick(w, now + 1);
  CHECK(put(w, 2, 40, 1));
  ct_pcap_write_tick(w, now + 2 * SECOND);
  check_file(at(name), 40, 2, 1);
  CHECK_EQ(n[CT_PW_FILES], 1);
  CHECK_EQ(rename(at(name), at("moved")), 0);
  CHECK(put(w, 3, 40, 1));
  ct_pcap_write_reopen(w);
  ct_pcap_write_tick(w, now + 3 * SECOND);
  CHECK(put(w, 4, 40, 1));
  ct_pcap_write_close(w);
  check_file(at("moved"), 40, 3, 1);
  check_file(at(name), 40, 1, 4);
  CHECK_EQ(n[CT_PW_FILES], 2);
}

/* The folder is gone when the next file is due: the open one continues, and the next is tried again. */
static void next_file_refused(void) {
  CHECK_EQ(mkdir(at("sub"), 0700), 0);
  struct ct_pcap_writer *w = open_at(at("sub/f.pcap"), 1, 1000, 0);
  int64_t now = clock_now();
  uint32_t i = 0;
  for (; i < 5; i++) CHECK(put(w, i, 100, 1));
  CHECK_EQ(rename(at("sub"), at("away")), 0);
  for (; i < 50; i++) CHECK(put(w, i, 100, 1));
  CHECK_EQ(n[CT_PW_OPEN_ERRORS], 1); /* not tried again with each frame */
  CHECK_EQ(n[CT_PW_LAST_ERRNO], ENOENT);
  CHECK_EQ(rename(at("away"), at("sub")), 0);
  ct_pcap_write_tick(w, now + 2 * SECOND);
  for (; i < 55; i++) CHECK(put(w, i, 100, 1));
  ct_pcap_write_close(w);
  check_file(at("sub/f.pcap.00001"), 100, 50, 0);
  check_file(at("sub/f.pcap.00002"), 100, 5, 50);
  CHECK_EQ(n[CT_PW_FRAMES], 55);
}

static void *write_many(void *arg) {
  for (uint32_t i = 0; i < 20000; i++) {
    uint8_t b[64];
    memset(b, (int)i, sizeof(b));
    ct_pcap_write(arg, b, (int64_t)i, sizeof(b), sizeof(b), 1);
    if (i % 1000 == 0) ct_pcap_write_tick(arg, clock_now());
  }
  return NULL;
}
static void several_threads(void) {
  struct ct_pcap_writer *w = open_at(at("threads.pcapng"), 1, 300000, 0);
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, write_many, w);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  ct_pcap_write_close(w);
  CHECK_EQ(n[CT_PW_FRAMES], 60000);
  uint64_t records = 0;
  for (uint32_t f = 1; f <= n[CT_PW_FILES]; f++) {
    char part[64];
    snprintf(part, sizeof(part), "threads.pcapng.%05u", f);
    struct answer a = read_back(at(part), 64, 1); /* the order of threads is not told: only counted */
    CHECK_EQ(a.end, CT_PCAP_EOF);
    records += a.records;
  }
  CHECK_EQ(records, 60000);
}

static void cannot_open(void) {
  struct ct_pw_opts o = {at("none/f.pcap"), 1, 0, 0, NULL, n, 0, 0};
  int err = 0;
  CHECK(ct_pcap_write_open(&o, &err) == NULL);
  CHECK_EQ(err, ENOENT);
  o.path = folder;
  CHECK(ct_pcap_write_open(&o, &err) == NULL);
  CHECK_EQ(err, EISDIR);
  ct_pcap_write_close(NULL);
  for (uint32_t i = 0; i < CT_PW_COUNTERS; i++) CHECK(ct_pw_counter_name(i) != NULL);
  CHECK(ct_pw_counter_name(CT_PW_COUNTERS) == NULL);
}

int main(void) {
  folder_make();
  round_trip("all.pcap");
  round_trip("all.pcapng");
  link_types();
  messages();
  flushes();
  split_by_size("size.pcap");
  split_by_size("size.pcapng");
  split_by_time();
  persistence_gate();
  reopen("log.pcap");
  reopen("log.pcapng");
  next_file_refused();
  several_threads();
  cannot_open();
  return folder_report("pcap writer");
}
