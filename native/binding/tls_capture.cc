// SPDX-License-Identifier: Apache-2.0
// tls_capture.cc - TlsCapture of JavaScript: the TLS probes' programs, attachments, reader thread and ring.
// src/sources/tls/native-tls.ts types it and says what each method does.
#include "binding/functions.h"
#include "binding/slab_source.h"
#include "tls/source_tls.h"
#include "tls/tls_names.h"
#include "tls/tls_scan.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace calltap {

namespace {

#ifdef CT_HAVE_TLS_PROBES
uint32_t Or(uint32_t v, uint32_t otherwise) { return v == 0 ? otherwise : v; }

bool IsOffset(double v) { return v > 0 && v < 9e15; }

const char *AddSite(Local<Value> item, std::vector<ct_tls_site> *rows) {
  if (!item->IsObject()) return "attach: a site is {kind, offset, exits}";
  auto site = item.As<Object>();
  Nan::Utf8String kind(Prop(site, "kind"));
  ct_tls_site entry{};
  if (*kind == nullptr || !ct_tls_site_kind(*kind, &entry.op, &entry.library))
    return "attach: unknown kind of site";
  double offset = Num(site, "offset");
  if (!IsOffset(offset)) return "attach: offset";
  entry.offset = static_cast<uint64_t>(offset);
  Local<Value> list = Prop(site, "exits");
  if (!list->IsArray() && !list->IsNull()) return "attach: exits are an array or null";
  entry.role = list->IsArray() ? CT_TLS_ENTRY : CT_TLS_ENTRY_ALONE;
  uint32_t proof = U32(site, "proof");
  if (proof >= CT_TLS_PROOFS) return "attach: proof";
  entry.proof =
      static_cast<uint16_t>(proof | (proof > 0 && Flag(site, "isEndless") ? CT_TLS_PROOF_ENDLESS : 0));
  Local<Value> distance = Prop(site, "tcpDistance");
  if (distance->IsNumber()) entry.distance = Nan::To<int64_t>(distance).FromJust();
  rows->push_back(entry);
  if (!list->IsArray()) return "";
  auto exits = list.As<v8::Array>();
  for (uint32_t i = 0; i < exits->Length() && rows->size() <= CT_TLS_SITES; i++) {
    Local<Value> value = Nan::Get(exits, i).ToLocalChecked();
    double at = value->IsNumber() ? Nan::To<double>(value).FromJust() : 0;
    if (!IsOffset(at)) return "attach: offset of an exit";
    uint8_t of = entry.library == CT_TLS_GO ? CT_TLS_GO : 0;
    rows->push_back({static_cast<uint64_t>(at), 0, of, CT_TLS_EXIT, 0, 0});
  }
  return "";
}

// What a scan uses on a thread of libuv's pool, while the capture may be closed.
struct Scanner {
  std::mutex one;
  ct_tls_scanner scanner{};
  Scanner() = default;
  Scanner(const Scanner &) = delete;
  Scanner &operator=(const Scanner &) = delete;
  ~Scanner() { ct_tls_scan_close(&scanner); }
};

// Lists what processes map: a hostile one maps 65,530 times, and the kernel takes its time for each.
class HostScan : public Nan::AsyncWorker {
public:
  HostScan(Nan::Callback *done, std::shared_ptr<Scanner> of)
      : Nan::AsyncWorker(done, "calltap:tls-scan"), of_(std::move(of)) {}
  ~HostScan() override { free(rows_); }

  void Execute() override {
    std::lock_guard<std::mutex> lock(of_->one);
    found_ = ct_tls_scan(&of_->scanner, &rows_, &cut_, why_);
  }

  void HandleOKCallback() override {
    Nan::HandleScope scope;
    char *bytes = reinterpret_cast<char *>(std::exchange(rows_, nullptr));
    size_t length = bytes == nullptr ? 0 : static_cast<size_t>(found_) * sizeof(ct_tls_mapping);
    Local<Value> rows = bytes == nullptr ? Nan::NewBuffer(0).ToLocalChecked()
                                         : Nan::NewBuffer(bytes, length, FreeRows, nullptr).ToLocalChecked();
    Local<Value> args[] = {Text(why_), rows, Nan::New(static_cast<double>(cut_))};
    callback->Call(3, args, async_resource);
  }

private:
  static void FreeRows(char *bytes, void *) { free(bytes); }

