// What a search has found so far, on disk: a run that is ended goes on from there.
//
//   header  64 bytes: magic "octavoq\0", u64 key, zeros
//   record  u64 bytes of its content, u64 XXH64 of it, content: one group's finding
// Little-endian, as written on this machine; a journal is not carried to another one.
#ifndef OCTAVO_QUANTIZE_AWQ_JOURNAL_H_
#define OCTAVO_QUANTIZE_AWQ_JOURNAL_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "quantize/awq.h"

namespace octavo {

// A finding as bytes, and back. Throws kDataLoss on bytes that are none.
std::string WriteFinding(const AwqFinding& finding);
AwqFinding ReadFinding(std::string_view bytes, std::string_view where);

// One thread at a time.
class AwqJournal {
 public:
  // `key` stands for everything that findings depend on. With `resume` the whole records of a
  // journal of the same key are kept, and a record that was cut short is dropped; else, and where
  // there is none, it begins anew. Throws kInvalidArgument (resume, and the journal is of another
  // model, other pages or settings), kIo, kResourceExhausted.
  AwqJournal(const std::filesystem::path& path, uint64_t key, bool resume);

  // By stage.
  const std::map<std::string, AwqFinding>& findings() const { return findings_; }
  // Returns when it is on disk. Throws kIo.
  void Append(const std::string& stage, AwqFinding finding);
  // The work is done: removes the file.
  void Remove() noexcept;

 private:
  void ReadRecords(std::string_view bytes);

  std::filesystem::path path_;
  std::map<std::string, AwqFinding> findings_;
  std::unique_ptr<AppendedFile> file_;
};

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_AWQ_JOURNAL_H_
