/* SPDX-License-Identifier: Apache-2.0
 * inject.c - see inject.h.
 */
#include "pipeline/inject.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ct_inject {
  pthread_mutex_t lock;
  _Atomic uint32_t pending; /* n, for who holds no lock */
  uint32_t first, n;
  struct ct_injected *q; /* CT_INJECT_MAX, allocated at first use */
};

struct ct_inject *ct_inject_create(void) {
  struct ct_inject *in = calloc(1, sizeof(*in));
  if (in != NULL) pthread_mutex_init(&in->lock, NULL);
  return in;
}

void ct_inject_free(struct ct_inject *in) {
  if (in == NULL) return;
  pthread_mutex_destroy(&in->lock);
  free(in->q);
  free(in);
}

static void copy(struct ct_injected *to, const struct ct_packet *p) {
  to->p = *p;
  to->p.frame = NULL;
  to->p.wrap_len = 0; /* the framing is not taken along */
  to->p.caplen = 0;
  to->p.len = p->len < CT_INJECT_BYTES ? p->len : CT_INJECT_BYTES;
  memcpy(to->bytes, p->payload, to->p.len);
}

bool ct_inject_put(struct ct_inject *in, const struct ct_packet *p) {
  pthread_mutex_lock(&in->lock);
  if (in->q == NULL) in->q = malloc(CT_INJECT_MAX * sizeof(*in->q));
  bool has_room = in->q != NULL && in->n < CT_INJECT_MAX;
  if (has_room) {
    copy(&in->q[(in->first + in->n) % CT_INJECT_MAX], p);
    in->n++;
    atomic_store_explicit(&in->pending, in->n, memory_order_release);
  }
  pthread_mutex_unlock(&in->lock);
  return has_room;
}

bool ct_inject_is_empty(const struct ct_inject *in) {
  return atomic_load_explicit(&in->pending, memory_order_acquire) == 0;
}

bool ct_inject_take(struct ct_inject *in, struct ct_injected *out) {
  pthread_mutex_lock(&in->lock);
  bool have = in->n > 0;
  if (have) {
    memcpy(out, &in->q[in->first], sizeof(*out));
    in->first = (in->first + 1) % CT_INJECT_MAX;
    in->n--;
    atomic_store_explicit(&in->pending, in->n, memory_order_release);
  }
  pthread_mutex_unlock(&in->lock);
  out->p.payload = out->bytes;
  return have;
}
