// SPDX-License-Identifier: Apache-2.0
// sockets.cc - lets JavaScript send from raw sockets, to syslog and into a command.
#include "binding/functions.h"
#include "system/input_pipe.h"
#include "system/reply_socket.h"
#include <cerrno>
#include <unistd.h>

namespace calltap {

namespace {

// openReply(version): a raw socket for IP version 4 or 6, or -errno.
NAN_METHOD(OpenReply) {
  info.GetReturnValue().Set(ct_reply_open(static_cast<int>(Nan::To<int32_t>(info[0]).FromMaybe(4))));
}

// sendReply(fd, version, addresses, srcOff, srcPort, dstOff, dstPort, payload): 0 or -errno. Sends a datagram with any
// source; the offsets are into `addresses`.
NAN_METHOD(SendReply) {
  View addresses = ViewOf(info[2]), payload = ViewOf(info[7]);
  const uint32_t src = U32(info[3]), dst = U32(info[5]);
  if (src > addresses.len || addresses.len - src < 16 || dst > addresses.len || addresses.len - dst < 16)
    return Nan::ThrowRangeError("sendReply addresses");
  const ct_datagram d{addresses.data + src, addresses.data + dst, static_cast<uint16_t>(U32(info[4])),
                      static_cast<uint16_t>(U32(info[6])), static_cast<uint8_t>(U32(info[1]))};
  info.GetReturnValue().Set(
      ct_reply_send(Nan::To<int32_t>(info[0]).FromMaybe(-1), &d, payload.data, payload.len));
}

// openSyslog(path): a socket connected to a syslog daemon, or -errno.
NAN_METHOD(OpenSyslog) {
  Nan::Utf8String path(info[0]);
  info.GetReturnValue().Set(*path == nullptr ? -EINVAL : ct_syslog_open(*path));
}

// sendSyslog(fd, bytes): 0 or -errno.
NAN_METHOD(SendSyslog) {
  View text = ViewOf(info[1]);
  info.GetReturnValue().Set(ct_syslog_send(Nan::To<int32_t>(info[0]).FromMaybe(-1), text.data, text.len));
}

// closeSocket(fd): closes one of these sockets.
NAN_METHOD(CloseSocket) {
  const int fd = Nan::To<int32_t>(info[0]).FromMaybe(-1);
  if (fd > 2) close(fd);
}

// inputPipe(bytes): a descriptor from which a command reads these bytes and then the end, or -errno. The caller closes it.
NAN_METHOD(InputPipe) {
  View text = ViewOf(info[0]);
  info.GetReturnValue().Set(ct_input_pipe(text.data, text.len));
}

} // namespace

NAN_MODULE_INIT(InitSockets) {
  Nan::Export(target, "openReply", OpenReply);
  Nan::Export(target, "sendReply", SendReply);
  Nan::Export(target, "openSyslog", OpenSyslog);
  Nan::Export(target, "sendSyslog", SendSyslog);
  Nan::Export(target, "closeSocket", CloseSocket);
  Nan::Export(target, "inputPipe", InputPipe);
}

} // namespace calltap
