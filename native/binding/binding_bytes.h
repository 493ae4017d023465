// SPDX-License-Identifier: Apache-2.0
// binding_bytes.h - what JavaScript asks of plain bytes: their digest, huge pages, pages made present ahead, and
// reading a file again. Part of module.cc, within its namespace.

// The part of a view that is whole pages of this size (a power of two); empty when there is none.
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

// adviseHuge(view): asks for huge pages behind a large buffer, and returns the offset at which the first of them
// can begin; a hint, nothing depends on it.
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

// touchPages(view): has another thread make the pages behind a buffer present, before this one writes to them.
NAN_METHOD(TouchPages) {
  View v = ViewOf(info[0]);
  if (v.len > 0) Nan::AsyncQueueWorker(new PageTouch(info[0], v));
}

// digest(view, start, length, out): FNV-1a 64 of view[start..start+length) into out (Int32Array: low, high).
NAN_METHOD(Digest) {
  View v = ViewOf(info[0]), out = ViewOf(info[3]);
  uint32_t start = Nan::To<uint32_t>(info[1]).FromMaybe(0), len = Nan::To<uint32_t>(info[2]).FromMaybe(0);
  if (start > v.len || len > v.len - start || out.len < sizeof(uint64_t))
    return Nan::ThrowRangeError("digest range");
  uint64_t h = ct_fnv1a64(v.data + start, len);
  memcpy(out.data, &h, sizeof(h));
}

// readAgain(fd, position, into): fills `into` from there; the ct_payload_check() of what was read, -1 when it is short.
NAN_METHOD(ReadAgain) {
  View into = ViewOf(info[2]);
  int fd = Nan::To<int32_t>(info[0]).FromMaybe(-1);
  double position = Nan::To<double>(info[1]).FromMaybe(-1);
  if (fd < 0 || !(position >= 0 && position < 9e15) || into.len > UINT32_MAX)
    return Nan::ThrowRangeError("readAgain range");
  size_t have = 0;
  while (have < into.len) {
    ssize_t n =
        pread(fd, into.data + have, into.len - have, static_cast<off_t>(position) + static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  double check = have < into.len ? -1.0 : ct_payload_check(into.data, static_cast<uint32_t>(into.len));
  info.GetReturnValue().Set(check);
}
