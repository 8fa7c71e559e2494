// What Python objects hold: a pointer into a model, and the model itself, so that nothing dies before its last user.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/field_lists/edit.h"

namespace nb = nanobind;

namespace onnxpress::python {

// A model, and the editor that changes it. Tasks replace the model as a whole; then handles into it are no longer
// valid.
struct State {
  Model model;
  std::unique_ptr<Editor> editor_;
  std::uint64_t generation = 0;
  std::atomic<bool> busy = false;

  Editor& editor() {
    if (!editor_) editor_ = std::make_unique<Editor>(model);
    return *editor_;
  }
};
using StatePointer = std::shared_ptr<State>;

// While this object exists, no other thread may access the model.
class Busy {
 public:
  explicit Busy(State& state) : state_(state) {
    if (state_.busy.exchange(true)) throw Error("", "another thread is using this model", "give each thread a copy()");
  }
  ~Busy() { state_.busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  State& state_;
};

template <typename T>
struct Handle {
  StatePointer state;
  T* pointer = nullptr;
  std::uint64_t generation = 0;

  Handle(StatePointer owner, T* object) : state(std::move(owner)), pointer(object), generation(state->generation) {}

  T& get() const {
    if (state->busy) throw Error("", "another thread is using this model", "give each thread a copy()");
    if (state->generation != generation)
      throw Error("", "the model was changed as a whole since then", "look the node or value up again");
    return *pointer;
  }
  bool operator==(const Handle& other) const { return pointer == other.pointer; }
};

using GraphHandle = Handle<Graph>;
using NodeHandle = Handle<Node>;
using ValueHandle = Handle<Value>;

// A tensor need not belong to a model yet.
struct TensorHandle {
  StatePointer state;
  const Tensor* tensor = nullptr;
};

// Content that Python reads in place: keeps the file that contains it, and the model, alive.
struct Buffer {
  Bytes bytes;
  StatePointer state;
};

// All nodes that pass the filter, in order; `op` and `name` are a text, several, or None.
nb::list find_nodes(const GraphHandle& self, nb::object op, nb::object name, bool bodies);

void bind_graph(nb::module_& module);
void bind_llm(nb::module_& module);
void bind_model(nb::module_& module);
void bind_tensor(nb::module_& module);

// The bytes of a Python object, which they keep alive.
Bytes bytes_of(nb::bytes content);
Tensor* new_tensor(State& state, const std::string& type, const std::vector<std::int64_t>& dims, nb::bytes content);

}  // namespace onnxpress::python
