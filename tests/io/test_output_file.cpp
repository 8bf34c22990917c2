// SPDX-License-Identifier: BSD-3-Clause
//
// Temporary files: where they lie, what they follow and keep, and what becomes of those that killed
// runs have left; names that mean the same file.
#include "io/output_file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "partition/base/errors.hpp"
#include "partition/base/unfinished_files.hpp"
#include "tests/catch.hpp"
#include "tests/io/file_contents.hpp"

using namespace rowhalo;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "rowhalo-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string make(const std::string& name, const std::string& text = "old") const {
    std::ofstream(*this / name) << text;
    return *this / name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_)) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::string path_;
};

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

using Names = std::vector<std::string>;

/// The message of the InputError that `call` throws, or "none".
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// A child that has ended, as a zombie until it is waited for.
pid_t ended_child() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ::waitid(P_PID, child, &info, WEXITED | WNOWAIT);
  return child;
}

/// What a killed run has left: the name of a temporary file, HOST or the fields behind it replaced.
struct Leftover {
  std::string before, pid, start, random;  ///< before: up to SPACE-

  explicit Leftover(const std::string& target) {
    const std::string name = TemporaryFile(target).name();
    std::size_t ends[3];
    std::size_t end = name.size();
    for (std::size_t& at : ends) at = end = name.rfind('-', end - 1);
    before = name.substr(0, ends[2] + 1);
    pid = name.substr(ends[2] + 1, ends[1] - ends[2] - 1);
    start = name.substr(ends[1] + 1, ends[0] - ends[1] - 1);
    random = name.substr(ends[0] + 1);
  }
  std::string name() const { return before + pid + "-" + start + "-" + random; }
};

}  // namespace

TEST_CASE("A temporary file lies beside its target and names the host") {
  const Folder folder;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  {
    const TemporaryFile file(folder / "a.json"), other(folder / "a.json");
    CHECK(file.name() != other.name());
    CHECK(file.name().starts_with(folder / "a.json.part-" + host + "-"));
    CHECK(folder.names().size() == 2);
    file.write("longer");
    file.write("new");
    CHECK(contents(file.name()) == "new");
  }
  CHECK(folder.names().empty());
  const std::string longest(255, 'n');
  write_whole(folder / longest, "new");
  CHECK(folder.names() == Names{longest});
}

TEST_CASE("A job that ends by an error leaves no temporary file") {
  const Folder folder;
  const TemporaryFile file(folder / "a"), same_target(folder / "a");
  write_whole(folder / "b", "whole");
  remove_unfinished_files();
  CHECK(folder.names() == Names{"b"});
}

TEST_CASE("Permissions of a target are kept, those of a new file follow the umask") {
  const Folder folder;
  const std::string kept = folder.make("kept"), closed = folder.make("closed");
  fs::permissions(kept, fs::perms(0640));
  fs::permissions(closed, fs::perms(0400));
  const mode_t mask = ::umask(022);
  for (const char* name : {"kept", "closed", "new"}) write_whole(folder / name, "new");
  ::umask(mask);
  CHECK(mode_of(kept) == 0640);
  CHECK(mode_of(closed) == 0400);
  CHECK(mode_of(folder / "new") == 0644);
}

TEST_CASE("A target that is a symbolic link is followed") {
  const Folder folder;
  fs::create_directory(folder / "far");
  folder.make("far/target");
  fs::create_symlink("far/target", folder / "link");
  fs::create_symlink("link", folder / "second");
  fs::create_symlink(folder / "far/none", folder / "dangling");
  for (const char* name : {"second", "dangling"}) {
    {
      const TemporaryFile file(folder / name);
      CHECK(file.name().starts_with(folder / "far/"));
    }
    write_whole(folder / name, "new");
    CHECK(fs::is_symlink(folder / name));
  }
  CHECK(contents(folder / "far/target") == "new");
  CHECK(contents(folder / "far/none") == "new");
  CHECK_FALSE(fs::is_symlink(folder / "far/target"));
}

