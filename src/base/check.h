// CHECK and DCHECK: a bug in octavo stops the program with file, line and values.
//
// For what must hold if our own code is right. Wrong input is an Error (octavo/error.h), a
// normal outcome is a return value; neither is a CHECK.
#ifndef OCTAVO_BASE_CHECK_H_
#define OCTAVO_BASE_CHECK_H_

#include <string>

#include "base/str_cat.h"

namespace octavo {

// Prints one line to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& values);

}  // namespace octavo

// OCTAVO_CHECK(condition, values...): the values are joined into the message.
#define OCTAVO_CHECK(condition, ...)                           \
  (static_cast<bool>(condition)                                \
       ? static_cast<void>(0)                                  \
       : ::octavo::CheckFailed(__FILE__, __LINE__, #condition, \
                               ::octavo::StrCat("" __VA_OPT__(, ) __VA_ARGS__)))

// As OCTAVO_CHECK in builds without NDEBUG; free otherwise.
#ifdef NDEBUG
#define OCTAVO_DCHECK(condition, ...) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
#define OCTAVO_DCHECK(condition, ...) OCTAVO_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#endif

#endif  // OCTAVO_BASE_CHECK_H_
