/* SPDX-License-Identifier: Apache-2.0
 * pcap_open.h - opens the file that frames go to. Content of calls is nobody else's: it is readable by its owner alone.
 */
#ifndef CALLTAP_PCAP_OPEN_H
#define CALLTAP_PCAP_OPEN_H
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The open file, at its end; -1 with errno. `is_new`: nothing may be there. EMLINK: a link of another user; EALREADY: another
 * user's file in a folder that all may write to. */
int ct_po_open(const char *path, bool is_new);

#ifdef __cplusplus
}
#endif
#endif
