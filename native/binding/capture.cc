// SPDX-License-Identifier: Apache-2.0
// capture.cc - gives JavaScript the packet pipeline, and files as its source.
#include "binding/capture.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace calltap {

NAN_MODULE_INIT(Capture::Init) {
  auto tpl = Template(kName, New);
  Nan::SetPrototypeMethod(tpl, "openFiles", OpenFiles);
  Nan::SetPrototypeMethod(tpl, "askStopFiles", AskStopFiles);
  Nan::SetPrototypeMethod(tpl, "endFiles", EndFiles);
  Nan::SetPrototypeMethod(tpl, "progress", Progress);
  Nan::SetPrototypeMethod(tpl, "datagram", Datagram);
  Nan::SetPrototypeMethod(tpl, "rtpChunk", RtpChunk);
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
  Put(target, kName, Nan::GetFunction(tpl).ToLocalChecked());
}

Capture::~Capture() { ct_pipeline_close(&pl_); }

NAN_METHOD(Capture::New) {
  Construct(info, {kName, "calltap:capture",
                   [](v8::Isolate *isolate) -> SlabSource * { return new Capture(isolate); }});
}

Capture *Capture::Self(const Nan::FunctionCallbackInfo<Value> &info) {
  return Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
}

const char *Capture::Configure(Local<Object> opt) {
  View counters = Pin(Prop(opt, "counters")), sipPorts = Pin(Prop(opt, "sipOutPorts"));
  View wsPorts = Pin(Prop(opt, "wsOutPorts")), sipGate = ViewOf(Prop(opt, "sipGate"));
  View wsGate = ViewOf(Prop(opt, "wsGate")), seed = ViewOf(Prop(opt, "seed"));
  if (counters.len != CT_COUNTERS * sizeof(uint64_t)) return "counters: wrong size";
  if (sipPorts.len != 65536 * 4 || wsPorts.len != 65536 * 4) return "port counters: wrong size";
  if (sipGate.len != sizeof(pl_.gate.sip) || wsGate.len != sizeof(pl_.gate.ws)) return "gates: wrong size";
  if (seed.len != 16) return "seed: 16 bytes";
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
  ro.window_ns = static_cast<uint64_t>(Num(opt, "windowSec") * 1e9);
  ro.buffer_ms = U32(opt, "bufferMs");
  memcpy(ro.seed, seed.data, 16);
  memcpy(pl_.copies_key, seed.data, 16);
  pl_.rtp = ct_rtp_create(&ro);
  if (pl_.rtp == nullptr) return "out of memory";
  table_ = std::shared_ptr<ct_rtp_table>(pl_.rtp, ct_rtp_free);
  return ct_pipeline_init(&pl_) ? nullptr : "out of memory";
}

NAN_METHOD(Capture::OpenFiles) {
  auto *c = Self(info);
  View fds = ViewOf(info[1]);
  if (!info[0]->IsArray()) return Nan::ThrowTypeError("openFiles(paths, descriptors)");
  auto list = info[0].As<v8::Array>();
  uint32_t n = list->Length();
  if (n == 0 || fds.len != n * sizeof(int32_t))
    return Nan::ThrowTypeError("openFiles: a path or more, and a descriptor for each");
  std::vector<std::string> name = Strings(list, n);
  std::vector<const char *> path;
  for (const auto &s : name) path.push_back(s.c_str());
  if (c->IsClosing() || c->file_.running || c->live_.is_open)
    return Nan::ThrowError("capture is busy or closed");
  std::vector<int> fd(n);
  memcpy(fd.data(), fds.data, fds.len);
  // The thread reads the headers: a pipe that says nothing yet must not hold JavaScript.
  ct_merge *files = ct_merge_create(path.data(), fd.data(), n);
  int err = files == nullptr ? ENOMEM : 0;
  if (err == 0) {
    c->file_.pl = &c->pl_;
    c->file_.ring = &c->ring_;
    c->file_.progress = 0;
    c->KeepLoopAlive(true);
    if (!ct_file_start(&c->file_, files)) {
      c->file_.files = nullptr;
      err = EAGAIN;
      c->KeepLoopAlive(false);
    }
  }
  info.GetReturnValue().Set(Nan::New(err));
}

NAN_METHOD(Capture::AskStopFiles) {
  auto *c = Self(info);
  if (c->file_.running) ct_file_ask_stop(&c->file_);
}

NAN_METHOD(Capture::EndFiles) {
  auto *c = Self(info);
  // The file's thread waits for this one to take what it has read: neither would ever continue.
  if (c->file_.running && c->file_.ended.load() == 0)
    return Nan::ThrowError("the files are not at their end");
  c->JoinFile();
}

void Capture::JoinFile() {
  if (!file_.running) return;
  ct_file_join(&file_);
  KeepLoopAlive(false);
}

NAN_METHOD(Capture::Progress) {
  auto *c = Self(info);
  info.GetReturnValue().Set(Nan::New(static_cast<double>(c->file_.progress.load()) / 1000.0));
}

NAN_METHOD(Capture::Datagram) {
  auto *c = Self(info);
  View data = ViewOf(info[0]), desc = ViewOf(info[1]), payload = ViewOf(info[2]), meta = ViewOf(info[3]);
  if (data.len < CT_SLAB_BYTES || desc.len < CT_SLAB_RECORDS * sizeof(ct_record) ||
      meta.len != sizeof(ct_record))
    return Nan::ThrowTypeError("datagram(scratch, descriptors, payload, descriptor)");
  ct_record m;
  memcpy(&m, meta.data, sizeof(m));
  ct_packet p{};
  p.ts_ns = Whole(m.ts_us * 1000.0);
  p.ordinal = static_cast<uint64_t>(std::max<int64_t>(0, Whole(m.frame)));
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

NAN_METHOD(Capture::RtpChunk) {
  auto *c = Self(info);
  void *chunk = ct_rtp_chunk(c->table_.get(), U32(info[0]));
  if (chunk == nullptr) return;
  auto *owner = new std::shared_ptr<ct_rtp_table>(c->table_);
  auto store = v8::ArrayBuffer::NewBackingStore(
      chunk, static_cast<size_t>(CT_RTP_CHUNK) * ct_rtp_stream_size(),
      [](void *, size_t, void *arg) { delete static_cast<std::shared_ptr<ct_rtp_table> *>(arg); }, owner);
  info.GetReturnValue().Set(v8::ArrayBuffer::New(info.GetIsolate(), std::move(store)));
}

NAN_METHOD(Capture::SetOutput) {
  auto *c = Self(info);
  if (c->IsClosing() || c->file_.running || c->live_.running) return Nan::ThrowError("capture is running");
  auto output = FindOutput(U32(info[0]));
  if (output == nullptr) return Nan::ThrowTypeError("setOutput(the id of an OutputFile that is open)");
  c->output_ = output;
  c->pl_.output = c->output_->writer;
}

NAN_METHOD(Capture::QueueDropped) {
  auto *c = Self(info);
  info.GetReturnValue().Set(
      Nan::New(static_cast<double>(__atomic_load_n(&c->ring_.dropped, __ATOMIC_RELAXED))));
}

NAN_METHOD(Capture::Abandon) {
  auto *c = Self(info);
  c->Silence();
  info.GetReturnValue().Set(Nan::New(static_cast<double>(ct_ring_unread(&c->ring_))));
}

void Capture::StopSource() {
  JoinFile();
  CloseLive();
  if (output_ != nullptr) output_->Flush();
  pl_.output = nullptr;
  output_.reset();
}

} // namespace calltap
