#include "vision/preprocess.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

// Four times the largest limit that a published checkpoint of the family carries (16384 tokens of
// 28 x 28 pixels): beyond it a limit is damage, and the patches of one picture would take 2.4 GB.
constexpr int64_t kLargestPixelLimit = int64_t{4} * 16384 * 28 * 28;
constexpr int64_t kDefaultMinPixels = 3136;
constexpr int64_t kDefaultMaxPixels = 1003520;
constexpr double kMaxAspectRatio = 200.0;

// Reads fields of one preprocessor_config.json. A null counts as absent, as in the reference.
class ConfigReader {
 public:
  ConfigReader(const Json& root, std::string_view where) : root_(root), where_(where) {
    if (!root_.is_object()) Fail(ErrorCode::kDataLoss, "is no JSON object");
  }

  [[noreturn]] void Fail(ErrorCode code, const std::string& what) const {
    throw Error(code, StrCat(where_, ": ", what));
  }

  const Json* Find(const Json& object, const char* key) const {
    const auto it = object.find(key);
    return it == object.end() || it->is_null() ? nullptr : &*it;
  }
  const Json* Find(const char* key) const { return Find(root_, key); }

  // In [low, high].
  int64_t Integer(const Json& value, const char* key, int64_t low, int64_t high) const {
    // Unsigned values beyond int64 wrap to negative ones and are refused with the rest.
    if (!value.is_number_integer()) Fail(ErrorCode::kDataLoss, StrCat(key, " is no integer"));
    const int64_t number = value.get<int64_t>();
    if (number < low || number > high) {
      Fail(ErrorCode::kDataLoss,
           StrCat(key, " is ", value.dump(), ", expected ", low, " to ", high));
    }
    return number;
  }
  int SmallInteger(const char* key, int fallback, int high) const {
    const Json* value = Find(key);
    return value == nullptr ? fallback : static_cast<int>(Integer(*value, key, 1, high));
  }

  void Channels(const char* key, double low, double high, std::array<double, 3>* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_array() || value->size() != out->size()) {
      Fail(ErrorCode::kDataLoss, StrCat(key, " is no array of 3 numbers"));
    }
    for (size_t i = 0; i < out->size(); ++i) {
      const Json& entry = (*value)[i];
      if (!entry.is_number()) Fail(ErrorCode::kDataLoss, StrCat(key, " is no array of 3 numbers"));
      (*out)[i] = entry.get<double>();
      if (!((*out)[i] >= low && (*out)[i] <= high)) {
        Fail(ErrorCode::kDataLoss,
             StrCat(key, "[", i, "] is ", (*out)[i], ", expected ", low, " to ", high));
      }
    }
  }

  // Steps that octavo always takes: a checkpoint that wants them off is another preprocessor.
  void RequireTrue(const char* key) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) Fail(ErrorCode::kDataLoss, StrCat(key, " is no boolean"));
    if (!value->get<bool>()) Fail(ErrorCode::kUnsupported, StrCat(key, " is false"));
  }

  void RequireNumber(const char* key, double wanted) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_number()) Fail(ErrorCode::kDataLoss, StrCat(key, " is no number"));
    if (std::fabs(value->get<double>() - wanted) > 1e-9) {
      Fail(ErrorCode::kUnsupported, StrCat(key, " is ", value->dump(), ", octavo does ", wanted));
    }
  }

 private:
  const Json& root_;
  std::string_view where_;
};

// One limit: the plain key, else the edge of `size`, else the default when there is no `size`.
int64_t ReadPixelLimit(const ConfigReader& reader, const char* key, const char* edge,
                       int64_t fallback) {
  if (const Json* value = reader.Find(key)) {
    return reader.Integer(*value, key, 1, kLargestPixelLimit);
  }
  const Json* size = reader.Find("size");
  if (size == nullptr) return fallback;
  if (!size->is_object()) reader.Fail(ErrorCode::kDataLoss, "size is no object");
  const Json* value = reader.Find(*size, edge);
  // The reference raises here too.
  if (value == nullptr) reader.Fail(ErrorCode::kDataLoss, StrCat("size has no ", edge));
  return reader.Integer(*value, edge, 1, kLargestPixelLimit);
}

