// Mutates ONNX messages as messages: fields are removed, repeated, swapped, changed, and copied from elsewhere in the
// model, and all lengths fit again. Plain mutation of bytes nearly always breaks a length first, and so tests only the
// outermost message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/format/schema.h"
#include "onnxpress/format/wire.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace onnxpress::fuzz {

namespace wire = onnxpress::format;

// The number of bytes before the model that choose options; each target defines it.
extern const std::size_t kOptionBytes;

class MessageMutator {
 public:
  explicit MessageMutator(unsigned seed) : random_(seed) {}

  std::string mutated(std::string_view model) {
    std::vector<Part> parts = parse(model, wire::MessageIndex::kModel, 0);
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes; ++i) change(parts);
    std::string out;
    encode(parts, out);
    return out;
  }

 private:
  struct Part {
    std::uint32_t field = 0;
    wire::WireType type = wire::WireType::kVarint;
    std::uint64_t number = 0;
    std::string bytes;
    std::optional<wire::MessageIndex> message;
    std::vector<Part> parts;
  };
  struct Place {
    std::vector<Part>* parts;
    wire::MessageIndex message;
  };

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  // The parts that can be read; a damaged end is dropped.
  static std::vector<Part> parse(std::string_view encoded, wire::MessageIndex message, std::size_t depth) {
    std::vector<Part> parts;
    try {
      for (wire::WireReader in(encoded); in.next();) {
        Part part;
        part.field = in.field();
        part.type = in.type();
        switch (in.type()) {
          case wire::WireType::kVarint:
            part.number = in.varint();
            break;
          case wire::WireType::kLength:
            part.bytes = in.bytes();
            break;
          default:
            in.skip();
            part.bytes = in.whole_field();
        }
        const wire::Field* field = wire::schema_of(message).find(part.field);
        if (field && field->kind == wire::FieldKind::kMessage && part.type == wire::WireType::kLength &&
            depth < kDepth) {
          part.message = field->message;
          part.parts = parse(part.bytes, field->message, depth + 1);
        }
        parts.push_back(std::move(part));
      }
    } catch (const Error&) {
    }
    return parts;
  }

  static void encode(const std::vector<Part>& parts, std::string& out) {
    for (const Part& part : parts) {
      if (part.type == wire::WireType::kVarint) {
        wire::append_int(out, part.field, static_cast<std::int64_t>(part.number));
      } else if (part.message) {
        std::string inside;
        encode(part.parts, inside);
        wire::append_bytes(out, part.field, inside);
      } else if (part.type == wire::WireType::kLength) {
        wire::append_bytes(out, part.field, part.bytes);
      } else {
        out += part.bytes;  // the whole field, tag included
      }
    }
  }

  static void collect(std::vector<Part>& parts, wire::MessageIndex message, std::vector<Place>& places) {
    places.push_back({&parts, message});
    for (Part& part : parts) {
      if (part.message) collect(part.parts, *part.message, places);
    }
  }

  void change(std::vector<Part>& model) {
    std::vector<Place> places;
    collect(model, wire::MessageIndex::kModel, places);
    const Place place = places[below(places.size())];
    std::vector<Part>& parts = *place.parts;
    if (parts.empty() || below(5) == 0) {
      insert(place);
      return;
    }
    Part& part = parts[below(parts.size())];
    switch (below(5)) {
      case 0:
        parts.erase(parts.begin() + (&part - parts.data()));
        return;
      case 1:
        std::swap(part, parts[below(parts.size())]);
        return;
      case 2: {
        const Part copy = part;
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(below(parts.size() + 1)), copy);
        return;
      }
      case 3:
        copy_from_elsewhere(places, place);
        return;
      default:
        change_content(part);
    }
  }

  // Equal names, nested bodies, tensors in other places: most bugs need two parts that match each other.
  void copy_from_elsewhere(const std::vector<Place>& places, const Place& place) {
    const Place& other = places[below(places.size())];
    if (other.parts->empty()) return;
    const Part source = (*other.parts)[below(other.parts->size())];
    for (Part& part : *place.parts) {
      if (part.type == source.type && part.message == source.message && below(2) == 0) {
        const std::uint32_t field = part.field;
        part = source;
        part.field = field;
        return;
      }
    }
    if (other.message == place.message) place.parts->push_back(source);
  }

  void change_content(Part& part) {
    if (part.type == wire::WireType::kVarint) {
      part.number = interesting_number(part.number);
    } else if (!part.message) {
      const std::size_t size = part.bytes.size();
      part.bytes.resize(size + 16);
      part.bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.bytes.data()), size, part.bytes.size()));
    }
  }

  std::uint64_t interesting_number(std::uint64_t old) {
    constexpr std::uint64_t kInteresting[] = {0,
                                              1,
                                              2,
                                              7,
                                              127,
                                              128,
                                              1024,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              std::uint64_t{1} << 32,
                                              std::uint64_t{1} << 62,
                                              ~std::uint64_t{0} >> 1,
                                              std::uint64_t{1} << 63,
                                              ~std::uint64_t{0}};
    switch (below(3)) {
      case 0:
        return old + below(3) - 1;
      case 1:
        return below(32);
      default:
        return kInteresting[below(std::size(kInteresting))];
    }
  }

  void insert(const Place& place) {
    const auto fields = wire::schema_of(place.message).fields;
    const wire::Field& field = fields[below(fields.size())];
    Part part;
    part.field = below(50) == 0 ? 1 + static_cast<std::uint32_t>(below(100)) : field.number;
    if (field.kind == wire::FieldKind::kMessage) {
      part.type = wire::WireType::kLength;
      part.message = field.message;
    } else if (field.is_number() && field.kind != wire::FieldKind::kFloat && field.kind != wire::FieldKind::kDouble &&
               below(4) != 0) {
      part.number = interesting_number(1);
    } else {
      part.type = wire::WireType::kLength;
      part.bytes.assign(below(9), static_cast<char>('a' + below(4)));
    }
    place.parts->insert(place.parts->begin() + static_cast<std::ptrdiff_t>(below(place.parts->size() + 1)),
                        std::move(part));
  }

  static constexpr std::size_t kDepth = 150;
  std::mt19937 random_;
};

}  // namespace onnxpress::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t front = std::min(size, onnxpress::fuzz::kOptionBytes);
  if (front > 0 && seed % 8 == 1) {
    LLVMFuzzerMutate(data, front, front);  // may return fewer bytes; then the old last bytes stay
    return size;
  }
  const std::string_view before(reinterpret_cast<const char*>(data) + front, size - front);
  const std::string after = onnxpress::fuzz::MessageMutator(seed).mutated(before);
  const std::size_t kept = std::min(after.size(), max_size - front);
  std::copy_n(after.data(), kept, data + front);
  return front + kept;
}
