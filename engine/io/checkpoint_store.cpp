// SPDX-License-Identifier: BSD-3-Clause
// Checkpoint files: written by ranks, committed by a rename, checked before use.
#include "engine/io/checkpoint_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/hash.hpp"
#include "engine/io/checkpoint_format.hpp"
#include "engine/io/own_folder.hpp"
#include "engine/io/system_write.hpp"

namespace conoid {
namespace fs = std::filesystem;
using checkpoint_format::Manifest;
using checkpoint_format::Piece;
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;
/// Of data on their way to the disk, at most what it takes in a few tenths of a second: flushes are short, and so is the last.
constexpr Bytes least_on_the_way = Bytes{2} << 20, most_on_the_way = Bytes{256} << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      if (fd_ >= 0) ::close(fd_);
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error damaged(const fs::path& file, std::string what) {
  return make_error(ErrorCode::file, std::move(what),
                    "The checkpoint is damaged; an older one is used if there is one.", {file.string(), 0, {}});
}

std::string rank_file_name(int rank) {
  return fmt::format("rank-{}.bin", rank);
}

void put(std::string& out, std::uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((v >> (8 * i)) & 0xff);
}

std::uint64_t get(const char* p, int bytes) {
  std::uint64_t v = 0;
  for (int i = 0; i < bytes; ++i) v |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
  return v;
}

Status read_at(int fd, std::span<std::byte> out, Bytes offset, const fs::path& file) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::pread(fd, out.data() + done, std::min(out.size() - done, std::size_t{1} << 30),
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("read", file.string(), errno);
    if (n == 0) return damaged(file, "the file is shorter than expected");
    done += static_cast<std::size_t>(n);
  }
  return {};
}

class FileCheckpoint final : public RankCheckpoint {
 public:
  FileCheckpoint(fs::path file, int rank, std::function<bool()> give_up)
      : file_(std::move(file)), rank_(rank), give_up_(std::move(give_up)) {
    fd_ = Descriptor(open_in_own_folder(file_, true));
    if (const int failed = errno; fd_.get() < 0)
      failure_ = told_by_folder(file_.parent_path(), system_error("write", file_.string(), failed)).error();
    write(std::as_bytes(std::span(checkpoint_format::head)));
  }
  ~FileCheckpoint() override = default;

  Status close() override {
    if (closed_) return failure_ ? Status(*failure_) : Status();
    closed_ = true;
    const std::string index = checkpoint_format::index_text(pieces_);
    std::string tail;
    put(tail, position_, 8);
    put(tail, index.size(), 8);
    put(tail, crc32c(std::as_bytes(std::span(index))), 4);
    tail += checkpoint_format::tail;
    write(std::as_bytes(std::span(index)));
    write(std::as_bytes(std::span(tail)));
    spill();
    if (!failure_ && ::fsync(fd_.get()) != 0 && errno != EINVAL) fail("flush");
    if (const int fd = fd_.release(); fd >= 0 && ::close(fd) != 0) fail("write");
    if (failure_) return *failure_;
    return {};
  }

 protected:
  [[nodiscard]] bool leads() const override { return rank_ == 0; }
  void bytes(std::string_view name, std::size_t entry, Index global, Index begin,
             std::span<const std::byte> data) override {
    verify(!closed_, "a checkpoint is written before it is closed");
    Piece p;
    p.name = name;
    p.entry = entry;
    p.global = global;
    p.begin = begin;
    p.count = static_cast<Index>(data.size() / entry);
    p.rank = rank_;
    p.offset = position_;
    verify(begin >= 0 && p.count <= global - begin, fmt::format("piece of '{}' lies within the array", name));
    p.crc = crc32c(data);
    pieces_.push_back(std::move(p));
    write(data);
  }

 private:
  void fail(std::string_view what) {
    if (!failure_) failure_ = system_error(what, file_.string(), errno);
  }
  // Small pieces are gathered; large ones go straight to the system.
  void write(std::span<const std::byte> data) {
    position_ += data.size();
    if (failure_) return;
    if (buffer_.size() + data.size() > block_bytes) spill();
    if (data.size() >= block_bytes)
      write_out(data);
    else
      buffer_.insert(buffer_.end(), data.begin(), data.end());
  }
  void spill() {
    write_out(buffer_);
    buffer_.clear();
  }
  void write_out(std::span<const std::byte> data) {
    while (!failure_ && !data.empty()) {
      if (give_up_ && give_up_()) {
        failure_ = make_error(ErrorCode::stopped, "the checkpoint was given up");
        return;
      }
      const auto part = data.first(std::min(data.size(), block_bytes));
      data = data.subspan(part.size());
      if (const int code = write_fully(fd_.get(), part); code != 0)
        failure_ = system_error("write", file_.string(), code);
      unflushed_ += part.size();
      if (unflushed_ < on_the_way_ || failure_) continue;
      unflushed_ = 0;
      const auto begin = std::chrono::steady_clock::now();
      if (::fdatasync(fd_.get()) != 0 && errno != EINVAL) fail("flush");
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (took.count() < 0.1) on_the_way_ = std::min(2 * on_the_way_, most_on_the_way);
      if (took.count() > 0.3) on_the_way_ = std::max(on_the_way_ / 2, least_on_the_way);
    }
  }

