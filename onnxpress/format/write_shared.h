// Writes several models with one external file for all of them: equal content is stored once, and each model can be
// loaded without the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnxpress/format/encoder.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::format {

// Tensors whose content also occurs elsewhere, each with the one that represents all of them (possibly itself).
using SameContent = std::unordered_map<const Tensor*, const Tensor*>;

class SharedWriter {
 public:
  struct Output {
    Model* model = nullptr;
    std::filesystem::path path;  // all in one folder
  };

  // Decides what goes where; writes nothing. Content that several tensors have goes to the shared file from
  // kLeastShared bytes on, other tensors from kLeastAlone on: aligning smaller ones would cost more than it saves.
  // Integers that take fewer bytes inside the model, as varints, go there only when another tensor has the same
  // content.
  SharedWriter(std::vector<Output> outputs, std::string external_name, const SameContent& same);
  static constexpr std::uint64_t kLeastShared = 4096, kLeastAlone = 65536;

  std::uint64_t external_bytes() const { return end_; }  // of the shared file, including alignment
  std::uint64_t stored_tensors() const { return stored_.size(); }
  std::uint64_t referring_tensors() const { return referring_; }
  std::uint64_t model_bytes(std::size_t i) const { return plans_[i].message.size(); }
  std::uint64_t used_bytes(std::size_t i) const { return plans_[i].used; }  // of the shared file, by this model
  std::uint64_t total_bytes() const;

  const std::string& external_name() const { return external_name_; }

  // Writes all files into `folder`, where they keep their names, or none: the external file first, then the models in
  // order. Throws Error.
  void write(const std::filesystem::path& folder,
             const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) const;

 private:
  struct Plan {
    TensorMoves moves;
    Rope message;
    std::uint64_t used = 0;
  };
  struct Stored {
    const Model* model;
    const Tensor* tensor;
    TensorMoves::Slot slot;
  };

  void collect(std::size_t number, const SameContent& same);
  void place_all();
  void encode(std::size_t number);

  std::vector<Output> outputs_;
  std::string external_name_;
  std::vector<Plan> plans_;
  std::vector<Stored> stored_;                                // each content once
  std::unordered_map<const Tensor*, std::size_t> stored_as_;  // by the tensor that represents the content
  std::vector<std::vector<std::pair<const Tensor*, std::size_t>>> references_;  // by model: tensor, index into stored_
  std::uint64_t end_ = 0, referring_ = 0;
};

}  // namespace onnxpress::format
