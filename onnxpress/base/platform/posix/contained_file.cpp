// Opens external data under the kernel's own containment (openat2 of Linux) or step by step, then checks for hard
// links.
#include "onnxpress/base/contained_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <cstring>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/missing_file.h"
#include "onnxpress/base/platform/posix/differences.h"
#include "onnxpress/base/platform/refuse_location.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// Opens a file below `folder`; the kernel refuses every path that leads out of it. It is a single call, so nothing can
// be swapped in between.
int open_beneath([[maybe_unused]] int folder, [[maybe_unused]] const std::string& location) {
#ifdef __linux__
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, location.c_str(), &how, sizeof how));
#else
  errno = ENOSYS;
  return -1;
#endif
}

// For kernels without openat2 (before Linux 5.6, some sandboxes, macOS): opens component by component and follows no
// links at all.
int open_step_by_step(int folder, const std::string& location) {
  Descriptor at(::dup(folder));
  const fs::path path(location);
  for (auto part = path.begin(); part != path.end(); ++part) {
    const bool last = std::next(part) == path.end();
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | (last ? 0 : O_DIRECTORY);
    const int next = ::openat(at.get(), part->c_str(), flags);
    if (next < 0) {
      if (errno == ELOOP) errno = EXDEV;
      return -1;
    }
    if (last) return next;
    at.reset(next);
  }
  errno = ENOENT;
  return -1;
}

// A hard link looks like a plain file, no matter where its other names are. It is fine if all its names are inside the
// folder.
bool all_names_inside(const fs::path& folder, const struct stat& file) {
  constexpr std::size_t kMostEntries = 100'000;  // enough for any model folder; a larger one counts as unknown
  std::size_t seen = 0;
  nlink_t found = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ignored), end;
       it != end; it.increment(ignored)) {
    if (ignored || ++seen > kMostEntries) return false;
    struct stat entry {};
    if (::lstat(it->path().c_str(), &entry) == 0 && entry.st_dev == file.st_dev && entry.st_ino == file.st_ino) ++found;
  }
  return found == file.st_nlink;
}

}  // namespace

Descriptor open_contained_folder(const fs::path& folder, std::string_view location) {
  require_contained_location(location);
  fs::path shown = folder.empty() ? fs::path(".") : folder;
  const auto fail = [&](std::string_view doing, int reason) {
    throw Error(fmt::format("external data {}", quote_name(location)),
                fmt::format("cannot {} folder {}: {}", doing, quote_name(shown.string()), std::strerror(reason)));
  };
  Descriptor at(::open(shown.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at.is_open()) fail("open", errno);
  for (const fs::path& part : fs::path(location).parent_path()) {
    shown /= part;
    if (::mkdirat(at.get(), part.c_str(), 0777) != 0 && errno != EEXIST) fail("create", errno);
    Descriptor next(::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.is_open()) {
      const int reason = errno;
      struct stat status {};
      const bool is_link =
          ::fstatat(at.get(), part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
      if (!is_link) fail("open", reason);
      throw Error(fmt::format("external data {}", quote_name(location)),
                  fmt::format("{} is a link; nothing is written through it", quote_name(shown.string())),
                  "choose another name with option `external_data`");
    }
    at = std::move(next);
  }
  return at;
}

std::shared_ptr<const MappedFile> open_contained(const fs::path& folder, std::string_view location, OutsidePaths policy,
                                                 FileAccess access) {
  const std::string name(location);
  if (policy == OutsidePaths::kAllow) {
    if (location.empty() || location.find('\0') != std::string_view::npos) require_contained_location(location);
    return MappedFile::open(folder / fs::path(name), access);
  }
  require_contained_location(location);
  const fs::path start = folder.empty() ? fs::path(".") : folder;
  const Descriptor base(::open(start.c_str(), platform::kFolderOnly | O_DIRECTORY | O_CLOEXEC));
  if (base.get() < 0)
    throw Error(fmt::format("external data {}", quote_name(location)),
                fmt::format("cannot open folder {}: {}", quote_name(start.string()), std::strerror(errno)));
  Descriptor file(open_beneath(base.get(), name));
  if (file.get() < 0 && (errno == ENOSYS || errno == EPERM)) file.reset(open_step_by_step(base.get(), name));
  if (file.get() < 0) {
    const int reason = errno;
    if (reason == EXDEV || reason == ELOOP)
      platform::refuse_location(location, "leads outside the model's folder through a link");
    const std::string place = fmt::format("external data {}", quote_name(location));
    const std::string message = fmt::format("cannot open: {}", std::strerror(reason));
    if (reason == ENOENT) throw MissingFile(place, message, "put the file next to the model");
    throw Error(place, message);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1 &&
      !all_names_inside(start, status)) {
    platform::refuse_location(
        location, fmt::format("is a hard link ({} names), so it may belong to a file outside the model's folder",
                              status.st_nlink));
  }
  return MappedFile::adopt(file.release(), start / fs::path(name), access);
}

}  // namespace onnxpress
