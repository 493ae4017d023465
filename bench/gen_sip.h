/* SPDX-License-Identifier: Apache-2.0
 * gen_sip.h - the SIP messages of a call.
 */
#ifndef CALLTAP_BENCH_GEN_SIP_H
#define CALLTAP_BENCH_GEN_SIP_H
#include "gen_call.h"

enum message {
  M_NONE,
  M_INVITE,
  M_ACK,
  M_ACK_FAILED,
  M_BYE,
  M_CANCEL,
  M_REGISTER,
  M_REGISTER_AUTH,
  M_OPTIONS,
  M_100,
  M_180,
  M_200_INVITE,
  M_200_BYE,
  M_200_CANCEL,
  M_200_REGISTER,
  M_200_OPTIONS,
  M_302,
  M_401,
  M_404,
  M_408,
  M_486,
  M_487
};
#define SIP_MAX 8192u
/* Writes the message into buf (SIP_MAX bytes) and its sender (0 caller, 1 callee) into *side. */
size_t sip_build(char *buf, const struct call *c, enum message m, int *side);
#endif
