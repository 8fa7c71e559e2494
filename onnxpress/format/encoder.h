// Encoder: turns a Model into an encoded message. Internal to format/; write_model.h is the public interface.
//
// An unchanged message is copied from its origin, byte for byte. A changed message is written field by field in the
// order of field numbers; its unchanged submessages are copied from their origins, and unknown fields come at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/format/rope.h"
#include "onnxpress/format/schema.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::format {

// Which tensors move into or out of the model while writing. Tensors that are in neither list stay where they are.
struct TensorMoves {
  struct Slot {
    std::uint64_t offset = 0, length = 0;
  };
  std::string external_location;
  std::unordered_map<const Tensor*, Slot> out;  // into the external file
  std::unordered_set<const Tensor*> in;         // from external files into the model
};

class Encoder {
 public:
  explicit Encoder(bool encode_anew, const TensorMoves* moves = nullptr) : anew_(encode_anew), moves_(moves) {}

  Rope encode_model(const Model& model) const;
  // The size of the message, without tag and length.
  std::uint64_t size_of(const Tensor& tensor) const;

 private:
  // Each encode() appends the fields of one message; append_message() puts tag and length before them.
  template <typename T>
  void append_message(Rope& out, std::uint32_t field, const T& message) const {
    const Rope::Open open = out.open_field(field, origin_of(message).size());
    encode(out, message);
    out.close_field(open);
  }
  // The same for a list; a long one is encoded on several cores.
  template <typename T>
  void append_messages(Rope& out, std::uint32_t field, std::span<const T* const> messages) const {
    constexpr std::size_t kPart = 4096;
    if (messages.size() <= kPart) {
      for (const T* each : messages) append_message(out, field, *each);
      return;
    }
    std::vector<Rope> parts((messages.size() + kPart - 1) / kPart);
    parallel_for(parts.size(), [&](std::size_t i) {
      Rope part;  // not parts[i], which may share a cache line with a part that another core changes
      for (const T* each : messages.subspan(i * kPart, std::min(kPart, messages.size() - i * kPart)))
        append_message(part, field, *each);
      parts[i] = std::move(part);
    });
    for (Rope& part : parts) out.append(std::move(part));
  }
  template <typename T>
  static std::string_view origin_of(const T& message) {
    if constexpr (requires { message.origin(); }) {
      return message.origin();
    } else {
      return message.origin;
    }
  }

  // encode_model.cpp
  void encode(Rope& out, const Function& function) const;
  void encode(Rope& out, const TrainingInfo& training) const;
  std::string encode_opset(const OpsetImport& import) const;
  static std::string encode_entry(const MetadataEntry& entry);
  static void append_entries(Rope& out, std::uint32_t field, std::span<const MetadataEntry> entries);
  // An optional text: null data means absent.
  static void append_text(Rope& out, std::uint32_t field, std::string_view text);
  // Appends the fields of `origin` that the schema does not know.
  static void append_unknown(Rope& out, std::string_view origin, MessageIndex message);

  // encode_graph.cpp
  void encode(Rope& out, const Graph& graph) const;
  void encode(Rope& out, const Node& node) const;
  void encode(Rope& out, const ValueInfo& info) const;
  void encode(Rope& out, const Attribute& attribute) const;
  void append_attribute_value(Rope& out, const Attribute& attribute) const;
  void append_annotation(Rope& out, const QuantizationAnnotation& annotation) const;

  // encode_tensor.cpp
  void encode(Rope& out, const Tensor& tensor) const;
  void encode(Rope& out, const SparseTensor& tensor) const;
  void append_content(Rope& out, const Tensor& tensor) const;
  void append_varints(Rope& out, const Tensor& tensor) const;
  const TensorMoves::Slot* slot_of(const Tensor& tensor) const;  // null if it does not go into the external file
  bool moves(const Tensor& tensor) const;
  bool moves(const SparseTensor& tensor) const;

  // encode_type.cpp
  void encode(Rope& out, const Type& type) const;
  void append_kind(Rope& out, std::uint32_t kind, const Type& type) const;

  bool can_copy(std::string_view origin, bool changed) const { return !anew_ && !changed && origin.data() != nullptr; }

  bool anew_;
  const TensorMoves* moves_;
};

}  // namespace onnxpress::format
