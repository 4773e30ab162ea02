// The three words of --quality, and what each sets.
#ifndef OCTAVO_DOCUMENT_QUALITY_H_
#define OCTAVO_DOCUMENT_QUALITY_H_

#include <optional>
#include <string_view>

#include "octavo/document.h"

namespace octavo {

// best: the reference protocol, nothing saved. balanced: blank cells are left out. fast: the layout
// picture is smaller, too, and crops of large print are reduced.
enum class Quality { kBest, kBalanced, kFast };

// "best", "balanced", "fast", and back; nullopt for other words.
const char* QualityName(Quality quality) noexcept;
std::optional<Quality> ParseQuality(std::string_view name) noexcept;

Savings SavingsOf(Quality quality) noexcept;

// Throws kInvalidArgument (a size out of range).
void CheckSavings(const Savings& savings);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_QUALITY_H_
