#include "octavo/error.h"

namespace octavo {

const char* ErrorCodeName(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kDataLoss:
      return "damaged data";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kResourceExhausted:
      return "resource exhausted";
    case ErrorCode::kIo:
      return "input/output error";
    case ErrorCode::kCancelled:
      return "cancelled";
  }
  return "unknown error";
}

int ExitCode(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 2;
    case ErrorCode::kNotFound:
      return 3;
    case ErrorCode::kDataLoss:
      return 4;
    case ErrorCode::kUnsupported:
      return 5;
    case ErrorCode::kResourceExhausted:
      return 6;
    case ErrorCode::kIo:
      return 7;
    case ErrorCode::kCancelled:
      return 130;
  }
  return 1;
}

int HttpStatus(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kDataLoss:
    case ErrorCode::kUnsupported:
      return 422;
    case ErrorCode::kResourceExhausted:
      return 503;
    case ErrorCode::kIo:
      return 500;
    case ErrorCode::kCancelled:
      return 499;
  }
  return 500;
}

}  // namespace octavo