  fs::path file_;
  int rank_;
  Descriptor fd_;
  std::vector<std::byte> buffer_;
  std::function<bool()> give_up_;
  Bytes position_ = 0, unflushed_ = 0, on_the_way_ = Bytes{8} << 20;
  std::vector<Piece> pieces_;
  std::optional<Error> failure_;
  bool closed_ = false;
};

// The index at the end of a rank's file, its size, and the file.
struct RankFile {
  Bytes size = 0;
  Descriptor fd;
  std::vector<Piece> pieces;
};

Result<RankFile> open_rank_file(const fs::path& file, int rank, bool with_index) {
  RankFile out;
  out.fd = Descriptor(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (out.fd.get() < 0) return system_error("read", file.string(), errno);
  struct stat info {};
  if (::fstat(out.fd.get(), &info) != 0) return system_error("read", file.string(), errno);
  if (!S_ISREG(info.st_mode)) return damaged(file, "expected a file");
  out.size = static_cast<Bytes>(info.st_size);
  if (!with_index) return out;
  const std::size_t least = checkpoint_format::head.size() + checkpoint_format::tail_bytes;
  if (out.size < least)
    return damaged(file, fmt::format("the file has {} bytes, expected at least {}", out.size, least));
  std::string head(checkpoint_format::head.size(), '\0');
  std::string tail(checkpoint_format::tail_bytes, '\0');
  if (Status s = read_at(out.fd.get(), std::as_writable_bytes(std::span(head)), 0, file); !s) return s.error();
  if (Status s = read_at(out.fd.get(), std::as_writable_bytes(std::span(tail)), out.size - tail.size(), file); !s)
    return s.error();
  if (head != checkpoint_format::head || std::string_view(tail).substr(20) != checkpoint_format::tail)
    return damaged(file, "expected a checkpoint's rank file, found other bytes at its start or end");
  const Bytes position = get(tail.data(), 8);
  const Bytes length = get(tail.data() + 8, 8);
  const Bytes room = out.size - tail.size();
  if (position > room || length != room - position || length > checkpoint_format::text_limit)
    return damaged(file, "the place of the index is out of range");
  std::string text(length, '\0');
  if (Status s = read_at(out.fd.get(), std::as_writable_bytes(std::span(text)), position, file); !s) return s.error();
  if (crc32c(std::as_bytes(std::span(text))) != get(tail.data() + 16, 4))
    return damaged(file, "the index's checksum does not match");
  auto pieces = checkpoint_format::parse_index(text, rank, file.string());
  if (!pieces) return pieces.error();
  for (const auto& p : *pieces)
    if (p.offset > position || static_cast<Bytes>(p.count) * p.entry > position - p.offset)
      return damaged(file, fmt::format("array '{}': its piece reaches beyond the data", p.name));
  out.pieces = std::move(*pieces);
  return out;
}

Status check_piece(const RankFile& rank_file, const Piece& p, const fs::path& file, std::vector<std::byte>& block) {
  Bytes left = static_cast<Bytes>(p.count) * p.entry;
  Bytes offset = p.offset;
  std::uint32_t crc = 0;
  while (left > 0) {
    const auto part = std::span(block).first(std::min<Bytes>(left, block.size()));
    if (Status s = read_at(rank_file.fd.get(), part, offset, file); !s) return s;
    crc = crc32c(part, crc);
    left -= part.size();
    offset += part.size();
  }
  if (crc != p.crc)
    return damaged(file, fmt::format("array '{}': the checksum of entries {} to {} does not match", p.name, p.begin,
                                     p.begin + p.count));
  return {};
}

class FolderReader final : public CheckpointReader {
 public:
  FolderReader(fs::path folder, Manifest manifest) : folder_(std::move(folder)) {
    for (auto& p : manifest.pieces) arrays_[p.name].push_back(std::move(p));
    for (auto& [name, pieces] : arrays_)
      std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  }
  [[nodiscard]] Index length(std::string_view name) const override {
    const auto it = arrays_.find(name);
    return it == arrays_.end() ? -1 : it->second.front().global;
  }

 protected:
  void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const override {
    const auto it = arrays_.find(name);
    if (it == arrays_.end()) refuse(fmt::format("the checkpoint has no array '{}'", name));
    const auto& pieces = it->second;
    if (pieces.front().entry != entry)
      refuse(fmt::format("array '{}': expected entries of {} bytes, found {}", name, entry, pieces.front().entry));
    const Index count = static_cast<Index>(out.size() / entry);
    if (begin < 0 || begin > pieces.front().global || count > pieces.front().global - begin)
      refuse(fmt::format("array '{}' has {} entries, asked for {} to {}", name, pieces.front().global, begin,
                         begin + count));
    // The first piece that ends behind `begin`; pieces are contiguous (checked with the manifest).
    auto piece =
        std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.begin + p.count <= begin; });
    Index done = 0;
    for (; done < count; ++piece) {
      const Index from = begin + done - piece->begin;
      const Index n = std::min(count - done, piece->count - from);
      if (n <= 0) continue;
      read_at(file_of(piece->rank),
              out.subspan(static_cast<std::size_t>(done) * entry, static_cast<std::size_t>(n) * entry),
              piece->offset + static_cast<Bytes>(from) * entry, folder_ / rank_file_name(piece->rank))
          .or_throw();
      done += n;
    }
  }

 private:
  [[noreturn]] void refuse(std::string text) const {
    throw Failure(make_error(ErrorCode::file, std::move(text),
                             "It was written by another version, or for another case; start the run anew.",
                             {folder_.string(), 0, {}}));
  }
  // One open file at a time: there may be more ranks than a process may have files.
  [[nodiscard]] int file_of(int rank) const {
    if (rank != open_rank_) {
      auto file = open_rank_file(folder_ / rank_file_name(rank), rank, false);
      if (!file) throw Failure(file.error());
      open_ = std::move(file->fd);
      open_rank_ = rank;
    }
    return open_.get();
  }

  fs::path folder_;
  mutable Descriptor open_;
  mutable int open_rank_ = -1;
  std::map<std::string, std::vector<Piece>, std::less<>> arrays_;
};

