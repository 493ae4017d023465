// SPDX-License-Identifier: Apache-2.0
// binding_restart.h - the part of module.cc that begins the process anew: included there once, inside its namespace.

// restart(arguments): runs the program of this process again in its place, with these arguments, the first of which is
// its name. Comes back only when that fails, with errno.
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
  // Node marks what it inherited to be closed.
  for (int fd = 0; fd <= 2; fd++) fcntl(fd, F_SETFD, 0);
  execv("/proc/self/exe", argv.data());
  info.GetReturnValue().Set(Nan::New(errno));
}
