/* SPDX-License-Identifier: Apache-2.0
 * expression.c - see expression.h. The types are declared here: building needs no header of libpcap.
 */
#define _GNU_SOURCE
#include "system/expression.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMEDY "install it (Debian, Ubuntu: apt-get install libpcap0.8; Fedora, Rocky: dnf install libpcap)"
#define SNAPLEN 262144
#define NETMASK_UNKNOWN UINT32_MAX

typedef struct pcap pcap_t;
struct bpf_program {
  unsigned n;
  struct ct_bpf_insn *insn;
};

/* What is called, and the names in the same order. */
static struct {
  pcap_t *(*open_dead)(int link, int snaplen);
  int (*compile)(pcap_t *p, struct bpf_program *program, const char *text, int optimize, uint32_t netmask);
  char *(*geterr)(pcap_t *p);
  void (*freecode)(struct bpf_program *program);
  void (*close)(pcap_t *p);
} late;
static const char *const NAMES[] = {"pcap_open_dead", "pcap_compile", "pcap_geterr", "pcap_freecode",
                                    "pcap_close"};
static char refusal[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* compilers before 1.8 have one state a process */

/* Debian names it by its first interface, others by the number of its version. */
static void *open_library(void) {
  void *library = dlopen("libpcap.so.1", RTLD_NOW | RTLD_LOCAL);
  return library != NULL ? library : dlopen("libpcap.so.0.8", RTLD_NOW | RTLD_LOCAL);
}

static void load_library(void) {
  /* POSIX has it that dlsym() gives functions as pointers to data. */
  void *found[sizeof NAMES / sizeof *NAMES];
  _Static_assert(sizeof found == sizeof late, "one pointer a function");
  void *library = open_library();
  if (library == NULL) {
    snprintf(refusal, sizeof refusal, "libpcap is not there; " REMEDY);
    return;
  }
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    found[i] = dlsym(library, NAMES[i]);
    if (found[i] != NULL) continue;
    snprintf(refusal, sizeof refusal, "libpcap is another version, it has no %s; " REMEDY, NAMES[i]);
    dlclose(library);
    return;
  }
  memcpy(&late, found, sizeof late);
}

const char *ct_expression_refusal(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_library);
  return refusal;
}

/* The number that libpcap has for a link type in its programs: another one for a few old types (libpcap "pcap-common.c"). */
static int dlt_of(uint32_t linktype) {
  switch (linktype) {
  case 100: return 11; /* ATM by RFC 1483 */
  case 101: return 12; /* raw IP */
  case 102: return 15; /* SLIP of BSD/OS */
  case 103: return 16; /* PPP of BSD/OS */
  default: return linktype > INT32_MAX ? -1 : (int)linktype;
  }
}

static struct ct_bpf_insn *copy_of(const struct bpf_program *program, uint32_t *n) {
  struct ct_bpf_insn *own = NULL;
  if (program->n <= CT_BPF_MOST && ct_bpf_check(program->insn, program->n)) {
    own = malloc(program->n * sizeof *own);
    if (own != NULL) memcpy(own, program->insn, program->n * sizeof *own);
  }
  *n = program->n;
  return own;
}

struct ct_bpf_insn *ct_expression_compile(const char *text, uint32_t linktype, uint32_t *n,
                                          char error[CT_EXPRESSION_ERROR]) {
  const char *missing = ct_expression_refusal();
  snprintf(error, CT_EXPRESSION_ERROR, "%s", missing);
  if (missing[0] != '\0') return NULL;
  snprintf(error, CT_EXPRESSION_ERROR, "its program cannot be used");
  pthread_mutex_lock(&lock);
  struct ct_bpf_insn *own = NULL;
  struct bpf_program program = {0};
  pcap_t *p = late.open_dead(dlt_of(linktype), SNAPLEN);
  if (p != NULL && late.compile(p, &program, text, 1, NETMASK_UNKNOWN) == 0) {
    own = copy_of(&program, n);
    late.freecode(&program);
  } else if (p != NULL) {
    snprintf(error, CT_EXPRESSION_ERROR, "%s", late.geterr(p));
  }
  if (p != NULL) late.close(p);
  pthread_mutex_unlock(&lock);
  return own;
}
