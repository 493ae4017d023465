/* SPDX-License-Identifier: Apache-2.0
 * tunnel_ports.h - UDP ports that carry packets: one row a port, for the packet walk and for the filter in the kernel.
 */
#ifndef CALLTAP_TUNNEL_PORTS_H
#define CALLTAP_TUNNEL_PORTS_H

#define CT_TUNNEL_PORTS(ROW)                                                                                 \
  ROW(L2TP, 1701)                                                                                            \
  ROW(GTPU, 2152)                                                                                            \
  ROW(HPERM_ALT, 3333) /* HP remote mirroring, also on 7932 */                                               \
  ROW(TEREDO, 3544)                                                                                          \
  ROW(NATT, 4500) /* ESP in UDP */                                                                           \
  ROW(VXLAN, 4789)                                                                                           \
  ROW(VXLAN_GPE, 4790)                                                                                       \
  ROW(GENEVE, 6081)                                                                                          \
  ROW(MPLS_UDP, 6635)                                                                                        \
  ROW(HPERM, 7932)                                                                                           \
  ROW(VXLAN_LINUX, 8472) /* VXLAN before it had a number */                                                  \
  ROW(TZSP, 37008)

#endif
