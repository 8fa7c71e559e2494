// Models: reading, writing, looking, and the tasks. Long work lets other threads of Python run.
#include "onnxpress/ir/model.h"

#include <nanobind/nanobind.h>

#include "onnxpress/base/stages.h"
#include "onnxpress/base/thread_pool.h"
#include "onnxpress/files.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/run.h"
#include "onnxpress/tasks/by_name/task_calls.h"
#include "onnxpress/tasks/jobs/as_inputs_file.h"
#include "onnxpress/text/print_model.h"
#include "python/bindings/handles.h"
#include "python/bindings/runtimes.h"

namespace onnxpress::python {

namespace {

struct ModelHandle {
  StatePointer state;
};

nb::object text(std::string_view view) {
  return nb::steal(PyUnicode_DecodeUTF8(view.data(), static_cast<Py_ssize_t>(view.size()), "surrogateescape"));
}

ModelHandle owned(Model model) {
  auto state = std::make_shared<State>();
  state->model = std::move(model);
  return {std::move(state)};
}

// The name of a file need not be UTF-8.
std::string file_name_in(nb::handle path) {
  PyObject* encoded = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), &encoded)) throw nb::python_error();
  const nb::object kept = nb::steal(encoded);
  return {PyBytes_AsString(encoded), static_cast<std::size_t>(PyBytes_Size(encoded))};
}

// In messages, content from memory has the name of a file, but it came from none.
ModelHandle without_path(Model model) {
  model.path.clear();
  return owned(std::move(model));
}

// A path, bytes, an object with SerializeToString (onnx.ModelProto) or one with read (a file).
ModelHandle load(nb::object source) {
  if (nb::hasattr(source, "SerializeToString")) source = source.attr("SerializeToString")();
  if (nb::hasattr(source, "read")) source = source.attr("read")();
  if (nb::isinstance<nb::bytearray>(source) || PyMemoryView_Check(source.ptr()))
    source = nb::steal(PyBytes_FromObject(source.ptr()));
  if (nb::isinstance<nb::bytes>(source)) {
    const Bytes content = bytes_of(nb::borrow<nb::bytes>(source));
    const nb::gil_scoped_release unlocked;
    return without_path(load_model(content));
  }
  const nb::object path = nb::steal(PyOS_FSPath(source.ptr()));
  if (!path.is_valid()) throw nb::python_error();
  const std::string name = file_name_in(path);
  const nb::gil_scoped_release unlocked;
  return owned(load_model(std::filesystem::path(name)));
}

// Handles Ctrl-C and other signals, which otherwise would have to wait for the end of the call.
void notice_signals() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

TaskProgress progress_of(const nb::object& callback) {
  return [&callback](std::uint64_t done, std::uint64_t total) {
    notice_signals();
    const nb::gil_scoped_acquire locked;
    if (!callback.is_none()) callback(done, total);
  };
}

// Each call has its own threads, because one pool for all calls would be shared state.
template <typename Work>
auto in_background(State& state, const Work& work) {
  const Busy busy(state);
  const nb::gil_scoped_release unlocked;
  ThreadPool pool;
  const UseThreads threads(pool);
  const HearStages between_stages([](std::string_view) { notice_signals(); });
  return work();
}

std::string run(const ModelHandle& self, const std::string& task, const std::string& options,
                const nb::object& callback, const std::string& library) {
  State& state = *self.state;
  const TaskProgress progress = progress_of(callback);
  const bool changes = task != "check" && task != "info" && task != "profile";
  if (changes) {
    state.editor_.reset();
    ++state.generation;
  }
  return in_background(state, [&] { return run_task(task, state.model, options, progress, runtime_at(library)); });
}

ModelHandle copy_of(const ModelHandle& self) {
  const Busy busy(*self.state);
  return owned(self.state->model.clone());
}

nb::bytes to_bytes(const ModelHandle& self) {
  Bytes made = in_background(*self.state, [&] { return save_model(self.state->model); });
  return nb::bytes(made.data(), made.size());
}

// Names need not be UTF-8; parse() can read them again.
nb::object to_text(const ModelHandle& self, std::uint64_t elide) {
  const Busy busy(*self.state);
  name_values(self.state->model);
  return text(text::print_model(self.state->model, text::PrintOptions{.elide_above = elide}));
}

ModelHandle parse(nb::str source) {
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(source.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) throw nb::python_error();
  return without_path(load_model(bytes_of(nb::borrow<nb::bytes>(encoded))));
}