  std::shared_ptr<Scanner> of_;
  ct_tls_mapping *rows_ = nullptr;
  uint64_t cut_ = 0;
  int64_t found_ = 0;
  char why_[CT_TLS_WHY] = "";
};

class TlsCapture : public SlabSource {
public:
  static constexpr const char *kName = "TlsCapture", *kResource = "calltap:tls";
  using SlabSource::SlabSource;

  static NAN_MODULE_INIT(Init) {
    auto tpl = Template<TlsCapture>();
    Method<&TlsCapture::Open>(tpl, "open");
    Method<&TlsCapture::Start>(tpl, "start");
    Method<&TlsCapture::Attach>(tpl, "attach");
    Method<&TlsCapture::Detach>(tpl, "detach");
    Method<&TlsCapture::Scan>(tpl, "scan");
    Method<&TlsCapture::Observes>(tpl, "observes");
    Method<&TlsCapture::Allow>(tpl, "allow");
    Method<&TlsCapture::Starts>(tpl, "starts");
    Method<&TlsCapture::Proof>(tpl, "proof");
    Method<&TlsCapture::Verdict>(tpl, "verdict");
    Method<&TlsCapture::Counters>(tpl, "counters");
    Method<&TlsCapture::Execs>(tpl, "execs");
    Method<&TlsCapture::Started>(tpl, "started");
    Method<&TlsCapture::Status>(tpl, "status");
    Put(target, kName, Nan::GetFunction(tpl).ToLocalChecked());
  }

private:
  const char *Configure(Local<Object> opt) override {
    source_.ring = &ring_;
    source_.probe = &probe_;
    source_.source_id = U32(opt, "sourceId");
    opts_.ring_bytes = Or(U32(opt, "ringBytes"), 16u << 20);
    opts_.max_call = std::min<uint32_t>(Or(U32(opt, "maxCallBytes"), CT_TLS_CALL_MAX), CT_TLS_CALL_MAX);
    opts_.max_conns = Or(U32(opt, "maxConnections"), 65536);
    opts_.sip_only = Flag(opt, "sipOnly");
    opts_.best_mode = CT_TLS_MULTI;
    if (opts_.ring_bytes < CT_TLS_RING_MIN || opts_.ring_bytes > CT_TLS_RING_MAX ||
        (opts_.ring_bytes & (opts_.ring_bytes - 1)) != 0)
      return "ringBytes: a power of two from 4096 to 1 GiB";
    if (opts_.max_conns > (1u << 24)) return "maxConnections: 16,777,216 at most";
    Local<Value> force = Prop(opt, "force");
    if (!force->IsObject()) return nullptr;
    auto f = force.As<Object>();
    Nan::Utf8String probes(Prop(f, "probes"));
    if (*probes != nullptr && strcmp(*probes, "perf") == 0) opts_.best_mode = CT_TLS_PERF;
    opts_.force_sys_exit = Flag(f, "sysExit");
    opts_.force_old_helpers = Flag(f, "oldHelpers");
    return nullptr;
  }

  void Open(Call info) {
    if (IsClosing() || probe_.loaded.skel != nullptr) return Nan::ThrowError("probes are open or closed");
    char why[CT_TLS_WHY] = "";
    ct_tls_probe_open(&probe_, &opts_, why);
    info.GetReturnValue().Set(Text(probe_.loaded.skel == nullptr ? why : ""));
  }

  int Start(Call) {
    int rc = IsClosing() || probe_.loaded.skel == nullptr ? -ECANCELED : ct_tls_start(&source_);
    if (rc == 0) KeepLoopAlive(true);
    return -rc;
  }

