// The extension module: errors, and the classes of the other files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <typeinfo>

#include "cli/arguments/moved_options.h"
#include "cli/run_command.h"
#include "onnxpress/base/platform/missing_file.h"
#include "onnxpress/base/version.h"
#include "python/bindings/handles.h"

namespace onnxpress::python {

namespace {

PyObject *error_type = nullptr, *missing_file_type = nullptr;

// The exception with the parts of the message as attributes; an invalid object if Python has raised another one.
nb::object exception_for(const Error& error, PyObject* type) {
  std::string text = error.what();
  if (!error.hint().empty()) text += "\nhint: " + error.hint();
  const nb::object words = nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
  nb::object made = nb::steal(PyObject_CallFunctionObjArgs(type, words.ptr(), nullptr));
  if (!made.is_valid()) return made;
  const std::pair<const char*, const std::string&> parts[] = {
      {"file", error.file()}, {"where", error.where()}, {"message", error.message()}, {"hint", error.hint()}};
  for (const auto& [name, part] : parts) {
    nb::object value = nb::steal(PyUnicode_DecodeUTF8(part.data(), Py_ssize_t(part.size()), "replace"));
    PyObject_SetAttrString(made.ptr(), name, value.ptr());
  }
  return made;
}

// onnxpress.Error; for a file that does not exist, onnxpress.MissingFile, which is a FileNotFoundError as well.
void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const MissingFile& error) {
    const nb::object made = exception_for(error, missing_file_type);
    if (!made.is_valid()) return;
    made.attr("errno") = ENOENT;
    made.attr("strerror") = made.attr("message");
    made.attr("filename") = made.attr("file");
    PyErr_SetObject(missing_file_type, made.ptr());
  } catch (const Error& error) {
    const nb::object made = exception_for(error, error_type);
    if (made.is_valid()) PyErr_SetObject(error_type, made.ptr());
  } catch (const std::bad_cast&) {  // an element of a list or dict, which nanobind does not check before the call
    PyErr_SetString(PyExc_TypeError, "an element of an argument has a type that is not accepted here");
  }
}

PyObject* make_error_type() {
  return PyErr_NewExceptionWithDoc("onnxpress.Error",
                                   "What is wrong, where, and what to do about it.\n\nAttributes: file, where, "
                                   "message, hint.\n\n>>> try:\n...     onnxpress.Model.load('model.onnx')\n... "
                                   "except onnxpress.Error as error:\n...     print(error.message, error.hint)",
                                   PyExc_ValueError, nullptr);
}

PyObject* make_missing_file_type() {
  const nb::object bases = nb::make_tuple(nb::handle(error_type), nb::handle(PyExc_FileNotFoundError));
  nb::dict members;  // without it, the text of an OSError would be made of its number and file
  members["__str__"] = nb::handle(PyExc_ValueError).attr("__str__");
  return PyErr_NewExceptionWithDoc("onnxpress.MissingFile",
                                   "A file that does not exist: an Error that is a FileNotFoundError as well.\n\n>>> "
                                   "try:\n...     onnxpress.Model.load('model.onnx')\n... except FileNotFoundError as "
                                   "error:\n...     print(error.filename)",
                                   bases.ptr(), members.ptr());
}

// Runs the command in this process, because a separate program would contain the whole library once more.
int run_command(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const nb::gil_scoped_release unlocked;
  return cli::run_command(static_cast<int>(words.size()), pointers.data());
}

}  // namespace

}  // namespace onnxpress::python

NB_MODULE(_onnxpress, module) {
  using namespace onnxpress::python;
  nb::set_leak_warnings(false);  // interpreters exit with live objects; the tests find leaks in another way
  error_type = make_error_type();
  module.attr("Error") = nb::handle(error_type);
  missing_file_type = make_missing_file_type();
  module.attr("MissingFile") = nb::handle(missing_file_type);
  nb::register_exception_translator(translate, nullptr);
  module.attr("__version__") = nb::str(std::string(onnxpress::version()).c_str());
  module.def("_run_command", [](nb::list words) {
    std::vector<std::string> texts;
    for (nb::handle each : words) {  // arguments need not be UTF-8
      PyObject* encoded = nullptr;
      if (!PyUnicode_FSConverter(each.ptr(), &encoded)) throw nb::python_error();
      const nb::object kept = nb::steal(encoded);
      texts.emplace_back(PyBytes_AsString(encoded), static_cast<std::size_t>(PyBytes_Size(encoded)));
    }
    return run_command(std::move(texts));
  });
  // What the command says about options that moved: the problem, and the command line that is meant. None: nothing.
  module.def("_moved_answer", [](const std::string& command, const std::vector<std::string>& words) {
    const auto answer = onnxpress::cli::moved_answer(command, words);
    return answer ? std::optional(std::pair(answer->problem, answer->command_line)) : std::nullopt;
  });
  bind_tensor(module);
  bind_graph(module);
  bind_model(module);
  bind_llm(module);
}
