// SPDX-License-Identifier: Apache-2.0
// hep_capture.cc - HepCapture of JavaScript: the thread, gate and ring of the HEP listener.
//
// This is the half that reads datagrams; TypeScript reads HEP over TCP. src/sources/hep/native-hep.ts types it.
#include "binding/functions.h"
#include "binding/output.h"
#include "binding/slab_source.h"
#include "hep/source_hep.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace calltap {

namespace {

class HepCapture : public SlabSource {
public:
  static constexpr const char *kName = "HepCapture", *kResource = "calltap:hep";
  using SlabSource::SlabSource;
  ~HepCapture() override {
    if (gateReady_) ct_hep_gate_close(&gate_);
  }

  static NAN_MODULE_INIT(Init) {
    auto tpl = Template<HepCapture>();
    Method<&HepCapture::Open>(tpl, "open");
    Method<&HepCapture::SetOutput>(tpl, "setOutput");
    Method<&HepCapture::Start>(tpl, "start");
    Method<&HepCapture::Admit>(tpl, "admit");
    Method<&HepCapture::TopSenders>(tpl, "topSenders");
    Method<&HepCapture::Halt>(tpl, "halt");
    Method<&HepCapture::Unread>(tpl, "unread");
    Put(target, kName, Nan::GetFunction(tpl).ToLocalChecked());
  }

private:
  const char *Configure(Local<Object> opt) override {
    View counters = Pin(Prop(opt, "counters")), allow = ViewOf(Prop(opt, "allow"));
    if (counters.len != CT_HEP_COUNTERS * sizeof(uint64_t)) return "counters: wrong size";
    if (allow.len % sizeof(ct_cidr) != 0) return "allow: wrong size";
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
    View key = ViewOf(Prop(opt, "key"));
    if (!ct_hep_gate_key(&gate_, key.data, static_cast<uint32_t>(key.len))) return "key: too long";
    return nullptr;
  }

  void Open(Call info) {
    Nan::Utf8String address(info[0]);
    if (IsClosing() || source_.is_open || *address == nullptr)
      return Nan::ThrowError("listener is open or closed");
    int rc = ct_hep_open(&source_, *address, static_cast<uint16_t>(U32(info[1])));
    auto out = Nan::New<Object>();
    Put(out, "errno", -rc);
    Put(out, "port", static_cast<uint32_t>(source_.port));
    Put(out, "receiveBuffer", source_.rcvbuf_got);
    info.GetReturnValue().Set(out);
  }

  void SetOutput(Call info) {
    if (IsClosing() || source_.running) return Nan::ThrowError("listener is running");
    auto output = FindOutput(U32(info[0]));
    if (output == nullptr) return Nan::ThrowTypeError("setOutput(the id of an OutputFile that is open)");
    output_ = output;
    source_.output = output_->writer;
  }

  int Start(Call) {
    int rc = IsClosing() ? -ECANCELED : ct_hep_start(&source_);
    if (rc == 0) KeepLoopAlive(true);
    return -rc;
  }

  void Admit(Call info) {
    View address = ViewOf(info[0]), packet = ViewOf(info[2]);
    uint32_t start = U32(info[3]), end = U32(info[4]);
    if (address.len < 16 || start > end || end > packet.len)
      return Nan::ThrowTypeError("admit(address of 16 bytes, version, packet, start, end)");
    info.GetReturnValue().Set(static_cast<uint32_t>(
        ct_hep_admit(&gate_, address.data, static_cast<uint8_t>(U32(info[1])), packet.data + start,
                     end - start, static_cast<int64_t>(uv_hrtime()))));
  }

  // Fills rows of address (16), version (1), padding (7) and one u64 a verdict.
  uint32_t TopSenders(Call info) {
    constexpr size_t kRow = 24 + CT_HEP_VERDICTS * sizeof(uint64_t);
    View rows = ViewOf(info[0]);
    std::vector<ct_hep_sender> top(std::min<size_t>(rows.len / kRow, CT_HEP_SENDERS));
    uint32_t n = ct_hep_top_senders(&gate_, top.data(), static_cast<uint32_t>(top.size()));
    for (uint32_t i = 0; i < n; i++) {
      uint8_t *row = rows.data + i * kRow;
      memset(row, 0, 24);
      memcpy(row, top[i].addr, 16);
      row[16] = top[i].version;
      memcpy(row + 24, top[i].n, sizeof(top[i].n));
    }
    return n;
  }

  void Halt(Call) {
    if (!IsClosing()) ct_hep_halt(&source_);
  }

  double Unread(Call) { return static_cast<double>(ct_ring_unread(&ring_)); }

  void StopSource() override {
    ct_hep_stop(&source_);
    if (output_ != nullptr) output_->Flush();
    source_.output = nullptr;
    output_.reset();
  }

  ct_hep_gate gate_{};
  ct_hep_source source_{};
  bool gateReady_ = false;
  std::shared_ptr<Output> output_;
};

} // namespace

NAN_MODULE_INIT(InitHepCapture) { HepCapture::Init(target); }

} // namespace calltap
