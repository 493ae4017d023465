// SPDX-License-Identifier: Apache-2.0
// binding_output.h - the part of module.cc that shows the capture writer (-O): included there once, inside its
// namespace, so that nan stays in one translation unit.

// The writer and its gate, shared by the JavaScript object and the captures that write; the last one closes it.
struct Output {
  ct_atomic_u32 gate{1};
  uint64_t counters[CT_PW_COUNTERS] = {};
  ct_pcap_writer *writer = nullptr;
  uint32_t id = 0;

  Output() = default;
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output() { Close(); }
  void Flush() const {
    if (writer != nullptr) ct_pcap_write_flush(writer);
  }
  void Close() {
    if (writer != nullptr) ct_pcap_write_close(writer);
    writer = nullptr;
  }
};

// Outputs by number: a capture is told a number, since it could not tell whether an object is an OutputFile
// without a handle of V8 that outlives its environment.
class OutputRegistry {
public:
  static void Add(const std::shared_ptr<Output> &output) {
    std::lock_guard<std::mutex> guard(lock());
    for (auto i = all().begin(); i != all().end();) i = i->second.expired() ? all().erase(i) : std::next(i);
    output->id = ++next();
    all()[output->id] = output;
  }
  static std::shared_ptr<Output> Find(uint32_t id) {
    std::lock_guard<std::mutex> guard(lock());
    auto found = all().find(id);
    auto output = found == all().end() ? nullptr : found->second.lock();
    return output != nullptr && output->writer != nullptr ? output : nullptr;
  }

private:
  static std::mutex &lock() {
    static std::mutex m;
    return m;
  }
  static std::map<uint32_t, std::weak_ptr<Output>> &all() {
    static std::map<uint32_t, std::weak_ptr<Output>> m;
    return m;
  }
  static uint32_t &next() {
    static uint32_t n = 0;
    return n;
  }
};

// OutputFile: one file, or the files of a split, that captured frames go to.
class OutputFile : public Nan::ObjectWrap {
public:
  static NAN_MODULE_INIT(Init) {
    auto tpl = Nan::New<v8::FunctionTemplate>(New);
    tpl->SetClassName(Nan::New("OutputFile").ToLocalChecked());
    tpl->InstanceTemplate()->SetInternalFieldCount(1);
    Nan::SetPrototypeMethod(tpl, "id", Id);
    Nan::SetPrototypeMethod(tpl, "open", Open);
    Nan::SetPrototypeMethod(tpl, "setEnabled", SetEnabled);
    Nan::SetPrototypeMethod(tpl, "reopen", Reopen);
    Nan::SetPrototypeMethod(tpl, "tick", Tick);
    Nan::SetPrototypeMethod(tpl, "name", Name);
    Nan::SetPrototypeMethod(tpl, "counters", Counters);
    Nan::SetPrototypeMethod(tpl, "writeDatagram", WriteDatagram);
    Nan::SetPrototypeMethod(tpl, "close", Close);
    Nan::Set(target, Nan::New("OutputFile").ToLocalChecked(), Nan::GetFunction(tpl).ToLocalChecked());
  }

private:
  OutputFile() { OutputRegistry::Add(output_); }

  static NAN_METHOD(New) {
    if (!info.IsConstructCall()) return Nan::ThrowTypeError("OutputFile is a class");
    auto *o = new OutputFile();
    o->Wrap(info.This());
    info.GetReturnValue().Set(info.This());
  }

