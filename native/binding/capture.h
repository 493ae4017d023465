// SPDX-License-Identifier: Apache-2.0
// capture.h - Capture of JavaScript: files or interfaces as the source of one packet pipeline.
//
// src/sources/native.ts types what both have, src/sources/live/native-live.ts the rest.
#ifndef CALLTAP_BINDING_CAPTURE_H
#define CALLTAP_BINDING_CAPTURE_H
#include "binding/output.h"
#include "binding/slab_source.h"
#include "file/source_file.h"
#include "live/source_packet.h"

namespace calltap {

class Capture : public SlabSource {
public:
  static NAN_MODULE_INIT(Init);
  ~Capture() override;

private:
  static constexpr const char *kName = "Capture";
  explicit Capture(v8::Isolate *isolate) : SlabSource(isolate) {}
  static Capture *Self(const Nan::FunctionCallbackInfo<Value> &info);

  const char *Configure(Local<Object> opt) override;
  void StopSource() override;
  void JoinFile();
  void CloseLive();

  static NAN_METHOD(New);
  // datagram(scratchData, scratchDescriptors, payload, descriptor): decodes a reassembled datagram; number of records
  // made. `descriptor` is the record of the fragment that gave the addresses; its transport field is the IP protocol of
  // the payload.
  static NAN_METHOD(Datagram);
  // rtpChunk(i): ArrayBuffer over chunk i of the stream table; undefined until there is one.
  static NAN_METHOD(RtpChunk);
  // setOutput(id of an OutputFile): the capture writes there what it captures from the next start on.
  static NAN_METHOD(SetOutput);
  // queueDropped(): records that found no free slab.
  static NAN_METHOD(QueueDropped);
  // abandon(): no callback comes any more; how many records JavaScript never got.
  static NAN_METHOD(Abandon);

  // openFiles(paths, descriptors): errno; 0 when the thread runs. With a descriptor of a regular file, the thread reads
  // that file from its first byte, and records say where in it they lie. The caller keeps it open until endFiles() or
  // close(). With -1 the thread opens the path, and records do not say where they lie.
  static NAN_METHOD(OpenFiles);
  // askStopFiles(): the thread ends with what it has read and a SOURCE_END record.
  static NAN_METHOD(AskStopFiles);
  // endFiles(): joins the thread after its SOURCE_END; then other files may be opened.
  static NAN_METHOD(EndFiles);
  // progress(): 0 to 1 of the files read.
  static NAN_METHOD(Progress);

  // openLive(options): {errno, step, index}; opens sockets, filter and rings, all that needs privileges.
  static NAN_METHOD(OpenLive);
  // startLive(): errno; the loop stays alive while the thread runs.
  static NAN_METHOD(StartLive);
  // askStopLive(): the thread ends with a SOURCE_END record.
  static NAN_METHOD(AskStopLive);
  // liveStatus(index): {state, mtu, ringBytes, text}
  static NAN_METHOD(LiveStatus);
  // filterStatus(): {mode, why}
  static NAN_METHOD(FilterStatus);
  // filterCounts(out): packets and bytes of each class into `out`; false when the filter does not count.
  static NAN_METHOD(FilterCounts);
  // filterNeedsBpf(): whether filterMedia() needs CAP_BPF on this kernel.
  static NAN_METHOD(FilterNeedsBpf);
  // filterMedia(address, port, isNamed): errno. Tells filter and stream table that an SDP names an endpoint, or no
  // longer does.
  static NAN_METHOD(FilterMedia);

  ct_pipeline pl_{};
  ct_file_source file_{};
  ct_live_source live_{};
  ct_packet_filter filter_{};
  std::shared_ptr<ct_rtp_table> table_;
  std::shared_ptr<Output> output_;
};

} // namespace calltap
#endif
