// Tensors, and their content as a buffer that is neither copied nor writable.
#include <nanobind/nanobind.h>

#include "onnxpress/ir/constants.h"
#include "python/bindings/handles.h"

namespace onnxpress::python {

namespace {

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Buffer& buffer = *nb::inst_ptr<Buffer>(self);
  // PyBuffer_FillInfo refuses writable views by itself.
  return PyBuffer_FillInfo(view, self, const_cast<char*>(buffer.bytes.data()),
                           static_cast<Py_ssize_t>(buffer.bytes.size()), /*readonly=*/1, flags);
}

PyType_Slot kBufferSlots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

nb::tuple shape_of(const Tensor& tensor) {
  nb::list dims;
  for (const std::int64_t dim : tensor.dims) dims.append(dim);
  return nb::tuple(dims);
}

nb::object text(std::string_view view) {
  return nb::steal(PyUnicode_DecodeUTF8(view.data(), static_cast<Py_ssize_t>(view.size()), "surrogateescape"));
}

}  // namespace

Bytes bytes_of(nb::bytes content) {
  // The last reference may be released in a thread that Python does not know.
  PyObject* object = content.release().ptr();
  const std::shared_ptr<const void> keep(object, [](const void* held) {
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire locked;
    Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
  });
  return {{PyBytes_AsString(object), static_cast<std::size_t>(PyBytes_Size(object))}, keep};
}

Tensor* new_tensor(State& state, const std::string& type, const std::vector<std::int64_t>& dims, nb::bytes content) {
  const ElementType element = element_type_in(type);
  const auto count = product_of(dims);
  const auto needed = count ? raw_size(element, *count) : std::nullopt;
  if (!needed || *needed != nb::len(content))
    throw Error("", to_string(element, dims) + " cannot have " + std::to_string(nb::len(content)) + " bytes");
  return make_tensor(state.model.arena(), element, dims, bytes_of(std::move(content)));
}

void bind_tensor(nb::module_& module) {
  nb::class_<Buffer>(module, "Buffer", nb::type_slots(kBufferSlots),
                     "Content of a tensor, read-only and in place: memoryview(buffer) copies nothing.\n\n>>> "
                     "memoryview(tensor.buffer())[:4]")
      .def("__len__", [](const Buffer& self) { return self.bytes.size(); })
      .def_prop_ro(
          "address", [](const Buffer& self) { return reinterpret_cast<std::uintptr_t>(self.bytes.data()); },
          "Its address in memory.\n\n>>> hex(tensor.buffer().address)");
  nb::class_<TensorHandle>(module, "Tensor",
                           "A constant: element type, shape and content.\n\n>>> w = "
                           "model.graph.value('conv1.weight').tensor\n>>> w.element_type, w.shape, w.numpy().mean()")
      .def_prop_ro(
          "name", [](const TensorHandle& self) { return text(self.tensor->name); },
          "Its name in the file.\n\n>>> tensor.name")
      .def_prop_ro(
          "element_type", [](const TensorHandle& self) { return std::string(to_string(self.tensor->type)); },
          "The element type, such as 'float', 'int64' or 'bfloat16'.\n\n>>> tensor.element_type")
      .def_prop_ro(
          "shape", [](const TensorHandle& self) { return shape_of(*self.tensor); },
          "Its sizes, as a tuple.\n\n>>> tensor.shape")
      .def_prop_ro(
          "nbytes", [](const TensorHandle& self) { return self.tensor->expected_bytes().value_or(0); },
          "Bytes of its content.\n\n>>> sum(v.tensor.nbytes for v in model.graph.initializers)")
      .def(
          "buffer",
          [](const TensorHandle& self) {
            return Buffer{self.tensor->bytes(), self.state};
          },
          "The content, little-endian and row-major, without a copy.\n\n>>> memoryview(tensor.buffer())[:4]")
      .def(
          "strings",
          [](const TensorHandle& self) {
            nb::list texts;
            for (const std::string_view each : self.tensor->strings()) texts.append(text(each));
            return texts;
          },
          "The elements of a string tensor.\n\n>>> tensor.strings()")
      .def(
          "numpy", [](nb::object self) { return nb::module_::import_("onnxpress._arrays").attr("array_of")(self); },
          "The content as a NumPy array: read-only, not copied, and alive as long as it is used.\n\n"
          ">>> model.graph.value('conv1.weight').tensor.numpy().std()")
      .def("__repr__", [](const TensorHandle& self) {
        return "<onnxpress.Tensor " + to_string(self.tensor->type, self.tensor->dims) + ">";
      });
}

}  // namespace onnxpress::python