nb::list run_model(const ModelHandle& self, nb::list inputs) {
  std::vector<NamedTensor> given;
  for (nb::handle each : inputs) {
    const auto [name, type, dims, content] =
        nb::cast<std::tuple<std::string, std::string, std::vector<std::int64_t>, nb::object>>(each);
    NamedTensor tensor{name, element_type_in(type), dims, {}, {}};
    if (tensor.type == ElementType::kString) {
      tensor.strings = nb::cast<std::vector<std::string>>(content);
    } else {
      tensor.content = bytes_of(nb::cast<nb::bytes>(content));
    }
    given.push_back(std::move(tensor));
  }
  const std::vector<NamedTensor> made =
      in_background(*self.state, [&] { return onnxpress::run(self.state->model, given); });
  nb::list outputs;
  for (const NamedTensor& each : made) {
    nb::list texts;
    for (const std::string& one : each.strings) texts.append(text(one));
    outputs.append(nb::make_tuple(text(each.name), std::string(to_string(each.type)), each.dims,
                                  nb::bytes(each.content.data(), each.content.size()), texts));
  }
  return outputs;
}

nb::dict opsets_of(const ModelHandle& self) {
  nb::dict made;
  for (const OpsetImport& each : self.state->model.opsets) made[text(normal_domain(each.domain))] = each.version;
  return made;
}

