// SPDX-License-Identifier: Apache-2.0
// binding_slab.h - what the captures have in common: memory lent by JavaScript, a thread that fills a ring of slabs in
// it, and one callback a slab. Included by module.cc once, inside its namespace.
//
// Life of an object. JavaScript makes it; from then on it lives, reachable or not, until close() or the end of its
// environment, whichever comes first. Either joins the source's threads at once, so that nothing is called back after
// it, and gives the handle of libuv to the loop, which returns it in a later turn (OnClosed). Only then is the hook of
// the environment taken away: until that turn the environment must not go, or libuv would return the handle to nobody.
class SlabSource : public Nan::ObjectWrap {
protected:
  explicit SlabSource(v8::Isolate *isolate) : isolate_(isolate) {}

  // Joins the source's threads and closes what they used. Called once, on the thread of JavaScript, with the ring
  // stopped; nobody publishes after it.
  virtual void StopSource() = 0;

  // The constructor of a class `Source`, which has a name kName and Configure(options): what is wrong with them, or
  // nullptr.
  template <class Source> static NAN_METHOD(Construct) {
    if (!info.IsConstructCall() || !info[0]->IsObject() || !info[1]->IsFunction())
      return Nan::ThrowTypeError((std::string("new ") + Source::kName + "(options, onSlab)").c_str());
    auto self = std::unique_ptr<Source>(new Source(info.GetIsolate()));
    auto options = info[0].As<Object>();
    const char *bad = self->TakeSlabs(options);
    if (bad == nullptr) bad = self->Configure(options);
    if (bad == nullptr && !self->OpenHandle()) bad = "no handle of the event loop";
    if (bad != nullptr) return Nan::ThrowTypeError(bad);
    self->onSlab_.Reset(info[1].As<Function>());
    SlabSource *c = self.release();
    c->Wrap(info.This());
    c->Ref();
    c->resource_ = new Nan::AsyncResource(Source::kResource);
    c->hook_ = node::AddEnvironmentCleanupHook(info.GetIsolate(), OnEnvironmentEnd, c);
    info.GetReturnValue().Set(info.This());
  }

  // A class with its constructor and close(): stops and joins; no callback comes after it. Safe to call twice.
  template <class Source> static Local<v8::FunctionTemplate> Template() {
    auto tpl = Nan::New<v8::FunctionTemplate>(Construct<Source>);
    tpl->SetClassName(Text(Source::kName));
    tpl->InstanceTemplate()->SetInternalFieldCount(1);
    Nan::SetPrototypeMethod(tpl, "close", Close);
    return tpl;
  }

  // The bytes of a view, which stay for as long as this object does, whatever JavaScript does with the view.
  View Pin(Local<Value> v) {
    if (v->IsArrayBufferView()) pins_.push_back(v.As<v8::ArrayBufferView>()->Buffer()->GetBackingStore());
    return ViewOf(v);
  }

  // While the thread runs the event loop has something to wait for.
  void KeepLoopAlive(bool keep) {
    if (closing_) return;
    auto *handle = reinterpret_cast<uv_handle_t *>(&async_);
    if (keep)
      uv_ref(handle);
    else
      uv_unref(handle);
  }

  // No callback comes any more, though the thread may go on.
  void Silence() { silent_ = true; }
  bool IsClosing() const { return closing_; }

  ct_ring ring_{};

private:
  const char *TakeSlabs(Local<Object> options) {
    View slabs = Pin(Prop(options, "slabs")), rows = Pin(Prop(options, "descriptors"));
    size_t n = slabs.len / CT_SLAB_BYTES;
    // The ring counts slabs with 32 bits, and goes on behind the last number: then their order must be the same.
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

  bool OpenHandle() {
    async_.data = this;
    if (uv_async_init(node::GetCurrentEventLoop(isolate_), &async_, OnAsync) != 0) return false;
    uv_unref(reinterpret_cast<uv_handle_t *>(&async_));
    return true;
  }

  static NAN_METHOD(Close) { Nan::ObjectWrap::Unwrap<SlabSource>(info.Holder())->Shutdown(); }

  static void OnEnvironmentEnd(void *arg, void (*done)(void *), void *ctx) {
    auto *c = static_cast<SlabSource *>(arg);
    // Also behind a close() whose turn of the loop has not come: OnClosed tells the environment.
    c->done_ = done;
    c->doneCtx_ = ctx;
    c->Shutdown();
  }

  void Shutdown() {
    if (closing_) return;
    closing_ = true;
    ct_ring_stop(&ring_);
    StopSource();
    uv_close(reinterpret_cast<uv_handle_t *>(&async_), OnClosed);
  }

  static void OnClosed(uv_handle_t *h) {
    auto *c = static_cast<SlabSource *>(h->data);
    Nan::HandleScope scope;
    delete c->resource_;
    c->resource_ = nullptr;
    c->onSlab_.Reset();
    // Dropping the handle alone leaves the hook in place, and it would be called with a freed object. One that was
    // called already is not taken away by this.
    node::RemoveEnvironmentCleanupHook(std::move(c->hook_));
    if (c->done_ == nullptr) {
      c->Unref();
      return;
    }
    // No script runs any more, and nothing is collected: who else would free it?
    auto *done = c->done_;
    auto *ctx = c->doneCtx_;
    delete c;
    done(ctx);
  }

  static void OnAsync(uv_async_t *h) { static_cast<SlabSource *>(h->data)->Drain(); }

  void Drain() {
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
        // Ends the process, or the worker, unless somebody listens: who goes on then gets the slabs that follow.
        node::FatalException(isolate_, guard);
      }
      if (closing_ || silent_) return;
      ct_ring_release(&ring_);
      if ((threw || uv_hrtime() - start > kSliceNs) && ct_ring_pending(&ring_) > 0) {
        uv_async_send(&async_);
        return;
      }
      if (threw) return;
    }
  }

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
