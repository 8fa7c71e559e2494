// Encoded messages with random content in all their fields, made from the table in onnxpress/format/schema.h.
#pragma once

#include <random>
#include <string>

#include "onnxpress/format/schema.h"

namespace onnxpress::tests {

// As protobuf would write it: fields in the order of their numbers, lists packed where the table says so. `size` is
// about the number of messages inside.
std::string random_message(format::MessageIndex message, std::mt19937& random, int size);

}  // namespace onnxpress::tests
