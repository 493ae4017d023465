// SPDX-License-Identifier: Apache-2.0
// memory.cc - gives JavaScript a say in pages and collections.
#include "binding/functions.h"
#include <sys/mman.h>
#include <unistd.h>

namespace calltap {

namespace {

// The part of a view that is whole pages of this size (a power of two); empty without one.
struct Pages {
  uintptr_t start, bytes;
};
Pages WholePages(const View &v, uintptr_t page) {
  uintptr_t at = reinterpret_cast<uintptr_t>(v.data);
  uintptr_t start = (at + page - 1) & ~(page - 1), end = (at + v.len) & ~(page - 1);
  return {start, end > start ? end - start : 0};
}
void Advise(const Pages &p, int advice) {
  if (p.bytes > 0) madvise(reinterpret_cast<void *>(p.start), p.bytes, advice);
}

// adviseHuge(view): asks for huge pages behind a large buffer, a hint; the offset at which the first of them can begin.
NAN_METHOD(AdviseHuge) {
  View v = ViewOf(info[0]);
  Pages huge = WholePages(v, 2 << 20);
  Advise(huge, MADV_HUGEPAGE);
  info.GetReturnValue().Set(static_cast<double>(huge.start - reinterpret_cast<uintptr_t>(v.data)));
}

// Writes to no byte, so that what JavaScript puts there meanwhile stays: MADV_POPULATE_WRITE of Linux 5.14, else nothing.
class PageTouch : public Nan::AsyncWorker {
public:
  PageTouch(Local<Value> view, View bytes) : Nan::AsyncWorker(nullptr, "calltap:touchPages"), bytes_(bytes) {
    SaveToPersistent(0u, view);
  }
  void Execute() override {
#ifdef MADV_POPULATE_WRITE
    Advise(WholePages(bytes_, static_cast<uintptr_t>(sysconf(_SC_PAGESIZE))), MADV_POPULATE_WRITE);
#endif
  }
  void HandleOKCallback() override {}

private:
  View bytes_;
};

// touchPages(view): another thread makes the pages behind a buffer present, before this thread writes to them.
NAN_METHOD(TouchPages) {
  View v = ViewOf(info[0]);
  if (v.len > 0) Nan::AsyncQueueWorker(new PageTouch(info[0], v));
}

// excludeFromGc(bytes): takes the memory of an ArrayBuffer of that size out of the engine's account of what a collection
// could free; the bytes that the account holds then, 0 when the engine does not say. Since V8 13 an ArrayBuffer is on
// another account, and to take from this one what it never had ends the process: then the call does nothing.
NAN_METHOD(ExcludeFromGc) {
  double bytes = Nan::To<double>(info[0]).FromMaybe(-1);
  if (!(bytes >= 0 && bytes <= 1e12)) return Nan::ThrowRangeError("0 to 1e12 bytes");
#if V8_MAJOR_VERSION < 13
  int64_t left = info.GetIsolate()->AdjustAmountOfExternalAllocatedMemory(-static_cast<int64_t>(bytes));
#else
  int64_t left = 0;
#endif
  info.GetReturnValue().Set(Nan::New(static_cast<double>(left)));
}

} // namespace

NAN_MODULE_INIT(InitMemory) {
  Nan::Export(target, "adviseHuge", AdviseHuge);
  Nan::Export(target, "touchPages", TouchPages);
  Nan::Export(target, "excludeFromGc", ExcludeFromGc);
}

} // namespace calltap
