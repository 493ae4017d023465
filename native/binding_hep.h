// SPDX-License-Identifier: Apache-2.0
// binding_hep.h - the part of binding.cc that shows the HEP listener: included there once, inside its namespace,
// and nowhere else, so that nan stays in one translation unit.
// HepCapture: the HEP listener's thread, gate and ring; the datagrams' half of src/sources/hep-listener.ts.
class HepCapture : public Nan::ObjectWrap {
public:
  static NAN_MODULE_INIT(Init) {
    auto tpl = Nan::New<v8::FunctionTemplate>(New);
    tpl->SetClassName(Nan::New("HepCapture").ToLocalChecked());
    tpl->InstanceTemplate()->SetInternalFieldCount(1);
    Nan::SetPrototypeMethod(tpl, "open", Open);
    Nan::SetPrototypeMethod(tpl, "setOutput", SetOutput);
    Nan::SetPrototypeMethod(tpl, "start", Start);
    Nan::SetPrototypeMethod(tpl, "admit", Admit);
    Nan::SetPrototypeMethod(tpl, "topSenders", TopSenders);
    Nan::SetPrototypeMethod(tpl, "halt", Halt);
    Nan::SetPrototypeMethod(tpl, "unread", Unread);
    Nan::SetPrototypeMethod(tpl, "close", Close);
    Nan::Set(target, Nan::New("HepCapture").ToLocalChecked(), Nan::GetFunction(tpl).ToLocalChecked());
  }
  ~HepCapture() override {
    if (gateReady_) ct_hep_gate_close(&gate_);
  }

private:
  explicit HepCapture(v8::Isolate *isolate) : isolate_(isolate) {}

  static NAN_METHOD(New) {
    if (!info.IsConstructCall() || info.Length() < 2 || !info[0]->IsObject() || !info[1]->IsFunction())
      return Nan::ThrowTypeError("new HepCapture(options, onSlab)");
    auto opt = info[0].As<Object>();
    auto self = std::unique_ptr<HepCapture>(new HepCapture(info.GetIsolate()));
    const char *bad = self->Configure(opt);
    if (bad != nullptr) return Nan::ThrowTypeError(bad);
    self->onSlab_.Reset(info[1].As<Function>());
    self->pins_.Reset(opt);
    auto *c = self.release();
    c->Wrap(info.This());
    c->Ref();
    c->resource_ = new Nan::AsyncResource("calltap:hep");
    uv_async_init(node::GetCurrentEventLoop(info.GetIsolate()), &c->async_, OnAsync);
    uv_unref(reinterpret_cast<uv_handle_t *>(&c->async_));
    c->async_.data = c;
    c->hook_ = node::AddEnvironmentCleanupHook(info.GetIsolate(), OnEnvironmentEnd, c);
    info.GetReturnValue().Set(info.This());
  }

  const char *Configure(Local<Object> opt) {
    View slabs = ViewOf(Prop(opt, "slabs")), desc = ViewOf(Prop(opt, "descriptors"));
    View counters = ViewOf(Prop(opt, "counters")), allow = ViewOf(Prop(opt, "allow"));
    size_t n = slabs.len / CT_SLAB_BYTES;
    if (n < 2 || slabs.len % CT_SLAB_BYTES != 0) return "slabs: a multiple of the slab size, two at least";
    if (desc.len != n * CT_SLAB_RECORDS * sizeof(ct_record)) return "descriptors: wrong size";
    if (counters.len != CT_HEP_COUNTERS * sizeof(uint64_t)) return "counters: wrong size";
    if (allow.len % sizeof(ct_cidr) != 0) return "allow: wrong size";
    slabs_.resize(n);
    for (size_t i = 0; i < n; i++) {
      slabs_[i].data = slabs.data + i * CT_SLAB_BYTES;
      slabs_[i].rec = reinterpret_cast<ct_record *>(desc.data) + i * CT_SLAB_RECORDS;
    }
    ring_.slab = slabs_.data();
    ring_.n = static_cast<uint32_t>(n);
    ring_.live = true;
    ring_.notify = Notify;
    ring_.arg = this;
    source_.ring = &ring_;
    source_.gate = &gate_;
    source_.counters = reinterpret_cast<uint64_t *>(counters.data);
    source_.source_id = U32(opt, "sourceId");
    source_.rcvbuf = U32(opt, "receiveBuffer");
    if (ct_hep_gate_init(&gate_, source_.counters, reinterpret_cast<const ct_cidr *>(allow.data),
                         static_cast<uint32_t>(allow.len / sizeof(ct_cidr)), U32(opt, "rate"),
                         U32(opt, "maxBytes")) != 0)
      return "allow: not a list of networks";
    gateReady_ = true;
    return nullptr;
  }