  void Attach(Call info) {
    if (!info[0]->IsObject()) return Nan::ThrowTypeError("attach({path, pid, sites})");
    auto request = info[0].As<Object>();
    Nan::Utf8String path(Prop(request, "path"));
    Local<Value> list = Prop(request, "sites");
    if (*path == nullptr || !list->IsArray()) return Nan::ThrowTypeError("attach({path, pid, sites})");
    auto array = list.As<v8::Array>();
    std::vector<ct_tls_site> rows;
    for (uint32_t i = 0; i < array->Length() && rows.size() <= CT_TLS_SITES; i++) {
      const char *wrong = AddSite(Nan::Get(array, i).ToLocalChecked(), &rows);
      if (*wrong != '\0') return Nan::ThrowTypeError(wrong);
    }
    char why[CT_TLS_WHY] = "";
    int64_t id = ct_tls_attach(&probe_, *path, U32(request, "pid"), rows.data(),
                               static_cast<uint32_t>(rows.size()), why);
    auto out = Nan::New<Object>();
    Put(out, "id", static_cast<double>(id > 0 ? id : 0));
    Put(out, "errno", static_cast<int>(id < 0 ? -id : 0));
    Put(out, "error", id < 0 ? why : "");
    info.GetReturnValue().Set(out);
  }

  bool Detach(Call info) { return ct_tls_detach(&probe_, U32(info[0])); }

  void Scan(Call info) {
    if (!info[0]->IsFunction()) return Nan::ThrowTypeError("scan(done)");
    if (!IsClosing()) ct_tls_tidy(&probe_);
    Nan::AsyncQueueWorker(new HostScan(new Nan::Callback(info[0].As<Function>()), scanner_));
  }

  bool Observes(Call info) { return ct_tls_observes(&probe_, U32(info[0])); }

  void Allow(Call info) {
    // A view of nothing has no address, and is not null all the same: nobody is observed, not everybody.
    static const uint32_t nobody = 0;
    View pids = ViewOf(info[0]);
    const uint32_t *list = nullptr;
    if (!info[0]->IsNull()) {
      if (!info[0]->IsUint32Array()) return Nan::ThrowTypeError("allow(Uint32Array | null)");
      list = pids.len == 0 ? &nobody : reinterpret_cast<uint32_t *>(pids.data);
    }
    int rc = ct_tls_allow(&probe_, list, static_cast<uint32_t>(pids.len / sizeof(uint32_t)));
    if (rc == -ENOENT) rc = 0;
    info.GetReturnValue().Set(-rc);
  }

  void Starts(Call info) {
    if (!info[1]->IsArray()) return Nan::ThrowTypeError("starts(rule, programs)");
    auto array = info[1].As<v8::Array>();
    std::vector<ct_tls_program> programs(array->Length());
    for (uint32_t i = 0; i < programs.size(); i++) {
      Local<Value> item = Nan::Get(array, i).ToLocalChecked();
      if (!item->IsObject()) return Nan::ThrowTypeError("starts: a program is {ino, name}");
      Nan::Utf8String name(Prop(item.As<Object>(), "name"));
      if (*name == nullptr) return Nan::ThrowTypeError("starts: a program is {ino, name}");
      programs[i] = {};
      programs[i].ino = static_cast<uint64_t>(Num(item.As<Object>(), "ino"));
      size_t length = std::min<size_t>(static_cast<size_t>(name.length()), sizeof programs[i].name - 1);
      memcpy(programs[i].name, *name, length);
    }
    int rc = ct_tls_starts(&probe_, U32(info[0]), programs.data(), static_cast<uint32_t>(programs.size()));
    info.GetReturnValue().Set(-rc);
  }

  void Verdict(Call info) {
    uint64_t id = U32(info[0]) | static_cast<uint64_t>(U32(info[1])) << 32;
    ct_tls_verdict(&probe_, id, Flag(info[2]));
  }

  Local<Object> Proof(Call info) {
    ct_tls_proof proof{};
    proof.state = CT_TLS_UNPROVEN;
    ct_tls_read_proof(&probe_, U32(info[0]), &proof);
    auto out = Nan::New<Object>();
    Put(out, "state", proof.state);
    Put(out, "calls", proof.calls);
    return out;
  }

