/* SPDX-License-Identifier: Apache-2.0
 * test_inflate.c - every form gives back what was deflated, within its room and never beyond, whatever the bytes.
 */
#include "check.h"
#include "core/inflate.h"
#include <zlib.h>

#define ROOM 4096u

/* In memory of its own, so that a byte read or written beside it is seen. */
static int32_t inflate_apart(enum ct_inflate_form form, const uint8_t *in, uint32_t len, const char *window,
                             uint32_t room, uint8_t *result) {
  uint8_t *from = exact_copy(in, len), *to = malloc(room > 0 ? room : 1);
  if (to == NULL) abort();
  int32_t n = ct_inflate(form, from, len, (const uint8_t *)window, (uint32_t)strlen(window), to, room);
  if (n > 0) memcpy(result, to, (size_t)n);
  free(from);
  free(to);
  return n;
}

static uint32_t deflate_as(enum ct_inflate_form form, int bits, const uint8_t *in, uint32_t len, const char *window,
                           uint8_t *out, uint32_t room) {
  z_stream z;
  memset(&z, 0, sizeof(z));
  CHECK(deflateInit2(&z, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  if (*window != 0) CHECK(deflateSetDictionary(&z, (const uint8_t *)window, (uInt)strlen(window)) == Z_OK);
  uint8_t *copy = exact_copy(in, len);
  z.next_in = copy;
  z.avail_in = len;
  z.next_out = out;
  z.avail_out = room;
  deflate(&z, form == CT_INFLATE_MESSAGE ? Z_SYNC_FLUSH : Z_FINISH);
  uint32_t made = (uint32_t)z.total_out - (form == CT_INFLATE_MESSAGE ? 4 : 0);
  deflateEnd(&z);
  free(copy);
  return made;
}

static const char TEXT[] = "OPTIONS sip:a@example.com SIP/2.0\r\nVia: SIP/2.0/WS a;branch=z9hG4bK1\r\n\r\n";
static const struct {
  enum ct_inflate_form form;
  int bits;
} FORMS[] = {{CT_INFLATE_MESSAGE, -15}, {CT_INFLATE_RAW, -15}, {CT_INFLATE_WRAPPED, 15}, {CT_INFLATE_WRAPPED, 31}};
#define N_FORMS (sizeof(FORMS) / sizeof(FORMS[0]))

static void every_form_and_cut(void) {
  uint8_t packed[ROOM], out[ROOM];
  uint32_t text_len = (uint32_t)strlen(TEXT);
  for (uint32_t f = 0; f < N_FORMS; f++) {
    uint32_t len =
        deflate_as(FORMS[f].form, FORMS[f].bits, (const uint8_t *)TEXT, text_len, "", packed, sizeof(packed));
    for (uint32_t room = 0; room <= text_len + 1; room++) {
      int32_t n = inflate_apart(FORMS[f].form, packed, len, "", room, out);
      CHECK(n == (room < text_len ? CT_INFLATE_LONG : (int32_t)text_len));
      CHECK(room < text_len || memcmp(out, TEXT, text_len) == 0);
    }
    for (uint32_t cut = 0; cut < len; cut++) {
      int32_t n = inflate_apart(FORMS[f].form, packed, cut, "", ROOM, out);
      /* A message has no end of its own: what is cut off is missing, and no more. */
      CHECK(FORMS[f].form == CT_INFLATE_MESSAGE ? n <= (int32_t)text_len : n <= CT_INFLATE_BAD);
    }
  }
}

static void window(void) {
  uint8_t packed[ROOM], out[ROOM];
  uint32_t text_len = (uint32_t)strlen(TEXT);
  uint32_t len = deflate_as(CT_INFLATE_MESSAGE, -15, (const uint8_t *)TEXT, text_len, TEXT, packed, sizeof(packed));
  CHECK(len < 12); /* all of it refers back */
  CHECK(inflate_apart(CT_INFLATE_MESSAGE, packed, len, TEXT, ROOM, out) == (int32_t)text_len);
  CHECK(memcmp(out, TEXT, text_len) == 0);
  CHECK(inflate_apart(CT_INFLATE_MESSAGE, packed, len, "", ROOM, out) <= CT_INFLATE_BAD);
  /* Of a window that is too long its end counts. */
  char *more = malloc(CT_INFLATE_WINDOW + sizeof(TEXT));
  if (more == NULL) abort();
  memset(more, 'x', CT_INFLATE_WINDOW);
  memcpy(more + CT_INFLATE_WINDOW, TEXT, sizeof(TEXT));
  CHECK(inflate_apart(CT_INFLATE_MESSAGE, packed, len, more, ROOM, out) == (int32_t)text_len);
  free(more);
}

/* A bomb costs its room, and says so; what came out of broken bytes is told. */
static void bomb(void) {
  static uint8_t zeros[1 << 20], packed[1 << 14], out[ROOM];
  for (uint32_t f = 0; f < N_FORMS; f++) {
    uint32_t len =
        deflate_as(FORMS[f].form, FORMS[f].bits, zeros, sizeof(zeros), "", packed, sizeof(packed));
    CHECK(inflate_apart(FORMS[f].form, packed, len, "", ROOM, out) == CT_INFLATE_LONG);
  }
  uint32_t len = deflate_as(CT_INFLATE_RAW, -15, zeros, 3000, "", packed, sizeof(packed));
  CHECK(inflate_apart(CT_INFLATE_RAW, packed, len - 1, "", ROOM, out) <= CT_INFLATE_BAD - 2000);
}

static void any_bytes(void) {
  uint8_t in[64], out[ROOM];
  for (uint32_t k = 0; k < 20000; k++) {
    uint32_t len = k % sizeof(in);
    for (uint32_t i = 0; i < len; i++) in[i] = (uint8_t)rnd();
    for (uint32_t f = 0; f < CT_INFLATE_FORMS; f++)
      CHECK(inflate_apart((enum ct_inflate_form)f, in, len, "window", k % ROOM, out) <= (int32_t)(k % ROOM));
  }
}

int main(void) {
  every_form_and_cut();
  window();
  bomb();
  any_bytes();
  return report("inflate");
}
