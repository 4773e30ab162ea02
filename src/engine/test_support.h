// Small requests to a small model, for the tests of this folder.
#ifndef OCTAVO_ENGINE_TEST_SUPPORT_H_
#define OCTAVO_ENGINE_TEST_SUPPORT_H_

#include <memory>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "kernels/select.h"
#include "tests/testing/picture.h"
#include "tests/testing/tiny_model.h"

namespace octavo::testing {

// With two threads if nothing is said.
inline std::unique_ptr<Engine> MakeTinyEngine(EngineOptions options = {},
                                              double turn_seconds = kTurnSeconds) {
  if (options.num_threads == 0) options.num_threads = 2;
  return MakeEngine(*MakeTinyModel(), options, SelectedKernels(), turn_seconds);
}

// Generates exactly max_new_tokens.
inline Request TextRequest(const std::string& text, int max_new_tokens) {
  Request request;
  request.messages = {Message::User({Content::Text(text)})};
  request.sampling.max_new_tokens = max_new_tokens;
  request.sampling.ignore_eos = true;
  return request;
}

// Picture (picture.h), then the text.
inline Request PictureRequest(int h, int w, const std::string& text, int max_new_tokens,
                              int kind = 1) {
  Request request = TextRequest(text, max_new_tokens);
  request.messages[0].contents.insert(request.messages[0].contents.begin(), Content::Image());
  const Image image = Picture(h, w, kind);
  request.pictures = {{image.width, image.height, image.pixels}};
  return request;
}

}  // namespace octavo::testing

#endif  // OCTAVO_ENGINE_TEST_SUPPORT_H_