  void Counters(Call info) {
    View out = ViewOf(info[0]);
    if (out.len < CT_TLS_COUNTERS * sizeof(uint64_t)) return Nan::ThrowTypeError("counters(out): too short");
    auto *v = reinterpret_cast<uint64_t *>(out.data);
    ct_tls_counts(&probe_, v);
    v[CT_TLS_N_RECORDS] = __atomic_load_n(&source_.records, __ATOMIC_RELAXED);
    v[CT_TLS_N_HELD_NAPS] = __atomic_load_n(&source_.held, __ATOMIC_RELAXED);
    v[CT_TLS_N_MALFORMED] = __atomic_load_n(&source_.events.malformed, __ATOMIC_RELAXED);
  }

  void Started(Call info) {
    uint32_t pids[CT_TLS_STARTED];
    int64_t from = Whole(info[0]->IsNumber() ? Nan::To<double>(info[0]).FromJust() : 0);
    int32_t n = ct_tls_started(&probe_, static_cast<uint64_t>(from), pids);
    if (n < 0) return info.GetReturnValue().SetNull();
    auto list = Nan::New<v8::Array>(n);
    for (int32_t i = 0; i < n; i++) Nan::Set(list, static_cast<uint32_t>(i), Nan::New(pids[i]));
    info.GetReturnValue().Set(list);
  }

  double Execs(Call) { return static_cast<double>(ct_tls_execs(&probe_)); }

  Local<Object> Status(Call) {
    static const char *const modes[] = {"multi", "perf", "none"};
    static const char *const sockets[] = {"sock-tp", "sys-exit", "none"};
    bool open = probe_.loaded.skel != nullptr;
    auto out = Nan::New<Object>(), caveats = Nan::New<v8::Array>().As<Object>();
    uint32_t n = 0;
    if (open && !probe_.loaded.has_helpers)
      Nan::Set(
          caveats, n++,
          Text("the kernel has no bpf_find_vma (Linux 5.17): connections that processes share are seen once "
               "a process"));
    if (open && !probe_.loaded.has_process_events)
      Nan::Set(
          caveats, n++,
          Text("starts and ends of processes are not seen: new ones are found by the regular scan only"));
    Put(out, "probes", modes[open ? probe_.loaded.mode : CT_TLS_NO_PROBES]);
    Put(out, "probesWhy", probe_.loaded.mode_why);
    Put(out, "sockets", sockets[open ? probe_.loaded.sockets : CT_TLS_NO_SOCKETS]);
    Put(out, "socketsWhy", probe_.loaded.sockets_why);
    Put(out, "caveats", caveats);
    Put(out, "attachments", probe_.attachments);
    Put(out, "ringBytes", opts_.ring_bytes);
    return out;
  }

  void StopSource() override {
    ct_tls_stop(&source_);
    ct_tls_probe_close(&probe_);
    scanner_->scanner.stop.store(1);
  }

  ct_tls_opts opts_{};
  ct_tls_probe probe_{};
  ct_tls_source source_{};
  std::shared_ptr<Scanner> scanner_ = std::make_shared<Scanner>();
};
#else
// Says why it cannot be opened, and can do nothing else.
class TlsCapture : public SlabSource {
public:
  static constexpr const char *kName = "TlsCapture", *kResource = "calltap:tls";
  using SlabSource::SlabSource;

  static NAN_MODULE_INIT(Init) {
    auto tpl = Template<TlsCapture>();
    Method<&TlsCapture::Open>(tpl, "open");
    Put(target, kName, Nan::GetFunction(tpl).ToLocalChecked());
  }

private:
  const char *Configure(Local<Object>) override { return nullptr; }
  void StopSource() override {}

  const char *Open(Call) {
    return "built without libbpf or without clang: install libbpf-dev, clang, llvm and bpftool, then run the "
           "set-up "
           "again";
  }
};
#endif

} // namespace

NAN_MODULE_INIT(InitTlsCapture) { TlsCapture::Init(target); }

} // namespace calltap
