// Captions of tables that go on from the page before.
#ifndef OCTAVO_DOCUMENT_TABLE_CONTINUATION_H_
#define OCTAVO_DOCUMENT_TABLE_CONTINUATION_H_

#include <string_view>

namespace octavo {

// "(continued)" anywhere, or one of "continued" as a word, "(cont.)", "(续)", "续表" and the like
// at the end. Full-width forms and case make no difference. Source: mineru 3.4.5,
// utils/table_continuation.py.
bool IsTableContinuation(std::string_view caption);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_TABLE_CONTINUATION_H_
