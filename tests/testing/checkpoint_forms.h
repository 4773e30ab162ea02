// Writes a checkpoint in the other forms that the same weights are published in.
#ifndef OCTAVO_TESTS_TESTING_CHECKPOINT_FORMS_H_
#define OCTAVO_TESTS_TESTING_CHECKPOINT_FORMS_H_

#include <filesystem>

namespace octavo::testing {

// model.safetensors of `flat` with the names of the nested form (model.language_model.*,
// model.visual.*), sorted, into the existing folder `nested`.
void WriteNestedWeights(const std::filesystem::path& flat, const std::filesystem::path& nested);

// Three shards and model.safetensors.index.json of `flat`, dealt out in turn, so that every part
// of the model is spread over all of them, into the existing folder `sharded`.
void WriteShards(const std::filesystem::path& flat, const std::filesystem::path& sharded);

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_CHECKPOINT_FORMS_H_
