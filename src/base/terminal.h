// What stands behind a standard stream.
#ifndef OCTAVO_BASE_TERMINAL_H_
#define OCTAVO_BASE_TERMINAL_H_

#include <cstdio>

namespace octavo {

// True if the stream (stdout, stderr) is a terminal that moves its cursor.
bool IsTerminal(std::FILE* stream) noexcept;

// Columns of that terminal; 80 if unknown.
int TerminalWidth(std::FILE* stream) noexcept;

}  // namespace octavo

#endif  // OCTAVO_BASE_TERMINAL_H_
