// SPDX-License-Identifier: Apache-2.0
// sockets.h - functions of JavaScript that send what Node cannot: answers to scanners, syslog, input of a command.
#ifndef CALLTAP_BINDING_SOCKETS_H
#define CALLTAP_BINDING_SOCKETS_H
#include "binding/values.h"

namespace calltap {

// openReply(version): a raw socket for IP version 4 or 6, or -errno.
//
// sendReply(fd, version, addresses, srcOff, srcPort, dstOff, dstPort, payload): 0 or -errno. Sends a datagram with any
// source; the offsets are into `addresses`.
//
// openSyslog(path): a socket connected to a syslog daemon, or -errno.
//
// sendSyslog(fd, bytes): 0 or -errno.
//
// closeSocket(fd): closes one of these sockets.
//
// inputPipe(bytes): a descriptor from which a command reads these bytes and then the end, or -errno. The caller closes it.
NAN_MODULE_INIT(InitSockets);

} // namespace calltap
#endif
