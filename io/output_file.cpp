// SPDX-License-Identifier: BSD-3-Clause
//
// Files that appear whole or not at all, temporary files and what killed runs have left of them
// (output_file.hpp, io/report/writers.hpp): a.json is written as
//   a.json.part-node7-3f9a1c20-4026531836-4711-88123-5be1d07c49f2a836
// and then renamed.
#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>
#include <tuple>

#include "io/report/writers.hpp"
#include "partition/base/errors.hpp"
#include "partition/base/unfinished_files.hpp"

namespace rowhalo {

namespace {

const char* remedy_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free space there, or write to another place";
    case ENOENT:
      return "its folder is gone; choose one that stays";
    case EBADF:
    case EPIPE:
      return "keep it open, or write to a file";
    default:
      return "check the disk and the permissions";
  }
}

/// Terminals, pipes, /dev/null: nothing that could be renamed over.
bool is_special(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_other(std::filesystem::status(path, ignored));
}

/// As /proc/PID/stat has them.
struct ProcessState {
  char state = '?';
  std::string start;  ///< in clock ticks since the system started
};

std::optional<ProcessState> process_state(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');  // the name of the program may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int start_field = 22, first_field = 3;
  ProcessState process;
  fields >> process.state;
  for (int field = first_field; field < start_field; ++field) fields >> process.start;
  return fields ? std::optional(process) : std::nullopt;
}

/// Where a symbolic link leads; empty where there is none.
std::string read_link(const std::string& path) {
  std::error_code none;
  return std::filesystem::read_symlink(path, none);
}

/// HOST-BOOT-SPACE of this process; empty where that cannot be known for certain.
std::string own_place() {
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  // /proc may be that of another number space.
  const std::string pid = fmt::format("{}", ::getpid());
  const std::string space = read_link("/proc/" + pid + "/ns/pid");  // "pid:[4026531836]"
  const std::size_t open = space.find('['), close = space.find(']');
  if (read_link("/proc/self") != pid || boot.size() < 8 || close == std::string::npos) return "";
  return fmt::format("{}-{}-{}", host.data(), boot.substr(0, 8),
                     space.substr(open + 1, close - open - 1));
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// How the temporary files of `target` begin, without the folder.
std::string name_start(const std::string& target) {
  constexpr std::size_t most_bytes = 100;  // a name has at most 255
  return target.substr(folder_of(target).size()).substr(0, most_bytes) + ".part-";
}

std::string random_name(const std::string& target) {
  std::random_device device;
  const std::uint64_t random = std::uint64_t{device()} << 32 | device();
  const std::string place = own_place();
  const auto process = process_state(::getpid());
  return fmt::format("{}{}{}-{}-{}-{:016x}", folder_of(target), name_start(target),
                     place.empty() ? "unknown" : place, ::getpid(), process ? process->start : "0",
                     random);
}

bool has_ended(pid_t pid, const std::string& start) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  const auto process = process_state(pid);
  return process && (process->state == 'Z' || process->state == 'X' || process->start != start);
}

/// Removes the temporary files of `target` whose processes on this host have ended.
void remove_leftovers(const std::string& target) {
  const std::string place = own_place();
  if (place.empty()) return;
  const std::string start_of_name = name_start(target) + place + "-", folder = folder_of(target);
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(start_of_name)) continue;
    std::istringstream rest(name.substr(start_of_name.size()));
    pid_t pid = 0;
    std::string start;
    char dash = 0;
    if (!(rest >> pid >> dash) || !std::getline(rest, start, '-') || pid <= 0) continue;
    if (has_ended(pid, start)) ::unlink((folder + name).c_str());
  }
}

/// Device, inode; of a file that does not exist those of its folder, and its name.
using Identity = std::tuple<dev_t, ino_t, std::string>;

std::optional<Identity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISCHR(status.st_mode)) return std::nullopt;
    return Identity{status.st_dev, status.st_ino, ""};
  }
  const std::string target = followed(path);
  const std::size_t name = target.rfind('/') + 1;
  const std::string folder = name == 0 ? "." : target.substr(0, name);
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;  // cannot be written anyway
  return Identity{status.st_dev, status.st_ino, target.substr(name)};
}

bool may_share(const NamedFile& a, const NamedFile& b) {
  return a.role == b.role && a.role != FileRole::output;
}

[[noreturn]] void refuse(const NamedFile& output, const NamedFile& other) {
  const char* use = other.role == FileRole::input ? "is read" : "is written, too";
  const std::string name = other.text.empty() ? other.option : other.option + " " + other.text;
  throw InputError(fmt::format("{} {}: is the same file as {}, which {}; name another file",
                               output.option, output.text, name, use));
}

}  // namespace

