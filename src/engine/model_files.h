// ModelFiles: the text files of a checkpoint that the engine needs, read and checked together.
#ifndef OCTAVO_ENGINE_MODEL_FILES_H_
#define OCTAVO_ENGINE_MODEL_FILES_H_

#include "formats/checkpoint.h"
#include "model/config.h"
#include "text/tokenizer.h"
#include "vision/preprocess.h"

namespace octavo {

struct ModelFiles {
  ModelConfig config;
  PreprocessorConfig preprocessor;
  Tokenizer tokenizer;
};

// Throws kNotFound (a file is absent), kDataLoss (damaged, or files that contradict each other:
// patch sizes, the image token, more token ids than embeddings), kUnsupported.
ModelFiles LoadModelFiles(const Checkpoint& checkpoint);

// Throws kDataLoss if the picture would be cut otherwise than the model's weights expect.
void CheckPreprocessorFits(const PreprocessorConfig& preprocessor, const VisionConfig& vision,
                           std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_ENGINE_MODEL_FILES_H_
