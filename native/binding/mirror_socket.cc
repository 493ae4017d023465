// SPDX-License-Identifier: Apache-2.0
// mirror_socket.cc - sends HEP to a collector over UDP on a thread of libuv's pool.
#include "system/mirror_socket.h"
#include "binding/functions.h"
#include <cerrno>
#include <memory>
#include <netinet/in.h>

namespace calltap {

namespace {

// One run of packets on its way; their memory stays until it has gone.
class Mirroring : public Nan::AsyncWorker {
public:
  Mirroring(Nan::Callback *done, int fd, const View &bytes, size_t max, std::shared_ptr<v8::BackingStore> pin)
      : Nan::AsyncWorker(done, "calltap:mirror"), fd_(fd), bytes_(bytes), max_(max), pin_(std::move(pin)) {}

  void Execute() override { ct_mirror_send(fd_, bytes_.data, bytes_.len, max_, &sent_); }

  void HandleOKCallback() override {
    Nan::HandleScope scope;
    Local<Value> args[] = {Nan::New(sent_.sent), Nan::New(static_cast<double>(sent_.sent_bytes)),
                           Nan::New(sent_.too_long), Nan::New(static_cast<double>(sent_.at)),
                           Nan::New(sent_.err)};
    callback->Call(5, args, async_resource);
  }

private:
  int fd_;
  View bytes_;
  size_t max_;
  std::shared_ptr<v8::BackingStore> pin_;
  ct_mirror_sent sent_{};
};

int32_t Fd(Local<Value> v) { return Nan::To<int32_t>(v).FromMaybe(-1); }

// openMirror(ip, port, version): a descriptor, or -errno.
NAN_METHOD(OpenMirror) {
  Nan::Utf8String ip(info[0]);
  info.GetReturnValue().Set(*ip == nullptr ? -EINVAL
                                           : ct_mirror_open(*ip, static_cast<uint16_t>(U32(info[1])),
                                                            static_cast<int>(U32(info[2]))));
}

// mirrorName(fd): { address, port } of this end; null when the socket cannot say.
NAN_METHOD(MirrorName) {
  char ip[INET6_ADDRSTRLEN];
  uint16_t port = 0;
  if (ct_mirror_name(Fd(info[0]), ip, sizeof ip, &port) != 0) return info.GetReturnValue().SetNull();
  auto out = Nan::New<Object>();
  Put(out, "address", static_cast<const char *>(ip));
  Put(out, "port", static_cast<uint32_t>(port));
  info.GetReturnValue().Set(out);
}

// sendMirror(fd, packets, maxBytes, done): done(sent, sentBytes, tooLong, at, errno) is called once.
NAN_METHOD(SendMirror) {
  if (!info[1]->IsArrayBufferView() || !info[3]->IsFunction())
    return Nan::ThrowTypeError("sendMirror(fd, packets, maxBytes, done)");
  Nan::AsyncQueueWorker(new Mirroring(new Nan::Callback(info[3].As<Function>()), Fd(info[0]), ViewOf(info[1]),
                                      U32(info[2]),
                                      info[1].As<v8::ArrayBufferView>()->Buffer()->GetBackingStore()));
}

// mirrorError(fd): errno that the network reported since the last time; 0 none.
NAN_METHOD(MirrorError) { info.GetReturnValue().Set(ct_mirror_error(Fd(info[0]))); }

} // namespace

NAN_MODULE_INIT(InitMirrorSocket) {
  Nan::Export(target, "openMirror", OpenMirror);
  Nan::Export(target, "mirrorName", MirrorName);
  Nan::Export(target, "sendMirror", SendMirror);
  Nan::Export(target, "mirrorError", MirrorError);
}

} // namespace calltap