// The side that is nearest in multiples of the factor; ties to even, as Python rounds.
double NearestMultiple(double side, double factor) {
  return std::nearbyint(side / factor) * factor;
}

// value[c][x]: the float that pixel value x of channel c becomes.
using NormalizeTable = std::array<std::array<float, 256>, 3>;

// Every operation in float32, in the order of the reference: the bits depend on it.
NormalizeTable MakeNormalizeTable(const PreprocessorConfig& config, NormalizeRule rule) {
  NormalizeTable table;
  for (size_t c = 0; c < 3; ++c) {
    const float mean = static_cast<float>(config.image_mean[c]);
    const float std_deviation = static_cast<float>(config.image_std[c]);
    const float mean_255 = mean * 255.0f;
    const float std_255 = std_deviation * 255.0f;
    for (size_t x = 0; x < 256; ++x) {
      const float pixel = static_cast<float>(x);
      table[c][x] = rule == NormalizeRule::kFast ? (pixel - mean_255) / std_255
                                                 : (pixel / 255.0f - mean) / std_deviation;
    }
  }
  return table;
}

// One patch at pixel (x, y): out [3, temporal, patch, patch]. A still picture fills every temporal
// slice alike.
void FillPatch(const Image& image, int x, int y, const PreprocessorConfig& config,
               const NormalizeTable& table, float* out) {
  const size_t patch = static_cast<size_t>(config.patch_size);
  const size_t slice = patch * patch;
  const size_t channel = slice * static_cast<size_t>(config.temporal_patch_size);
  float* red = out;
  float* green = out + channel;
  float* blue = out + 2 * channel;
  for (size_t row = 0; row < patch; ++row) {
    const uint8_t* in = image.row(y + static_cast<int>(row)) + static_cast<size_t>(x) * 3;
    for (size_t i = 0; i < patch; ++i, in += 3) {
      *red++ = table[0][in[0]];
      *green++ = table[1][in[1]];
      *blue++ = table[2][in[2]];
    }
  }
  for (size_t c = 0; c < 3; ++c) {
    float* first = out + c * channel;
    for (size_t t = 1; t < static_cast<size_t>(config.temporal_patch_size); ++t) {
      std::memcpy(first + t * slice, first, slice * sizeof(float));
    }
  }
}

}  // namespace

PreprocessorConfig ParsePreprocessorConfig(std::string_view json_text, std::string_view where) {
  const Json root = ParseJson(json_text, where);
  const ConfigReader reader(root, where);
  PreprocessorConfig config;
  config.min_pixels = ReadPixelLimit(reader, "min_pixels", "shortest_edge", kDefaultMinPixels);
  config.max_pixels = ReadPixelLimit(reader, "max_pixels", "longest_edge", kDefaultMaxPixels);
  config.patch_size = reader.SmallInteger("patch_size", config.patch_size, 64);
  config.temporal_patch_size =
      reader.SmallInteger("temporal_patch_size", config.temporal_patch_size, 4);
  config.merge_size = reader.SmallInteger("merge_size", config.merge_size, 4);
  if (config.merge_size == 3) {
    // No vision tower of the family merges 3 x 3: such a file belongs to no model that loads.
    reader.Fail(ErrorCode::kUnsupported, "merge_size is 3, expected 1, 2 or 4");
  }
  if (config.max_pixels < config.min_pixels) {
    reader.Fail(ErrorCode::kDataLoss, StrCat("max_pixels is ", config.max_pixels,
                                             ", below min_pixels ", config.min_pixels));
  }
  const int64_t factor = int64_t{config.patch_size} * config.merge_size;
  if (config.max_pixels < factor * factor) {
    reader.Fail(ErrorCode::kDataLoss, StrCat("max_pixels is ", config.max_pixels, ", below one ",
                                             factor, " x ", factor, " cell"));
  }
  reader.Channels("image_mean", -1e3, 1e3, &config.image_mean);
  reader.Channels("image_std", 1e-6, 1e3, &config.image_std);
  for (const char* key : {"do_resize", "do_rescale", "do_normalize", "do_convert_rgb"}) {
    reader.RequireTrue(key);
  }
  reader.RequireNumber("rescale_factor", 1.0 / 255.0);
  reader.RequireNumber("resample", 3);  // PIL's number of bicubic
  return config;
}

