// SPDX-License-Identifier: Apache-2.0
// process.cc - lets JavaScript give up privileges, end, restart and rank its threads, and read the clock.
#include "binding/functions.h"
#include "system/caps.h"
#include "system/host_clock.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

namespace calltap {

namespace {

// dropPrivileges(user or null, keep): {errno, step, kept, threadsLeft, uid}; `keep` and `kept` are numbers of
// capabilities. Call it from the main thread: the calling thread keeps the capabilities.
NAN_METHOD(DropPrivileges) {
  if (!info[0]->IsNull() && !info[0]->IsString()) return Nan::ThrowTypeError("user: a name or null");
  if (!info[1]->IsArray()) return Nan::ThrowTypeError("keep: an array of numbers");
  auto numbers = info[1].As<v8::Array>();
  uint64_t keep = 0;
  for (uint32_t i = 0; i < numbers->Length(); i++) {
    uint32_t n = Nan::To<uint32_t>(Nan::Get(numbers, i).ToLocalChecked()).FromMaybe(64);
    if (n > 63) return Nan::ThrowRangeError("keep: no such capability");
    keep |= 1ull << n;
  }
  Nan::Utf8String user(info[0]);
  ct_caps_result r{};
  ct_caps_drop(info[0]->IsNull() ? nullptr : *user, keep, &r);
  auto kept = Nan::New<v8::Array>();
  for (uint32_t n = 0, at = 0; n < 64; n++)
    if (r.kept >> n & 1) Nan::Set(kept, at++, Nan::New(n));
  auto out = Nan::New<Object>();
  Put(out, "errno", Nan::New(r.err));
  Put(out, "step", Text(r.step));
  Put(out, "kept", kept);
  Put(out, "threadsLeft", Nan::New(r.threads_left));
  Put(out, "uid", Nan::New(r.uid));
  info.GetReturnValue().Set(out);
}

// isClockSynchronized(): whether the kernel takes the host's clock for synchronized, as NTP services tell it.
NAN_METHOD(IsClockSynchronized) {
  struct timex t {};
  info.GetReturnValue().Set(adjtimex(&t) >= 0 && (t.status & STA_UNSYNC) == 0);
}

// hostClock(out): steady time (system/host_clock.h) in microseconds and how often what is known of steps changed, in two
// numbers.
NAN_METHOD(HostClock) {
  View out = ViewOf(info[0]);
  if (out.len < 2 * sizeof(double)) return Nan::ThrowTypeError("hostClock(out)");
  auto *numbers = reinterpret_cast<double *>(out.data);
  numbers[0] = static_cast<double>(ct_host_now_ns() / 1000);
  numbers[1] = ct_host_clock_changes();
}

// hostSteps(out): the steps of the clock that are remembered, the oldest first: when and by how much, in microseconds, in
// `out`. The oldest is by as much as all that are forgotten and itself. How many there were ever.
NAN_METHOD(HostSteps) {
  View out = ViewOf(info[0]);
  if (out.len < 2 * CT_HOST_STEPS * sizeof(double)) return Nan::ThrowTypeError("hostSteps(out)");
  auto *numbers = reinterpret_cast<double *>(out.data);
  ct_host_clock clock;
  ct_host_clock_read(&clock);
  int64_t before = clock.shift_ns;
  uint32_t n = std::min(clock.steps, CT_HOST_STEPS), oldest = clock.steps - n;
  for (uint32_t i = 0; i < n; i++) {
    const ct_host_step &step = clock.step[(oldest + i) % CT_HOST_STEPS];
    numbers[2 * i] = static_cast<double>(step.at_ns / 1000);
    numbers[2 * i + 1] = static_cast<double>(step.size_ns / 1000);
    before -= step.size_ns;
  }
  if (n > 0) numbers[1] += static_cast<double>(before / 1000);
  info.GetReturnValue().Set(clock.steps);
}

// Signals before this time are copies of the first one: timeout(1) signals a process, and then its group.
std::atomic<int64_t> end_from_ns;
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler reads it");

int64_t SteadyNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

void EndAtOnce(int signal) {
  if (SteadyNs() >= end_from_ns) _exit(128 + signal);
}

// exitOnSignals(afterMs): SIGINT and SIGTERM do nothing so long; after that they end the process at once with 130 and 143,
// whatever JavaScript does.
NAN_METHOD(ExitOnSignals) {
  end_from_ns = SteadyNs() + int64_t{Nan::To<int32_t>(info[0]).FromMaybe(0)} * 1000000;
  struct sigaction end {};
  end.sa_handler = EndAtOnce;
  end.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM}) sigaction(signal, &end, nullptr);
}

// restart(arguments): runs the program of this process again in its place, with these arguments, the first of which is
// its name. Returns only when that fails, with errno.
NAN_METHOD(Restart) {
  if (!info[0]->IsArray()) return Nan::ThrowTypeError("arguments: an array of strings");
  auto given = info[0].As<v8::Array>();
  std::vector<std::string> words;
  for (uint32_t i = 0; i < given->Length(); i++) {
    Local<Value> word = Nan::Get(given, i).ToLocalChecked();
    if (!word->IsString()) return Nan::ThrowTypeError("arguments: an array of strings");
    words.emplace_back(*Nan::Utf8String(word));
  }
  std::vector<char *> argv;
  for (auto &word : words) argv.push_back(&word[0]);
  argv.push_back(nullptr);
  // Node marks the standard streams it inherited to be closed at exec.
  for (int fd = 0; fd <= 2; fd++) fcntl(fd, F_SETFD, 0);
  execv("/proc/self/exe", argv.data());
  info.GetReturnValue().Set(Nan::New(errno));
}

// Linux keeps a nice value for each thread, under its number (setpriority(2), "Bugs").
uint32_t Hastened(int nice) {
  DIR *dir = opendir("/proc/self/task");
  if (dir == nullptr) return 0;
  uint32_t done = 0;
  for (const dirent *e = readdir(dir); e != nullptr; e = readdir(dir)) {
    auto number = static_cast<id_t>(strtol(e->d_name, nullptr, 10)); // 0 for "." and ".."
    if (number == 0) continue;
    errno = 0;
    int own = getpriority(PRIO_PROCESS, number);
    if (errno != 0 || own > 0 || own <= nice) continue;
    if (setpriority(PRIO_PROCESS, number, nice) == 0) done++;
  }
  closedir(dir);
  return done;
}

// hasten(nice): gives every thread of this process this nice value, below 0, unless it already runs before others or was
// set to run after them (above 0). Later threads inherit it. The number of threads that changed; the kernel allows it
// with CAP_SYS_NICE or RLIMIT_NICE.
NAN_METHOD(Hasten) {
  int nice = Nan::To<int32_t>(info[0]).FromMaybe(0);
  if (nice < -20 || nice > -1) return Nan::ThrowRangeError("-20 to -1");
  info.GetReturnValue().Set(Nan::New(Hastened(nice)));
}

} // namespace

NAN_MODULE_INIT(InitProcess) {
  Nan::Export(target, "dropPrivileges", DropPrivileges);
  Nan::Export(target, "isClockSynchronized", IsClockSynchronized);
  Nan::Export(target, "hostClock", HostClock);
  Nan::Export(target, "hostSteps", HostSteps);
  Nan::Export(target, "exitOnSignals", ExitOnSignals);
  Nan::Export(target, "restart", Restart);
  Nan::Export(target, "hasten", Hasten);
}

} // namespace calltap
