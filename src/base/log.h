// One logger for the program. Silent until a program turns it on; always to stderr.
#ifndef OCTAVO_BASE_LOG_H_
#define OCTAVO_BASE_LOG_H_

#include <string_view>

namespace octavo {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// The lowest level that is written; kOff at start. Safe from any thread.
void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);

// One line to stderr with time and level. Never document text. Safe from any thread.
void Log(LogLevel level, std::string_view message);

}  // namespace octavo

#endif  // OCTAVO_BASE_LOG_H_
