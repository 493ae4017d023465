// SPDX-License-Identifier: Apache-2.0
// output.cc - lists the outputs of the process by number.
#include "binding/output.h"
#include <map>
#include <mutex>

namespace calltap {

namespace {

struct Outputs {
  std::mutex lock;
  std::map<uint32_t, std::weak_ptr<Output>> by_id;
  uint32_t last_id = 0;
};

Outputs &All() {
  static Outputs outputs;
  return outputs;
}

} // namespace

void Output::Flush() const {
  if (writer != nullptr) ct_pcap_write_flush(writer);
}

void Output::Close() {
  if (writer != nullptr) ct_pcap_write_close(writer);
  writer = nullptr;
}

std::shared_ptr<Output> MakeOutput() {
  auto output = std::make_shared<Output>();
  Outputs &all = All();
  std::lock_guard<std::mutex> guard(all.lock);
  std::erase_if(all.by_id, [](const auto &entry) { return entry.second.expired(); });
  output->id = ++all.last_id;
  all.by_id[output->id] = output;
  return output;
}

std::shared_ptr<Output> FindOutput(uint32_t id) {
  Outputs &all = All();
  std::lock_guard<std::mutex> guard(all.lock);
  auto found = all.by_id.find(id);
  auto output = found == all.by_id.end() ? nullptr : found->second.lock();
  return output != nullptr && output->writer != nullptr ? output : nullptr;
}

} // namespace calltap
