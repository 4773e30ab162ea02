#include "evaluate/eval_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "base/json.h"
#include "base/utf8.h"

namespace octavo {
namespace {

// Members in the order in which they are written.
using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

// Six decimals are more than any figure deserves, and short to read.
Json Rounded(const std::optional<double>& value) {
  if (!value) return nullptr;
  return std::round(*value * 1e6) / 1e6;
}

std::optional<double> SecondsPerPage(double seconds, int num_pages, bool has_timing) {
  if (!has_timing || num_pages == 0) return std::nullopt;
  return seconds / num_pages;
}

void AddFigures(const DocumentResult& document, bool has_timing, Json* json) {
  const Score& score = document.score;
  (*json)["pages"] = document.num_pages;
  (*json)["failed"] = document.num_pages_failed;
  (*json)["character_error"] = Rounded(score.CharacterError());
  (*json)["teds"] = Rounded(score.MeanTeds());
  (*json)["teds_structure"] = Rounded(score.MeanTedsStructure());
  (*json)["formula_match"] = Rounded(score.FormulaMatch());
  (*json)["layout_f1"] = Rounded(score.LayoutF1());
  (*json)["seconds_per_page"] =
      Rounded(SecondsPerPage(document.seconds, document.num_pages_timed, has_timing));
  (*json)["characters"] = score.num_characters;
  (*json)["tables"] = score.num_tables;
  (*json)["tables_skipped"] = score.num_tables_skipped;
  (*json)["formulas"] = score.num_formulas;
}

std::string Number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string Percent(double share) { return Number("%.2f %%", share * 100); }
std::string Ratio(const std::optional<double>& value) {
  return value ? Number("%.3f", *value) : "-";
}

size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Columns as wide as their widest cell, the first to the left, the others to the right.
std::string Aligned(const std::vector<Cells>& rows) {
  std::vector<size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string out;
  for (const Cells& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - WidthOf(row[i]), ' ');
      if (i == 0) {
        out += row.size() > 1 ? row[i] + gap : row[i];
      } else {
        out.append(2, ' ').append(gap).append(row[i]);
      }
    }
    out += '\n';
  }
  return out;
}

Cells FigureCells(const std::string& name, const DocumentResult& document, bool has_timing) {
  const Score& score = document.score;
  Cells cells = {name,
                 Percent(score.CharacterError()),
                 Ratio(score.MeanTeds()),
                 Ratio(score.MeanTedsStructure()),
                 Ratio(score.FormulaMatch()),
                 Ratio(score.LayoutF1())};
  if (has_timing) {
    cells.push_back(Ratio(SecondsPerPage(document.seconds, document.num_pages_timed, true)));
  }
  return cells;
}

std::string CountOfPages(int num_pages) {
  return std::to_string(num_pages) + (num_pages == 1 ? " page" : " pages");
}

// What tells the settings apart, joined; the model's name if nothing does.
std::string NameOf(const RunResult& result, const std::vector<RunResult>& all) {
  std::string name;
  const auto add = [&](const std::string RunResult::*member) {
    if (std::all_of(all.begin(), all.end(),
                    [&](const RunResult& other) { return other.*member == result.*member; })) {
      return;
    }
    if (!name.empty()) name += ' ';
    name += result.*member;
  };
  add(&RunResult::model);
  add(&RunResult::compute);
  add(&RunResult::attention);
  add(&RunResult::layout);
  add(&RunResult::savings);
  return name.empty() ? result.model : name;
}

}  // namespace

DocumentResult Total(const RunResult& result) {
  DocumentResult total;
  for (const DocumentResult& document : result.documents) {
    total.num_pages += document.num_pages;
    total.num_pages_failed += document.num_pages_failed;
    total.num_pages_timed += document.num_pages_timed;
    total.seconds += document.seconds;
    total.score.Add(document.score);
  }
  return total;
}

std::string EvalJsonLine(const RunResult& result, bool has_timing) {
  Json json;
  json["model"] = result.model;
  json["compute"] = result.compute;
  json["attention"] = result.attention;
  json["kv_cache_dtype"] = result.kv_cache_dtype;
  json["layout"] = result.layout;
  json["savings"] = result.savings;
  AddFigures(Total(result), has_timing, &json);
  json["without_truth"] = result.num_without_truth;
  json["truth_without_page"] = result.num_truth_without_page;
  json["truth_unreadable"] = result.num_truth_unreadable;
  char digest[17];
  std::snprintf(digest, sizeof(digest), "%016llx", static_cast<unsigned long long>(result.digest));
  json["digest"] = digest;
  json["documents"] = Json::array();
  for (const DocumentResult& document : result.documents) {
    Json entry;
    entry["name"] = document.name;
    AddFigures(document, has_timing, &entry);
    json["documents"].push_back(std::move(entry));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string EvalTable(const RunResult& result, bool has_timing) {
  std::vector<Cells> rows;
  rows.push_back({"document", "character error", "TEDS", "TEDS-S", "formulas", "layout F1"});
  if (has_timing) rows.back().emplace_back("s/page");
  for (const DocumentResult& document : result.documents) {
    rows.push_back(FigureCells(
        PrintableName(document.name) + (document.num_pages_failed > 0 ? " (failed)" : ""), document,
        has_timing));
  }
  const DocumentResult total = Total(result);
  std::string name = "all, " + CountOfPages(total.num_pages);
  if (total.num_pages_failed > 0) {
    name += ", " + std::to_string(total.num_pages_failed) + " failed";
  }
  rows.push_back(FigureCells(name, total, has_timing));
  return Aligned(rows);
}

std::string EvalComparison(const std::vector<RunResult>& results, bool has_timing) {
  std::vector<Cells> rows;
  const auto add_row = [&](const std::string& name, auto figure) {
    Cells cells = {name};
    for (const RunResult& result : results) cells.push_back(figure(result));
    rows.push_back(std::move(cells));
  };
  add_row("all documents", [&](const RunResult& result) { return NameOf(result, results); });
  add_row("character error",
          [](const RunResult& result) { return Percent(Total(result).score.CharacterError()); });
  add_row("TEDS", [](const RunResult& result) { return Ratio(Total(result).score.MeanTeds()); });
  add_row("TEDS-S",
          [](const RunResult& result) { return Ratio(Total(result).score.MeanTedsStructure()); });
  add_row("formulas",
          [](const RunResult& result) { return Ratio(Total(result).score.FormulaMatch()); });
  add_row("layout F1",
          [](const RunResult& result) { return Ratio(Total(result).score.LayoutF1()); });
  if (has_timing) {
    add_row("s/page", [](const RunResult& result) {
      const DocumentResult total = Total(result);
      return Ratio(SecondsPerPage(total.seconds, total.num_pages_timed, true));
    });
  }
  add_row("pages failed", [](const RunResult& result) {
    const DocumentResult total = Total(result);
    return std::to_string(total.num_pages_failed) + " of " + std::to_string(total.num_pages);
  });
  rows.push_back({""});
  rows.push_back({"character error by document"});
  for (size_t i = 0; !results.empty() && i < results.front().documents.size(); ++i) {
    add_row(PrintableName(results.front().documents[i].name), [i](const RunResult& result) {
      return i < result.documents.size() ? Percent(result.documents[i].score.CharacterError())
                                         : std::string("-");
    });
  }
  return Aligned(rows);
}

}  // namespace octavo
