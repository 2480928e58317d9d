// SPDX-License-Identifier: BSD-3-Clause
// Slots, checksums and the index of a file of windows.
#include "engine/window/disk_windows.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/hash.hpp"
#include "engine/core/units.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

namespace conoid {
namespace {

namespace fs = std::filesystem;

constexpr int version = 1;
constexpr Bytes index_limit = Bytes{1} << 28;
constexpr std::string_view mark_text = "conoid windows ";

Bytes padded(Bytes bytes) {
  return (bytes + DiskFile::block - 1) / DiskFile::block * DiskFile::block;
}

/// A page of memory aligned as direct reads and writes want it.
struct Page {
  Page() : bytes(static_cast<std::byte*>(std::aligned_alloc(DiskFile::block, DiskFile::block)), std::free) {
    if (!bytes) throw std::bad_alloc();
    std::memset(bytes.get(), 0, DiskFile::block);
  }
  [[nodiscard]] std::span<std::byte> span() const { return {bytes.get(), DiskFile::block}; }
  std::unique_ptr<std::byte, decltype(&std::free)> bytes;
};

std::string random_mark() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

fs::path index_file(const fs::path& file) {
  return file.string() + ".index";
}

Error damaged_index(const fs::path& file, std::string_view what) {
  return make_error(ErrorCode::file, fmt::format("the index of the windows is damaged: {}", what),
                    "Delete the file; what it held is made anew.", {index_file(file).string(), 0, {}});
}

struct IndexEntry {
  Bytes size = 0;
  int slot = -1;  ///< −1: never saved
  std::uint32_t crc = 0;
};

struct StoredIndex {
  std::string mark, identity;
  bool checksums = true;
  std::vector<IndexEntry> entries;
};

/// Words of one line.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view word() {
    const std::size_t blank = std::min(rest_.find(' '), rest_.size());
    const std::string_view out = rest_.substr(0, blank);
    rest_.remove_prefix(std::min(blank + 1, rest_.size()));
    return out;
  }
  template <class T>
  bool number(T& out, int base = 10) {
    const std::string_view w = word();
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), out, base);
    return error == std::errc{} && end == w.data() + w.size() && !w.empty();
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::string to_text(const StoredIndex& index) {
  std::string text = fmt::format("conoid-windows {}\nmark {}\nidentity {}\nchecksums {}\nwindows {}\n", version,
                                 index.mark, index.identity, index.checksums ? 1 : 0, index.entries.size());
  for (const IndexEntry& e : index.entries) text += fmt::format("{} {} {:08x}\n", e.size, e.slot, e.crc);
  text += fmt::format("end {:08x}\n", crc32c(std::as_bytes(std::span(text.data(), text.size()))));
  return text;
}

Result<StoredIndex> from_text(std::string_view text, const fs::path& file) {
  const std::string_view whole = text;
  auto line = [&] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view out = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return Words(out);
  };
  Words head = line();
  int found = 0;
  if (head.word() != "conoid-windows" || !head.number(found)) return damaged_index(file, "it does not begin as one");
  if (found != version)
    return make_error(ErrorCode::file,
                      fmt::format("format {} of windows is not known to this version (it reads {})", found, version),
                      "Delete the file; what it held is made anew.", {index_file(file).string(), 0, {}});
  StoredIndex out;
  Words mark = line();
  if (mark.word() != "mark") return damaged_index(file, "no mark");
  out.mark = mark.word();
  Words identity = line();
  if (identity.word() != "identity") return damaged_index(file, "no identity");
  out.identity = identity.rest();
  int sums = 0;
  Words checksums = line();
  if (checksums.word() != "checksums" || !checksums.number(sums)) return damaged_index(file, "no word on checksums");
  out.checksums = sums != 0;
  std::uint64_t count = 0;
  Words windows = line();
  if (windows.word() != "windows" || !windows.number(count) || count > text.size() / 4)
    return damaged_index(file, "the number of windows is none");
  for (std::uint64_t w = 0; w < count; ++w) {
    IndexEntry e;
    Words one = line();
    if (!one.number(e.size) || !one.number(e.slot) || !one.number(e.crc, 16) || e.size == 0 ||
        e.size > (Bytes{1} << 48) || e.slot < -1 || e.slot > 1)
      return damaged_index(file, fmt::format("window {} is none", w));
    out.entries.push_back(e);
  }
  const auto body = static_cast<std::size_t>(text.data() - whole.data());
  std::uint32_t crc = 0;
  Words end = line();
  if (end.word() != "end" || !end.number(crc, 16)) return damaged_index(file, "it is cut off");
  if (crc != crc32c(std::as_bytes(std::span(whole.data(), body))))
    return damaged_index(file, "its checksum does not match");
  return out;
}

}  // namespace

