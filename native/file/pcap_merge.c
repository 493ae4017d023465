/* SPDX-License-Identifier: Apache-2.0
 * pcap_merge.c - see pcap_merge.h. A heap of files by the time of their next frame; of one that is not open yet the time
 * of its first frame stands for it.
 */
#include "file/pcap_merge.h"
#include "file/frame_order.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_FILE UINT32_MAX
#define MOST_TIED 32u /* files whose frames of the same time are compared */

struct source {
  char *path;
  int fd;
  struct ct_pcap *f;      /* NULL: not open */
  struct ct_frame *ahead; /* CT_MERGE_RUN, while it is open: read and not handed out from `at` to `n` */
  uint32_t at, n;
  int64_t next_ns, first_ns;
  uint64_t frames, size, done; /* done: bytes, when it is not open */
  enum ct_pcap_status status;  /* that ended it */
  int err;
  bool overlaps, ended;
};

struct ct_merge {
  struct source *s;
  uint32_t n;
  uint32_t *heap, in_heap;
  uint32_t last, last_at;        /* file of the last run, and where in the heap it is */
  uint32_t *gone, n_gone, told;  /* files in the order in which they ended */
  uint32_t overlapping, refused; /* refused: the file that could not be opened */
  bool reordered, is_sized;
  bool (*wait)(int fd, void *arg);
  void *wait_arg;
};

/* ---- The order ---- */

/* Whether `a` goes first where both have a frame of the same time. */
static bool wins_tie(const struct ct_merge *m, uint32_t a, uint32_t b) {
  const struct source *x = &m->s[a], *y = &m->s[b];
  if (x->first_ns != y->first_ns) return x->first_ns < y->first_ns;
  int by_name = strcmp(x->path, y->path);
  return by_name != 0 ? by_name < 0 : a < b;
}

/* Of the same time one that is not open yet goes first: it is opened then, and what it has is known. */
static bool is_before(const struct ct_merge *m, uint32_t a, uint32_t b) {
  const struct source *x = &m->s[a], *y = &m->s[b];
  if (x->next_ns != y->next_ns) return x->next_ns < y->next_ns;
  return (x->f == NULL) != (y->f == NULL) ? x->f == NULL : wins_tie(m, a, b);
}

static void swap(uint32_t *a, uint32_t *b) {
  uint32_t t = *a;
  *a = *b;
  *b = t;
}

static void sift_down(struct ct_merge *m, uint32_t i) {
  for (;;) {
    uint32_t least = i, left = 2 * i + 1, right = left + 1;
    if (left < m->in_heap && is_before(m, m->heap[left], m->heap[least])) least = left;
    if (right < m->in_heap && is_before(m, m->heap[right], m->heap[least])) least = right;
    if (least == i) return;
    swap(&m->heap[i], &m->heap[least]);
    i = least;
  }
}

