/* SPDX-License-Identifier: Apache-2.0
 * frame_filter.c - see frame_filter.h.
 */
#include "system/frame_filter.h"
#include "system/expression.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
  uint32_t linktype;
  struct ct_bpf_insn *insn; /* NULL: the expression is none for this link type */
};

struct ct_frame_filter {
  char *text;
  uint32_t n;
  const struct program *last; /* of the frame before */
  struct program program[CT_FILTER_LINKTYPES];
};

struct ct_frame_filter *ct_frame_filter_create(const char *text) {
  struct ct_frame_filter *f = calloc(1, sizeof *f);
  if (f == NULL) return NULL;
  f->text = strdup(text);
  if (f->text != NULL) return f;
  free(f);
  return NULL;
}

void ct_frame_filter_free(struct ct_frame_filter *f) {
  if (f == NULL) return;
  for (uint32_t i = 0; i < f->n; i++) free(f->program[i].insn);
  free(f->text);
  free(f);
}

void ct_frame_filter_check(const char *text, char *error, uint32_t size) {
  /* Ethernet, raw IP, 802.11 with a radio header, "any" of Linux, PPP. What is wrong is said of Ethernet. */
  static const uint32_t usual[] = {1, 101, 127, 113, 276, 9};
  char first[CT_EXPRESSION_ERROR] = "", other[CT_EXPRESSION_ERROR];
  uint32_t n;
  for (uint32_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    struct ct_bpf_insn *program = ct_expression_compile(text, usual[i], &n, i == 0 ? first : other);
    free(program);
    if (program != NULL) {
      if (size > 0) error[0] = '\0';
      return;
    }
  }
  snprintf(error, size, "%s", first);
}

/* NULL when there are too many link types. */
static const struct program *program_of(struct ct_frame_filter *f, uint32_t linktype) {
  for (uint32_t i = 0; i < f->n; i++)
    if (f->program[i].linktype == linktype) return &f->program[i];
  if (f->n == CT_FILTER_LINKTYPES) return NULL;
  struct program *made = &f->program[f->n++];
  char error[CT_EXPRESSION_ERROR];
  uint32_t n;
  made->linktype = linktype;
  made->insn = ct_expression_compile(f->text, linktype, &n, error);
  return made;
}

uint32_t ct_frame_filter_pass(struct ct_frame_filter *f, const struct ct_frame *frame, uint32_t n,
                              struct ct_frame *out, uint32_t *unfit) {
  uint32_t passed = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (f->last == NULL || f->last->linktype != frame[i].linktype) f->last = program_of(f, frame[i].linktype);
    if (f->last == NULL || f->last->insn == NULL)
      ++*unfit;
    else if (ct_bpf_run(f->last->insn, frame[i].data, frame[i].caplen, frame[i].wirelen) != 0)
      out[passed++] = frame[i];
  }
  return passed;
}
