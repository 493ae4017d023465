// SPDX-License-Identifier: Apache-2.0
// binding.cc - the only file that knows V8 and nan: one class, Capture, over the C pipeline.
//
// Lifetime: slabs, descriptors, counters and port tables belong to JavaScript and are pinned by
// references held here until the thread has been joined. All state is per environment; the async
// cleanup hook joins the thread before the environment goes (a synchronous hook would race it).
#include "caps.h"
#include "hep_frame.h"
#include "reply_socket.h"
#include "source_file.h"
#include "source_hep.h"
#include "source_packet.h"
#include "source_tls.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <nan.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using v8::ArrayBuffer;
using v8::Function;
using v8::Local;
using v8::Object;
using v8::Uint8Array;
using v8::Value;

constexpr uint64_t kSliceNs = 2 * 1000 * 1000; // JavaScript work a turn before the loop runs on

struct View {
  uint8_t *data = nullptr;
  size_t len = 0;
};

View ViewOf(Local<Value> v) {
  View out;
  if (v->IsArrayBufferView()) {
    auto a = v.As<v8::ArrayBufferView>();
    out.data = static_cast<uint8_t *>(a->Buffer()->Data()) + a->ByteOffset();
    out.len = a->ByteLength();
  }
  return out;
}

Local<Value> Prop(Local<Object> o, const char *name) {
  return Nan::Get(o, Nan::New(name).ToLocalChecked()).ToLocalChecked();
}
uint32_t U32(Local<Object> o, const char *name) { return Nan::To<uint32_t>(Prop(o, name)).FromMaybe(0); }
bool Flag(Local<Object> o, const char *name) { return Nan::To<bool>(Prop(o, name)).FromMaybe(false); }
double Num(Local<Object> o, const char *name) { return Nan::To<double>(Prop(o, name)).FromMaybe(0); }

#include "binding_output.h"

class Capture : public Nan::ObjectWrap {
public:
  static NAN_MODULE_INIT(Init) {
    auto tpl = Nan::New<v8::FunctionTemplate>(New);
    tpl->SetClassName(Nan::New("Capture").ToLocalChecked());
    tpl->InstanceTemplate()->SetInternalFieldCount(1);
    Nan::SetPrototypeMethod(tpl, "openFile", OpenFile);
    Nan::SetPrototypeMethod(tpl, "endFile", EndFile);
    Nan::SetPrototypeMethod(tpl, "progress", Progress);
    Nan::SetPrototypeMethod(tpl, "datagram", Datagram);
    Nan::SetPrototypeMethod(tpl, "rtpChunk", RtpChunk);
    Nan::SetPrototypeMethod(tpl, "waits", Waits);
    Nan::SetPrototypeMethod(tpl, "setOutput", SetOutput);
    Nan::SetPrototypeMethod(tpl, "openLive", OpenLive);
    Nan::SetPrototypeMethod(tpl, "startLive", StartLive);
    Nan::SetPrototypeMethod(tpl, "askStopLive", AskStopLive);
    Nan::SetPrototypeMethod(tpl, "liveStatus", LiveStatus);
    Nan::SetPrototypeMethod(tpl, "filterStatus", FilterStatus);
    Nan::SetPrototypeMethod(tpl, "filterNeedsBpf", FilterNeedsBpf);
    Nan::SetPrototypeMethod(tpl, "filterCounts", FilterCounts);
    Nan::SetPrototypeMethod(tpl, "filterMedia", FilterMedia);
    Nan::SetPrototypeMethod(tpl, "queueDropped", QueueDropped);
    Nan::SetPrototypeMethod(tpl, "abandon", Abandon);
    Nan::SetPrototypeMethod(tpl, "close", Close);
    Nan::Set(target, Nan::New("Capture").ToLocalChecked(), Nan::GetFunction(tpl).ToLocalChecked());
  }

  ~Capture() override = default;

private:
  explicit Capture(v8::Isolate *isolate) : isolate_(isolate) {}