Bytes disk_bytes(std::span<const Bytes> sizes) {
  Bytes total = DiskFile::block;
  for (const Bytes b : sizes) total += padded(b);
  return total;
}

class DiskWindows::Backing final : public WindowBacking {
 public:
  Backing(const std::vector<Bytes>& sizes, const DiskWindowsOptions& options, std::unique_ptr<DiskFile> file,
          std::string mark)
      : name_(options.name), path_(options.file), keep_(options.keep), checksums_(options.checksums),
        mark_(std::move(mark)), file_(std::move(file)), slots_(sizes.size()) {
    Bytes at = DiskFile::block;
    for (std::size_t w = 0; w < sizes.size(); ++w) {
      slots_[w].size = sizes[w];
      slots_[w].place[0] = at;
      at += padded(sizes[w]);
    }
    for (Slots& s : slots_) {
      s.place[1] = at;
      at += padded(s.size);
    }
  }

  Status load(Index window, std::span<std::byte> memory) override {
    const Slots& s = slots_[static_cast<std::size_t>(window)];
    if (s.now < 0) {
      std::memset(memory.data(), 0, memory.size());
      return {};
    }
    const std::span<std::byte> whole{memory.data(), padded(s.size)};
    if (const int code = file_->read(whole, s.place[s.now]); code != 0)
      return with_window(system_error("read", path_.string(), code), window);
    if (checksums_ && crc32c(memory) != s.crc)
      return make_error(ErrorCode::file,
                        fmt::format("window {} of '{}' is damaged: its checksum does not match", window, name_),
                        "The disk returned other bytes than were written. Delete the file and check the disk.",
                        {path_.string(), 0, {}});
    return {};
  }

  Status save(Index window, std::span<const std::byte> memory) override {
    Slots& s = slots_[static_cast<std::size_t>(window)];
    // The slot of the last commit is not touched before the next one.
    const int slot = !keep_ || s.committed != 0 ? 0 : 1;
    const std::span<const std::byte> whole{memory.data(), padded(s.size)};
    if (const int code = file_->write(whole, s.place[slot]); code != 0)
      return with_window(system_error("write", path_.string(), code), window);
    s.now = slot;
    if (checksums_) s.crc = crc32c(memory);
    return {};
  }

  Status reserve() {
    if (const int code = file_->reserve(0, slots_.empty() ? DiskFile::block : slots_.front().place[1]); code != 0)
      return system_error("reserve the disk space of", path_.string(), code);
    return {};
  }

  Status write_mark() {
    const Page page;
    const std::string text = std::string(mark_text) + mark_ + "\n";
    std::memcpy(page.span().data(), text.data(), text.size());
    if (const int code = file_->write(page.span(), 0); code != 0) return system_error("write", path_.string(), code);
    return {};
  }

  Status check_mark() {
    const Page page;
    if (const int code = file_->read(page.span(), 0); code != 0) return system_error("read", path_.string(), code);
    const std::string text = std::string(mark_text) + mark_ + "\n";
    if (std::memcmp(page.span().data(), text.data(), text.size()) != 0)
      return make_error(ErrorCode::file, "the windows do not belong to their index",
                        "Delete both; what they held is made anew.", {path_.string(), 0, {}});
    return {};
  }

  Status commit(const std::string& identity) {
    if (const int code = file_->sync(); code != 0) return system_error("flush", path_.string(), code);
    StoredIndex index{mark_, identity, checksums_, {}};
    for (const Slots& s : slots_) index.entries.push_back({s.size, s.now, s.crc});
    if (const Status s = write_file_atomically(index_file(path_), to_text(index)); !s) return s;
    for (Slots& s : slots_) s.committed = s.now;
    return {};
  }

  void restore(const std::vector<IndexEntry>& entries) {
    for (std::size_t w = 0; w < entries.size(); ++w) {
      slots_[w].now = slots_[w].committed = entries[w].slot;
      slots_[w].crc = entries[w].crc;
    }
  }

