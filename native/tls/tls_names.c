/* SPDX-License-Identifier: Apache-2.0
 * tls_names.c - see tls_names.h.
 */
#include "tls/tls_names.h"
#include "../../bpf/tls_event.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const count_names[CT_TLS_N_COUNT] = {
    [CT_TLS_N_CALLS] = "calls",
    [CT_TLS_N_EVENTS] = "events",
    [CT_TLS_N_BYTES] = "bytes",
    [CT_TLS_N_LOST_CALLS] = "lost_calls",
    [CT_TLS_N_LOST_EVENTS] = "lost_events",
    [CT_TLS_N_LOST_BYTES] = "lost_bytes",
    [CT_TLS_N_LOST_NOTICES] = "lost_notices",
    [CT_TLS_N_OVER_SHARE] = "over_share",
    [CT_TLS_N_TRUNCATED] = "truncated",
    [CT_TLS_N_FAULTS] = "faults",
    [CT_TLS_N_FILTERED] = "filtered",
    [CT_TLS_N_FILTERED_BYTES] = "filtered_bytes",
    [CT_TLS_N_UPGRADES] = "upgrades",
    [CT_TLS_N_HEADS_OVER] = "heads_over",
    [CT_TLS_N_HELD] = "held_calls",
    [CT_TLS_N_PROBATION_OVER] = "probation_over",
    [CT_TLS_N_NO_PLAINTEXT] = "no_plaintext",
    [CT_TLS_N_NESTED] = "nested",
    [CT_TLS_N_NO_ENTRY] = "return_without_entry",
    [CT_TLS_N_STALE_FRAMES] = "stale_frames",
    [CT_TLS_N_FRAMES_FULL] = "frames_full",
    [CT_TLS_N_NO_ROOM] = "no_room",
    [CT_TLS_N_SKIPPED] = "skipped",
    [CT_TLS_N_BOUND_IN_CALL] = "bound_in_call",
    [CT_TLS_N_BOUND_RX] = "bound_rx_before",
    [CT_TLS_N_BOUND_TX] = "bound_tx_after",
    [CT_TLS_N_BOUND_FD] = "bound_by_descriptor",
    [CT_TLS_N_BOUND_HELLO] = "bound_by_hello",
    [CT_TLS_N_CONTRARY] = "contrary_evidence",
    [CT_TLS_N_CORRECTED] = "corrected",
    [CT_TLS_N_REBOUND] = "rebound",
    [CT_TLS_N_DOUBTED] = "doubted",
    [CT_TLS_N_SIZE_MISFIT] = "size_misfit",
    [CT_TLS_N_NOT_TLS] = "not_tls",
    [CT_TLS_N_UNBOUND] = "unbound",
    [CT_TLS_N_SHARED] = "shared_objects",
    [CT_TLS_N_VMA_BUSY] = "vma_busy",
    [CT_TLS_N_SOCKET_CALLS] = "socket_calls",
    [CT_TLS_N_CLOSED] = "closed",
    [CT_TLS_N_PROCESSES_ENDED] = "processes_ended",
};

const char *ct_tls_count_name(uint32_t i) { return i < CT_TLS_N_COUNT ? count_names[i] : NULL; }

static const char *const libraries[CT_TLS_LIBRARIES] = {
    [CT_TLS_OPENSSL] = "openssl", [CT_TLS_GNUTLS] = "gnutls", [CT_TLS_WOLFSSL] = "wolfssl",
    [CT_TLS_MBEDTLS] = "mbedtls", [CT_TLS_GO] = "go",
};
static const char *const ops[CT_TLS_OPS] = {
    [CT_TLS_OP_READ] = "read",
    [CT_TLS_OP_WRITE] = "write",
    [CT_TLS_OP_READ_LONG] = "read-long",
    [CT_TLS_OP_WRITE_LONG] = "write-long",
    [CT_TLS_OP_READ_EX] = "read-ex",
    [CT_TLS_OP_WRITE_EX] = "write-ex",
    [CT_TLS_OP_WRITE_EX2] = "write-ex2",
    [CT_TLS_OP_HANDSHAKE] = "handshake",
    [CT_TLS_OP_NEW] = "new",
    [CT_TLS_OP_NEW_OUT] = "new-out",
    [CT_TLS_OP_RESET] = "reset",
    [CT_TLS_OP_FREE] = "free",
};

void ct_tls_program_name(uint32_t library, uint32_t op, char name[CT_TLS_PROGRAM_NAME]) {
  int prefix = snprintf(name, CT_TLS_PROGRAM_NAME, "calltap_");
  snprintf(name + prefix, CT_TLS_PROGRAM_NAME - (size_t)prefix, "%s_%s", libraries[library], ops[op]);
  for (char *c = name + prefix; *c != 0; c++) *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

bool ct_tls_site_kind(const char *text, uint8_t *op, uint8_t *library) {
  for (uint32_t lib = 1; lib < CT_TLS_LIBRARIES; lib++) {
    size_t n = strlen(libraries[lib]);
    if (strncmp(text, libraries[lib], n) != 0 || text[n] != '-') continue;
    for (uint32_t i = 1; i < CT_TLS_OPS; i++) {
      if (strcmp(text + n + 1, ops[i]) != 0) continue;
      *library = (uint8_t)lib;
      *op = (uint8_t)i;
      /* GnuTLS counts in ssize_t and Go in int of 64 bits; the others in int. mbedTLS takes a size_t and returns an int. */
      bool is_long = lib == CT_TLS_GNUTLS || lib == CT_TLS_GO;
      if (is_long && i == CT_TLS_OP_READ) *op = CT_TLS_OP_READ_LONG;
      if (is_long && i == CT_TLS_OP_WRITE) *op = CT_TLS_OP_WRITE_LONG;
      return true;
    }
  }
  return false;
}
