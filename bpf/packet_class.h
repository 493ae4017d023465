/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * packet_class.h - what packet.bpf.c and native/live/packet_filter.c share: the classes it counts, its map key.
 */
#ifndef CALLTAP_PACKET_CLASS_H
#define CALLTAP_PACKET_CLASS_H
#include <linux/types.h>

/* What the socket filter made of a frame. Every frame is counted in exactly one class. */
enum ct_filter_class {
  /* handed to user space */
  CT_F_SIP = 0,     /* UDP in the SIP gate, or at a learned port and starts like SIP; whole */
  CT_F_SIP_OUTSIDE, /* starts like SIP outside the gate: user space counts it by port */
  CT_F_RTP,         /* version 2, both ports from 1024 on; cut after its header */
  CT_F_RTCP,
  CT_F_MEDIA,     /* anything else at an address and port that SDP named */
  CT_F_STUN,      /* and TURN ChannelData */
  CT_F_ENCRYPTED, /* DTLS, ZRTP: cut, it is only counted */
  CT_F_HEP,
  CT_F_ICMP,     /* errors */
  CT_F_FRAGMENT, /* of UDP, TCP or a tunnel */
  CT_F_TUNNEL,
  CT_F_TCP,         /* in the SIP or WebSocket gate, or at a learned port */
  CT_F_TCP_OUTSIDE, /* starts like SIP or a WebSocket frame of SIP, outside both gates */
  CT_F_SCTP,        /* user space counts the SIP in it */
  CT_F_UNPARSED,    /* a header is cut or impossible: user space names the reason */
  /* dropped in the kernel */
  CT_F_DROP_COPY, /* the outgoing twin of a packet on the loopback interface */
  CT_F_DROP_NOT_IP,
  CT_F_DROP_UDP,
  CT_F_DROP_TCP,
  CT_F_DROP_ICMP,
  CT_F_DROP_PROTO,
  CT_F_COUNT,
  CT_F_FIRST_DROP = CT_F_DROP_COPY
};

struct ct_filter_count {
  __u64 packets;
  __u64 bytes; /* of the frames as they were on the wire */
};

/* Key of the media map. Address and port in network order, IPv4 in the first 4 bytes. */
struct ct_media_key {
  __u8 addr[16];
  __u16 port;
  __u16 zero;
};
#define CT_MEDIA_MAX 131072

/* What the sockets' frames begin with. */
enum ct_filter_link {
  CT_LINK_MIXED = 0, /* told frame by frame */
  CT_LINK_ETHER,
  CT_LINK_IP /* no link header */
};

#endif