static void sift_up(struct ct_merge *m, uint32_t i) {
  for (; i > 0 && is_before(m, m->heap[i], m->heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(&m->heap[i], &m->heap[(i - 1) / 2]);
}

static void push(struct ct_merge *m, uint32_t file) {
  m->heap[m->in_heap++] = file;
  sift_up(m, m->in_heap - 1);
}

/* The file at `i` has another time than before. */
static void move(struct ct_merge *m, uint32_t i) {
  sift_up(m, i);
  sift_down(m, i);
}

static void drop(struct ct_merge *m, uint32_t i) {
  m->heap[i] = m->heap[--m->in_heap];
  if (i < m->in_heap) move(m, i);
}

/* The file that follows the one on top; NO_FILE without one. */
static uint32_t second(const struct ct_merge *m) {
  if (m->in_heap < 2) return NO_FILE;
  if (m->in_heap < 3 || is_before(m, m->heap[1], m->heap[2])) return m->heap[1];
  return m->heap[2];
}

/* ---- One file ---- */

static void shut(struct source *s) {
  if (s->f == NULL) return;
  s->done = ct_pcap_position(s->f);
  ct_pcap_close(s->f);
  s->f = NULL;
  free(s->ahead);
  s->ahead = NULL;
}

/* Opens the file and reads its headers. False: `status` and `err` say why. */
static bool open_file(struct ct_merge *m, struct source *s) {
  s->at = s->n = 0;
  s->status = CT_PCAP_IO;
  s->err = 0;
  s->f = s->fd >= 0 ? ct_pcap_open_descriptor(s->fd, &s->err) : ct_pcap_open_unread(s->path, &s->err);
  if (s->f == NULL) return false;
  s->size = ct_pcap_size(s->f);
  s->ahead = malloc(CT_MERGE_RUN * sizeof *s->ahead);
  if (s->ahead == NULL) {
    s->err = ENOMEM;
  } else if (ct_pcap_start(s->f, m->wait, m->wait_arg, &s->status)) {
    return true;
  } else {
    s->err = s->status == CT_PCAP_IO ? ct_pcap_errno(s->f) : 0;
  }
  shut(s);
  return false;
}

/* Reads on when all of what is ahead was handed out. False at the end of the file. */
static bool read_ahead(struct source *s) {
  if (s->at < s->n) return true;
  /* The first may be read from the file, which ends what was handed out before. */
  s->at = s->n = 0;
  s->status = ct_pcap_next(s->f, s->ahead);
  if (s->status != CT_PCAP_RECORD) return false;
  s->n = 1 + ct_pcap_take(s->f, s->ahead + 1, CT_MERGE_RUN - 1);
  s->next_ns = s->ahead[0].ts_ns;
  return true;
}

static void end_file(struct ct_merge *m, uint32_t file) {
  struct source *s = &m->s[file];
  if (s->f != NULL) s->err = ct_pcap_errno(s->f);
  shut(s);
  s->ended = true;
  m->gone[m->n_gone++] = file;
}

/* ---- All files ---- */

struct ct_merge *ct_merge_create(const char *const *path, const int *fd, uint32_t n) {
  struct ct_merge *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  m->n = n;
  m->last = m->refused = NO_FILE;
  m->s = calloc(n, sizeof *m->s);
  m->heap = calloc(n, sizeof *m->heap);
  m->gone = calloc(n, sizeof *m->gone);
  bool is_whole = m->s != NULL && m->heap != NULL && m->gone != NULL;
  for (uint32_t i = 0; i < n && is_whole; i++) {
    m->s[i].fd = fd[i];
    m->s[i].path = strdup(path[i]);
    is_whole = m->s[i].path != NULL;
  }
  if (is_whole) return m;
  ct_merge_free(m);
  return NULL;
}

void ct_merge_free(struct ct_merge *m) {
  if (m == NULL) return;
  for (uint32_t i = 0; i < m->n && m->s != NULL; i++) {
    shut(&m->s[i]);
    free(m->s[i].path);
  }
  free(m->s);
  free(m->heap);
  free(m->gone);
  free(m);
}

static struct ct_merge_end end_of(const struct ct_merge *m, uint32_t file) {
  const struct source *s = &m->s[file];
  return (struct ct_merge_end){.file = file, .status = s->status, .err = s->err, .frames = s->frames};
}

/* Reads where the file begins. What can be read again is closed until its turn; standard input continues where it is. */
static void probe(struct ct_merge *m, uint32_t file) {
  struct source *s = &m->s[file];
  if (!read_ahead(s)) {
    end_file(m, file);
    return;
  }
  s->first_ns = s->next_ns;
  if (m->n > 1 && s->size > 0 && strcmp(s->path, "-") != 0) {
    shut(s);
    s->done = 0;
  }
}

bool ct_merge_start(struct ct_merge *m, bool (*wait)(int fd, void *arg), void *arg,
                    struct ct_merge_end *failed) {
  m->wait = wait;
  m->wait_arg = arg;
  m->is_sized = true;
  uint32_t empty = 0, before = NO_FILE;
  for (uint32_t i = 0; i < m->n; i++) {
    struct source *s = &m->s[i];
    if (open_file(m, s)) {
      m->is_sized = m->is_sized && s->size > 0;
      probe(m, i);
      continue;
    }
    *failed = end_of(m, i);
    if (s->status != CT_PCAP_EMPTY) return false;
    s->err = 0;
    end_file(m, i);
    empty++;
  }
  if (empty == m->n) return false;
  for (uint32_t i = 0; i < m->n; i++) {
    if (m->s[i].ended) continue;
    if (before != NO_FILE && is_before(m, i, before)) m->reordered = true;
    before = i;
    push(m, i);
  }
  return true;
}

/* The file on top is about to hand out frames. */
static void note_overlap(struct ct_merge *m, uint32_t file) {
  uint32_t last = m->last;
  m->last = file;
  if (last == NO_FILE || last == file || m->s[last].ended) return;
  m->overlapping += !m->s[last].overlaps + !m->s[file].overlaps;
  m->s[last].overlaps = m->s[file].overlaps = true;
}

/* Frames of the file on top, which goes first, that come before the next of any other. */
static uint32_t run_of(const struct ct_merge *m, const struct source *s) {
  uint32_t other = second(m), n = s->n - s->at;
  if (other == NO_FILE) return n;
  const int64_t until = m->s[other].next_ns;
  const struct ct_frame *frame = s->ahead + s->at;
  uint32_t k = 1;
  while (k < n && frame[k].ts_ns < until) k++;
  return k;
}

/* Moves a file to where its next frame belongs. False when it has none. */
static bool settle(struct ct_merge *m, uint32_t i) {
  uint32_t file = m->heap[i];
  struct source *s = &m->s[file];
  if (!read_ahead(s)) {
    end_file(m, file);
    drop(m, i);
    return false;
  }
  s->next_ns = s->ahead[s->at].ts_ns;
  move(m, i);
  return true;
}

static const struct ct_frame *next_frame(const struct ct_merge *m, uint32_t i) {
  const struct source *s = &m->s[m->heap[i]];
  return s->ahead + s->at;
}

/* Where in the heap the file is whose frame goes first of those that have the time of the top; they are all open. */
static uint32_t first_of_tied(const struct ct_merge *m) {
  if (m->in_heap < 2) return 0;
  const int64_t now = m->s[m->heap[0]].next_ns;
  uint32_t tied[MOST_TIED] = {0}, n = 1, best = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t child = 2 * tied[i] + 1; child < 2 * tied[i] + 3; child++)
      if (child < m->in_heap && n < MOST_TIED && m->s[m->heap[child]].next_ns == now) tied[n++] = child;
  /* One after which another goes may go after a third: look again until none does. */
  for (uint32_t looks = 0, before = NO_FILE; n > 1 && looks < n && before != best; looks++) {
    before = best;
    for (uint32_t i = 0; i < n; i++) {
      if (tied[i] == best) continue;
      int order = ct_frame_order(next_frame(m, tied[i]), next_frame(m, best));
      if (order < 0) best = tied[i];
    }
  }
  return best;
}

uint32_t ct_merge_next(struct ct_merge *m, const struct ct_frame **frame, uint32_t *file) {
  /* What was handed out last is done with: only now may its buffer be filled again. */
  if (m->last != NO_FILE && !m->s[m->last].ended && m->in_heap > 0) (void)settle(m, m->last_at);
  while (m->in_heap > 0) {
    uint32_t top = m->heap[0];
    struct source *s = &m->s[top];
    if (s->f == NULL) {
      if (!open_file(m, s)) {
        if (s->err == EMFILE || s->err == ENFILE || s->err == ENOMEM) {
          m->refused = top;
          return 0;
        }
        end_file(m, top);
        drop(m, 0);
        continue;
      }
      (void)settle(m, 0);
      continue; /* another may go first now */
    }
    m->last_at = first_of_tied(m);
    uint32_t n = 1;
    if (m->last_at == 0) {
      n = run_of(m, s);
    } else {
      top = m->heap[m->last_at];
      s = &m->s[top];
    }
    *frame = s->ahead + s->at;
    *file = top;
    s->at += n;
    s->frames += n;
    note_overlap(m, top);
    return n;
  }
  return 0;
}

bool ct_merge_ended(struct ct_merge *m, struct ct_merge_end *end) {
  if (m->told == m->n_gone) return false;
  *end = end_of(m, m->gone[m->told++]);
  return true;
}

bool ct_merge_failed(const struct ct_merge *m, struct ct_merge_end *failed) {
  if (m->refused == NO_FILE) return false;
  *failed = end_of(m, m->refused);
  return true;
}

bool ct_merge_place(const struct ct_merge *m, uint64_t *delta) {
  const struct source *s = &m->s[m->last];
  return s->f != NULL && ct_pcap_place(s->f, delta) && s->fd >= 0;
}

bool ct_merge_is_many(const struct ct_merge *m) {
  const struct ct_pcap *f = m->s[0].f;
  return m->n > 1 || (f != NULL && ct_pcap_has_interfaces(f));
}

bool ct_merge_is_alone(const struct ct_merge *m) {
  if (!m->is_sized) return false;
  uint32_t open = 0;
  for (uint32_t i = 0; i < m->n; i++) open += m->s[i].f != NULL;
  return open <= 1;
}

uint32_t ct_merge_progress(const struct ct_merge *m) {
  uint64_t size = 0, done = 0;
  if (!m->is_sized) return 0;
  for (uint32_t i = 0; i < m->n; i++) {
    const struct source *s = &m->s[i];
    size += s->size;
    done += s->f != NULL ? ct_pcap_position(s->f) : s->done;
  }
  return size == 0 || done >= size ? 1000 : (uint32_t)(done * 1000 / size);
}

uint32_t ct_merge_overlapping(const struct ct_merge *m) { return m->overlapping; }
bool ct_merge_reordered(const struct ct_merge *m) { return m->reordered; }
