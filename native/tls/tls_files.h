/* SPDX-License-Identifier: Apache-2.0
 * tls_files.h - of the mappings of a process, one for each file: anybody may map a file 65,530 times.
 */
#ifndef CALLTAP_TLS_FILES_H
#define CALLTAP_TLS_FILES_H
#include "../../bpf/tls_event.h"
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_TLS_PROCESS_FILES 1024u /* files of one process that are seen */
/* Begins zeroed. */
struct ct_tls_seen {
  uint32_t pid, files;
  uint32_t most;    /* files of one process that are seen this time; 0: CT_TLS_PROCESS_FILES */
  uint64_t process; /* counts them; a slot of another one is free */
  struct {
    uint64_t process, ino;
    uint32_t dev;
  } slots[CT_TLS_PROCESS_FILES * 2u];
};
/*
 * Leaves the first row of each file of a process, and of the next one; those of a process come one after the other. How
 * many stay. `cut` counts rows of files beyond the cap.
 */
size_t ct_tls_once_each(struct ct_tls_seen *s, struct ct_tls_mapping *rows, size_t n, uint64_t *cut);

#ifdef __cplusplus
}
#endif
#endif
