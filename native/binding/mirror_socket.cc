// SPDX-License-Identifier: Apache-2.0
// mirror_socket.cc - sends HEP to a collector over UDP on a thread of libuv's pool.
#include "system/mirror_socket.h"
#include "binding/functions.h"
#include <cerrno>
#include <memory>
#include <netinet/in.h>

namespace calltap {

namespace {

// Runs of packets on their way; their memory stays until they have gone.
class Mirroring : public Nan::AsyncWorker {
public:
  Mirroring(Nan::Callback *done, int fd, size_t max)
      : Nan::AsyncWorker(done, "calltap:mirror"), fd_(fd), max_(max) {}

  void Add(Local<v8::ArrayBufferView> run) {
    runs_.push_back(ViewOf(run));
    pins_.push_back(run->Buffer()->GetBackingStore());
  }

  void Execute() override {
    for (size_t i = 0; i < runs_.size() && sent_.err == 0; i++) {
      ct_mirror_sent one;
      ct_mirror_send(fd_, runs_[i].data, runs_[i].len, max_, &one);
      sent_.sent += one.sent;
      sent_.sent_bytes += one.sent_bytes;
      sent_.too_long += one.too_long;
      sent_.at += one.at;
      sent_.err = one.err;
    }
  }

  void HandleOKCallback() override {
    Nan::HandleScope scope;
    Local<Value> args[] = {Nan::New(sent_.sent), Nan::New(static_cast<double>(sent_.sent_bytes)),
                           Nan::New(sent_.too_long), Nan::New(static_cast<double>(sent_.at)),
                           Nan::New(sent_.err)};
    callback->Call(5, args, async_resource);
  }

private:
  int fd_;
  size_t max_;
  std::vector<View> runs_;
  std::vector<std::shared_ptr<v8::BackingStore>> pins_;
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

// sendMirror(fd, runs, maxBytes, done): done(sent, sentBytes, tooLong, at, errno) is called once.
NAN_METHOD(SendMirror) {
  if (!info[1]->IsArray() || !info[3]->IsFunction())
    return Nan::ThrowTypeError("sendMirror(fd, runs, maxBytes, done)");
  auto runs = info[1].As<v8::Array>();
  auto worker =
      std::make_unique<Mirroring>(new Nan::Callback(info[3].As<Function>()), Fd(info[0]), U32(info[2]));
  for (uint32_t i = 0; i < runs->Length(); i++) {
    Nan::HandleScope inner;
    Local<Value> run = Nan::Get(runs, i).FromMaybe(Nan::Undefined().As<Value>());
    if (!run->IsArrayBufferView()) return Nan::ThrowTypeError("sendMirror: a run is no view of bytes");
    worker->Add(run.As<v8::ArrayBufferView>());
  }
  Nan::AsyncQueueWorker(worker.release());
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
