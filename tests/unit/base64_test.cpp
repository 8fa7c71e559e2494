// Base64, with the examples of RFC 4648.
#include "onnxpress/base/base64.h"

#include <gtest/gtest.h>

#include <utility>

namespace onnxpress {
namespace {

std::string encoded(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out = "kept ";
  if (!append_base64_decoded(out, text)) {
    EXPECT_EQ(out, "kept ");
    return std::nullopt;
  }
  EXPECT_EQ(base64_decoded_size(text), out.size() - 5);
  return out.substr(5);
}

TEST(Base64, Examples) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(encoded(bytes), text);
    EXPECT_EQ(decoded(text), bytes);
  }
}

TEST(Base64, AllBytesRoundTripWithAndWithoutPadding) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t size = 0; size <= all.size(); ++size) {
    const std::string bytes = all.substr(all.size() - size), text = encoded(bytes);
    EXPECT_EQ(decoded(text), bytes);
    EXPECT_EQ(decoded(text.substr(0, text.find('='))), bytes);
  }
}

TEST(Base64, ReadsTheUrlSafeAlphabet) {
  EXPECT_EQ(encoded("\xfb\xef\xff"), "++//");
  EXPECT_EQ(decoded("--__"), "\xfb\xef\xff");
  EXPECT_EQ(decoded("-+_/"), "\xfb\xef\xff");
}

TEST(Base64, RefusesWhatIsNotBase64) {
  for (const char* text :
       {"Z", "=", "====", "Z===", "Zg=a", "Zm9v=", "Zm9v==", "Zm 9v", "Zm9v\n", "Zm9\x80", "Z\xffg=", "Zg==Zg=="}) {
    EXPECT_EQ(decoded(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace onnxpress
