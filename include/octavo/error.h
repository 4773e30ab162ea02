// The one error type of octavo, its codes, and what each means to a caller.
//
// Everything that goes wrong because of bytes or wishes from outside (files, flags, requests)
// is thrown as Error. Bugs in octavo itself stop the program with a message instead.
#ifndef OCTAVO_ERROR_H_
#define OCTAVO_ERROR_H_

#include <stdexcept>
#include <string>

namespace octavo {

// | code               | meaning                                        | exit | HTTP |
// |--------------------|------------------------------------------------|------|------|
// | kInvalidArgument   | a flag, request or option is wrong             | 2    | 400  |
// | kNotFound          | a file, model, page or tensor is absent        | 3    | 404  |
// | kDataLoss          | a file is damaged                              | 4    | 422  |
// | kUnsupported       | intact, but a form octavo does not read        | 5    | 422  |
// | kResourceExhausted | memory, size or time limit; says need and have | 6    | 503  |
// | kIo                | the operating system refused a read or write   | 7    | 500  |
// | kCancelled         | the caller gave up                             | 130  | 499  |
enum class ErrorCode {
  kInvalidArgument,
  kNotFound,
  kDataLoss,
  kUnsupported,
  kResourceExhausted,
  kIo,
  kCancelled,
};

// "invalid argument", "not found", ...
const char* ErrorCodeName(ErrorCode code) noexcept;

// Exit code of a command that ends with this error (table above).
int ExitCode(ErrorCode code) noexcept;

// HTTP status of a request that ends with this error (table above).
int HttpStatus(ErrorCode code) noexcept;

// what() is one line: what was found, what was expected, where. Never the text of a document.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace octavo

#endif  // OCTAVO_ERROR_H_
