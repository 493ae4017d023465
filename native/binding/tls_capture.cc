// SPDX-License-Identifier: Apache-2.0
// tls_capture.cc - gives JavaScript the TLS probes of C.
#include "binding/tls_capture.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace calltap {

namespace {

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
  rows->push_back(entry);
  if (!list->IsArray()) return "";
  auto exits = list.As<v8::Array>();
  for (uint32_t i = 0; i < exits->Length() && rows->size() <= CT_TLS_SITES; i++) {
    Local<Value> value = Nan::Get(exits, i).ToLocalChecked();
    double at = value->IsNumber() ? Nan::To<double>(value).FromJust() : 0;
    if (!IsOffset(at)) return "attach: offset of an exit";
    rows->push_back({static_cast<uint64_t>(at), 0, 0, CT_TLS_EXIT});
  }
  return "";
}

Local<Object> MappingRow(const ct_tls_mapping &m) {
  static constexpr char kDeleted[] = " (deleted)";
  std::string path(m.path, m.path_len > 0 ? strnlen(m.path, std::min<size_t>(m.path_len, CT_TLS_PATH)) : 0);
  size_t tail = sizeof kDeleted - 1;
  if (m.nlink == 0 && path.size() >= tail && path.compare(path.size() - tail, tail, kDeleted) == 0)
    path.resize(path.size() - tail);
  auto o = Nan::New<Object>();
  Put(o, "pid", Nan::New(m.pid));
  Put(o, "comm", Text(std::string(m.comm, strnlen(m.comm, sizeof m.comm)).c_str()));
  Put(o, "dev", Nan::New(m.dev));
  Put(o, "ino", Nan::New(static_cast<double>(m.ino)));
  Put(o, "path", Text(path.c_str()));
  Put(o, "deleted", Nan::New(m.nlink == 0));
  Put(o, "start", v8::BigInt::NewFromUnsigned(v8::Isolate::GetCurrent(), m.start));
  Put(o, "end", v8::BigInt::NewFromUnsigned(v8::Isolate::GetCurrent(), m.end));
  Put(o, "fileOffset", Nan::New(static_cast<double>(m.file_offset)));
  Put(o, "mntns", Nan::New(m.mntns));
  return o;
}

} // namespace

NAN_MODULE_INIT(TlsCapture::Init) {
  auto tpl = Template(kName, New);
  Nan::SetPrototypeMethod(tpl, "open", Open);
  Nan::SetPrototypeMethod(tpl, "start", Start);
  Nan::SetPrototypeMethod(tpl, "attach", Attach);
  Nan::SetPrototypeMethod(tpl, "detach", Detach);
  Nan::SetPrototypeMethod(tpl, "scan", Scan);
  Nan::SetPrototypeMethod(tpl, "allow", Allow);
  Nan::SetPrototypeMethod(tpl, "starts", Starts);
  Nan::SetPrototypeMethod(tpl, "verdict", Verdict);
  Nan::SetPrototypeMethod(tpl, "counters", Counters);
  Nan::SetPrototypeMethod(tpl, "execs", Execs);
  Nan::SetPrototypeMethod(tpl, "status", Status);
  Put(target, kName, Nan::GetFunction(tpl).ToLocalChecked());
}

Local<Value> TlsCapture::CounterNames() {
  static const char *const own[] = {"records", "held", "malformed"};
  auto names = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < kCounters; i++)
    Nan::Set(names, i, Text(i < CT_TLS_N_COUNT ? ct_tls_count_name(i) : own[i - CT_TLS_N_COUNT]));
  return names;
}

NAN_METHOD(TlsCapture::New) {
  Construct(info, {kName, "calltap:tls",
                   [](v8::Isolate *isolate) -> SlabSource * { return new TlsCapture(isolate); }});
}

TlsCapture *TlsCapture::Self(const Nan::FunctionCallbackInfo<Value> &info) {
  return Nan::ObjectWrap::Unwrap<TlsCapture>(info.Holder());
}

