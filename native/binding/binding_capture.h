// SPDX-License-Identifier: Apache-2.0
// binding_capture.h - the part of module.cc that shows the packet pipeline: included there once, inside its
// namespace, and nowhere else, so that nan stays in one translation unit.
// Capture: files, or interfaces, through the packet pipeline; typed by src/sources/native.ts and
// native-live.ts.
class Capture : public SlabSource {
public:
  static NAN_MODULE_INIT(Init) {
    auto tpl = Template(kName, New);
    Nan::SetPrototypeMethod(tpl, "openFiles", OpenFiles);
    Nan::SetPrototypeMethod(tpl, "askStopFiles", AskStopFiles);
    Nan::SetPrototypeMethod(tpl, "endFiles", EndFiles);
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
    Nan::Set(target, Text(kName), Nan::GetFunction(tpl).ToLocalChecked());
  }

  ~Capture() override { ct_pipeline_close(&pl_); }

private:
  static constexpr const char *kName = "Capture";
  static NAN_METHOD(New) {
    Construct(info, {kName, "calltap:capture",
                     [](v8::Isolate *isolate) -> SlabSource * { return new Capture(isolate); }});
  }
  explicit Capture(v8::Isolate *isolate) : SlabSource(isolate) {}

  static Capture *Self(const Nan::FunctionCallbackInfo<Value> &info) {
    return Nan::ObjectWrap::Unwrap<Capture>(info.Holder());
  }

  // Reads the options object; returns what is wrong with it, or nullptr.
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