  static NAN_METHOD(New) {
    if (!info.IsConstructCall()) return Nan::ThrowTypeError("Capture is a class");
    if (info.Length() < 2 || !info[0]->IsObject() || !info[1]->IsFunction())
      return Nan::ThrowTypeError("Capture(options, onSlab)");
    auto opt = info[0].As<Object>();
    auto self = std::unique_ptr<Capture>(new Capture(info.GetIsolate()));
    const char *bad = self->Configure(opt);
    if (bad != nullptr) return Nan::ThrowTypeError(bad);
    self->onSlab_.Reset(info[1].As<Function>());
    self->pins_.Reset(opt);
    auto *c = self.release();
    c->Wrap(info.This());
    c->Ref();
    c->resource_ = new Nan::AsyncResource("calltap:capture");
    uv_async_init(node::GetCurrentEventLoop(info.GetIsolate()), &c->async_, OnAsync);
    uv_unref(reinterpret_cast<uv_handle_t *>(&c->async_));
    c->async_.data = c;
    c->hook_ = node::AddEnvironmentCleanupHook(info.GetIsolate(), OnEnvironmentEnd, c);
    info.GetReturnValue().Set(info.This());
  }

  // Reads the options object; returns what is wrong with it, or nullptr.
  const char *Configure(Local<Object> opt) {
    View slabs = ViewOf(Prop(opt, "slabs")), desc = ViewOf(Prop(opt, "descriptors"));
    View counters = ViewOf(Prop(opt, "counters")), sipPorts = ViewOf(Prop(opt, "sipOutPorts"));
    View wsPorts = ViewOf(Prop(opt, "wsOutPorts")), sipGate = ViewOf(Prop(opt, "sipGate"));
    View wsGate = ViewOf(Prop(opt, "wsGate")), seed = ViewOf(Prop(opt, "seed"));
    size_t n = slabs.len / CT_SLAB_BYTES;
    if (n < 2 || slabs.len % CT_SLAB_BYTES != 0) return "slabs: a multiple of the slab size, two at least";
    if (desc.len != n * CT_SLAB_RECORDS * sizeof(ct_record)) return "descriptors: wrong size";
    if (counters.len != CT_COUNTERS * sizeof(uint64_t)) return "counters: wrong size";
    if (sipPorts.len != 65536 * 4 || wsPorts.len != 65536 * 4) return "port counters: wrong size";
    if (sipGate.len != sizeof(pl_.gate.sip) || wsGate.len != sizeof(pl_.gate.ws)) return "gates: wrong size";
    if (seed.len != 16) return "seed: 16 bytes";
    slabs_.resize(n);
    for (size_t i = 0; i < n; i++) {
      slabs_[i].data = slabs.data + i * CT_SLAB_BYTES;
      slabs_[i].rec = reinterpret_cast<ct_record *>(desc.data) + i * CT_SLAB_RECORDS;
    }
    ring_.slab = slabs_.data();
    ring_.n = static_cast<uint32_t>(n);
    ring_.notify = Notify;
    ring_.arg = this;
    memcpy(pl_.gate.sip, sipGate.data, sipGate.len);
    memcpy(pl_.gate.ws, wsGate.data, wsGate.len);
    pl_.decode.esp_null = Flag(opt, "espNull");
    pl_.decode.hep = Flag(opt, "hep");
    pl_.digests = Flag(opt, "digests");
    pl_.retain = Flag(opt, "retain");
    pl_.source_id = U32(opt, "sourceId");
    pl_.origin = static_cast<uint8_t>(U32(opt, "origin"));
    pl_.counters = reinterpret_cast<uint64_t *>(counters.data);
    pl_.sip_out_ports = reinterpret_cast<uint32_t *>(sipPorts.data);
    pl_.ws_out_ports = reinterpret_cast<uint32_t *>(wsPorts.data);
    ct_rtp_opts ro{};
    ro.max_streams = U32(opt, "maxStreams");
    ro.max_probing = U32(opt, "maxProbing");
    ro.window_ns = static_cast<uint64_t>(Num(opt, "windowSec") * 1e9);
    ro.buffer_ms = U32(opt, "bufferMs");
    memcpy(ro.seed, seed.data, 16);
    ct_rtp_table *table = ct_rtp_create(&ro);
    if (table == nullptr || !ct_pipeline_init(&pl_)) return "out of memory";
    table_ = std::shared_ptr<ct_rtp_table>(table, ct_rtp_free);
    pl_.rtp = table;
    return nullptr;
  }

