// SPDX-License-Identifier: Apache-2.0
// hep_capture.h - HepCapture of JavaScript: the thread, gate and ring of the HEP listener.
//
// src/sources/hep/listener.ts types it. This is the half that reads datagrams; TypeScript reads HEP over TCP.
#ifndef CALLTAP_BINDING_HEP_CAPTURE_H
#define CALLTAP_BINDING_HEP_CAPTURE_H
#include "binding/output.h"
#include "binding/slab_source.h"
#include "hep/source_hep.h"

namespace calltap {

class HepCapture : public SlabSource {
public:
  static NAN_MODULE_INIT(Init);
  ~HepCapture() override;

private:
  static constexpr const char *kName = "HepCapture";
  explicit HepCapture(v8::Isolate *isolate) : SlabSource(isolate) {}
  static HepCapture *Self(const Nan::FunctionCallbackInfo<Value> &info);

  const char *Configure(Local<Object> opt) override;
  void StopSource() override;

  static NAN_METHOD(New);
  // open(address, port): {errno, port, receiveBuffer}; errno 0 when the socket is bound.
  static NAN_METHOD(Open);
  // setOutput(id of an OutputFile): the listener writes there what it takes from the next start on.
  static NAN_METHOD(SetOutput);
  // start(): errno; 0 when the thread runs. A listener keeps the loop alive until close().
  static NAN_METHOD(Start);
  // admit(address, version, packet, start, end): counts one packet of another transport; its verdict, 0 when it is taken.
  static NAN_METHOD(Admit);
  // topSenders(rows): fills rows of address (16), version (1), padding (7) and one u64 a verdict; how many rows.
  static NAN_METHOD(TopSenders);
  // halt(): the thread ends and publishes what it had; callbacks continue until JavaScript has all of it.
  static NAN_METHOD(Halt);
  // unread(): records that JavaScript does not have yet.
  static NAN_METHOD(Unread);

  ct_hep_gate gate_{};
  ct_hep_source source_{};
  bool gateReady_ = false;
  std::shared_ptr<Output> output_;
};

} // namespace calltap
#endif