const char *TlsCapture::Configure(Local<Object> opt) {
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

NAN_METHOD(TlsCapture::Open) {
  auto *c = Self(info);
  if (c->IsClosing() || c->probe_.skel != nullptr) return Nan::ThrowError("probes are open or closed");
  char why[CT_TLS_WHY] = "";
  ct_tls_probe_open(&c->probe_, &c->opts_, why);
  info.GetReturnValue().Set(Text(c->probe_.skel == nullptr ? why : ""));
}

NAN_METHOD(TlsCapture::Start) {
  auto *c = Self(info);
  int rc = c->IsClosing() || c->probe_.skel == nullptr ? -ECANCELED : ct_tls_start(&c->source_);
  if (rc == 0) c->KeepLoopAlive(true);
  info.GetReturnValue().Set(Nan::New(-rc));
}

NAN_METHOD(TlsCapture::Attach) {
  auto *c = Self(info);
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
  int64_t id = ct_tls_attach(&c->probe_, *path, U32(request, "pid"), rows.data(),
                             static_cast<uint32_t>(rows.size()), why);
  auto out = Nan::New<Object>();
  Put(out, "id", Nan::New(static_cast<double>(id > 0 ? id : 0)));
  Put(out, "errno", Nan::New(static_cast<int>(id < 0 ? -id : 0)));
  Put(out, "error", Text(id < 0 ? why : ""));
  info.GetReturnValue().Set(out);
}

NAN_METHOD(TlsCapture::Detach) {
  info.GetReturnValue().Set(Nan::New(ct_tls_detach(&Self(info)->probe_, U32(info[0]))));
}

NAN_METHOD(TlsCapture::Scan) {
  auto *c = Self(info);
  char why[CT_TLS_WHY] = "";
  ct_tls_mapping *rows = nullptr;
  int64_t n = c->IsClosing() ? -ECANCELED : ct_tls_scan(&c->scanner_, &rows, why);
  ct_tls_tidy(&c->probe_);
  auto list = Nan::New<v8::Array>();
  for (int64_t i = 0; i < n; i++) {
    Nan::HandleScope inner;
    Nan::Set(list, static_cast<uint32_t>(i), MappingRow(rows[i]));
  }
  free(rows);
  auto out = Nan::New<Object>();
  Put(out, "error", Text(why));
  Put(out, "rows", list);
  info.GetReturnValue().Set(out);
}

NAN_METHOD(TlsCapture::Allow) {
  // A view of nothing has no address, and is not null all the same: nobody is observed, not everybody.
  static const uint32_t nobody = 0;
  View pids = ViewOf(info[0]);
  const uint32_t *list = nullptr;
  if (!info[0]->IsNull()) {
    if (!info[0]->IsUint32Array()) return Nan::ThrowTypeError("allow(Uint32Array | null)");
    list = pids.len == 0 ? &nobody : reinterpret_cast<uint32_t *>(pids.data);
  }
  int rc = ct_tls_allow(&Self(info)->probe_, list, static_cast<uint32_t>(pids.len / sizeof(uint32_t)));
  if (rc == -ENOENT) rc = 0;
  info.GetReturnValue().Set(Nan::New(-rc));
}

NAN_METHOD(TlsCapture::Starts) {
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
  int rc = ct_tls_starts(&Self(info)->probe_, U32(info[0]), programs.data(),
                         static_cast<uint32_t>(programs.size()));
  info.GetReturnValue().Set(Nan::New(-rc));
}

NAN_METHOD(TlsCapture::Verdict) {
  uint64_t id = U32(info[0]) | static_cast<uint64_t>(U32(info[1])) << 32;
  ct_tls_verdict(&Self(info)->probe_, id, Flag(info[2]));
}

NAN_METHOD(TlsCapture::Counters) {
  auto *c = Self(info);
  View out = ViewOf(info[0]);
  if (out.len < kCounters * sizeof(uint64_t)) return Nan::ThrowTypeError("counters(out): too short");
  auto *v = reinterpret_cast<uint64_t *>(out.data);
  ct_tls_counts(&c->probe_, v);
  v[CT_TLS_N_COUNT] = __atomic_load_n(&c->source_.records, __ATOMIC_RELAXED);
  v[CT_TLS_N_COUNT + 1] = __atomic_load_n(&c->source_.held, __ATOMIC_RELAXED);
  v[CT_TLS_N_COUNT + 2] = __atomic_load_n(&c->source_.events.malformed, __ATOMIC_RELAXED);
}

NAN_METHOD(TlsCapture::Execs) {
  info.GetReturnValue().Set(Nan::New(static_cast<double>(ct_tls_execs(&Self(info)->probe_))));
}

NAN_METHOD(TlsCapture::Status) {
  static const char *const modes[] = {"multi", "perf", "none"};
  static const char *const sockets[] = {"sock-tp", "sys-exit", "none"};
  auto *c = Self(info);
  bool open = c->probe_.skel != nullptr;
  auto out = Nan::New<Object>(), caveats = Nan::New<v8::Array>().As<Object>();
  uint32_t n = 0;
  if (open && !c->probe_.has_helpers)
    Nan::Set(
        caveats, n++,
        Text("the kernel has no bpf_find_vma (Linux 5.17): connections that processes share are seen once "
             "a process"));
  if (open && !c->probe_.has_process_events)
    Nan::Set(caveats, n++,
             Text("starts and ends of processes are not seen: new ones are found by the regular scan only"));
  Put(out, "probes", Text(modes[open ? c->probe_.mode : CT_TLS_NO_PROBES]));
  Put(out, "probesWhy", Text(c->probe_.mode_why));
  Put(out, "sockets", Text(sockets[open ? c->probe_.sockets : CT_TLS_NO_SOCKETS]));
  Put(out, "socketsWhy", Text(c->probe_.sockets_why));
  Put(out, "caveats", caveats);
  Put(out, "attachments", Nan::New(c->probe_.attachments));
  Put(out, "ringBytes", Nan::New(c->opts_.ring_bytes));
  info.GetReturnValue().Set(out);
}

void TlsCapture::StopSource() {
  ct_tls_stop(&source_);
  ct_tls_probe_close(&probe_);
  ct_tls_scan_close(&scanner_);
}

} // namespace calltap
