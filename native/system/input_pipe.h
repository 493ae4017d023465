/* SPDX-License-Identifier: Apache-2.0 */
/* The standard input of a command that gets all of it at once. */
#ifndef CT_INPUT_PIPE_H
#define CT_INPUT_PIPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The end to read from of a pipe that holds `text` and nothing after it, or -errno: -E2BIG when a pipe cannot hold it
 * (1 MiB for most users). Never blocks, and nothing of it is on a disk. A socket pair, which is what Node gives, cannot
 * be opened as /dev/stdin. */
int ct_input_pipe(const uint8_t *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
