// SPDX-License-Identifier: Apache-2.0
// tls_movers.cc - watches on a thread of libuv's pool who moves TLS records. src/sources/tls/movers.ts types it.
#include "tls/tls_movers.h"
#include "binding/functions.h"
#include <cstdlib>
#include <cstring>
#include <node.h>

namespace calltap {

namespace {

class MoverWatch : public Nan::AsyncWorker {
public:
  MoverWatch(Nan::Callback *done, uint32_t ms, v8::Isolate *isolate)
      : Nan::AsyncWorker(done, "calltap:tls-movers"), ms_(ms), isolate_(isolate) {
    node::AddEnvironmentCleanupHook(isolate_, Stop, this);
  }
  ~MoverWatch() override {
    node::RemoveEnvironmentCleanupHook(isolate_, Stop, this);
    free(rows_);
  }

  void Execute() override { found_ = ct_tls_watch_movers(ms_, &stop_, &rows_, why_); }

  void HandleOKCallback() override {
    Nan::HandleScope scope;
    auto list = Nan::New<v8::Array>();
    for (int64_t i = 0; i < found_; i++) {
      Nan::HandleScope inner;
      const ct_tls_mover &m = rows_[i];
      auto row = Nan::New<Object>();
      Put(row, "pid", m.pid);
      Put(row, "comm", std::string(m.comm, strnlen(m.comm, sizeof m.comm)).c_str());
      Put(row, "sent", static_cast<double>(m.sent));
      Put(row, "received", static_cast<double>(m.received));
      Nan::Set(list, static_cast<uint32_t>(i), row);
    }
    auto out = Nan::New<Object>();
    Put(out, "error", found_ < 0 ? why_ : "");
    Put(out, "rows", list);
    Local<Value> args[] = {out};
    callback->Call(1, args, async_resource);
  }

private:
  static void Stop(void *self) { static_cast<MoverWatch *>(self)->stop_.store(1); }

  const uint32_t ms_;
  v8::Isolate *isolate_;
  ct_atomic_u32 stop_{0};
  ct_tls_mover *rows_ = nullptr;
  int64_t found_ = 0;
  char why_[CT_TLS_WHY] = "";
};

// watchTlsMovers(ms, done): see TlsMovers.
NAN_METHOD(WatchTlsMovers) {
  if (!info[0]->IsNumber() || !info[1]->IsFunction()) return Nan::ThrowTypeError("watchTlsMovers(ms, done)");
  Nan::AsyncQueueWorker(
      new MoverWatch(new Nan::Callback(info[1].As<Function>()), U32(info[0]), info.GetIsolate()));
}

} // namespace

NAN_MODULE_INIT(InitTlsMovers) { Nan::Export(target, "watchTlsMovers", WatchTlsMovers); }

} // namespace calltap
