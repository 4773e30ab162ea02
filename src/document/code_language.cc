#include "document/code_language.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr std::string_view kFence = "```";

// Marks are separated by line feeds; each counts once, wherever it stands. A mark that begins with
// ^ stands at the beginning of a line, blanks before it or not.
struct Language {
  const char* name;
  std::string_view marks;
};
constexpr Language kLanguages[] = {
    {"python",
     "^def \n^import \n^from \nself.\n^elif \n^print(\nprint(f\"\n^class \n    return "
     "\n__init__\n in range(\n^except\nlambda \nNone"},
    {"java",
     "public class \npublic static void \nSystem.out.\n^import java\nprivate \nprotected \n"
     "@Override\n extends \n implements \nString[] "},
    {"javascript",
     "function \nconsole.log(\n=> {\n^const \n^let \n^var \n===\ndocument.\n"
     "require(\nreturn \n^export \nundefined"},
    {"c",
     "#include <stdio.h>\n#include <stdlib.h>\nint main(\nprintf(\nmalloc(\n^typedef struct\n"
     "char *\nvoid *\nNULL\n->"},
    {"cpp",
     "#include <iostream>\n#include <vector>\nstd::\nint main(\ncout <<\ntemplate <\n"
     "namespace \npublic:\nprivate:\nnullptr"},
    {"go", "^package \n^func \n:= \nfmt.\n^import (\nchan \ngo func"},
    {"rust", "fn main(\n^fn \nlet mut \nprintln!(\n^use std::\nimpl \n-> \n&mut \nmatch "},
    {"sql",
     "SELECT \n FROM \n WHERE \nINSERT INTO \nCREATE TABLE \nUPDATE \n JOIN \nGROUP BY \n"
     "ORDER BY \n VALUES"},
    {"html", "<html\n<body\n<head>\n<div\n<p>\n</p>\n<!DOCTYPE html\n</div>\n<a href"},
    {"xml", "<?xml \n xmlns\n/>\n</"},
    {"css", "color: \nmargin: \npadding: \nfont-size: \ndisplay: \nbackground: \nwidth: "},
    {"shell", "#!/bin/\n^sudo \n^apt \n^export \n^echo \n^fi\n^cd \n^mkdir \n^then\n^if [ "},
    {"php", "<?php\n$this->\necho \nfunction \n$_GET\n$_POST"},
    {"latex", "\\begin{\n\\end{\n\\documentclass\n\\usepackage\n\\section{"},
};

bool HasLineWith(const std::vector<std::string_view>& lines, std::string_view beginning) {
  return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    // A word at the end of its line stands without the blank that parts it from the next.
    const std::string_view word = TrimSpace(beginning);
    return line.substr(0, beginning.size()) == beginning || line == word;
  });
}

int CountMarks(std::string_view code, const std::vector<std::string_view>& lines,
               std::string_view marks) {
  int count = 0;
  for (size_t begin = 0; begin < marks.size();) {
    const size_t end = std::min(marks.find('\n', begin), marks.size());
    const std::string_view mark = marks.substr(begin, end - begin);
    const bool is_found = mark.front() == '^' ? HasLineWith(lines, mark.substr(1))
                                              : code.find(mark) != std::string_view::npos;
    count += is_found ? 1 : 0;
    begin = end + 1;
  }
  return count;
}

}  // namespace

std::string GuessCodeLanguage(std::string_view code) {
  constexpr int kMinMarks = 2;
  const std::vector<std::string_view> lines = SplitLines(code);
  const char* best = "txt";
  int best_count = kMinMarks - 1;
  bool is_tie = false;
  for (const Language& language : kLanguages) {
    const int count = CountMarks(code, lines, language.marks);
    if (count == best_count) is_tie = true;
    if (count <= best_count) continue;
    best = language.name;
    best_count = count;
    is_tie = false;
  }
  return is_tie ? "txt" : best;
}

std::string FenceLanguage(std::string_view content) {
  constexpr size_t kMaxLength = 20;
  content = content.substr(0, content.find('\n'));
  if (content.substr(0, kFence.size()) != kFence) return {};
  const std::string_view name = TrimSpace(content.substr(kFence.size()));
  const bool is_name =
      name.size() <= kMaxLength && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '+' || c == '#' || c == '-' || c == '_';
      });
  return is_name ? std::string(name) : std::string();
}

std::string StripCodeFence(std::string_view content) {
  const std::vector<std::string_view> lines = SplitLines(content);
  size_t begin = 0;
  size_t end = lines.size();
  if (begin < end && lines[begin].substr(0, kFence.size()) == kFence) ++begin;
  if (begin < end && TrimSpace(lines[end - 1]) == kFence) --end;
  std::string code;
  for (size_t i = begin; i < end; ++i) {
    if (i > begin) code += '\n';
    code += lines[i];
  }
  return std::string(TrimSpace(code));
}

}  // namespace octavo