ImageSize SmartResize(int width, int height, const PreprocessorConfig& config) {
  if (width < 1 || height < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("picture of ", width, "x", height, " pixels, expected at least 1x1"));
  }
  const double w = width;
  const double h = height;
  const double ratio = std::max(w, h) / std::min(w, h);
  if (ratio > kMaxAspectRatio) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("picture of ", width, "x", height, " pixels: aspect ratio ", ratio,
                       " is over ", kMaxAspectRatio));
  }
  const double factor = int64_t{config.patch_size} * config.merge_size;
  const double area = static_cast<double>(int64_t{width} * height);
  const double min_pixels = static_cast<double>(config.min_pixels);
  const double max_pixels = static_cast<double>(config.max_pixels);
  double new_h = NearestMultiple(h, factor);
  double new_w = NearestMultiple(w, factor);
  if (new_h * new_w > max_pixels) {
    const double shrink = std::sqrt(area / max_pixels);
    new_h = std::max(factor, std::floor(h / shrink / factor) * factor);
    new_w = std::max(factor, std::floor(w / shrink / factor) * factor);
  } else if (new_h * new_w < min_pixels) {
    const double enlarge = std::sqrt(min_pixels / area);
    new_h = std::ceil(h * enlarge / factor) * factor;
    new_w = std::ceil(w * enlarge / factor) * factor;
  }
  if (new_h < 1.0 || new_w < 1.0) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("picture of ", width, "x", height, " pixels: a side rounds to 0 patches"));
  }
  return {.width = static_cast<int>(new_w), .height = static_cast<int>(new_h)};
}

Patches CutPatches(const Image& image, const PreprocessorConfig& config, NormalizeRule rule,
                   std::span<const int32_t> cells) {
  OCTAVO_CHECK(!image.empty() && image.height % (config.patch_size * config.merge_size) == 0 &&
                   image.width % (config.patch_size * config.merge_size) == 0,
               image.width, "x", image.height);
  const int patch = config.patch_size;
  const int merge = config.merge_size;
  Patches patches;
  patches.grid_t = 1;
  patches.grid_h = image.height / patch;
  patches.grid_w = image.width / patch;
  patches.patch_dim = int64_t{3} * config.temporal_patch_size * patch * patch;
  patches.patches_per_cell = int64_t{merge} * merge;
  patches.cells.assign(cells.begin(), cells.end());
  patches.values =
      AlignedBuffer<float>(static_cast<size_t>(patches.num_patches() * patches.patch_dim));
  const NormalizeTable table = MakeNormalizeTable(config, rule);
  float* out = patches.values.data();
  const int num_cols = patches.grid_w / merge;
  const auto fill_cell = [&](int cell) {
    for (int i = 0; i < merge * merge; ++i) {
      const int patch_y = cell / num_cols * merge + i / merge;
      const int patch_x = cell % num_cols * merge + i % merge;
      FillPatch(image, patch_x * patch, patch_y * patch, config, table, out);
      out += patches.patch_dim;
    }
  };
  const int num_cells = patches.grid_h / merge * num_cols;
  if (cells.empty()) {
    for (int cell = 0; cell < num_cells; ++cell) fill_cell(cell);
    return patches;
  }
  for (const int32_t cell : cells) {
    OCTAVO_CHECK(cell >= 0 && cell < num_cells, "cell ", cell, " of ", num_cells);
    fill_cell(cell);
  }
  return patches;
}

Patches Preprocess(const Image& image, const PreprocessorConfig& config,
                   const PreprocessRules& rules) {
  OCTAVO_CHECK(!image.empty(), image.width, "x", image.height);
  const ImageSize size = SmartResize(image.width, image.height, config);
  if (size.width == image.width && size.height == image.height) {
    return CutPatches(image, config, rules.normalize);
  }
  return CutPatches(Resize(image, size.width, size.height, rules.resample), config,
                    rules.normalize);
}

}  // namespace octavo
