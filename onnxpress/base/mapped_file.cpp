// The parts of MappedFile that are the same on every platform; opening and mapping are in platform/.
#include "onnxpress/base/mapped_file.h"

#include <functional>

namespace onnxpress {

std::shared_ptr<const MappedFile> MappedFile::in_memory(const Bytes& content, const std::filesystem::path& path) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  file->memory_ = content.keep_alive();
  file->view_ = content.view();
  return file;
}

std::optional<std::uint64_t> MappedFile::offset_of(std::string_view view) const {
  // std::less gives a total order even for pointers into different objects.
  const std::less<const char*> before;
  if (view_.empty() || before(view.data(), view_.data()) ||
      before(view_.data() + view_.size(), view.data() + view.size())) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(view.data() - view_.data());
}

}  // namespace onnxpress