TEST_CASE("A temporary file that became a link is not written to") {
  const Folder folder;
  const std::string victim = folder.make("victim");
  {
    const TemporaryFile file(folder / "a");
    fs::remove(file.name());
    fs::create_symlink(victim, file.name());
    CHECK(refusal([&] { file.write("new"); }).find("cannot be written") != std::string::npos);
  }
  CHECK(contents(victim) == "old");
}

TEST_CASE("What killed runs have left is removed when it is certainly dead") {
  const Folder folder;
  const Leftover own(folder / "a");
  const auto leave = [&](Leftover of) {
    of.random = "x" + of.random;
    std::ofstream(of.name()) << "part";
    return of.name();
  };
  Leftover dead = own, zombie = own, reused = own, elsewhere = own, other_target(folder / "b");
  const pid_t ended = ended_child(), waiting = ended_child();
  ::waitpid(ended, nullptr, 0);
  dead.pid = std::to_string(ended);
  zombie.pid = std::to_string(waiting);
  reused.start = "1" + reused.start;
  elsewhere.before.insert(elsewhere.before.find(".part-") + 6, "not-");
  elsewhere.pid = other_target.pid = dead.pid;
  const std::string gone[] = {leave(dead), leave(zombie), leave(reused)};
  const std::string kept[] = {leave(own), leave(elsewhere), leave(other_target)};
  { const TemporaryFile not_renamed(folder / "a"); }
  for (const std::string& name : gone) CHECK(fs::exists(name));
  write_whole(folder / "a", "new");
  for (const std::string& name : gone) CHECK_FALSE(fs::exists(name));
  for (const std::string& name : kept) CHECK(fs::exists(name));
  ::waitpid(waiting, nullptr, 0);
}

TEST_CASE("Space that is not there is not reserved") {
  const Folder folder;
  const TemporaryFile file(folder / "a");
  file.reserve(5000);
  CHECK(fs::file_size(file.name()) == 5000);
  CHECK(refusal([&] { file.reserve(std::int64_t{1} << 60); }).starts_with(folder / "a: writing"));
}

TEST_CASE("Names that mean the same file are refused for outputs") {
  const Folder folder;
  const std::string a = folder.make("a");
  fs::create_symlink("a", folder / "link");
  fs::create_hard_link(a, folder / "hard");
  fs::create_symlink("new", folder / "dangling");
  fs::create_directory(folder / "sub");
  fs::create_directory_symlink(folder / ".", folder / "sub/up");
  const auto check = [](const Names& outputs, const Names& inputs) {
    std::vector<NamedFile> files;
    for (const std::string& path : inputs) files.push_back({"--in", path, path, FileRole::input});
    for (const std::string& path : outputs)
      files.push_back({"--out", path, path, FileRole::output});
    return refusal([&] { check_aliases(files); });
  };
  for (const char* same : {"a", "./a", "link", "hard", "sub/../a", "sub/up/a", "sub/up/link"}) {
    const std::string expected = "--out " + (folder / same) + ": is the same file as --";
    CHECK(check({folder / same}, {a}) ==
          expected + "in " + a + ", which is read; name another file");
    CHECK(check({a, folder / same}, {}) ==
          expected + "out " + a + ", which is written, too; name another file");
  }
  for (const char* same : {"new", "./new", "dangling", "sub/../new", "sub/up/new"}) {
    CHECK(check({folder / "new", folder / same}, {}).starts_with("--out " + (folder / same)));
  }
  CHECK(check({folder / "new", folder / "sub/new", folder / "none"}, {a}) == "none");
  CHECK(check({}, {a, a, folder / "hard"}) == "none");
  CHECK(check({"/dev/null", "/dev/null", "/dev/zero"}, {"/dev/null"}) == "none");
  CHECK(refusal([&] {
          check_aliases({{"stdout", "", a, FileRole::stream}, {"stderr", "", a, FileRole::stream}});
        }) == "none");
  CHECK(refusal([&] {
          check_aliases({{"stdout", "", a, FileRole::stream}, {"--json", a, a, FileRole::output}});
        }).starts_with("--json " + a + ": is the same file as stdout"));
}
