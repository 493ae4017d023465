// SPDX-License-Identifier: Apache-2.0
// second_pass.cc - writes selected frames of files on a thread of libuv's pool. src/sources/native.ts types it.
#include "file/second_pass.h"
#include "binding/functions.h"
#include "binding/output.h"
#include <cstring>
#include <memory>
#include <node.h>
#include <vector>

namespace calltap {

namespace {

// What the pass reads and writes; the memory of JavaScript stays while it runs.
class SecondPass : public Nan::AsyncWorker {
public:
  explicit SecondPass(Nan::Callback *done) : Nan::AsyncWorker(done, "calltap:second-pass") {}
  ~SecondPass() override {
    if (isolate_ != nullptr) node::RemoveEnvironmentCleanupHook(isolate_, Stop, this);
    ct_selection_free(selection_);
    ct_frame_filter_free(pass_.filter);
  }

  // What is wrong with the options, or nullptr.
  const char *Configure(Local<Object> opt, v8::Isolate *isolate) {
    Local<Value> paths = Prop(opt, "paths"), ordinals = Prop(opt, "ordinals");
    if (!paths->IsArray() || !ordinals->IsArray()) return "paths and ordinals: arrays";
    const uint32_t n = paths.As<v8::Array>()->Length();
    View fds = ViewOf(Prop(opt, "descriptors")), flows = Pin(Prop(opt, "flows")),
         seed = ViewOf(Prop(opt, "seed"));
    View control = Pin(Prop(opt, "control"));
    if (n == 0 || fds.len != n * sizeof(int32_t) || ordinals.As<v8::Array>()->Length() != n)
      return "a path or more, with a descriptor and a list of numbers for each";
    if (flows.len % sizeof(ct_flow) != 0 || seed.len != 16 || control.len != 2 * sizeof(uint32_t))
      return "flows, seed or control: wrong size";
    output_ = FindOutput(U32(opt, "output"));
    if (output_ == nullptr) return "output: the id of an OutputFile that is open";
    names_ = Strings(paths.As<v8::Array>(), n);
    for (const auto &name : names_) path_.push_back(name.c_str());
    fd_.resize(n);
    memcpy(fd_.data(), fds.data, fds.len);
    memcpy(pass_.copies_key, seed.data, seed.len);
    std::vector<ct_flow> rows(flows.len / sizeof(ct_flow));
    if (!rows.empty()) memcpy(rows.data(), flows.data, flows.len);
    selection_ = ct_selection_create(n, rows.data(), static_cast<uint32_t>(rows.size()), pass_.copies_key);
    if (selection_ == nullptr) return "out of memory";
    for (uint32_t i = 0; i < n; i++) {
      View numbers = Pin(Nan::Get(ordinals.As<Object>(), i).FromMaybe(Nan::Undefined().As<Value>()));
      ct_selection_set_numbers(selection_, i, reinterpret_cast<const double *>(numbers.data),
                               numbers.len / sizeof(double));
    }
    pass_.decode.esp_null = Flag(opt, "espNull");
    const std::string bpf = TextOf(opt, "bpf");
    if (!bpf.empty() && (pass_.filter = ct_frame_filter_create(bpf.c_str())) == nullptr)
      return "out of memory";
    auto *words = reinterpret_cast<ct_atomic_u32 *>(control.data);
    pass_.stop = words;
    pass_.progress = words + 1;
    isolate_ = isolate;
    node::AddEnvironmentCleanupHook(isolate, Stop, this);
    return nullptr;
  }

  void Execute() override {
    pass_.path = path_.data();
    pass_.fd = fd_.data();
    pass_.files = static_cast<uint32_t>(path_.size());
    pass_.selection = selection_;
    pass_.output = output_->writer;
    ct_second_pass_run(&pass_, &result_);
    output_->Flush();
  }

  void HandleOKCallback() override {
    Nan::HandleScope scope;
    auto out = Nan::New<Object>();
    Put(out, "read", static_cast<double>(result_.read));
    Put(out, "taken", static_cast<double>(result_.taken));
    Put(out, "refused", static_cast<double>(result_.refused));
    Put(out, "copies", static_cast<double>(result_.copies));
    Put(out, "missing", static_cast<double>(result_.missing));
    Put(out, "missedFragments", static_cast<double>(result_.missed_fragments));
    Put(out, "isStopped", result_.stopped);
    Put(out, "failed", result_.failed ? static_cast<double>(result_.end.file) : -1.0);
    Put(out, "status", static_cast<uint32_t>(result_.end.status));
    Put(out, "errno", result_.end.err);
    Local<Value> args[] = {out};
    callback->Call(1, args, async_resource);
  }

private:
  static void Stop(void *self) { static_cast<SecondPass *>(self)->pass_.stop->store(1); }

  View Pin(Local<Value> v) {
    if (v->IsArrayBufferView()) pins_.push_back(v.As<v8::ArrayBufferView>()->Buffer()->GetBackingStore());
    return ViewOf(v);
  }

  ct_second_pass pass_{};
  ct_second_result result_{};
  ct_selection *selection_ = nullptr;
  v8::Isolate *isolate_ = nullptr;
  std::shared_ptr<Output> output_;
  std::vector<std::string> names_;
  std::vector<const char *> path_;
  std::vector<int> fd_;
  std::vector<std::shared_ptr<v8::BackingStore>> pins_;
};

// secondPass(options, done): see NativeSecondPass.
NAN_METHOD(RunSecondPass) {
  if (!info[0]->IsObject() || !info[1]->IsFunction()) return Nan::ThrowTypeError("secondPass(options, done)");
  auto pass = std::make_unique<SecondPass>(new Nan::Callback(info[1].As<Function>()));
  const char *wrong = pass->Configure(info[0].As<Object>(), info.GetIsolate());
  if (wrong != nullptr) return Nan::ThrowTypeError(wrong);
  Nan::AsyncQueueWorker(pass.release());
}

} // namespace

NAN_MODULE_INIT(InitSecondPass) { Nan::Export(target, "secondPass", RunSecondPass); }

} // namespace calltap
