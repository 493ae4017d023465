// SPDX-License-Identifier: Apache-2.0
// capture.cc - Capture of JavaScript: files or interfaces as the source of one packet pipeline, and the filter in the
// kernel. src/sources/native.ts types it and says what each method does.
#include "binding/functions.h"
#include "binding/output.h"
#include "binding/slab_source.h"
#include "file/source_file.h"
#include "live/source_packet.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <vector>

namespace calltap {

namespace {

class Capture : public SlabSource {
public:
  static constexpr const char *kName = "Capture", *kResource = "calltap:capture";
  using SlabSource::SlabSource;
  ~Capture() override { ct_pipeline_close(&pl_); }

  static NAN_MODULE_INIT(Init) {
    auto tpl = Template<Capture>();
    Method<&Capture::OpenFiles>(tpl, "openFiles");
    Method<&Capture::AskStopFiles>(tpl, "askStopFiles");
    Method<&Capture::EndFiles>(tpl, "endFiles");
    Method<&Capture::Progress>(tpl, "progress");
    Method<&Capture::Datagram>(tpl, "datagram");
    Method<&Capture::RtpChunk>(tpl, "rtpChunk");
    Method<&Capture::SetOutput>(tpl, "setOutput");
    Method<&Capture::OpenLive>(tpl, "openLive");
    Method<&Capture::StartLive>(tpl, "startLive");
    Method<&Capture::AskStopLive>(tpl, "askStopLive");
    Method<&Capture::LiveStatus>(tpl, "liveStatus");
    Method<&Capture::LiveDrops>(tpl, "liveDrops");
    Method<&Capture::FilterStatus>(tpl, "filterStatus");
    Method<&Capture::FilterNeedsBpf>(tpl, "filterNeedsBpf");
    Method<&Capture::FilterCounts>(tpl, "filterCounts");
    Method<&Capture::FilterMedia>(tpl, "filterMedia");
    Method<&Capture::LearnSip>(tpl, "learnSip");
    Method<&Capture::QueueDropped>(tpl, "queueDropped");
    Method<&Capture::Abandon>(tpl, "abandon");
    Put(target, kName, Nan::GetFunction(tpl).ToLocalChecked());
  }

private:
  const char *Configure(Local<Object> opt) override {
    View counters = Pin(Prop(opt, "counters")), sipPorts = Pin(Prop(opt, "sipOutPorts"));
    View wsPorts = Pin(Prop(opt, "wsOutPorts")), sipGate = ViewOf(Prop(opt, "sipGate"));
    View wsGate = ViewOf(Prop(opt, "wsGate")), seed = ViewOf(Prop(opt, "seed"));
    if (counters.len != CT_COUNTERS * sizeof(uint64_t)) return "counters: wrong size";
    if (sipPorts.len != 65536 * 4 || wsPorts.len != 65536 * 4) return "port counters: wrong size";
    if (sipGate.len != sizeof(pl_.gate.sip) || wsGate.len != sizeof(pl_.gate.ws)) return "gates: wrong size";
    if (seed.len != 16) return "seed: 16 bytes";
    memcpy(pl_.gate.sip, sipGate.data, sipGate.len);
    memcpy(pl_.gate.ws, wsGate.data, wsGate.len);
    anySip_ = Flag(opt, "anySip");
    pl_.decode.esp_null = Flag(opt, "espNull");
    pl_.decode.hep = Flag(opt, "hep");
    pl_.digests = Flag(opt, "digests");
    pl_.retain = Flag(opt, "retain");
    pl_.frames = Flag(opt, "frames");
    const std::string bpf = TextOf(opt, "bpf");
    if (!bpf.empty() && (pl_.filter = ct_frame_filter_create(bpf.c_str())) == nullptr) return "out of memory";
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

  void OpenFiles(Call info) {
    View fds = ViewOf(info[1]);
    if (!info[0]->IsArray()) return Nan::ThrowTypeError("openFiles(paths, descriptors)");
    auto list = info[0].As<v8::Array>();
    uint32_t n = list->Length();
    if (n == 0 || fds.len != n * sizeof(int32_t))
      return Nan::ThrowTypeError("openFiles: a path or more, and a descriptor for each");
    std::vector<std::string> name = Strings(list, n);
    std::vector<const char *> path;
    for (const auto &s : name) path.push_back(s.c_str());
    if (IsClosing() || file_.running || live_.is_open) return Nan::ThrowError("capture is busy or closed");
    std::vector<int> fd(n);
    memcpy(fd.data(), fds.data, fds.len);
    // The thread reads the headers: a pipe that says nothing yet must not hold JavaScript.
    if (anySip_ && !ct_pipeline_take_any_sip(&pl_)) return info.GetReturnValue().Set(ENOMEM);
    ct_merge *files = ct_merge_create(path.data(), fd.data(), n);
    int err = files == nullptr ? ENOMEM : 0;
    if (err == 0) {
      file_.pl = &pl_;
      file_.ring = &ring_;
      file_.progress = 0;
      KeepLoopAlive(true);
      if (!ct_file_start(&file_, files)) {
        file_.files = nullptr;
        err = EAGAIN;
        KeepLoopAlive(false);
      }
    }
    info.GetReturnValue().Set(err);
  }

  void AskStopFiles(Call) {
    if (file_.running) ct_file_ask_stop(&file_);
  }

  void EndFiles(Call) {
    // The file's thread waits for this one to take what it has read: neither would ever continue.
    if (file_.running && file_.ended.load() == 0) return Nan::ThrowError("the files are not at their end");
    JoinFile();
  }

  void JoinFile() {
    if (!file_.running) return;
    ct_file_join(&file_);
    KeepLoopAlive(false);
  }

  double Progress(Call) { return static_cast<double>(file_.progress.load()) / 1000.0; }

  void Datagram(Call info) {
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
    ct_pipeline_datagram(&pl_, &sink, &p, payload.data, static_cast<uint32_t>(payload.len));
    info.GetReturnValue().Set(slab.count);
  }

  void RtpChunk(Call info) {
    void *chunk = ct_rtp_chunk(table_.get(), U32(info[0]));
    if (chunk == nullptr) return;
    auto *owner = new std::shared_ptr<ct_rtp_table>(table_);
    auto store = v8::ArrayBuffer::NewBackingStore(
        chunk, static_cast<size_t>(CT_RTP_CHUNK) * ct_rtp_stream_size(),
        [](void *, size_t, void *arg) { delete static_cast<std::shared_ptr<ct_rtp_table> *>(arg); }, owner);
    info.GetReturnValue().Set(v8::ArrayBuffer::New(info.GetIsolate(), std::move(store)));
  }

  void SetOutput(Call info) {
    if (IsClosing() || file_.running || live_.running) return Nan::ThrowError("capture is running");
    auto output = FindOutput(U32(info[0]));
    if (output == nullptr) return Nan::ThrowTypeError("setOutput(the id of an OutputFile that is open)");
    output_ = output;
    pl_.output = output_->writer;
  }

  double QueueDropped(Call) { return static_cast<double>(__atomic_load_n(&ring_.dropped, __ATOMIC_RELAXED)); }

  double Abandon(Call) {
    Silence();
    return static_cast<double>(ct_ring_unread(&ring_));
  }

  void StopSource() override {
    JoinFile();
    CloseLive();
    if (output_ != nullptr) output_->Flush();
    pl_.output = nullptr;
    output_.reset();
  }

  // ---- Interfaces ----

  void OpenLive(Call info) {
    if (!info[0]->IsObject()) return Nan::ThrowTypeError("openLive(options)");
    auto opt = info[0].As<Object>();
    Local<Value> list = Prop(opt, "interfaces");
    if (!list->IsArray()) return Nan::ThrowTypeError("interfaces: an array of names");
    auto names = list.As<v8::Array>();
    Local<Value> counterRows = Prop(opt, "liveCounters");
    View counters = ViewOf(counterRows);
    uint32_t n = names->Length(), blocks = U32(opt, "blocks");
    if (n == 0 || n > CT_LIVE_MAX || counters.len != n * CT_L_COUNT * sizeof(uint64_t))
      return Nan::ThrowTypeError("interfaces: 1 to 16, with one row of counters each");
    std::vector<std::string> name = Strings(names, n);
    std::vector<const char *> text;
    for (const auto &s : name) text.push_back(s.c_str());
    ct_filter_opts fo{};
    bool isPromiscuous = Flag(opt, "promiscuous");
    fo.whole_frames = Flag(opt, "wholeRtp");
    fo.best = static_cast<ct_filter_mode>(U32(opt, "bestFilter"));
    // Only now: a getter of the options may have opened or closed this capture.
    if (IsClosing() || file_.running || live_.is_open) return Nan::ThrowError("capture is busy or closed");
    Pin(counterRows);
    ct_live_error error{};
    uint32_t at = 0;
    live_.pl = &pl_;
    live_.ring = &ring_;
    live_.filter = &filter_;
    live_.promiscuous = isPromiscuous;
    error.step = "the reader";
    error.err = -ct_live_init(&live_);
    if (error.err == 0 && anySip_ && !ct_pipeline_learn_sip(&pl_)) error.err = ENOMEM;
    if (error.err == 0) {
      fo.gate = &pl_.gate;
      fo.decode = pl_.decode;
      fo.link = ct_live_common_link(&live_, text.data(), n);
      ct_filter_open(&filter_, &fo);
      auto *rows = reinterpret_cast<uint64_t *>(counters.data);
      while (at < n && ct_live_add(&live_, text[at], at, blocks, rows + at * CT_L_COUNT, &error)) at++;
    }
    if (error.err != 0) CloseLive();
    auto out = Nan::New<Object>();
    Put(out, "errno", error.err);
    Put(out, "step", error.step);
    Put(out, "index", at);
    info.GetReturnValue().Set(out);
  }

  void StartLive(Call info) {
    if (IsClosing() || !live_.is_open || live_.running) return Nan::ThrowError("capture is not open");
    int err = -ct_live_start(&live_);
    if (err == 0) KeepLoopAlive(true);
    info.GetReturnValue().Set(err);
  }

  void AskStopLive(Call) {
    if (live_.running) ct_live_ask_stop(&live_);
  }

  void LiveStatus(Call info) {
    ct_live_status st{};
    if (!ct_live_status_of(&live_, Nan::To<uint32_t>(info[0]).FromMaybe(CT_LIVE_MAX), &st))
      return Nan::ThrowRangeError("no such interface");
    auto out = Nan::New<Object>();
    Put(out, "state", static_cast<uint32_t>(st.state));
    Put(out, "mtu", st.mtu);
    Put(out, "ringBytes", st.ring_bytes);
    Put(out, "text", st.text);
    info.GetReturnValue().Set(out);
  }

  void LiveDrops(Call info) {
    View out = ViewOf(info[1]);
    if (out.len != CT_DROP_SPANS * sizeof(ct_drop_span)) return Nan::ThrowTypeError("three numbers a span");
    info.GetReturnValue().Set(
        ct_live_take_drops(&live_, U32(info[0]), reinterpret_cast<ct_drop_span *>(out.data)));
  }

  Local<Object> FilterStatus(Call) {
    auto out = Nan::New<Object>();
    Put(out, "mode", static_cast<uint32_t>(filter_.mode));
    Put(out, "why", filter_.why);
    return out;
  }

  void FilterCounts(Call info) {
    View out = ViewOf(info[0]);
    if (out.len != CT_F_COUNT * sizeof(ct_filter_count)) return Nan::ThrowTypeError("two numbers a class");
    info.GetReturnValue().Set(ct_filter_counts(&filter_, reinterpret_cast<ct_filter_count *>(out.data)));
  }

  bool FilterNeedsBpf(Call) { return ct_filter_needs_cap(&filter_); }

  void FilterMedia(Call info) {
    View endpoints = ViewOf(info[0]);
    if (endpoints.len % sizeof(ct_media_key) != 0) return Nan::ThrowTypeError("endpoints: 20 bytes each");
    auto n = static_cast<uint32_t>(endpoints.len / sizeof(ct_media_key));
    bool is_named = Flag(info[1]);
    std::vector<ct_media_key> keys(n);
    if (n > 0) memcpy(keys.data(), endpoints.data, endpoints.len);
    for (const ct_media_key &key : keys) ct_rtp_name(pl_.rtp, key.addr, ntohs(key.port), is_named);
    info.GetReturnValue().Set(ct_filter_media(&filter_, keys.data(), n, is_named));
  }

  void LearnSip(Call info) {
    View sockets = ViewOf(info[0]);
    if (sockets.len % sizeof(ct_learned_key) != 0) return Nan::ThrowTypeError("sockets: 20 bytes each");
    auto n = static_cast<uint32_t>(sockets.len / sizeof(ct_learned_key));
    if (!anySip_ || !live_.is_open) return Nan::ThrowError("capture learns no sockets");
    std::vector<ct_learned_key> keys(n);
    if (n > 0) memcpy(keys.data(), sockets.data, sockets.len);
    ct_live_learned(&live_, keys.data(), n);
  }

  void CloseLive() {
    ct_live_close(&live_);
    ct_filter_close(&filter_);
  }

  ct_pipeline pl_{};
  bool anySip_ = false;
  ct_file_source file_{};
  ct_live_source live_{};
  ct_packet_filter filter_{};
  std::shared_ptr<ct_rtp_table> table_;
  std::shared_ptr<Output> output_;
};

} // namespace

NAN_MODULE_INIT(InitCapture) { Capture::Init(target); }

} // namespace calltap