  // openFiles(paths, descriptors): errno; 0 when the thread runs. A descriptor of a regular file is read from its first
  // byte, stays the caller's and open until endFiles() or close(), and records say where in it they lie; -1: the path is
  // opened, and they do not.
  static NAN_METHOD(OpenFiles) {
    auto *c = Self(info);
    View fds = ViewOf(info[1]);
    if (!info[0]->IsArray()) return Nan::ThrowTypeError("openFiles(paths, descriptors)");
    auto list = info[0].As<v8::Array>();
    uint32_t n = list->Length();
    if (n == 0 || fds.len != n * sizeof(int32_t))
      return Nan::ThrowTypeError("openFiles: a path or more, and a descriptor for each");
    std::vector<std::string> name;
    std::vector<const char *> path;
    for (uint32_t i = 0; i < n; i++) {
      Nan::Utf8String s(Nan::Get(list, i).FromMaybe(Nan::Undefined().As<Value>()));
      name.emplace_back(*s == nullptr ? "" : *s);
    }
    for (const auto &s : name) path.push_back(s.c_str());
    if (c->IsClosing() || c->file_.running || c->live_.is_open)
      return Nan::ThrowError("capture is busy or closed");
    std::vector<int> fd(n);
    memcpy(fd.data(), fds.data, fds.len);
    // Headers are read by the thread: a pipe that says nothing yet must not hold JavaScript.
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

  // askStopFiles(): the thread ends with what it has read and a SOURCE_END record.
  static NAN_METHOD(AskStopFiles) {
    auto *c = Self(info);
    if (c->file_.running) ct_file_ask_stop(&c->file_);
  }

  // endFiles(): joins the thread after its SOURCE_END was seen; others may be opened then.
  static NAN_METHOD(EndFiles) {
    auto *c = Self(info);
    // Its thread waits for this one to take what it has read: neither would ever go on.
    if (c->file_.running && c->file_.ended.load() == 0)
      return Nan::ThrowError("the files are not at their end");
    c->JoinFile();
  }

  void JoinFile() {
    if (!file_.running) return;
    ct_file_join(&file_);
    KeepLoopAlive(false);
  }

  static NAN_METHOD(Progress) {
    auto *c = Self(info);
    info.GetReturnValue().Set(Nan::New(static_cast<double>(c->file_.progress.load()) / 1000.0));
  }
  static NAN_METHOD(Waits) {
    auto *c = Self(info);
    info.GetReturnValue().Set(Nan::New(__atomic_load_n(&c->ring_.waits, __ATOMIC_RELAXED)));
  }

  // datagram(scratchData, scratchDescriptors, payload, descriptor): number of records made.
  // `descriptor` is the record of the fragment that gave the addresses; its transport field
  // is the IP protocol of the payload.
  static NAN_METHOD(Datagram) {
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

  // rtpChunk(i): ArrayBuffer over chunk i of the stream table, or undefined while there is none.
  static NAN_METHOD(RtpChunk) {
    auto *c = Self(info);
    void *chunk = ct_rtp_chunk(c->table_.get(), Nan::To<uint32_t>(info[0]).FromMaybe(0));
    if (chunk == nullptr) return;
    auto *owner = new std::shared_ptr<ct_rtp_table>(c->table_);
    auto store = v8::ArrayBuffer::NewBackingStore(
        chunk, static_cast<size_t>(CT_RTP_CHUNK) * ct_rtp_stream_size(),
        [](void *, size_t, void *arg) { delete static_cast<std::shared_ptr<ct_rtp_table> *>(arg); }, owner);
    info.GetReturnValue().Set(v8::ArrayBuffer::New(info.GetIsolate(), std::move(store)));
  }

  // setOutput(id of an OutputFile): what is captured from the next start on is written there.
  static NAN_METHOD(SetOutput) {
    auto *c = Self(info);
    if (c->IsClosing() || c->file_.running || c->live_.running) return Nan::ThrowError("capture is running");
    auto output = FindOutput(Nan::To<uint32_t>(info[0]).FromMaybe(0));
    if (output == nullptr) return Nan::ThrowTypeError("setOutput(the id of an OutputFile that is open)");
    c->output_ = output;
    c->pl_.output = c->output_->writer;
  }

  // openLive(options): {errno, step, index}; sockets, filter and rings, all that needs privileges.
  static NAN_METHOD(OpenLive) {
    auto *c = Self(info);
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
    std::vector<std::string> name;
    std::vector<const char *> text;
    for (uint32_t i = 0; i < n; i++) {
      Nan::Utf8String s(Nan::Get(names, i).FromMaybe(Nan::Undefined().As<Value>()));
      name.emplace_back(*s == nullptr ? "" : *s);
    }
    for (const auto &s : name) text.push_back(s.c_str());
    ct_filter_opts fo{};
    fo.whole_frames = Flag(opt, "wholeRtp");
    fo.best = static_cast<ct_filter_mode>(U32(opt, "bestFilter"));
    // Only now: whoever reads options may have run a getter, which may have opened or closed this capture.
    if (c->IsClosing() || c->file_.running || c->live_.is_open)
      return Nan::ThrowError("capture is busy or closed");
    c->Pin(counterRows);
    ct_live_error error{};
    uint32_t at = 0;
    c->live_.pl = &c->pl_;
    c->live_.ring = &c->ring_;
    c->live_.filter = &c->filter_;
    c->live_.promiscuous = Flag(opt, "promiscuous");
    error.step = "the reader";
    error.err = -ct_live_init(&c->live_);
    if (error.err == 0) {
      fo.gate = &c->pl_.gate;
      fo.decode = c->pl_.decode;
      fo.link = ct_live_common_link(&c->live_, text.data(), n);
      ct_filter_open(&c->filter_, &fo);
      auto *rows = reinterpret_cast<uint64_t *>(counters.data);
      while (at < n && ct_live_add(&c->live_, text[at], at, blocks, rows + at * CT_L_COUNT, &error)) at++;
    }
    if (error.err != 0) c->CloseLive();
    auto out = Nan::New<Object>();
    Put(out, "errno", Nan::New(error.err));
    Put(out, "step", Text(error.step));
    Put(out, "index", Nan::New(at));
    info.GetReturnValue().Set(out);
  }

  // startLive(): errno; the loop stays alive while the thread runs.
  static NAN_METHOD(StartLive) {
    auto *c = Self(info);
    if (c->IsClosing() || !c->live_.is_open || c->live_.running)
      return Nan::ThrowError("capture is not open");
    int err = -ct_live_start(&c->live_);
    if (err == 0) c->KeepLoopAlive(true);
    info.GetReturnValue().Set(Nan::New(err));
  }

  // askStopLive(): the thread ends with a SOURCE_END record.
  static NAN_METHOD(AskStopLive) {
    auto *c = Self(info);
    if (c->live_.running) ct_live_ask_stop(&c->live_);
  }

  // liveStatus(index): {state, mtu, ringBytes, text}
  static NAN_METHOD(LiveStatus) {
    auto *c = Self(info);
    ct_live_status st{};
    if (!ct_live_status_of(&c->live_, Nan::To<uint32_t>(info[0]).FromMaybe(CT_LIVE_MAX), &st))
      return Nan::ThrowRangeError("no such interface");
    auto out = Nan::New<Object>();
    Put(out, "state", Nan::New(static_cast<uint32_t>(st.state)));
    Put(out, "mtu", Nan::New(st.mtu));
    Put(out, "ringBytes", Nan::New(st.ring_bytes));
    Put(out, "text", Text(st.text));
    info.GetReturnValue().Set(out);
  }

  // filterStatus(): {mode, why}
  static NAN_METHOD(FilterStatus) {
    auto *c = Self(info);
    auto out = Nan::New<Object>();
    Put(out, "mode", Nan::New(static_cast<uint32_t>(c->filter_.mode)));
    Put(out, "why", Nan::New(c->filter_.why).ToLocalChecked());
    info.GetReturnValue().Set(out);
  }

  // filterCounts(out): packets and bytes of each class into out; false where the filter does not count.
  static NAN_METHOD(FilterCounts) {
    auto *c = Self(info);
    View out = ViewOf(info[0]);
    if (out.len != CT_F_COUNT * sizeof(ct_filter_count)) return Nan::ThrowTypeError("two numbers a class");
    info.GetReturnValue().Set(ct_filter_counts(&c->filter_, reinterpret_cast<ct_filter_count *>(out.data)));
  }

  // filterNeedsBpf(): whether filterMedia() takes CAP_BPF here.
  static NAN_METHOD(FilterNeedsBpf) {
    auto *c = Self(info);
    info.GetReturnValue().Set(ct_filter_needs_cap(&c->filter_));
  }

  // filterMedia(address, port, isNamed): errno
  static NAN_METHOD(FilterMedia) {
    auto *c = Self(info);
    View address = ViewOf(info[0]);
    if (address.len != 16) return Nan::ThrowTypeError("address: 16 bytes");
    auto port = static_cast<uint16_t>(Nan::To<uint32_t>(info[1]).FromMaybe(0));
    bool is_named = Nan::To<bool>(info[2]).FromMaybe(false);
    ct_rtp_name(c->pl_.rtp, address.data, port, is_named);
    int err = ct_filter_media(&c->filter_, address.data, port, is_named);
    info.GetReturnValue().Set(Nan::New(-err));
  }

  // queueDropped(): records that found no free slab.
  static NAN_METHOD(QueueDropped) {
    auto *c = Self(info);
    info.GetReturnValue().Set(
        Nan::New(static_cast<double>(__atomic_load_n(&c->ring_.dropped, __ATOMIC_RELAXED))));
  }

  // abandon(): no callback comes any more; how many records nobody was handed.
  static NAN_METHOD(Abandon) {
    auto *c = Self(info);
    c->Silence();
    info.GetReturnValue().Set(Nan::New(static_cast<double>(ct_ring_unread(&c->ring_))));
  }

  void CloseLive() {
    ct_live_close(&live_);
    ct_filter_close(&filter_);
  }

  void StopSource() override {
    JoinFile();
    CloseLive();
    if (output_ != nullptr) output_->Flush();
    pl_.output = nullptr;
    output_.reset();
  }

  ct_pipeline pl_{};
  ct_file_source file_{};
  ct_live_source live_{};
  ct_packet_filter filter_{};
  std::shared_ptr<ct_rtp_table> table_;
  std::shared_ptr<Output> output_;
};
