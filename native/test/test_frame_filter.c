/* SPDX-License-Identifier: Apache-2.0
 * test_frame_filter.c - an expression of tcpdump over frames of several link types, and what libpcap says of a bad one.
 */
#include "check.h"
#include "net_frames.h"
#include "system/expression.h"
#include "system/frame_filter.h"

static uint8_t ether[100], tagged[104];
static uint32_t len;

static struct ct_frame frame_of(const uint8_t *d, uint32_t n, uint32_t linktype, uint64_t ordinal) {
  return (struct ct_frame){.data = d, .caplen = n, .wirelen = n, .linktype = linktype, .ordinal = ordinal};
}

/* The frames that pass, by their numbers: Ethernet, with a tag, raw IP, a type that nobody has, cut, Ethernet. */
static const char *passing(const char *text, uint32_t *unfit) {
  static char found[16];
  struct ct_frame out[6];
  const struct ct_frame frames[] = {frame_of(ether, len, 1, 0),       frame_of(tagged, len + 4, 1, 1),
                                    frame_of(ether + 14, len - 14, 101, 2), frame_of(ether, len, 65000, 3),
                                    frame_of(ether, 20, 1, 4),        frame_of(ether, len, 1, 5)};
  struct ct_frame_filter *f = ct_frame_filter_create(text);
  *unfit = 0;
  uint32_t n = ct_frame_filter_pass(f, frames, COUNT(frames), out, unfit);
  for (uint32_t i = 0; i < n; i++) found[i] = (char)('0' + out[i].ordinal);
  found[n] = '\0';
  ct_frame_filter_free(f);
  return found;
}

static void expressions(void) {
  static const struct {
    const char *text, *passing;
    uint32_t unfit;
  } ROWS[] = {
      {"udp port 5060", "025", 1}, {"vlan 5 and udp port 5060", "1", 2}, {"host 10.0.0.9", "", 1},
      {"vlan", "1", 2},            {"ether host 02:00:00:00:00:0b", "0145", 2}, {"len <= 20", "4", 1},
      {"udp[8:4] = 0x61626364", "025", 1},
  };
  for (unsigned i = 0; i < COUNT(ROWS); i++) {
    uint32_t unfit;
    subject = ROWS[i].text;
    const char *found = passing(ROWS[i].text, &unfit);
    if (strcmp(found, ROWS[i].passing) != 0) CHECK_FAILED("passing are %s, want %s", found, ROWS[i].passing);
    CHECK_EQ(unfit, ROWS[i].unfit);
  }
  subject = "";
}

static void bad_ones(void) {
  char error[CT_EXPRESSION_ERROR];
  ct_frame_filter_check("udp port 5060", error, sizeof error);
  CHECK(error[0] == '\0');
  ct_frame_filter_check("wlan type mgt", error, sizeof error); /* of another link type */
  CHECK(error[0] == '\0');
  ct_frame_filter_check("udp prt 5060", error, sizeof error);
  CHECK(strstr(error, "syntax error") != NULL);
  ct_frame_filter_check("portrange", error, sizeof error);
  CHECK(error[0] != '\0');
}

/* More link types than have room: those beyond do not pass, and nothing is written past the end. */
static void many_link_types(void) {
  struct ct_frame_filter *f = ct_frame_filter_create("len > 0");
  struct ct_frame out;
  uint32_t unfit = 0;
  for (uint32_t link = 0; link < 3 * CT_FILTER_LINKTYPES; link++) {
    struct ct_frame one = frame_of(ether, len, 40000 + link, 0);
    (void)ct_frame_filter_pass(f, &one, 1, &out, &unfit);
  }
  CHECK(unfit >= 2 * CT_FILTER_LINKTYPES);
  ct_frame_filter_free(f);
}

int main(void) {
  if (ct_expression_refusal()[0] != '\0') {
    printf("frame_filter: skipped, %s\n", ct_expression_refusal());
    return 0;
  }
  len = udp_frame(ether, 5060, 5060, "abcdefgh", 8);
  memcpy(tagged, ether, 12);
  memcpy(tagged + 12, (const uint8_t[]){0x81, 0, 0, 5}, 4);
  memcpy(tagged + 16, ether + 12, len - 12);
  expressions();
  bad_ones();
  many_link_types();
  return report("frame_filter");
}