  // openFile(path, keep): {status, errno, fd}; status 0 when the thread runs. With `keep` fd is a descriptor of a regular
  // file, which the caller closes, and records say where in it they lie; else it is -1.
  static NAN_METHOD(OpenFile) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    Nan::Utf8String path(info[0]);
    if (c->closing_ || c->file_.running || *path == nullptr)
      return Nan::ThrowError("capture is busy or closed");
    // Headers are read by the thread: a pipe that says nothing yet must not hold JavaScript.
    ct_pcap_status status = CT_PCAP_IO;
    int err = 0, fd = -1;
    ct_pcap *f = ct_pcap_open_unread(*path, &err);
    if (f != nullptr) {
      c->file_.pl = &c->pl_;
      c->file_.ring = &c->ring_;
      c->file_.records = 0;
      c->file_.progress = 0;
      status = CT_PCAP_RECORD;
      if (Nan::To<bool>(info[1]).FromMaybe(false)) fd = ct_pcap_dup(f);
      c->file_.keeps = fd >= 0;
      uv_ref(reinterpret_cast<uv_handle_t *>(&c->async_));
      if (!ct_file_start(&c->file_, f)) {
        ct_pcap_close(f);
        c->file_.file = nullptr;
        status = CT_PCAP_IO;
        err = EAGAIN;
        if (fd >= 0) close(fd);
        fd = -1;
        uv_unref(reinterpret_cast<uv_handle_t *>(&c->async_));
      }
    }
    auto out = Nan::New<Object>();
    Nan::Set(out, Nan::New("status").ToLocalChecked(), Nan::New(static_cast<uint32_t>(status)));
    Nan::Set(out, Nan::New("errno").ToLocalChecked(), Nan::New(err));
    Nan::Set(out, Nan::New("fd").ToLocalChecked(), Nan::New(fd));
    info.GetReturnValue().Set(out);
  }

  // endFile(): joins the thread after its SOURCE_END was seen; another file may be opened then.
  static NAN_METHOD(EndFile) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    c->JoinFile();
  }

  void JoinFile() {
    if (!file_.running) return;
    pthread_join(file_.thread, nullptr);
    file_.running = false;
    ct_pcap_close(file_.file);
    file_.file = nullptr;
    if (!closing_) uv_unref(reinterpret_cast<uv_handle_t *>(&async_));
  }

  static NAN_METHOD(Progress) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    info.GetReturnValue().Set(Nan::New(static_cast<double>(c->file_.progress.load()) / 1000.0));
  }
  static NAN_METHOD(Waits) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    info.GetReturnValue().Set(Nan::New(c->ring_.waits));
  }

  // datagram(scratchData, scratchDescriptors, payload, descriptor): number of records made.
  // `descriptor` is the record of the fragment that gave the addresses; its transport field
  // is the IP protocol of the payload.
  static NAN_METHOD(Datagram) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    View data = ViewOf(info[0]), desc = ViewOf(info[1]), payload = ViewOf(info[2]), meta = ViewOf(info[3]);
    if (data.len < CT_SLAB_BYTES || desc.len < CT_SLAB_RECORDS * sizeof(ct_record) ||
        meta.len != sizeof(ct_record))
      return Nan::ThrowTypeError("datagram(scratch, descriptors, payload, descriptor)");
    ct_record m;
    memcpy(&m, meta.data, sizeof(m));
    ct_packet p{};
    p.ts_ns = static_cast<int64_t>(m.ts_us * 1000.0);
    p.ordinal = m.frame < 0 ? 0 : static_cast<uint64_t>(m.frame);
    p.ip_version = m.ip_version;
    p.proto = m.transport;
    p.dscp = m.dscp;
    p.vlan = m.vlan;
    memcpy(p.src, m.src, 16);
    memcpy(p.dst, m.dst, 16);
    ct_slab slab{data.data, reinterpret_cast<ct_record *>(desc.data), 0, 0};
    ct_sink sink{nullptr, &slab};
    ct_pipeline_datagram(&c->pl_, &sink, &p, payload.data, static_cast<uint32_t>(payload.len));
    info.GetReturnValue().Set(Nan::New(slab.count));
  }

  // rtpChunk(i): ArrayBuffer over chunk i of the stream table, or undefined while there is none.
  static NAN_METHOD(RtpChunk) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    void *chunk = ct_rtp_chunk(c->table_.get(), Nan::To<uint32_t>(info[0]).FromMaybe(0));
    if (chunk == nullptr) return;
    auto *owner = new std::shared_ptr<ct_rtp_table>(c->table_);
    auto store = ArrayBuffer::NewBackingStore(
        chunk, static_cast<size_t>(CT_RTP_CHUNK) * ct_rtp_stream_size(),
        [](void *, size_t, void *arg) { delete static_cast<std::shared_ptr<ct_rtp_table> *>(arg); }, owner);
    info.GetReturnValue().Set(ArrayBuffer::New(info.GetIsolate(), std::move(store)));
  }

  // setOutput(id of an OutputFile): what is captured from the next start on is written there.
  static NAN_METHOD(SetOutput) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    if (c->closing_ || c->file_.running || c->live_.running) return Nan::ThrowError("capture is running");
    c->output_ = OutputRegistry::Find(Nan::To<uint32_t>(info[0]).FromMaybe(0));
    if (c->output_ == nullptr) return Nan::ThrowTypeError("setOutput(the id of an OutputFile that is open)");
    c->pl_.output = c->output_->writer;
  }

  // openLive(options): {errno, step, index}; sockets, filter and rings, all that needs privileges.
  static NAN_METHOD(OpenLive) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    if (c->closing_ || c->file_.running || c->live_.is_open || !info[0]->IsObject())
      return Nan::ThrowError("capture is busy or closed");
    auto opt = info[0].As<Object>();
    if (!Prop(opt, "interfaces")->IsArray()) return Nan::ThrowTypeError("interfaces: an array of names");
    auto names = Prop(opt, "interfaces").As<v8::Array>();
    View counters = ViewOf(Prop(opt, "liveCounters"));
    uint32_t n = names->Length();
    if (n == 0 || n > CT_LIVE_MAX || counters.len != n * CT_L_COUNT * sizeof(uint64_t))
      return Nan::ThrowTypeError("interfaces: 1 to 16, with one row of counters each");
    std::vector<std::string> name;
    std::vector<const char *> text;
    for (uint32_t i = 0; i < n; i++) {
      Nan::Utf8String s(Nan::Get(names, i).ToLocalChecked());
      name.emplace_back(*s == nullptr ? "" : *s);
    }
    for (const auto &s : name) text.push_back(s.c_str());
    ct_live_error error{};
    uint32_t at = 0;
    c->live_.pl = &c->pl_;
    c->live_.ring = &c->ring_;
    c->live_.filter = &c->filter_;
    error.step = "the reader";
    error.err = -ct_live_init(&c->live_);
    if (error.err == 0) {
      ct_filter_opts fo{};
      fo.gate = &c->pl_.gate;
      fo.decode = c->pl_.decode;
      fo.whole_frames = Flag(opt, "wholeRtp");
      fo.link = ct_live_common_link(&c->live_, text.data(), n);
      fo.best = static_cast<ct_filter_mode>(U32(opt, "bestFilter"));
      ct_filter_open(&c->filter_, &fo);
      auto *rows = reinterpret_cast<uint64_t *>(counters.data);
      while (at < n &&
             ct_live_add(&c->live_, text[at], at, U32(opt, "blocks"), rows + at * CT_L_COUNT, &error))
        at++;
      c->livePins_.Reset(opt);
    }
    if (error.err != 0) c->CloseLive();
    auto out = Nan::New<Object>();
    Nan::Set(out, Nan::New("errno").ToLocalChecked(), Nan::New(error.err));
    Nan::Set(out, Nan::New("step").ToLocalChecked(), Nan::New(error.step).ToLocalChecked());
    Nan::Set(out, Nan::New("index").ToLocalChecked(), Nan::New(at));
    info.GetReturnValue().Set(out);
  }

  // startLive(): errno; the loop stays alive while the thread runs.
  static NAN_METHOD(StartLive) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    if (c->closing_ || !c->live_.is_open || c->live_.running) return Nan::ThrowError("capture is not open");
    int err = -ct_live_start(&c->live_);
    if (err == 0) uv_ref(reinterpret_cast<uv_handle_t *>(&c->async_));
    info.GetReturnValue().Set(Nan::New(err));
  }

  // askStopLive(): the thread ends with a SOURCE_END record.
  static NAN_METHOD(AskStopLive) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    if (c->live_.running) ct_live_ask_stop(&c->live_);
  }

  // liveStatus(index): {state, mtu, ringBytes, text}
  static NAN_METHOD(LiveStatus) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    ct_live_status st{};
    if (!ct_live_status_of(&c->live_, Nan::To<uint32_t>(info[0]).FromMaybe(CT_LIVE_MAX), &st))
      return Nan::ThrowRangeError("no such interface");
    auto out = Nan::New<Object>();
    Nan::Set(out, Nan::New("state").ToLocalChecked(), Nan::New(static_cast<uint32_t>(st.state)));
    Nan::Set(out, Nan::New("mtu").ToLocalChecked(), Nan::New(st.mtu));
    Nan::Set(out, Nan::New("ringBytes").ToLocalChecked(), Nan::New(st.ring_bytes));
    Nan::Set(out, Nan::New("text").ToLocalChecked(), Nan::New(st.text).ToLocalChecked());
    info.GetReturnValue().Set(out);
  }

  // filterStatus(): {mode, why}
  static NAN_METHOD(FilterStatus) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    auto out = Nan::New<Object>();
    Nan::Set(out, Nan::New("mode").ToLocalChecked(), Nan::New(static_cast<uint32_t>(c->filter_.mode)));
    Nan::Set(out, Nan::New("why").ToLocalChecked(), Nan::New(c->filter_.why).ToLocalChecked());
    info.GetReturnValue().Set(out);
  }

  // filterCounts(out): packets and bytes of each class into out; false where the filter does not count.
  static NAN_METHOD(FilterCounts) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    View out = ViewOf(info[0]);
    if (out.len != CT_F_COUNT * sizeof(ct_filter_count)) return Nan::ThrowTypeError("two numbers a class");
    info.GetReturnValue().Set(ct_filter_counts(&c->filter_, reinterpret_cast<ct_filter_count *>(out.data)));
  }

  // filterNeedsBpf(): whether filterMedia() takes CAP_BPF here.
  static NAN_METHOD(FilterNeedsBpf) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    info.GetReturnValue().Set(ct_filter_needs_cap(&c->filter_));
  }

  // filterMedia(address, port, isNamed): errno
  static NAN_METHOD(FilterMedia) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    View address = ViewOf(info[0]);
    if (address.len != 16) return Nan::ThrowTypeError("address: 16 bytes");
    auto port = static_cast<uint16_t>(Nan::To<uint32_t>(info[1]).FromMaybe(0));
    int err = ct_filter_media(&c->filter_, address.data, port, Nan::To<bool>(info[2]).FromMaybe(false));
    info.GetReturnValue().Set(Nan::New(-err));
  }

  // queueDropped(): records that found no free slab.
  static NAN_METHOD(QueueDropped) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    info.GetReturnValue().Set(
        Nan::New(static_cast<double>(__atomic_load_n(&c->ring_.dropped, __ATOMIC_RELAXED))));
  }

  // abandon(): no callback comes any more; how many records nobody was handed.
  static NAN_METHOD(Abandon) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    c->abandoned_ = true;
    info.GetReturnValue().Set(Nan::New(static_cast<double>(ct_ring_unread(&c->ring_))));
  }

  void CloseLive() {
    ct_live_close(&live_);
    ct_filter_close(&filter_);
    livePins_.Reset();
  }

  // close(): stops and joins; no callback comes after it.
  static NAN_METHOD(Close) {
    auto *c = Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
    c->Shutdown(nullptr, nullptr);
  }

  void Shutdown(void (*done)(void *), void *ctx) {
    if (done != nullptr) {
      done_ = done;
      doneCtx_ = ctx;
    }
    if (closing_) return; // OnClosed is still to come, and tells
    closing_ = true;
    ct_ring_stop(&ring_);
    JoinFile();
    CloseLive();
    if (output_ != nullptr) output_->Flush();
    output_.reset();
    uv_close(reinterpret_cast<uv_handle_t *>(&async_), OnClosed);
  }

  static void OnClosed(uv_handle_t *h) {
    auto *c = static_cast<Capture *>(h->data);
    auto done = c->done_;
    auto *ctx = c->doneCtx_;
    ct_pipeline_close(&c->pl_);
    delete c->resource_;
    c->resource_ = nullptr;
    // Dropping the handle alone leaves the hook in place, and it would be called with a freed object.
    node::RemoveEnvironmentCleanupHook(std::move(c->hook_));
    if (done != nullptr) {
      done(ctx);
      return; // the environment is going: the object goes with it
    }
    Nan::HandleScope scope;
    c->onSlab_.Reset();
    c->pins_.Reset();
    c->Unref();
  }

  static void OnEnvironmentEnd(void *arg, void (*done)(void *), void *ctx) {
    static_cast<Capture *>(arg)->Shutdown(done, ctx);
  }

  static void Notify(void *arg) {
    auto *c = static_cast<Capture *>(arg);
    if (c->armed_.exchange(1, std::memory_order_acq_rel) == 0) uv_async_send(&c->async_);
  }

  static void OnAsync(uv_async_t *h) { static_cast<Capture *>(h->data)->Drain(); }

  void Drain() {
    if (closing_ || abandoned_) return;
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
        if (guard.HasTerminated()) return;
        node::FatalException(isolate_, guard);
        return;
      }
      if (closing_ || abandoned_) return;
      ct_ring_release(&ring_);
      if (uv_hrtime() - start > kSliceNs && ct_ring_pending(&ring_) > 0) {
        if (armed_.exchange(1, std::memory_order_acq_rel) == 0) uv_async_send(&async_);
        return;
      }
    }
  }

  v8::Isolate *isolate_;
  ct_pipeline pl_{};
  ct_ring ring_{};
  ct_file_source file_{};
  ct_live_source live_{};
  ct_packet_filter filter_{};
  Nan::Persistent<Object> livePins_;
  std::vector<ct_slab> slabs_;
  std::shared_ptr<ct_rtp_table> table_;
  std::shared_ptr<Output> output_;
  std::atomic<uint32_t> armed_{0};
  uv_async_t async_{};
  Nan::Callback onSlab_;
  Nan::Persistent<Object> pins_;
  Nan::AsyncResource *resource_ = nullptr;
  node::AsyncCleanupHookHandle hook_;
  void (*done_)(void *) = nullptr;
  void *doneCtx_ = nullptr;
  bool closing_ = false;
  bool abandoned_ = false;
};

