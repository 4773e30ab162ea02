#include "vision/color_profile.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

#include <lcms2.h>

namespace octavo {
namespace {

// Profiles of printing presses have up to some megabytes.
constexpr size_t kMaxProfileBytes = size_t{16} << 20;

struct CloseContext {
  void operator()(cmsContext context) const { cmsDeleteContext(context); }
};
struct CloseProfile {
  void operator()(void* profile) const { cmsCloseProfile(profile); }
};
struct CloseTransform {
  void operator()(void* transform) const { cmsDeleteTransform(transform); }
};
using Context = std::unique_ptr<std::remove_pointer_t<cmsContext>, CloseContext>;
using Profile = std::unique_ptr<void, CloseProfile>;
using Transform = std::unique_ptr<void, CloseTransform>;

cmsColorSpaceSignature SpaceOf(PixelLayout layout) {
  switch (layout) {
    case PixelLayout::kGrey:
    case PixelLayout::kGreyAlpha:
      return cmsSigGrayData;
    case PixelLayout::kCmyk:
      return cmsSigCmykData;
    default:
      return cmsSigRgbData;
  }
}

// Nothing if Little CMS cannot use the profile. Its messages go nowhere: no handler is set.
Transform Connect(cmsContext context, std::span<const std::byte> icc, PixelLayout layout,
                  cmsUInt32Number in_format, cmsUInt32Number out_format) {
  const Profile profile(
      cmsOpenProfileFromMemTHR(context, icc.data(), static_cast<cmsUInt32Number>(icc.size())));
  if (profile == nullptr || cmsGetColorSpace(profile.get()) != SpaceOf(layout)) return nullptr;
  const Profile srgb(cmsCreate_sRGBProfileTHR(context));
  if (srgb == nullptr) return nullptr;
  return Transform(cmsCreateTransformTHR(context, profile.get(), in_format, srgb.get(), out_format,
                                         INTENT_RELATIVE_COLORIMETRIC,
                                         cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_COPY_ALPHA));
}

// Whether any of a grid of colours, 17 values a channel, moves visibly.
bool MovesVisibly(cmsHTRANSFORM rgb_to_rgb) {
  constexpr int kSteps = 17;
  std::vector<uint8_t> before;
  for (int i = 0; i < kSteps * kSteps * kSteps; ++i) {
    for (const int step : {i / (kSteps * kSteps), i / kSteps % kSteps, i % kSteps}) {
      before.push_back(static_cast<uint8_t>(step * 255 / (kSteps - 1)));
    }
  }
  std::vector<uint8_t> after(before.size());
  cmsDoTransform(rgb_to_rgb, before.data(), after.data(),
                 static_cast<cmsUInt32Number>(before.size() / 3));
  for (size_t i = 0; i < before.size(); ++i) {
    if (std::abs(int{before[i]} - int{after[i]}) > kVisibleLevels) return true;
  }
  return false;
}

}  // namespace

struct ColorTransform::Impl {
  // The transform goes before its context.
  Context context;
  Transform transform;
  size_t grey_stride = 0;  // of grey layouts, whose `greys` are the whole transform
  std::array<uint8_t, 256> greys = {};
};

ColorTransform::ColorTransform(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ColorTransform::ColorTransform(ColorTransform&&) noexcept = default;
ColorTransform& ColorTransform::operator=(ColorTransform&&) noexcept = default;
ColorTransform::~ColorTransform() = default;

std::optional<ColorTransform> ColorTransform::ToSrgb(std::span<const std::byte> icc,
                                                     PixelLayout layout) {
  if (icc.empty() || icc.size() > kMaxProfileBytes) return std::nullopt;
  auto impl = std::make_unique<Impl>();
  impl->context.reset(cmsCreateContext(nullptr, nullptr));
  if (impl->context == nullptr) return std::nullopt;
  auto* context = impl->context.get();

  if (layout == PixelLayout::kGrey || layout == PixelLayout::kGreyAlpha) {
    const Transform transform = Connect(context, icc, layout, TYPE_GRAY_8, TYPE_RGB_8);
    if (transform == nullptr) return std::nullopt;
    bool is_visible = false;
    for (int value = 0; value < 256; ++value) {
      const auto grey = static_cast<uint8_t>(value);
      uint8_t rgb[3] = {};
      cmsDoTransform(transform.get(), &grey, rgb, 1);
      impl->greys[static_cast<size_t>(value)] = rgb[1];
      is_visible = is_visible || std::abs(value - int{rgb[1]}) > kVisibleLevels;
    }
    if (!is_visible) return std::nullopt;
    impl->grey_stride = NumChannels(layout);
    return ColorTransform(std::move(impl));
  }

  if (layout == PixelLayout::kCmyk) {
    impl->transform = Connect(context, icc, layout, TYPE_CMYK_8, TYPE_RGB_8);
    if (impl->transform == nullptr) return std::nullopt;
    return ColorTransform(std::move(impl));
  }

  impl->transform = Connect(context, icc, layout, TYPE_RGB_8, TYPE_RGB_8);
  if (impl->transform == nullptr || !MovesVisibly(impl->transform.get())) return std::nullopt;
  if (layout == PixelLayout::kRgba) {
    impl->transform = Connect(context, icc, layout, TYPE_RGBA_8, TYPE_RGBA_8);
    if (impl->transform == nullptr) return std::nullopt;
  }
  return ColorTransform(std::move(impl));
}

void ColorTransform::Apply(const uint8_t* in, size_t num_pixels, uint8_t* out) const {
  if (impl_->grey_stride > 0) {
    for (size_t i = 0; i < num_pixels; ++i) out[i] = impl_->greys[in[i * impl_->grey_stride]];
    return;
  }
  cmsDoTransform(impl_->transform.get(), in, out, static_cast<cmsUInt32Number>(num_pixels));
}

}  // namespace octavo
