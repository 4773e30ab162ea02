// What stands behind a standard stream, results written to one, and a secret read from one.
#ifndef OCTAVO_BASE_TERMINAL_H_
#define OCTAVO_BASE_TERMINAL_H_

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace octavo {

// Takes the numbers of standard streams that are closed, so that no file that is opened later gets
// one of them and with it what is written to the stream. Reading and writing these streams fails as
// before. Once, first of all.
void ReserveStandardStreams() noexcept;

// True if the stream (stdout, stderr) is a terminal that moves its cursor.
bool IsTerminal(std::FILE* stream) noexcept;

// Columns of that terminal; 80 if unknown.
int TerminalWidth(std::FILE* stream) noexcept;

// Writes to stdout, at once; sees to it that all of what was printed before got there. Throw kIo.
void WriteStandardOutput(std::string_view bytes);
void FlushStandardOutput();

// One line from standard input, without its end. On a terminal the prompt is written to it, and
// what is typed is not shown; SIGINT, SIGTERM and SIGHUP end the program as ever, with the terminal
// as it was. One thread, before others are started. Throws kIo, kResourceExhausted (more than 4096
// bytes; from a file or a pipe, all of it).
std::string ReadSecretLine(const std::string& prompt);

// Waits until standard input has something to read or is at its end. False as soon as
// `is_cancelled`, which is asked ten times a second, says so.
bool WaitForStandardInput(const std::function<bool()>& is_cancelled);

}  // namespace octavo

#endif  // OCTAVO_BASE_TERMINAL_H_
