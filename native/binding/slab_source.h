// SPDX-License-Identifier: Apache-2.0
// slab_source.h - what the captures have in common: memory lent by JavaScript, a thread that fills a ring of slabs in
// it, and one callback a slab.
//
// Life of an object. JavaScript makes it. From then on it lives, reachable or not, until close() or the end of its
// environment, whichever comes first. Both join the source's threads at once, so that no callback comes later, and hand
// the handle of libuv to the loop, which returns it in a later turn (OnClosed). Only then is the hook of the environment
// removed: if the environment went before that turn, libuv would return the handle to nobody.
#ifndef CALLTAP_BINDING_SLAB_SOURCE_H
#define CALLTAP_BINDING_SLAB_SOURCE_H
#include "binding/values.h"
#include "core/slab.h"
#include <memory>
#include <node.h>
#include <uv.h>
#include <vector>

namespace calltap {

class SlabSource : public Nan::ObjectWrap {
public:
  explicit SlabSource(v8::Isolate *isolate) : isolate_(isolate) {}

protected:
  // The template of the class `T` of JavaScript: new T(options, onSlab), and close(), which stops and joins, so that no
  // callback comes after it; a second call does nothing. T::kName is its name, T::kResource that in traces of
  // asynchronous work.
  template <class T> static Local<v8::FunctionTemplate> Template() {
    auto tpl = Nan::New<v8::FunctionTemplate>([](Call info) {
      Construct(info, T::kName, T::kResource,
                [](v8::Isolate *isolate) -> SlabSource * { return new T(isolate); });
    });
    tpl->SetClassName(Text(T::kName));
    tpl->InstanceTemplate()->SetInternalFieldCount(1);
    Method<&SlabSource::Close>(tpl, "close");
    return tpl;
  }

  // Reads the options; returns what is wrong with them, or nullptr.
  virtual const char *Configure(Local<Object> options) = 0;
  // Joins the source's threads and closes what they used. Shutdown() calls it once, on the thread of JavaScript, with
  // the ring stopped; nobody publishes after it.
  virtual void StopSource() = 0;

  // The bytes of a view. They stay for as long as this object does, whatever JavaScript does with the view.
  View Pin(Local<Value> v);
  // Whether the event loop waits for this object: true while its thread runs.
  void KeepLoopAlive(bool keep);
  // No callback comes after this call, though the thread may continue.
  void Silence() { silent_ = true; }
  bool IsClosing() const { return closing_; }

  ct_ring ring_{};

private:
  using Make = SlabSource *(*)(v8::Isolate *isolate);
  static void Construct(Call info, const char *name, const char *resource, Make make);
  void Close(Call) { Shutdown(); }
  static void OnEnvironmentEnd(void *arg, void (*done)(void *), void *ctx);
  static void OnAsync(uv_async_t *handle);
  static void OnClosed(uv_handle_t *handle);

  const char *TakeSlabs(Local<Object> options);
  bool OpenHandle();
  void Drain();
  void Shutdown();

  v8::Isolate *isolate_;
  std::vector<ct_slab> slabs_;
  std::vector<std::shared_ptr<v8::BackingStore>> pins_;
  uv_async_t async_{};
  Nan::Callback onSlab_;
  Nan::AsyncResource *resource_ = nullptr;
  node::AsyncCleanupHookHandle hook_;
  void (*done_)(void *) = nullptr;
  void *doneCtx_ = nullptr;
  bool closing_ = false;
  bool silent_ = false;
};

} // namespace calltap
#endif
