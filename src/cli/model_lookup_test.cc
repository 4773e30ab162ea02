#include "cli/model_lookup.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "octavo/error.h"

namespace octavo {
namespace {

// Sets OCTAVO_MODEL for one test and puts the old value back.
class ModelVariable {
 public:
  explicit ModelVariable(const char* value) {
    if (const char* old = std::getenv("OCTAVO_MODEL")) old_ = old;
    if (value != nullptr) {
      setenv("OCTAVO_MODEL", value, 1);
    } else {
      unsetenv("OCTAVO_MODEL");
    }
  }
  ~ModelVariable() {
    if (old_.empty()) {
      unsetenv("OCTAVO_MODEL");
    } else {
      setenv("OCTAVO_MODEL", old_.c_str(), 1);
    }
  }

 private:
  std::string old_;
};

TEST(ModelLookup, PrefersTheFlagOverTheVariable) {
  const ModelVariable variable("from-variable");
  EXPECT_EQ(FindModel("from-flag"), "from-flag");
  EXPECT_EQ(FindModel(""), "from-variable");
}

TEST(ModelLookup, LooksBesideAnInstalledProgramFirst) {
  const auto folders = NanoFolders("/usr/bin");
  ASSERT_EQ(folders.size(), 3u);
  EXPECT_EQ(folders[0], "/usr/share/octavo/models/octavo-nano");
}

TEST(ModelLookup, FindsTheSourceTreeFromABuildFolder) {
  const auto folders = NanoFolders("/src/octavo/build/release");
  EXPECT_EQ(folders[1], "/src/octavo/models/octavo-nano");
}

}  // namespace
}  // namespace octavo
