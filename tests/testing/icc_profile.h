// Small ICC profiles, version 2, byte by byte, for tests of colour conversion.
#ifndef OCTAVO_TESTS_TESTING_ICC_PROFILE_H_
#define OCTAVO_TESTS_TESTING_ICC_PROFILE_H_

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace octavo::testing {

inline std::string BigEndian(uint64_t value, size_t num_bytes) {
  std::string text;
  for (size_t i = num_bytes; i > 0; --i) text += static_cast<char>(value >> (8 * (i - 1)) & 255);
  return text;
}

// s15Fixed16.
inline std::string Fixed(double value) {
  return BigEndian(static_cast<uint32_t>(static_cast<int32_t>(std::lround(value * 65536))), 4);
}

inline std::string XyzTag(const std::array<double, 3>& xyz) {
  return "XYZ " + BigEndian(0, 4) + Fixed(xyz[0]) + Fixed(xyz[1]) + Fixed(xyz[2]);
}

inline std::string GammaTag(double gamma) {
  return "curv" + BigEndian(0, 4) + BigEndian(1, 4) +
         BigEndian(static_cast<uint64_t>(std::lround(gamma * 256)), 2) + BigEndian(0, 2);
}

// device: "mntr" or "prtr"; space: "RGB ", "GRAY" or "CMYK"; connection: "XYZ " or "Lab ".
inline std::string IccProfile(const std::string& device, const std::string& space,
                              const std::string& connection,
                              const std::vector<std::pair<std::string, std::string>>& tags) {
  std::string table = BigEndian(tags.size(), 4);
  std::string data;
  const size_t data_at = 128 + 4 + 12 * tags.size();
  for (const auto& [name, content] : tags) {
    table += name + BigEndian(data_at + data.size(), 4) + BigEndian(content.size(), 4);
    data += content;
    data.resize((data.size() + 3) / 4 * 4, '\0');
  }
  std::string header = BigEndian(data_at + data.size(), 4) + std::string(4, '\0') +
                       BigEndian(0x02400000, 4) + device + space + connection;
  header.resize(36, '\0');
  header += "acsp";
  header.resize(68, '\0');
  header += Fixed(0.9642) + Fixed(1) + Fixed(0.8249);
  header.resize(128, '\0');
  return header + table + data;
}

// Adobe RGB (1998): wider than sRGB, gamma 2.2. Primaries relative to D50, as in its published
// profile.
inline std::string WideRgbProfile() {
  return IccProfile("mntr", "RGB ", "XYZ ",
                    {{"wtpt", XyzTag({0.9642, 1, 0.8249})},
                     {"rXYZ", XyzTag({0.60974, 0.31111, 0.01947})},
                     {"gXYZ", XyzTag({0.20528, 0.62567, 0.06087})},
                     {"bXYZ", XyzTag({0.14919, 0.06322, 0.74457})},
                     {"rTRC", GammaTag(2.19921875)},
                     {"gTRC", GammaTag(2.19921875)},
                     {"bTRC", GammaTag(2.19921875)}});
}

// The primaries of sRGB with gamma 2.2 instead of its curve: a near copy.
inline std::string NearSrgbProfile() {
  return IccProfile("mntr", "RGB ", "XYZ ",
                    {{"wtpt", XyzTag({0.9642, 1, 0.8249})},
                     {"rXYZ", XyzTag({0.43607, 0.22249, 0.01392})},
                     {"gXYZ", XyzTag({0.38515, 0.71687, 0.09708})},
                     {"bXYZ", XyzTag({0.14307, 0.06061, 0.7141})},
                     {"rTRC", GammaTag(2.2)},
                     {"gTRC", GammaTag(2.2)},
                     {"bTRC", GammaTag(2.2)}});
}

inline std::string GreyProfile(double gamma) {
  return IccProfile("mntr", "GRAY", "XYZ ",
                    {{"wtpt", XyzTag({0.9642, 1, 0.8249})}, {"kTRC", GammaTag(gamma)}});
}

// A press whose L* is 100 less a quarter of the sum of the inks (of 100 each), whatever their
// colour: an lut8 with two grid points a channel.
inline std::string GreyPressProfile() {
  std::string lut = "mft1" + BigEndian(0, 4) + std::string("\4\3\2\0", 4);
  for (int i = 0; i < 9; ++i) lut += Fixed(i % 4 == 0 ? 1 : 0);
  std::string ramp;
  for (int i = 0; i < 256; ++i) ramp += static_cast<char>(i);
  for (int channel = 0; channel < 4; ++channel) lut += ramp;
  for (int corner = 0; corner < 16; ++corner) {
    const int num_inks = (corner & 1) + (corner >> 1 & 1) + (corner >> 2 & 1) + (corner >> 3 & 1);
    lut += static_cast<char>(255 - (num_inks * 255 + 2) / 4);
    lut += "\x80\x80";  // a*, b* of 0
  }
  for (int channel = 0; channel < 3; ++channel) lut += ramp;
  return IccProfile("prtr", "CMYK", "Lab ",
                    {{"wtpt", XyzTag({0.9642, 1, 0.8249})}, {"A2B0", lut}, {"A2B1", lut}});
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_ICC_PROFILE_H_