  // id(): what setOutput() of a capture takes.
  static NAN_METHOD(Id) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    info.GetReturnValue().Set(Nan::New(o->output_->id));
  }

  // open({path, splitBytes, splitSeconds}): errno, 0 when the first file is there.
  static NAN_METHOD(Open) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    if (o->output_->writer != nullptr || !info[0]->IsObject()) return Nan::ThrowError("output is open");
    auto opt = info[0].As<Object>();
    Nan::Utf8String path(Prop(opt, "path"));
    if (*path == nullptr) return Nan::ThrowTypeError("path: a text");
    ct_pw_opts po{};
    po.path = *path;
    po.linktype = CT_PW_LINK_UNKNOWN;
    po.split_bytes = static_cast<uint64_t>(Num(opt, "splitBytes"));
    po.split_seconds = static_cast<uint64_t>(Num(opt, "splitSeconds"));
    po.gate = &o->output_->gate;
    po.counters = o->output_->counters;
    int err = 0;
    o->output_->writer = ct_pcap_write_open(&po, &err);
    info.GetReturnValue().Set(Nan::New(o->output_->writer == nullptr ? (err == 0 ? EIO : err) : 0));
  }

  // setEnabled(isEnabled): the persistence gate. When it returns for false, nothing more is written.
  static NAN_METHOD(SetEnabled) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    bool on = Nan::To<bool>(info[0]).FromMaybe(false);
    o->output_->gate.store(on ? 1 : 0);
    if (!on && o->output_->writer != nullptr) ct_pcap_write_settle(o->output_->writer);
  }

  // reopen(): the file is opened anew under its name at the next tick.
  static NAN_METHOD(Reopen) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    if (o->output_->writer != nullptr) ct_pcap_write_reopen(o->output_->writer);
  }

  // tick(): for when no thread captures: flushes, splits by time, opens anew.
  static NAN_METHOD(Tick) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    if (o->output_->writer != nullptr)
      ct_pcap_write_tick(o->output_->writer, static_cast<int64_t>(uv_hrtime()));
  }

  // name(): of the file that is written now.
  static NAN_METHOD(Name) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    char name[PATH_MAX + 16] = "";
    if (o->output_->writer != nullptr) ct_pcap_write_name(o->output_->writer, name, sizeof(name));
    info.GetReturnValue().Set(Nan::New(name).ToLocalChecked());
  }

  // counters(out): enum ct_pw_counter into a BigUint64Array.
  static NAN_METHOD(Counters) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    View out = ViewOf(info[0]);
    if (out.len != sizeof(o->output_->counters)) return Nan::ThrowTypeError("one number a counter");
    memcpy(out.data, o->output_->counters, out.len);
  }

  // writeDatagram(payload, start, end, {src, dst, srcPort, dstPort, ipVersion, tsUs}): a packet that came by a
  // connection, as the datagram it could have been.
  static NAN_METHOD(WriteDatagram) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    View payload = ViewOf(info[0]);
    uint32_t start = Nan::To<uint32_t>(info[1]).FromMaybe(0), end = Nan::To<uint32_t>(info[2]).FromMaybe(0);
    if (start > end || end > payload.len || !info[3]->IsObject())
      return Nan::ThrowRangeError("writeDatagram(payload, start, end, arrival)");
    auto a = info[3].As<Object>();
    View src = ViewOf(Prop(a, "src")), dst = ViewOf(Prop(a, "dst"));
    if (src.len < 16 || dst.len < 16) return Nan::ThrowTypeError("src, dst: 16 bytes");
    if (o->output_->writer == nullptr) return;
    ct_hep_datagram d{};
    d.src = src.data;
    d.dst = dst.data;
    d.src_port = static_cast<uint16_t>(U32(a, "srcPort"));
    d.dst_port = static_cast<uint16_t>(U32(a, "dstPort"));
    d.version = static_cast<uint8_t>(U32(a, "ipVersion"));
    o->frame_.resize(CT_HEP_FRAME_ROOM);
    uint32_t len = ct_hep_frame(o->frame_.data(), &d, payload.data + start, end - start);
    if (len > 0)
      ct_pcap_write(o->output_->writer, o->frame_.data(), Whole(Num(a, "tsUs") * 1000.0), len, len,
                    CT_HEP_FRAME_LINK);
  }

  // close(): flushes; the file is closed as soon as no capture writes to it any more.
  static NAN_METHOD(Close) {
    auto *o = Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
    if (o->output_.use_count() == 1)
      o->output_->Close();
    else
      o->output_->Flush();
  }

  std::shared_ptr<Output> output_ = std::make_shared<Output>();
  std::vector<uint8_t> frame_;
};
