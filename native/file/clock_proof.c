/* SPDX-License-Identifier: Apache-2.0
 * clock_proof.c - see clock_proof.h.
 */
#include "file/clock_proof.h"

#include <stdlib.h>
#include <string.h>

#include "rtp/rtp_sample.h"

#define LEAST_FLOWS 3u
#define LEAST_BACK 2u
#define LEAST_WITNESSES 2u /* of the three */
#define LEAST_PACKETS 10u
#define PART 8u                 /* packets of which the earliest shows the stream without its jitter */
#define RUNNING_NS 250000000LL  /* a stream that sent within so long before the gap was not in a pause */
#define COPY_PACKETS 4          /* that a copy of a stream may be behind it */
#define KNOWN_NS 10000000000LL  /* older ones say nothing */
#define TOLERANCE_NS 50000000LL /* of what jitter leaves of a stream's earliest packets */
#define MOST_TICKS (INT32_MAX / 2)

static int64_t magnitude(int64_t ns) { return ns < 0 ? -ns : ns; }

static bool is_near(int64_t a, int64_t b) { return magnitude(ct_ns_diff(a, b)) <= TOLERANCE_NS; }

static bool was_running(const struct ct_clock_proof *p, const struct ct_stream *s) {
  return ct_ns_diff(p->before_ns, s->last_audio_ns) <= RUNNING_NS;
}

void ct_clock_ask(struct ct_clock_proof *p, int64_t gap_ns, int64_t before_ns) {
  if (++p->round == 0) memset(p, 0, sizeof *p), p->round = 1;
  p->flows = 0;
  p->gap_ns = gap_ns;
  p->before_ns = before_ns;
}

/* NULL: too many are compared already. */
static struct ct_clock_flow *flow_of(struct ct_clock_proof *p, const struct ct_stream *s) {
  const uint32_t stream = s->self - 1;
  for (uint32_t i = 0; i < CT_CLOCK_FLOWS; i++) {
    struct ct_clock_flow *f = &p->flow[(stream + i) % CT_CLOCK_FLOWS];
    if (f->round == p->round && f->stream == stream) return f;
    if (f->round == p->round) continue;
    *f = (struct ct_clock_flow){.round = p->round, .stream = stream, .s = s};
    p->flows += was_running(p, s);
    return f;
  }
  return NULL;
}

/* Whether the packet says anything of the time: of the media that the stream sent last, by a clock that is known. */
static bool tells_time(const struct ct_clock_proof *p, const struct ct_stream *s,
                       const struct ct_rtp_header *h, int32_t ticks) {
  if (s->state != CT_STREAM_ACCEPTED || !(s->flags & CT_SF_TIMED) || s->ts_step == 0) return false;
  if (h->pt != s->audio_pt || ct_ns_per_tick(s, h->pt) == 0) return false;
  if (ct_ns_diff(p->before_ns, s->last_audio_ns) > KNOWN_NS) return false;
  return ticks > 0 && ticks < MOST_TICKS;
}

static void note(const struct ct_clock_proof *p, struct ct_clock_flow *f, int64_t late) {
  const uint32_t n = f->packets++;
  if (n == 0 || (n < PART && late < f->first)) f->first = late;
  if (n < PART) f->sum += ct_ns_diff(late, p->gap_ns);
  if (n % PART == 0) {
    f->end[0] = f->end[1];
    f->end[1] = late;
  } else if (late < f->end[1]) {
    f->end[1] = late;
  }
}

bool ct_clock_take(struct ct_clock_proof *p, const struct ct_stream *s, const struct ct_rtp_header *h,
                   int64_t now) {
  const int32_t ticks = (int32_t)(h->ts - s->last_ts);
  if (!tells_time(p, s, h, ticks)) return true;
  struct ct_clock_flow *f = flow_of(p, s);
  if (f == NULL) return true;
  const int64_t dt = ct_ns_diff(now, s->last_audio_ns);
  const int64_t late = ct_lateness(dt, ticks, ct_ns_per_tick(s, h->pt));
  const int64_t half = magnitude(p->gap_ns) / 2;
  /* Its clock went on through the gap, or makes up for it. */
  if (magnitude(late) < half) return false;
  if (f->packets == 0 && was_running(p, s) && magnitude(ct_ns_diff(late, p->gap_ns)) > half) return false;
  note(p, f, late);
  return true;
}