  // open(address, port): {errno, port, receiveBuffer}; errno 0 when it is bound.
  static NAN_METHOD(Open) {
    auto *c = Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
    Nan::Utf8String address(info[0]);
    if (c->closing_ || c->source_.is_open || *address == nullptr)
      return Nan::ThrowError("listener is open or closed");
    int rc =
        ct_hep_open(&c->source_, *address, static_cast<uint16_t>(Nan::To<uint32_t>(info[1]).FromMaybe(0)));
    auto out = Nan::New<Object>();
    Nan::Set(out, Nan::New("errno").ToLocalChecked(), Nan::New(-rc));
    Nan::Set(out, Nan::New("port").ToLocalChecked(), Nan::New(static_cast<uint32_t>(c->source_.port)));
    Nan::Set(out, Nan::New("receiveBuffer").ToLocalChecked(), Nan::New(c->source_.rcvbuf_got));
    info.GetReturnValue().Set(out);
  }

  // setOutput(id of an OutputFile): what is taken from the start on is written there.
  static NAN_METHOD(SetOutput) {
    auto *c = Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
    if (c->closing_ || c->source_.running) return Nan::ThrowError("listener is running");
    c->output_ = OutputRegistry::Find(Nan::To<uint32_t>(info[0]).FromMaybe(0));
    if (c->output_ == nullptr) return Nan::ThrowTypeError("setOutput(the id of an OutputFile that is open)");
    c->source_.output = c->output_->writer;
  }

  // start(): errno, 0 when the thread runs. A listener keeps the loop alive until close().
  static NAN_METHOD(Start) {
    auto *c = Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
    int rc = c->closing_ ? -ECANCELED : ct_hep_start(&c->source_);
    if (rc == 0) uv_ref(reinterpret_cast<uv_handle_t *>(&c->async_));
    info.GetReturnValue().Set(Nan::New(-rc));
  }

  // admit(address, version, bytes): verdict over one packet of another transport, counted; 0 is taken.
  static NAN_METHOD(Admit) {
    auto *c = Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
    View address = ViewOf(info[0]);
    if (address.len < 16) return Nan::ThrowTypeError("admit(address of 16 bytes, version, bytes)");
    info.GetReturnValue().Set(Nan::New(static_cast<uint32_t>(
        ct_hep_admit(&c->gate_, address.data, static_cast<uint8_t>(Nan::To<uint32_t>(info[1]).FromMaybe(0)),
                     Nan::To<uint32_t>(info[2]).FromMaybe(0), static_cast<int64_t>(uv_hrtime())))));
  }

  // topSenders(rows): address (16), version (1), padding (7), then the verdicts' u64; how many rows.
  static NAN_METHOD(TopSenders) {
    constexpr size_t kRow = 24 + CT_HEP_VERDICTS * sizeof(uint64_t);
    auto *c = Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
    View rows = ViewOf(info[0]);
    std::vector<ct_hep_sender> top(std::min<size_t>(rows.len / kRow, CT_HEP_SENDERS));
    uint32_t n = ct_hep_top_senders(&c->gate_, top.data(), static_cast<uint32_t>(top.size()));
    for (uint32_t i = 0; i < n; i++) {
      uint8_t *row = rows.data + i * kRow;
      memset(row, 0, 24);
      memcpy(row, top[i].addr, 16);
      row[16] = top[i].version;
      memcpy(row + 24, top[i].n, sizeof(top[i].n));
    }
    info.GetReturnValue().Set(Nan::New(n));
  }

