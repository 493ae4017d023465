// SPDX-License-Identifier: Apache-2.0
// output.h - a capture file that is being written (-O), shared by the OutputFile of JavaScript and the captures.
#ifndef CALLTAP_BINDING_OUTPUT_H
#define CALLTAP_BINDING_OUTPUT_H
#include "output/pcap_write.h"
#include <memory>

namespace calltap {

// The writer and its gate. The last owner closes the file.
struct Output {
  ct_atomic_u32 gate{1};
  uint64_t counters[CT_PW_COUNTERS] = {};
  ct_pcap_writer *writer = nullptr;
  uint32_t id = 0;
  Output() = default;
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output() { Close(); }
  void Flush() const;
  void Close();
};

// JavaScript gives a capture the number of an output: without a handle of V8 that outlives its environment, a capture
// could not tell whether an object is an OutputFile. The list of outputs is the only state that environments share.
std::shared_ptr<Output> MakeOutput();
// The output of this number while its file is open, else nullptr.
std::shared_ptr<Output> FindOutput(uint32_t id);

} // namespace calltap
#endif
