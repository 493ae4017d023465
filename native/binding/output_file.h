// SPDX-License-Identifier: Apache-2.0
// output_file.h - OutputFile of JavaScript: one file, or the files of a split, that captured frames go to.
#ifndef CALLTAP_BINDING_OUTPUT_FILE_H
#define CALLTAP_BINDING_OUTPUT_FILE_H
#include "binding/output.h"
#include "binding/values.h"
#include <memory>
#include <vector>

namespace calltap {

class OutputFile : public Nan::ObjectWrap {
public:
  static NAN_MODULE_INIT(Init);

private:
  OutputFile() = default;
  static OutputFile *Self(const Nan::FunctionCallbackInfo<Value> &info);

  static NAN_METHOD(New);
  // id(): what setOutput() of a capture takes.
  static NAN_METHOD(Id);
  // open({path, splitBytes, splitSeconds}): errno; 0 when the first file is open.
  static NAN_METHOD(Open);
  // setEnabled(isEnabled): the persistence gate. After setEnabled(false) returns, nothing more is written.
  static NAN_METHOD(SetEnabled);
  // reopen(): the next tick opens the file again under its name.
  static NAN_METHOD(Reopen);
  // tick(): flushes, splits by time and reopens, for when no thread captures.
  static NAN_METHOD(Tick);
  // name(): the name of the file that is written now.
  static NAN_METHOD(Name);
  // counters(out): enum ct_pw_counter into a BigUint64Array.
  static NAN_METHOD(Counters);
  // writeDatagram(payload, start, end, {src, dst, srcPort, dstPort, ipVersion, tsUs}): writes a packet that came by a
  // connection as the datagram it could have been.
  static NAN_METHOD(WriteDatagram);
  // close(): flushes. The file closes when no capture writes to it any more.
  static NAN_METHOD(Close);

  std::shared_ptr<Output> output_ = MakeOutput();
  std::vector<uint8_t> frame_;
};

} // namespace calltap
#endif