bool ct_clock_may_be(const struct ct_clock_proof *p) {
  return p->flows >= (p->gap_ns < 0 ? 1 : LEAST_WITNESSES);
}

/* The earliest of the last packets. */
static int64_t at_end(const struct ct_clock_flow *f) {
  return f->packets > PART && f->end[0] < f->end[1] ? f->end[0] : f->end[1];
}

/* Enough packets to show that the stream goes on at its own pace. */
static bool is_witness(const struct ct_clock_proof *p, const struct ct_clock_flow *f) {
  return f->round == p->round && f->packets >= LEAST_PACKETS && was_running(p, f->s);
}

/* Of whom fewer came, or who was silent before: only what agrees says anything. */
static bool agrees(const struct ct_clock_proof *p, const struct ct_clock_flow *f, int64_t size) {
  return f->round == p->round && f->packets > 0 && is_near(f->first, size) && is_near(at_end(f), size);
}

static int by_size(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* What the streams are late by behind the gap, on average of eight packets: that of the middle one. The jitter of the packet
 * in front of the gap adds as often as it takes away. */
static int64_t middle(struct ct_clock_proof *p, uint32_t *n) {
  *n = 0;
  for (uint32_t i = 0; i < CT_CLOCK_FLOWS; i++) {
    const struct ct_clock_flow *f = &p->flow[i];
    if (is_witness(p, f)) p->late[(*n)++] = ct_ns_diff(p->gap_ns, -(f->sum / (int64_t)PART));
  }
  if (*n == 0) return 0;
  qsort(p->late, *n, sizeof p->late[0], by_size);
  return p->late[*n / 2];
}

/* A relay passes a stream on as it is, and an echo sends it back: that makes no second one. */
static bool is_copy(const struct ct_stream *a, const struct ct_stream *b) {
  if (memcmp(a->dst, b->src, sizeof a->dst) != 0 && memcmp(b->dst, a->src, sizeof a->dst) != 0) return false;
  const int64_t apart = (int32_t)(a->last_ts - b->last_ts);
  return a->ssrc == b->ssrc && magnitude(apart) <= (int64_t)COPY_PACKETS * a->ts_step;
}

/* Streams of their own, of two hosts: three that calls have named, for who invents hosts can let all of theirs pause at
 * once. Nobody can send so that frames go back in time: there any two are enough. */
static bool is_company(const struct ct_clock_proof *p, int64_t size) {
  const bool is_back = size < 0;
  const struct ct_stream *member[LEAST_FLOWS] = {NULL};
  const uint32_t wanted = is_back ? LEAST_BACK : LEAST_FLOWS;
  uint32_t members = 0;
  bool hosts = false;
  for (uint32_t i = 0; i < CT_CLOCK_FLOWS && (members < wanted || !hosts); i++) {
    const struct ct_clock_flow *f = &p->flow[i];
    if (!agrees(p, f, size) || (!is_back && f->s->claimed == 0)) continue;
    bool is_new = true;
    for (uint32_t k = 0; k < members; k++) is_new = is_new && !is_copy(member[k], f->s);
    if (!is_new) continue;
    hosts = hosts || (members > 0 && memcmp(member[0]->src, f->s->src, sizeof f->s->src) != 0);
    if (members < wanted) member[members++] = f->s;
  }
  return members == wanted && hosts;
}

int64_t ct_clock_step(struct ct_clock_proof *p) {
  uint32_t n = 0;
  const int64_t size = middle(p, &n);
  if (n < (size < 0 ? 1 : LEAST_WITNESSES) || magnitude(size) < CT_CLOCK_LEAST_NS || !is_company(p, size))
    return 0;
  for (uint32_t i = 0; i < CT_CLOCK_FLOWS; i++) {
    const struct ct_clock_flow *f = &p->flow[i];
    if (is_witness(p, f) && (!is_near(f->first, size) || at_end(f) < size - TOLERANCE_NS)) return 0;
  }
  return size < p->gap_ns ? size : p->gap_ns;
}