  [[nodiscard]] bool direct() const { return file_->direct(); }

 private:
  struct Slots {
    Bytes size = 0;
    Bytes place[2] = {0, 0};
    int now = -1;        ///< the slot that holds the contents
    int committed = -1;  ///< the slot that the index names
    std::uint32_t crc = 0;
  };

  [[nodiscard]] Error with_window(Error error, Index window) const {
    error.text += fmt::format(" (window {} of '{}')", window, name_);
    return error;
  }

  const std::string name_;
  const fs::path path_;
  const bool keep_, checksums_;
  const std::string mark_;
  const std::unique_ptr<DiskFile> file_;
  std::vector<Slots> slots_;  ///< an element is used by one mover at a time, by commit() after a flush
};

DiskWindows::DiskWindows(std::vector<Bytes> sizes, const DiskWindowsOptions& options, std::shared_ptr<Backing> backing)
    : Windows(options.name, std::move(sizes), options.budget, backing, options.memory ? options.memory : host_memory(),
              options.threads),
      backing_(std::move(backing)) {}

DiskWindows::~DiskWindows() = default;

Result<std::unique_ptr<DiskWindows>> DiskWindows::create(std::vector<Bytes> sizes, DiskWindowsOptions options) {
  const std::shared_ptr<Disk> disk = options.disk ? options.disk : system_disk();
  const fs::path folder = options.file.parent_path();
  const auto free = disk->free_space(folder);
  if (!free) return free.error();
  const Bytes needed = disk_bytes(sizes);
  if (needed > *free)
    return make_error(ErrorCode::file,
                      fmt::format("the windows '{}' need {} on the disk, {} are free in {}", options.name,
                                  format_bytes(needed), format_bytes(*free), folder.empty() ? "." : folder.string()),
                      "Free some space, choose another folder, or raise the memory budget so that less is streamed.");
  if (!options.keep) options.file += fmt::format(".{}-{}", ::getpid(), random_mark());
  if (options.keep) {  // an index that outlives its windows must not be taken for theirs
    std::error_code ignored;
    fs::remove(index_file(options.file), ignored);
  }
  auto file = disk->open(options.file, true);
  if (!file) return file.error();
  if (!options.keep) {
    std::error_code ignored;
    fs::remove(options.file, ignored);  // it lives as long as it is open
  }
  auto backing = std::make_shared<Backing>(sizes, options, std::move(*file), random_mark());
  auto give_up = [&](const Error& error) {
    std::error_code ignored;
    fs::remove(options.file, ignored);
    return error;
  };
  if (options.reserve)
    if (const Status s = backing->reserve(); !s) return give_up(s.error());
  if (const Status s = backing->write_mark(); !s) return give_up(s.error());
  return std::unique_ptr<DiskWindows>(new DiskWindows(std::move(sizes), options, std::move(backing)));
}

Result<std::unique_ptr<DiskWindows>> DiskWindows::open(const std::string& identity, DiskWindowsOptions options) {
  const std::shared_ptr<Disk> disk = options.disk ? options.disk : system_disk();
  const auto text = read_file(index_file(options.file), index_limit);
  if (!text) return text.error();
  const auto index = from_text(*text, options.file);
  if (!index) return index.error();
  if (index->identity != identity)
    return make_error(ErrorCode::file, fmt::format("the windows '{}' were made from other data", options.name),
                      "Delete the file; what it held is made anew.", {options.file.string(), 0, {}});
  auto file = disk->open(options.file, false);
  if (!file) return file.error();
  options.keep = true;
  options.checksums = index->checksums;
  std::vector<Bytes> sizes;
  for (const IndexEntry& e : index->entries) sizes.push_back(e.size);
  auto backing = std::make_shared<Backing>(sizes, options, std::move(*file), index->mark);
  if (const Status s = backing->check_mark(); !s) return s.error();
  backing->restore(index->entries);
  return std::unique_ptr<DiskWindows>(new DiskWindows(std::move(sizes), options, std::move(backing)));
}

Status DiskWindows::commit(const std::string& identity) {
  verify(identity.find('\n') == std::string::npos, "an identity is one line");
  if (const Status s = flush(); !s) return s;
  return backing_->commit(identity);
}

bool DiskWindows::direct() const {
  return backing_->direct();
}

}  // namespace conoid
