// SPDX-License-Identifier: Apache-2.0
// sockets.cc - lets JavaScript send from raw sockets, to syslog and into a command.
#include "binding/functions.h"
#include "system/reply_socket.h"
#include <cerrno>
#include <climits>
#include <fcntl.h>
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

// What a pipe holds without being asked to hold more (pipe(7)).
constexpr size_t kUsualBytes = 65536;

// Writes all of it into a pipe that is empty, without blocking: 0, or -errno, -E2BIG when the pipe cannot hold it.
int Fill(int fd, const View &text) {
  if (text.len > INT_MAX) return -E2BIG;
  if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0) return -errno;
  if (text.len > kUsualBytes && fcntl(fd, F_SETPIPE_SZ, static_cast<int>(text.len)) < 0) return -E2BIG;
  for (size_t done = 0; done < text.len;) {
    const ssize_t n = write(fd, text.data + done, text.len - done);
    if (n > 0)
      done += static_cast<size_t>(n);
    else if (n == 0 || errno == EAGAIN)
      return -E2BIG;
    else if (errno != EINTR)
      return -errno;
  }
  return 0;
}

// inputPipe(bytes): a descriptor from which a command reads these bytes and then the end, or -errno: -E2BIG when a pipe
// cannot hold them (1 MiB for most users). The caller closes it. A command cannot open a socket pair, which is what Node
// gives, as /dev/stdin.
NAN_METHOD(InputPipe) {
  int ends[2], failed = pipe2(ends, O_CLOEXEC) == 0 ? 0 : -errno;
  if (failed == 0) {
    failed = Fill(ends[1], ViewOf(info[0]));
    close(ends[1]);
    if (failed != 0) close(ends[0]);
  }
  info.GetReturnValue().Set(failed == 0 ? ends[0] : failed);
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