nb::dict metadata_of(const ModelHandle& self) {
  nb::dict made;
  for (const MetadataEntry& each : self.state->model.metadata) made[text(each.key)] = text(each.value);
  return made;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<ModelHandle>(module, "Model",
                          "An ONNX model: reads, changes and writes it.\n\n"
                          ">>> model = onnxpress.Model.load('model.onnx')\n>>> [n.op_type for n in model.graph.nodes]")
      .def_static("load", load, nb::arg("source"),
                  "From a path (.onnx, .onnxtxt, .json), bytes, an onnx.ModelProto or an open file. Files are mapped, "
                  "so weights are only read when they are needed.\n\n>>> model = Model.load('model.onnx')\n>>> model = "
                  "Model.load(onnx_proto)")
      .def_static(
          "parse", parse, nb::arg("text"),
          "From ONNX text.\n\n>>> Model.parse('<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] "
          "y) { y = Relu (x) }')")
      .def_prop_ro(
          "graph", [](const ModelHandle& self) { return GraphHandle(self.state, &self.state->model.graph()); },
          "The main graph.\n\n>>> model.graph.nodes[0]")
      .def_prop_ro(
          "ir_version", [](const ModelHandle& self) { return self.state->model.ir_version; },
          "Version of the format.\n\n>>> model.ir_version")
      .def_prop_ro("opsets", opsets_of, "Imported opsets: version by domain; '' is ONNX's own.\n\n>>> model.opsets['']")
      .def_prop_ro(
          "metadata", metadata_of,
          "A copy of the metadata properties; edit(set_metadata=...) changes them.\n\n>>> model.metadata.get('author')")
      .def_prop_ro(
          "producer_name", [](const ModelHandle& self) { return text(self.state->model.producer_name); },
          "The tool that made it.\n\n>>> model.producer_name")
      .def_prop_ro(
          "doc", [](const ModelHandle& self) { return text(self.state->model.doc); },
          "Its documentation.\n\n>>> print(model.doc)")
      .def_prop_ro(
          "path", [](const ModelHandle& self) { return text(self.state->model.path.string()); },
          "The file it was read from.\n\n>>> onnxpress.Model.load('model.onnx').path")
      .def_prop_ro(
          "functions",
          [](const ModelHandle& self) {
            nb::list made;
            for (const Function* each : self.state->model.functions)
              made.append(
                  nb::make_tuple(text(each->domain), text(each->name), nb::cast(GraphHandle(self.state, each->body))));
            return made;
          },
          "Functions of the model: domain, name and body of each.\n\n>>> [(domain, name, len(body)) for domain, name, "
          "body in model.functions]")
      .def("to_bytes", to_bytes,
           "The .onnx file in memory, with its weights inside.\n\n>>> session = "
           "onnxruntime.InferenceSession(model.to_bytes())")
      .def(
          "to_proto",
          [](nb::object self) {
            return nb::module_::import_("onnx").attr("ModelProto").attr("FromString")(self.attr("to_bytes")());
          },
          "As onnx.ModelProto; needs the onnx package.\n\n>>> onnx.checker.check_model(model.to_proto())")
      .def("to_text", to_text, nb::arg("elide") = 16,
           "As ONNX text; tensors with more than `elide` elements are shortened.\n\n>>> print(model.to_text())")
      .def("__reduce__",
           [](nb::object self) {
             const nb::object restore = nb::module_::import_("onnxpress._calls").attr("restored");
             return nb::make_tuple(restore, nb::make_tuple(self.attr("to_bytes")(), self.attr("path")));
           })
      .def("__copy__", copy_of)
      .def("__deepcopy__", [](const ModelHandle& self, nb::handle) { return copy_of(self); })
      .def("_set_path", [](const ModelHandle& self,
                           nb::str path) { self.state->model.path = std::filesystem::path(file_name_in(path)); })
      .def("copy", copy_of,
           "An independent copy; weights are shared.\n\n>>> smaller = "
           "onnxpress.quantize(model.copy(), to='int8').model")
      .def(
          "verify",
          [](const ModelHandle& self) {
            if (const std::string problem = verify(self.state->model); !problem.empty())
              throw Error("", problem, "this is a bug in onnxpress; please report it");
          },
          "Checks that links, order and names of the graph in memory agree. Raises Error otherwise.\n\n>>> "
          "model.verify()")
      .def("_run_task", run, nb::arg("task"), nb::arg("options"), nb::arg("progress") = nb::none(),
           nb::arg("library") = "")
      .def(
          "_save",
          [](const ModelHandle& self, const std::string& path, const std::string& options, const nb::object& callback) {
            const TaskProgress progress = progress_of(callback);
            return in_background(*self.state, [&] { return save_model(self.state->model, path, options, progress); });
          },
          nb::arg("path"), nb::arg("options"), nb::arg("progress") = nb::none())
      .def("_run", run_model)
      .def(
          "save",
          [](nb::object self, nb::object path, nb::kwargs options) {
            return nb::module_::import_("onnxpress._calls").attr("save")(self, path, **options);
          },
          nb::arg("path"), nb::arg("options"),
          "Writes the model, completely or not at all, in the form that the name implies. Keywords are those of "
          "convert().\n\n"
          ">>> model.save('model.onnx', external_data='model.data')")
      .def("_shapes",
           [](const ModelHandle& self) {
             Model graph;
             const std::string engine = in_background(*self.state, [&] {
               name_values(self.state->model);
               return shape_engine_of(self.state->model, graph);
             });
             return nb::make_tuple(engine, nb::cast(owned(std::move(graph))));
           })
      .def("_extract",
           [](const ModelHandle& self, const std::string& options) {
             std::string report;
             Model made = in_background(*self.state, [&] { return extract_part(self.state->model, options, report); });
             return nb::make_tuple(nb::cast(owned(std::move(made))), report);
           })
      .def("_merge",
           [](const ModelHandle& self, const ModelHandle& second, const std::string& options) {
             std::string report;
             Model made = in_background(
                 *self.state, [&] { return merge_models(self.state->model, second.state->model, options, report); });
             return nb::make_tuple(nb::cast(owned(std::move(made))), report);
           })
      .def("_split",
           [](const ModelHandle& self, const std::string& options) {
             std::string report;
             std::vector<Model> made =
                 in_background(*self.state, [&] { return split_model(self.state->model, options, report); });
             nb::list stages;
             for (Model& each : made) stages.append(nb::cast(owned(std::move(each))));
             return nb::make_tuple(stages, report);
           })
      .def("_diff",
           [](const ModelHandle& self, const ModelHandle& other, const std::string& options) {
             return in_background(*self.state,
                                  [&] { return diff_models(self.state->model, other.state->model, options); });
           })
      .def("_verify",
           [](const ModelHandle& self, const ModelHandle& other, const std::string& options,
              const std::string& library) {
             return in_background(
                 *self.state, [&] { return verify_models(self.state->model, other.state->model, options, library); });
           })
      .def("__repr__", [](const ModelHandle& self) {
        const Model& model = self.state->model;
        return "<onnxpress.Model " + quote_name(model.graph().name()) + ", " +
               std::to_string(model.graph().nodes().size()) + " nodes>";
      });
  module.def("_task_names", task_names);
  module.def("_rewrite_names", rewrite_names);
  module.def("_other_pass_names", other_pass_names);
  // For compat.scs4onnx: constants become inputs, with that tool's names. Returns the .npy files.
  module.def("_as_inputs_file",
             [](const std::string& input, const std::string& output, const std::vector<std::string>& names,
                const std::vector<std::string>& nodes, bool repeated) {
               const nb::gil_scoped_release unlocked;
               TensorOptions options{.names = {names.begin(), names.end()}, .nodes = {nodes.begin(), nodes.end()}};
               options.also_repeated = repeated;
               options.npy_names = NpyNames::kScs4onnx;
               std::vector<std::string> files;
               for (const WrittenFile& file : constants_as_inputs(input, output, options).files) {
                 if (file.path.ends_with(".npy")) files.push_back(file.path);
               }
               return files;
             });
  module.def("_options_of", [](const std::string& task) {
    nb::list made;
    for (const TaskOption& each : options_of(task)) made.append(nb::make_tuple(each.name, each.kind, each.help));
    return made;
  });
}

}  // namespace onnxpress::python