void fail_to_write(const std::string& path, const char* what) {
  const int error = errno;
  throw InputError(path, fmt::format("{}: {}; {}", what, std::strerror(error), remedy_of(error)),
                   ExitCode::run_time);
}

void check_output_path(const std::string& path, const std::string& option) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{} {}: {}", option, path, what));
  };
  if (path.empty()) refuse("the name is empty; give a file name");
  const std::string folder = folder_of(followed(path)), directory = folder.empty() ? "." : folder;
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) {
    refuse(fmt::format("there is no directory '{}'; make it first", directory));
  }
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    refuse(fmt::format("the directory '{}' is not writable; choose another", directory));
  }
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (is_directory(status)) refuse("is a directory; name a file in it");
  if (is_other(status)) refuse("is not a regular file; choose another name");
}

FileDescriptor open_for_writing(const std::string& name, const std::string& path) {
  FileDescriptor file(::open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) fail_to_write(path, "cannot be written");
  return file;
}

void write_at(const FileDescriptor& file, std::int64_t offset, std::string_view bytes,
              const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(path, "writing failed");
    offset += count;
    bytes.remove_prefix(count);
  }
}

void write_stream(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      fail_to_write(path, "writing failed");
    } else if (count > 0) {
      bytes.remove_prefix(count);
    }
  }
}

void close_written(FileDescriptor&& file, const std::string& path) {
  if (::close(file.take()) != 0) fail_to_write(path, "writing failed");
}

void write_whole(const std::string& path, std::string_view bytes) {
  TemporaryFile file(path);
  file.write(bytes);
  file.rename_to_path();
}

void check_text_target(const std::string& path, const std::string& option) {
  if (path != "-" && !is_special(path)) check_output_path(path, option);
}

void write_text_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    write_stream(STDOUT_FILENO, text, "stdout");
  } else if (is_special(path)) {
    // Without O_NONBLOCK a FIFO that nobody reads would never be opened.
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file) fail_to_write(path, "cannot be written");
    write_stream(file.get(), text, path);
    close_written(std::move(file), path);
  } else {
    write_whole(path, text);
  }
}

std::string followed(const std::string& path) {
  constexpr int most_links = 40;  // as Linux has it
  std::string place = path;
  for (int links = 0; links < most_links; ++links) {
    const std::string target = read_link(place);
    if (target.empty()) break;
    place = target.starts_with('/') ? target : folder_of(place) + target;
  }
  return place;
}

TemporaryFile::TemporaryFile(const std::string& path) : path_(path), target_(followed(path)) {
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    mode_ = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  }
  const mode_t mode = mode_ == 0 ? 0666 : mode_ | S_IRUSR | S_IWUSR;
  name_ = random_name(target_);
  const int descriptor =
      ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (descriptor < 0) fail_to_write(path_, "cannot be written");
  ::close(descriptor);
  exists_ = true;
  add_unfinished_file(name_);
}

TemporaryFile::~TemporaryFile() {
  if (!exists_) return;
  ::unlink(name_.c_str());
  forget_unfinished_file(name_);
}

void TemporaryFile::write(std::string_view bytes) const {
  FileDescriptor file = open_for_writing(name_, path_);
  if (::ftruncate(file.get(), 0) != 0) fail_to_write(path_, "writing failed");
  write_at(file, 0, bytes, path_);
  close_written(std::move(file), path_);
}

void TemporaryFile::reserve(std::int64_t bytes) const {
  FileDescriptor file = open_for_writing(name_, path_);
  int result = 0;
  do {
    result = ::fallocate(file.get(), 0, 0, bytes);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    fail_to_write(path_, "writing failed");
  }
  if (result != 0) {
    struct statvfs disk {};
    const bool known = ::fstatvfs(file.get(), &disk) == 0;
    errno = ENOSPC;
    if (known && disk.f_bavail < static_cast<std::uint64_t>(bytes) / disk.f_frsize)
      fail_to_write(path_, "writing failed");
  }
  close_written(std::move(file), path_);
}

void TemporaryFile::rename_to_path() {
  if (mode_ != 0) (void)::chmod(name_.c_str(), mode_);
  if (std::rename(name_.c_str(), target_.c_str()) != 0) {
    fail_to_write(path_, "cannot be renamed into place");
  }
  exists_ = false;
  forget_unfinished_file(name_);
  remove_leftovers(target_);
}

void check_aliases(const std::vector<NamedFile>& files) {
  std::vector<std::optional<Identity>> identities;
  for (const NamedFile& file : files) identities.push_back(identity_of(file.path));
  for (std::size_t b = 0; b < files.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (!identities[a] || identities[a] != identities[b] || may_share(files[a], files[b])) {
        continue;
      }
      const bool b_is_written = files[b].role == FileRole::output;
      refuse(b_is_written ? files[b] : files[a], b_is_written ? files[a] : files[b]);
    }
  }
}

}  // namespace rowhalo