#include "binding_bytes.h"
#include "binding_caps.h"
#include "binding_frame.h"
#include "binding_hep.h"
#include "binding_security.h"
#include "binding_tls.h"

// info(): the facts JavaScript checks its mirror against.
NAN_METHOD(Info) {
  auto out = Nan::New<Object>();
  auto set = [&](const char *name, uint32_t v) {
    Nan::Set(out, Nan::New(name).ToLocalChecked(), Nan::New(v));
  };
  set("abi", CT_ABI);
  set("slabBytes", CT_SLAB_BYTES);
  set("slabRecords", CT_SLAB_RECORDS);
  set("recordBytes", sizeof(ct_record));
  set("streamBytes", ct_rtp_stream_size());
  set("streamChunk", CT_RTP_CHUNK);
  set("counterCount", CT_COUNTERS);
  auto names = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_COUNTERS; i++) {
    const char *name = ct_counter_name(i);
    Nan::Set(names, i, Nan::New(name == nullptr ? "" : name).ToLocalChecked());
  }
  Nan::Set(out, Nan::New("counterNames").ToLocalChecked(), names);
  auto losses = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_REASON_COUNT; i++)
    Nan::Set(losses, i, Nan::New(ct_reason_is_loss(static_cast<ct_reason>(i))));
  Nan::Set(out, Nan::New("reasonIsLoss").ToLocalChecked(), losses);
  auto hepNames = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_HEP_COUNTERS; i++) {
    const char *name = ct_hep_counter_name(i);
    Nan::Set(hepNames, i, Nan::New(name == nullptr ? "" : name).ToLocalChecked());
  }
  Nan::Set(out, Nan::New("hepCounterNames").ToLocalChecked(), hepNames);
  auto outputNames = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_PW_COUNTERS; i++)
    Nan::Set(outputNames, i, Nan::New(ct_pw_counter_name(i)).ToLocalChecked());
  Nan::Set(out, Nan::New("outputCounterNames").ToLocalChecked(), outputNames);
  set("hepVerdicts", CT_HEP_VERDICTS);
  Nan::Set(out, Nan::New("tlsCounterNames").ToLocalChecked(), TlsCapture::CounterNames());
  set("firstReason", CT_N_COUNT);
  auto live = Nan::New<v8::Array>(), classes = Nan::New<v8::Array>(), drops = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_L_COUNT; i++)
    Nan::Set(live, i, Nan::New(ct_live_counter_name(i)).ToLocalChecked());
  for (uint32_t i = 0; i < CT_F_COUNT; i++) {
    Nan::Set(classes, i, Nan::New(ct_filter_class_name(i)).ToLocalChecked());
    Nan::Set(drops, i, Nan::New(ct_filter_class_is_drop(i)));
  }
  Nan::Set(out, Nan::New("liveCounterNames").ToLocalChecked(), live);
  Nan::Set(out, Nan::New("filterClassNames").ToLocalChecked(), classes);
  Nan::Set(out, Nan::New("filterClassIsDrop").ToLocalChecked(), drops);
  Nan::Set(out, Nan::New("hasEbpf").ToLocalChecked(), Nan::New(ct_filter_has_ebpf()));
  info.GetReturnValue().Set(out);
}

NAN_MODULE_INIT(InitAll) {
  Nan::Export(target, "info", Info);
  Nan::Export(target, "frameAt", FrameAt);
  Nan::Export(target, "adviseHuge", AdviseHuge);
  Nan::Export(target, "openReply", OpenReply);
  Nan::Export(target, "sendReply", SendReply);
  Nan::Export(target, "openSyslog", OpenSyslog);
  Nan::Export(target, "sendSyslog", SendSyslog);
  Nan::Export(target, "closeSocket", CloseSocket);
  Nan::Export(target, "digest", Digest);
  Nan::Export(target, "readAgain", ReadAgain);
  Nan::Export(target, "dropPrivileges", DropPrivileges);
  OutputFile::Init(target);
  Capture::Init(target);
  HepCapture::Init(target);
  TlsCapture::Init(target);
}

} // namespace

NAN_MODULE_WORKER_ENABLED(calltap, InitAll)
