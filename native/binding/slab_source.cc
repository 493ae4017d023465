// SPDX-License-Identifier: Apache-2.0
// slab_source.cc - lends memory of JavaScript to a source's thread, and calls JavaScript once a slab.
#include "binding/slab_source.h"
#include <string>

namespace calltap {

void SlabSource::Construct(Call info, const char *name, const char *resource, Make make) {
  if (!info.IsConstructCall() || !info[0]->IsObject() || !info[1]->IsFunction())
    return Nan::ThrowTypeError((std::string("new ") + name + "(options, onSlab)").c_str());
  std::unique_ptr<SlabSource> self(make(info.GetIsolate()));
  auto options = info[0].As<Object>();
  const char *bad = self->TakeSlabs(options);
  if (bad == nullptr) bad = self->Configure(options);
  if (bad == nullptr && !self->OpenHandle()) bad = "no handle of the event loop";
  if (bad != nullptr) return Nan::ThrowTypeError(bad);
  self->onSlab_.Reset(info[1].As<Function>());
  SlabSource *c = self.release();
  c->Wrap(info.This());
  c->Ref();
  c->resource_ = new Nan::AsyncResource(resource);
  c->hook_ = node::AddEnvironmentCleanupHook(info.GetIsolate(), OnEnvironmentEnd, c);
  info.GetReturnValue().Set(info.This());
}

View SlabSource::Pin(Local<Value> v) {
  if (v->IsArrayBufferView()) pins_.push_back(v.As<v8::ArrayBufferView>()->Buffer()->GetBackingStore());
  return ViewOf(v);
}

void SlabSource::KeepLoopAlive(bool keep) {
  if (closing_) return;
  auto *handle = reinterpret_cast<uv_handle_t *>(&async_);
  if (keep)
    uv_ref(handle);
  else
    uv_unref(handle);
}

const char *SlabSource::TakeSlabs(Local<Object> options) {
  View slabs = Pin(Prop(options, "slabs")), rows = Pin(Prop(options, "descriptors"));
  size_t n = slabs.len / CT_SLAB_BYTES;
  // The ring counts slabs in 32 bits. A power of two keeps their order when the count wraps to 0.
  if (n < 2 || slabs.len % CT_SLAB_BYTES != 0 || (n & (n - 1)) != 0)
    return "slabs: 2, 4, 8 or another power of two of them";
  if (rows.len != n * CT_SLAB_RECORDS * sizeof(ct_record)) return "descriptors: wrong size";
  if (reinterpret_cast<uintptr_t>(rows.data) % alignof(ct_record) != 0) return "descriptors: not aligned";
  slabs_.resize(n);
  for (size_t i = 0; i < n; i++) {
    slabs_[i].data = slabs.data + i * CT_SLAB_BYTES;
    slabs_[i].rec = reinterpret_cast<ct_record *>(rows.data) + i * CT_SLAB_RECORDS;
  }
  ring_.slab = slabs_.data();
  ring_.n = static_cast<uint32_t>(n);
  ring_.notify = [](void *arg) { uv_async_send(&static_cast<SlabSource *>(arg)->async_); };
  ring_.arg = this;
  return nullptr;
}

bool SlabSource::OpenHandle() {
  async_.data = this;
  if (uv_async_init(node::GetCurrentEventLoop(isolate_), &async_, OnAsync) != 0) return false;
  uv_unref(reinterpret_cast<uv_handle_t *>(&async_));
  return true;
}

void SlabSource::OnEnvironmentEnd(void *arg, void (*done)(void *), void *ctx) {
  auto *c = static_cast<SlabSource *>(arg);
  // After a close() whose turn of the loop has not come, Shutdown() does nothing and OnClosed tells the environment.
  c->done_ = done;
  c->doneCtx_ = ctx;
  c->Shutdown();
}

void SlabSource::Shutdown() {
  if (closing_) return;
  closing_ = true;
  ct_ring_stop(&ring_);
  StopSource();
  uv_close(reinterpret_cast<uv_handle_t *>(&async_), OnClosed);
}

void SlabSource::OnClosed(uv_handle_t *handle) {
  auto *c = static_cast<SlabSource *>(handle->data);
  Nan::HandleScope scope;
  delete c->resource_;
  c->resource_ = nullptr;
  c->onSlab_.Reset();
  // Dropping the handle alone leaves the hook in place, and it would be called with a freed object. A hook that was
  // already called stays: its environment waits for done_.
  node::RemoveEnvironmentCleanupHook(std::move(c->hook_));
  if (c->done_ == nullptr) {
    c->Unref();
    return;
  }
  // No script runs any more and nothing is collected, so nobody else frees the object.
  auto *done = c->done_;
  auto *ctx = c->doneCtx_;
  delete c;
  done(ctx);
}

void SlabSource::OnAsync(uv_async_t *handle) { static_cast<SlabSource *>(handle->data)->Drain(); }

void SlabSource::Drain() {
  if (closing_ || silent_) return;
  Nan::HandleScope scope;
  v8::TryCatch guard(isolate_);
  ct_ring_look(&ring_);
  for (uint64_t start = uv_hrtime(); ct_ring_pending(&ring_) > 0;) {
    Nan::HandleScope inner;
    uint32_t index = ring_.tail.load(std::memory_order_relaxed) % ring_.n;
    Local<Value> argv[] = {Nan::New(index), Nan::New(slabs_[index].count)};
    onSlab_.Call(2, argv, resource_);
    bool threw = guard.HasCaught();
    if (threw) {
      if (guard.HasTerminated()) return;
      // Ends the process or the worker, unless somebody listens: then the slabs that follow are still handed over.
      node::FatalException(isolate_, guard);
    }
    if (closing_ || silent_) return;
    ct_ring_release(&ring_);
    if ((threw || uv_hrtime() - start > ct_ring_slice_ns(&ring_)) && ct_ring_pending(&ring_) > 0) {
      uv_async_send(&async_);
      return;
    }
    if (threw) return;
  }
}

} // namespace calltap