// step-<digits>: its number, else -1.
Index step_of(const std::string& name) {
  static constexpr std::string_view prefix = "step-";
  if (!name.starts_with(prefix) || name.size() > prefix.size() + 19) return -1;
  Index step = -1;
  const char* end = name.data() + name.size();
  const auto [stop, code] = std::from_chars(name.data() + prefix.size(), end, step);
  return code == std::errc{} && stop == end ? step : -1;
}

// A manifest goes first, so that a removal that is cut short never leaves something that counts.
void remove_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_symlink(folder, ignored)) fs::remove(folder / "manifest.json", ignored);
  fs::remove_all(folder, ignored);
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path folder, int keep) : folder_(std::move(folder)), keep_(std::max(keep, 1)) {}

fs::path CheckpointStore::folder_of(Index step) const {
  return folder_ / fmt::format("step-{:012}", step);
}
fs::path CheckpointStore::part_of(Index step) const {
  return folder_ / fmt::format("step-{:012}.part", step);
}

// The folder may be replaced by a link at any moment, also between two of these calls: an error tells that first.
Status CheckpointStore::prepare(Index step) const {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (std::error_code ignored; code && !fs::is_symlink(folder_, ignored))
    return system_error("make folder", folder_.string(), code.value());
  return told_by_folder(folder_, prepare_part(step));
}
Status CheckpointStore::commit(Index step, int ranks) const {
  return told_by_folder(folder_, commit_part(step, ranks));
}

Status CheckpointStore::prepare_part(Index step) const {
  const fs::path part = part_of(step);
  std::error_code code;
  if (Status s = expect_own_folder(folder_); !s) return s;
  remove_checkpoint(part);
  fs::create_directory(part, code);
  if (code) return system_error("make folder", part.string(), code.value());
  return expect_own_folder(part);
}

Result<std::unique_ptr<RankCheckpoint>> CheckpointStore::writer(Index step, int rank, int ranks,
                                                                std::function<bool()> give_up) const {
  verify(rank >= 0 && rank < ranks, "a rank is within the number of ranks");
  return std::unique_ptr<RankCheckpoint>(
      std::make_unique<FileCheckpoint>(part_of(step) / rank_file_name(rank), rank, std::move(give_up)));
}