  // halt(): the thread ends and publishes what it had; callbacks go on until all of it is handed over.
  static NAN_METHOD(Halt) {
    auto *c = Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
    if (!c->closing_) ct_hep_halt(&c->source_);
  }

  // unread(): records not yet handed over.
  static NAN_METHOD(Unread) {
    auto *c = Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
    info.GetReturnValue().Set(Nan::New(static_cast<double>(ct_ring_unread(&c->ring_))));
  }

  static NAN_METHOD(Close) { Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder())->Shutdown(nullptr, nullptr); }

  void Shutdown(void (*done)(void *), void *ctx) {
    if (closing_) {
      if (done != nullptr) done(ctx);
      return;
    }
    closing_ = true;
    ct_hep_stop(&source_);
    if (output_ != nullptr) output_->Flush();
    output_.reset();
    done_ = done;
    doneCtx_ = ctx;
    if (done == nullptr) node::RemoveEnvironmentCleanupHook(std::move(hook_));
    uv_close(reinterpret_cast<uv_handle_t *>(&async_), OnClosed);
  }

  static void OnClosed(uv_handle_t *h) {
    auto *c = static_cast<HepCapture *>(h->data);
    auto done = c->done_;
    auto *ctx = c->doneCtx_;
    delete c->resource_;
    c->resource_ = nullptr;
    if (done != nullptr) {
      c->hook_.reset();
      done(ctx);
      return; // the environment is going: the object goes with it
    }
    Nan::HandleScope scope;
    c->onSlab_.Reset();
    c->pins_.Reset();
    c->Unref();
  }

  static void OnEnvironmentEnd(void *arg, void (*done)(void *), void *ctx) {
    static_cast<HepCapture *>(arg)->Shutdown(done, ctx);
  }
  static void Notify(void *arg) {
    auto *c = static_cast<HepCapture *>(arg);
    if (c->armed_.exchange(1, std::memory_order_acq_rel) == 0) uv_async_send(&c->async_);
  }
  static void OnAsync(uv_async_t *h) { static_cast<HepCapture *>(h->data)->Drain(); }

  void Drain() {
    if (closing_) return;
    Nan::HandleScope scope;
    v8::TryCatch guard(isolate_);
    armed_.store(0, std::memory_order_release);
    uint64_t start = uv_hrtime();
    while (ct_ring_pending(&ring_) > 0) {
      Nan::HandleScope inner;
      uint32_t index = ring_.tail.load(std::memory_order_relaxed) % ring_.n;
      Local<Value> argv[] = {Nan::New(index), Nan::New(slabs_[index].count)};
      onSlab_.Call(2, argv, resource_);
      if (guard.HasCaught()) {
        if (!guard.HasTerminated()) node::FatalException(isolate_, guard);
        return;
      }
      if (closing_) return;
      ct_ring_release(&ring_);
      if (uv_hrtime() - start > kSliceNs && ct_ring_pending(&ring_) > 0) {
        if (armed_.exchange(1, std::memory_order_acq_rel) == 0) uv_async_send(&async_);
        return;
      }
    }
  }

  v8::Isolate *isolate_;
  ct_ring ring_{};
  ct_hep_gate gate_{};
  ct_hep_source source_{};
  bool gateReady_ = false;
  std::shared_ptr<Output> output_;
  std::vector<ct_slab> slabs_;
  std::atomic<uint32_t> armed_{0};
  uv_async_t async_{};
  Nan::Callback onSlab_;
  Nan::Persistent<Object> pins_;
  Nan::AsyncResource *resource_ = nullptr;
  node::AsyncCleanupHookHandle hook_;
  void (*done_)(void *) = nullptr;
  void *doneCtx_ = nullptr;
  bool closing_ = false;
};
