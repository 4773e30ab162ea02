#include "vision/media_type.h"

#include <gtest/gtest.h>

#include <string>

namespace octavo {
namespace {

std::string_view Name(const std::string& bytes) {
  return NameMediaType(std::as_bytes(std::span(bytes)));
}

// ISO base media with this brand.
std::string IsoMedia(const std::string& brand, const std::string& compatible = "") {
  return std::string("\0\0\0\x18", 4) + "ftyp" + brand + std::string(4, '\0') + compatible;
}

TEST(MediaType, NamesPicturesThatAreNotRead) {
  EXPECT_EQ(Name(IsoMedia("heic")), "HEIC picture");
  EXPECT_EQ(Name(IsoMedia("mif1", "heicmif1")), "HEIC picture");
  EXPECT_EQ(Name(IsoMedia("avif")), "AVIF picture");
  EXPECT_EQ(Name(IsoMedia("mif1", "avifmif1")), "AVIF picture");
  EXPECT_EQ(Name(IsoMedia("isom")), "video");
  EXPECT_EQ(Name(std::string("\0\0\0\x0CJXL \r\n\x87\n", 12)), "JPEG XL picture");
  EXPECT_EQ(Name("\xFF\x0A\xFA"), "JPEG XL picture");
  EXPECT_EQ(Name(std::string("\0\0\0\x0CjP  \r\n\x87\n", 12)), "JPEG 2000 picture");
  EXPECT_EQ(Name("8BPS"), "Photoshop picture");
  EXPECT_EQ(Name("AT&TFORM"), "DjVu document");
  EXPECT_EQ(Name("P5\n1 1\n255\nx"), "PGM picture");
}

TEST(MediaType, NamesTextByWhatItHolds) {
  EXPECT_EQ(Name("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), "SVG drawing");
  EXPECT_EQ(Name("<?xml version=\"1.0\"?>\n<!-- x -->\n<svg/>"), "SVG drawing");
  EXPECT_EQ(Name("\xEF\xBB\xBF \n<!DOCTYPE html><title>x</title>"), "HTML");
  EXPECT_EQ(Name("<HTML>"), "HTML");
  EXPECT_EQ(Name("<?xml version=\"1.0\"?><a/>"), "XML");
  EXPECT_EQ(Name("Gr\xC3\xBC\xC3\x9F"
                 "e\n"),
            "text");
  EXPECT_EQ(Name("version https://git-lfs.github.com/spec/v1\n"), "Git LFS pointer");
  EXPECT_EQ(Name(std::string("\xFF\xFE"
                             "a\0",
                             4)),
            "text in UTF-16");
}

TEST(MediaType, NamesDocumentsAndArchives) {
  EXPECT_EQ(Name("%PDF-1.7\n"), "PDF");
  EXPECT_EQ(Name("PK\3\4"), "ZIP archive or Office document");
  EXPECT_EQ(Name("\x1F\x8B\x08"), "gzip archive");
  EXPECT_EQ(Name("7z\xBC\xAF\x27\x1C"), "7-Zip archive");
  EXPECT_EQ(Name("\x7F"
                 "ELF"),
            "program");
  EXPECT_EQ(Name(std::string(257, 'a') + "ustar"), "tar archive");
}

TEST(MediaType, SaysNothingOfWhatItDoesNotKnow) {
  EXPECT_EQ(Name(""), "");
  EXPECT_EQ(Name("\1\2\3\4"), "");
  EXPECT_EQ(Name(std::string("ab\0cd", 5)), "");
  EXPECT_EQ(Name(std::string(5000, '\0')), "zero bytes only");
}

}  // namespace
}  // namespace octavo
