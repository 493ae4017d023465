/* SPDX-License-Identifier: Apache-2.0
 * test_pcap_chunks.c - which time lies where in the files of -O: each frame is in a chunk that says its time.
 */
#define _GNU_SOURCE
#include "pcap_written.h"
#include "file/capture_chunks.h"

#define FRAME 700u
#define RECORD (FRAME + 16u)
#define HEADER 24u
#define START 1700000000000000000ll

/* The time of frame i: frames of two interfaces are not in its order. */
static int64_t time_of(uint32_t i) { return START + ((int64_t)i - (i % 2 == 0 ? 0 : 7)) * 1000; }

/* The chunks of a file follow each other without a gap, and say the time of each of its frames. Frames of the file. */
static uint32_t check_chunks(const struct ct_pcap_chunk *chunk, uint32_t count, uint32_t number, uint32_t first) {
  uint64_t end = 0;
  uint32_t frame = first;
  for (uint32_t i = 0; i < count; i++) {
    if (chunk[i].number != number) continue;
    CHECK_EQ(chunk[i].offset, end);
    end += chunk[i].bytes;
    for (; HEADER + (uint64_t)(frame - first) * RECORD < end; frame++)
      CHECK(time_of(frame) >= chunk[i].first_ns && time_of(frame) <= chunk[i].last_ns);
  }
  char name[64];
  snprintf(name, sizeof name, "cap.pcap.%05u", number);
  CHECK_EQ(size_of(at(name)), end);
  return frame - first;
}

static struct ct_pcap_chunk chunk[2 * CT_PC_CHUNKS];

static void each_file_of_a_split(void) {
  struct ct_pcap_writer *w = open_at(at("cap.pcap"), 1, 1000000, 0);
  const uint32_t frames = 4000;
  for (uint32_t i = 0; i < frames; i++) CHECK(ct_pcap_write(w, frame_of(i, FRAME), time_of(i), FRAME, FRAME, 1));
  ct_pcap_write_flush(w);
  uint32_t count = ct_pcap_write_chunks(w, chunk, 3);
  CHECK_EQ(count, 3);
  count += ct_pcap_write_chunks(w, chunk + 3, CT_PC_CHUNKS);
  CHECK_EQ(ct_pcap_write_chunks(w, chunk + count, 1), 0);
  CHECK_EQ(n[CT_PW_FILES], 3);
  uint32_t seen = 0;
  for (uint32_t number = 1; number <= 3; number++) seen += check_chunks(chunk, count, number, seen);
  CHECK_EQ(seen, frames);
  /* Each is about a buffer long: no list of frames. */
  CHECK(count < 16);
  ct_pcap_write_close(w);
}

/* Where nobody takes them, the newest one grows. */
static void more_than_there_is_room_for(void) {
  struct ct_pcap_writer *w = open_at(at("cap.pcap"), 1, 1ull << 40, 0);
  char name[300];
  ct_pcap_write_name(w, name, sizeof name);
  const uint32_t frames = 2 * CT_PC_CHUNKS + 77;
  for (uint32_t i = 0; i < frames; i++) {
    CHECK(ct_pcap_write(w, frame_of(i, FRAME), time_of(i), FRAME, FRAME, 1));
    ct_pcap_write_flush(w);
  }
  uint32_t count = ct_pcap_write_chunks(w, chunk, 2 * CT_PC_CHUNKS);
  CHECK_EQ(count, CT_PC_CHUNKS);
  CHECK_EQ(check_chunks(chunk, count, chunk[0].number, 0), frames);
  /* And again, once there is room. */
  CHECK(ct_pcap_write(w, frame_of(0, FRAME), START, FRAME, FRAME, 1));
  ct_pcap_write_flush(w);
  CHECK_EQ(ct_pcap_write_chunks(w, chunk, CT_PC_CHUNKS), 1);
  CHECK_EQ(chunk[0].offset + chunk[0].bytes, size_of(name));
  CHECK_EQ(chunk[0].first_ns, START);
  CHECK_EQ(chunk[0].last_ns, START);
  ct_pcap_write_close(w);
}

/* Of a file that is there already: the same, whoever wrote it. */
static void a_file_that_is_there(const char *name) {
  static struct ct_pcap_chunk found[64];
  struct ct_pcap_writer *w = open_at(at(name), 1, 0, 0);
  for (uint32_t i = 0; i < 4000; i++) CHECK(ct_pcap_write(w, frame_of(i, FRAME), time_of(i), FRAME, FRAME, 1));
  ct_pcap_write_close(w);
  enum ct_pcap_status st;
  for (uint32_t most = 64; most >= 4; most /= 4) {
    uint32_t count = ct_capture_chunks(at(name), found, most, &st);
    CHECK_EQ(st, CT_PCAP_EOF);
    CHECK(count <= most && count > 2);
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
      CHECK_EQ(found[i].offset, end);
      end += found[i].bytes;
    }
    CHECK_EQ(end, size_of(at(name)));
    CHECK_EQ(found[0].first_ns, START - 6000);
    CHECK_EQ(found[count - 1].last_ns, START + 3998000);
  }
  CHECK_EQ(ct_capture_chunks(at("nothing"), found, 64, &st), 0);
  CHECK_EQ(st, CT_PCAP_IO);
}

int main(void) {
  folder_make();
  each_file_of_a_split();
  more_than_there_is_room_for();
  a_file_that_is_there("whole.pcap");
  a_file_that_is_there("whole.pcapng");
  return folder_report("pcap_chunks");
}
