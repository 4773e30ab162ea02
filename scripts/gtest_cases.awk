# Reads GoogleTest XML reports. Prints a line for each skipped case with its reason, then
# `cases PASSED FAILED SKIPPED REPORTS REPORTS_WITH_FAILURES`.
function attribute(name,    value) {
  if (!match($0, " " name "=\"[^\"]*\"")) return ""
  value = substr($0, RSTART, RLENGTH)
  sub("^ " name "=\"", "", value)
  sub("\"$", "", value)
  return value
}
function finish_case() {
  if (in_case == "") return
  if (case_failed) { failed++; file_failed = 1 }
  else if (case_skipped) skipped++
  else passed++
  in_case = ""
}
function finish_file() {
  finish_case()
  bad_reports += file_failed
  file_failed = 0
}
FNR == 1 { finish_file(); if (/<\?xml/) reports++ }
/<testcase / && / status="run"/ {
  finish_case()
  in_case = attribute("classname") "." attribute("name")
  case_failed = 0
  case_skipped = / result="skipped"/
}
# A kernel table that this processor lacks was forced; ctest counts that program as skipped, too.
/<failure/ && /unknown or cannot run on this machine/ {
  case_skipped = 1
  print "skipped: " in_case ": this processor lacks the instructions"
  next
}
/<failure/ { case_failed = 1 }
/<skipped/ {
  reason = attribute("message")
  sub(/^.*&#x0A;/, "", reason)
  print "skipped: " in_case ": " reason
}
END {
  finish_file()
  print "cases", passed + 0, failed + 0, skipped + 0, reports + 0, bad_reports + 0
}
