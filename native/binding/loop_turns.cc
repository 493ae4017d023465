// SPDX-License-Identifier: Apache-2.0
// loop_turns.cc - measures each turn of the event loop, and tells JavaScript of the long ones.
//
// A turn is the time from one wait for events to the next: the callbacks of events, immediates and timers. Its processor
// time is that of this thread; its held time leaves out the wait alone, so that a call that blocks is in it.
#include "binding/functions.h"
#include "core/clock.h"

namespace calltap {

namespace {

class LoopTurns {
public:
  LoopTurns(v8::Isolate *isolate, double *turns, double fromMs, Local<v8::Function> onTurn)
      : isolate_(isolate), turns_(turns), fromMs_(fromMs), onTurn_(onTurn) {
    auto *loop = node::GetCurrentEventLoop(isolate);
    uv_prepare_init(loop, &prepare_);
    prepare_.data = this;
    Look();
    uv_prepare_start(&prepare_,
                     [](uv_prepare_t *handle) { static_cast<LoopTurns *>(handle->data)->OnTurnEnd(); });
    uv_unref(Handle());
    hook_ = node::AddEnvironmentCleanupHook(isolate, OnEnvironmentEnd, this);
  }

  void Pin(Local<Value> view) { pin_ = view.As<v8::ArrayBufferView>()->Buffer()->GetBackingStore(); }

private:
  uv_handle_t *Handle() { return reinterpret_cast<uv_handle_t *>(&prepare_); }

  void Look() {
    cpuNs_ = ct_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    wallNs_ = uv_hrtime();
    idleNs_ = uv_metrics_idle_time(prepare_.loop);
  }

  void OnTurnEnd() {
    int64_t cpuNs = cpuNs_;
    uint64_t wallNs = wallNs_, idleNs = idleNs_;
    Look();
    ++*turns_;
    double cpuMs = static_cast<double>(cpuNs_ - cpuNs) / 1e6;
    // The three clocks are read one after another: of a turn without work the difference may be below 0.
    double heldMs = static_cast<double>(static_cast<int64_t>((wallNs_ - wallNs) - (idleNs_ - idleNs))) / 1e6;
    if (cpuMs < fromMs_ && heldMs < fromMs_) return;
    Nan::HandleScope scope;
    Local<Value> argv[] = {Nan::New(heldMs), Nan::New(cpuMs)};
    onTurn_.Call(2, argv, &resource_);
  }

  static void OnEnvironmentEnd(void *arg, void (*done)(void *), void *ctx) {
    auto *self = static_cast<LoopTurns *>(arg);
    self->done_ = done;
    self->doneCtx_ = ctx;
    uv_close(self->Handle(), [](uv_handle_t *handle) {
      auto *c = static_cast<LoopTurns *>(handle->data);
      auto *tell = c->done_;
      auto *with = c->doneCtx_;
      Nan::HandleScope scope;
      node::RemoveEnvironmentCleanupHook(std::move(c->hook_));
      delete c;
      tell(with);
    });
  }

  v8::Isolate *isolate_;
  double *turns_;
  double fromMs_;
  Nan::Callback onTurn_;
  Nan::AsyncResource resource_{"calltap:turns"};
  std::shared_ptr<v8::BackingStore> pin_;
  uv_prepare_t prepare_;
  int64_t cpuNs_ = 0;
  uint64_t wallNs_ = 0, idleNs_ = 0;
  node::AsyncCleanupHookHandle hook_;
  void (*done_)(void *) = nullptr;
  void *doneCtx_ = nullptr;
};

// watchTurns(turns, fromMs, onTurn): until the environment ends counts turns in turns[0], and calls onTurn(heldMs, cpuMs)
// at the end of each that took fromMs or more. It keeps no loop alive.
NAN_METHOD(WatchTurns) {
  if (!info[0]->IsFloat64Array() || info[0].As<v8::Float64Array>()->Length() < 1 || !info[2]->IsFunction())
    return Nan::ThrowTypeError("watchTurns(turns, fromMs, onTurn)");
  auto *turns = reinterpret_cast<double *>(ViewOf(info[0]).data);
  double fromMs = Nan::To<double>(info[1]).FromMaybe(0);
  // It lives as long as its environment, which frees it.
  auto *watch = new LoopTurns(info.GetIsolate(), turns, fromMs, info[2].As<v8::Function>());
  watch->Pin(info[0]);
}

} // namespace

NAN_MODULE_INIT(InitLoopTurns) { Nan::Export(target, "watchTurns", WatchTurns); }

} // namespace calltap