Status CheckpointStore::commit_part(Index step, int ranks) const {
  const fs::path part = part_of(step);
  if (Status s = expect_own_folder(folder_); !s) return s;
  if (Status s = expect_own_folder(part); !s) return s;
  Manifest manifest;
  manifest.step = step;
  manifest.ranks = ranks;
  for (int r = 0; r < ranks; ++r) {
    auto file = open_rank_file(part / rank_file_name(r), r, true);
    if (!file) return file.error();
    manifest.sizes.push_back(file->size);
    manifest.pieces.insert(manifest.pieces.end(), file->pieces.begin(), file->pieces.end());
  }
  if (Status s = checkpoint_format::check_coverage(manifest.pieces, part.string()); !s) return s;
  if (Status s = write_file_atomically(part / "manifest.json", checkpoint_format::manifest_text(manifest)); !s)
    return s;
  const fs::path folder = folder_of(step);
  std::error_code code;
  if (fs::exists(folder, code)) {
    // The same step again: old and new change places at once, where the file system can do that.
    if (::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0) remove_checkpoint(folder);
  }
  if (!fs::exists(folder, code)) {
    fs::rename(part, folder, code);
    if (code) return system_error("rename", part.string(), code.value());
  }
  if (Status s = sync_folder(folder_); !s) return s;
  if (Status s = expect_own_folder(folder_); !s) return s;
  remove_surplus(step);
  return {};
}

void CheckpointStore::abandon(Index step) const {
  if (expect_own_folder(folder_)) remove_checkpoint(part_of(step));
}

std::vector<Index> CheckpointStore::steps() const {
  std::vector<Index> out;
  std::error_code code;
  for (fs::directory_iterator it(folder_, code), end; !code && it != end; it.increment(code)) {
    std::error_code ignored;
    const Index step = step_of(it->path().filename().string());
    if (step >= 0 && it->is_directory(ignored)) out.push_back(step);
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

void CheckpointStore::remove_surplus(Index newest) const {
  int kept = 0;
  for (const Index step : steps()) {
    // A step beyond the newest is left from before the run went back to an older checkpoint.
    if (step > newest || ++kept > keep_) remove_checkpoint(folder_of(step));
  }
  std::error_code code;
  for (fs::directory_iterator it(folder_, code), end; !code && it != end; it.increment(code)) {
    std::error_code ignored;
    if (it->path().extension() == ".part" && it->is_directory(ignored)) remove_checkpoint(it->path());
  }
}

CheckpointStore::Found CheckpointStore::newest_valid() const {
  Found found;
  for (const Index step : steps()) {
    const auto reader = open_folder(folder_of(step), CheckpointCheck::everything);
    if (reader) {
      found.step = step;
      found.folder = folder_of(step);
      return found;
    }
    Diagnostic d =
        make_warning(fmt::format("the checkpoint of step {} is not used: {}", step, reader.error().render()));
    d.code = ErrorCode::file;
    d.place.file = folder_of(step).string();
    found.diagnostics.push_back(std::move(d));
  }
  return found;
}

Result<std::unique_ptr<CheckpointReader>> CheckpointStore::open(Index step, CheckpointCheck check) const {
  return open_folder(folder_of(step), check);
}

Result<std::unique_ptr<CheckpointReader>> CheckpointStore::open_folder(const fs::path& folder, CheckpointCheck check) {
  try {
    const fs::path manifest_file = folder / "manifest.json";
    auto text = read_file(manifest_file, checkpoint_format::text_limit);
    if (!text) return text.error();
    auto manifest = checkpoint_format::parse_manifest(*text, manifest_file.string());
    if (!manifest) return manifest.error();
    // Pieces in the order of the files, so that each file is open once and read from front to back.
    std::vector<const Piece*> pieces;
    for (const auto& p : manifest->pieces) pieces.push_back(&p);
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece* a, const Piece* b) {
      return std::tie(a->rank, a->offset) < std::tie(b->rank, b->offset);
    });
    std::vector<std::byte> block(check == CheckpointCheck::everything ? block_bytes : 0);
    auto next = pieces.begin();
    for (int r = 0; r < manifest->ranks; ++r) {
      const fs::path path = folder / rank_file_name(r);
      const auto file = open_rank_file(path, r, false);
      if (!file) return file.error();
      const Bytes expected = manifest->sizes[static_cast<std::size_t>(r)];
      if (file->size != expected)
        return damaged(path, fmt::format("the file has {} bytes, expected {}", file->size, expected));
      for (; check == CheckpointCheck::everything && next != pieces.end() && (*next)->rank == r; ++next)
        if (Status s = check_piece(*file, **next, path, block); !s) return s.error();
    }
    return std::unique_ptr<CheckpointReader>(std::make_unique<FolderReader>(folder, std::move(*manifest)));
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
