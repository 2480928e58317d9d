// SPDX-License-Identifier: BSD-3-Clause
// What the checked mode knows of each byte, and what it says when a kernel does wrong.
//
// Every byte of device and shared memory has a cell: who wrote it last and who read it, when, and from which place in the
// code. "When" is a stamp that grows at each barrier of a block and with each block, so two accesses of one stamp are not
// ordered by a barrier; within a warp the count of warp operations orders further. Blocks run one after the other, so a
// stamp tells the block too: accesses of two blocks of one launch are never ordered (unless the launch is cooperative, where
// this is not judged).
#if defined(CONOID_CHECKED)

#include "engine/team/emulated/check.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/team/emulated/allocations.hpp"
#include "engine/team/emulated/block.hpp"

namespace conoid::emulated {
namespace {

using Address = std::uintptr_t;

struct Touch {
  std::uint32_t stamp = 0;
  std::uint32_t code = 0;  ///< offset of the place in this library
  std::uint16_t thread = 0;
  std::uint16_t epoch = 0;  ///< of the thread's warp
};
struct Cell {
  Touch write, read;
  bool written = false;     ///< since the memory was given out (shared: in this block)
  bool atomic = false;      ///< the last write was an atomic operation
  bool many = false;        ///< several threads have read since `read.stamp`
  bool many_warps = false;  ///< of several warps
};

/// Cells of a range of memory, made when they are first needed.
class Cells {
 public:
  /// `period`: of a ring, which has as many cells; 0: none.
  void cover(Address begin, std::size_t bytes, std::size_t period = 0) {
    begin_ = begin;
    bytes_ = bytes;
    period_ = period > 0 ? period : std::max<std::size_t>(bytes, 1);
    pages_.clear();
    pages_.resize((std::min(bytes, period_) + page - 1) / page);
  }
  [[nodiscard]] Cell& at(Address a) {
    const std::size_t k = (a - begin_) % period_;
    auto& p = pages_[k / page];
    if (!p) p = std::make_unique<std::array<Cell, page>>();
    return (*p)[k % page];
  }
  [[nodiscard]] bool written(std::size_t k) const {
    k %= period_;
    const auto& p = pages_[k / page];
    return p && (*p)[k % page].written;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] Address begin() const { return begin_; }
  void forget_written(std::size_t from, std::size_t bytes) {
    for (std::size_t i = from; i < from + bytes; ++i)
      if (const std::size_t k = i % period_; pages_[k / page]) (*pages_[k / page])[k % page].written = false;
  }

 private:
  static constexpr std::size_t page = 1024;
  Address begin_ = 0;
  std::size_t bytes_ = 0, period_ = 1;
  std::vector<std::unique_ptr<std::array<Cell, page>>> pages_;
};

struct Piece {
  std::string label;
  void* block = nullptr;  ///< what malloc gave: the piece lies `margin` bytes behind
  std::size_t size = 0;   ///< of a ring that of both mappings
  bool ring = false;
  bool live = true;
  Cells cells;
};

constexpr std::size_t margin = 512;     ///< bytes around a piece that nobody may touch
constexpr std::size_t quarantine = 64;  ///< released pieces that are remembered
constexpr std::size_t most_reports = 8;

/// Guards everything below. Kernels of the checked mode run one at a time; streams and devices may be several.
std::recursive_mutex mutex;
std::map<Address, std::unique_ptr<Piece>> pieces;  // by the begin of their block
std::vector<Address> released;
std::vector<std::string> reports;
std::size_t reports_left_out = 0;
std::set<std::pair<std::uint32_t, std::uint32_t>> told_places;
std::uint32_t stamp = 1, block_stamp = 1, launch_stamp = 1;
bool cooperative_launch = false;
std::mutex one_launch;

/// This library in memory: its constants may be read, and places in it are told as offsets.
struct Image {
  Address base = 0, begin = 0, end = 0;
  std::size_t tls_bytes = 0;
  std::string path;
};
const Image& image() {
  static const Image found = [] {
    Image out;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& image = *static_cast<Image*>(data);
          const auto here = reinterpret_cast<Address>(&mutex);
          Address begin = ~Address{0}, end = 0;
          std::size_t tls = 0;
          for (int k = 0; k < info->dlpi_phnum; ++k) {
            const auto& p = info->dlpi_phdr[k];
            if (p.p_type == PT_LOAD) {
              begin = std::min<Address>(begin, info->dlpi_addr + p.p_vaddr);
              end = std::max<Address>(end, info->dlpi_addr + p.p_vaddr + p.p_memsz);
            }
            if (p.p_type == PT_TLS) tls = p.p_memsz;
          }
          if (here < begin || here >= end) return 0;
          image = {info->dlpi_addr, begin, end, tls, info->dlpi_name};
          return 1;
        },
        &out);
    return out;
  }();
  return found;
}

/// The library's thread_local memory of this host thread, which `builtins` has brought into being: the `__shared__` arrays.
Address thread_local_begin() {
  struct Search {
    const Image* image;
    Address found = 0;
  } search{&image()};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        if (info->dlpi_addr != s.image->base || s.image->path != info->dlpi_name) return 0;
        s.found = reinterpret_cast<Address>(info->dlpi_tls_data);
        return 1;
      },
      &search);
  return search.found;
}

/// Of one host thread that runs blocks.
struct Watch {
  Block* block = nullptr;
  Address shared = 0;
  std::size_t shared_bytes = 0;
  Address fixed = 0;  ///< thread_local memory
  Cells shared_cells, fixed_cells;
  std::vector<unsigned char> garbage;
};
thread_local std::unique_ptr<Watch> watch_memory;
__thread Watch* watch = nullptr;

/// The file and line, as of a `.cu` file, for a place in this library. Asks addr2line, which the compiler's own package brings.
std::string place_of(std::uint32_t code) {
  if (code == 0) return "a copy or fill";
  static std::map<std::uint32_t, std::string> known;
  if (const auto at = known.find(code); at != known.end()) return at->second;
  const std::string command = fmt::format("addr2line -i -s -e '{}' {:#x} 2>/dev/null", image().path, code - 1);
  std::string first;
  if (FILE* const pipe = popen(command.c_str(), "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      std::string text(line);
      text = text.substr(0, text.find_first_of("\n ("));
      // Inlined helpers of the model come first; the kernel's own line is what one wants to see.
      if (text.find(".cu:") != std::string::npos) {
        first = text;
        break;
      }
      if (first.empty()) first = text;
    }
    pclose(pipe);
  }
  if (first.empty() || first.starts_with("??")) first = fmt::format("address {:#x} of {}", code, image().path);
  return known[code] = first;
}

std::uint32_t code_offset(const void* code) {
  const auto a = reinterpret_cast<Address>(code);
  const Image& i = image();
  return a >= i.begin && a < i.end ? static_cast<std::uint32_t>(a - i.base) : 0;
}

/// Told once a launch for each pair of places: all threads make the same mistake.
bool told_already(std::uint32_t code, std::uint32_t earlier) {
  return !told_places.insert({code, earlier}).second;
}

void report(std::string text) {
  std::lock_guard lock(mutex);
  if (reports.size() < most_reports)
    reports.push_back(std::move(text));
  else
    ++reports_left_out;
}

std::string thread_text(const Block& block, unsigned rank) {
  const dim3 d = block.job().block;
  return fmt::format("thread ({},{},{})", rank % d.x, rank / d.x % d.y, rank / d.x / d.y);
}

const char* verb(Access access) {
  return access == Access::read ? "reads" : access == Access::write ? "writes" : "changes atomically";
}

/// Not ordered by a barrier of the block or an operation of the warp.
bool unordered(const Touch& earlier, const Touch& now) {
  if (earlier.stamp != now.stamp || earlier.thread == now.thread) return false;
  return earlier.thread / 32 != now.thread / 32 || earlier.epoch == now.epoch;
}

/// Another block of the same launch.
bool other_block(const Touch& earlier) {
  return !cooperative_launch && earlier.stamp >= launch_stamp && earlier.stamp < block_stamp;
}

void race(const Block& block, const Touch& earlier, bool earlier_wrote, Access access, std::size_t bytes,
          const std::string& where, const Touch& now) {
  if (told_already(now.code, earlier.code)) return;
  report(fmt::format("{}: {} {} bytes of {} at {} that {} {} at {}, with no barrier between", block.whereabouts(),
                     verb(access), bytes, where, place_of(now.code),
                     earlier.stamp == now.stamp ? thread_text(block, earlier.thread) : std::string("another block"),
                     earlier_wrote ? "wrote" : "read", place_of(earlier.code)));
}

/// Looks at and updates the cells of an access. `must_be_written`: reading what nobody wrote is wrong.
void touch(Watch& w, Cells& cells, Address a, std::size_t bytes, Access access, const std::string& where, bool global,
           const void* code) {
  const unsigned rank = builtins.rank;
  const Touch now{stamp, code_offset(code), static_cast<std::uint16_t>(rank),
                  static_cast<std::uint16_t>(w.block->warp_epoch(rank / 32))};
  bool told = false;
  for (std::size_t k = 0; k < bytes; ++k) {
    Cell& c = cells.at(a + k);
    if (!told && access != Access::write && !c.written) {
      if (!told_already(now.code, 0))
        report(fmt::format("{}: {} {} bytes of {} at {} that nobody has written", w.block->whereabouts(), verb(access),
                           bytes, where, place_of(now.code)));
      told = true;
      c.written = true;  // once is enough
    }
    const bool both_atomic = access == Access::atomic && c.atomic;
    if (!told && c.write.stamp != 0 && !both_atomic && (unordered(c.write, now) || (global && other_block(c.write)))) {
      race(*w.block, c.write, true, access, bytes, where, now);
      told = true;
    }
    if (!told && access != Access::read && c.read.stamp != 0) {
      const bool same_stamp = c.read.stamp == now.stamp;
      const bool other_warp = same_stamp && (c.many_warps || c.read.thread / 32 != now.thread / 32);
      const bool same_warp = same_stamp && c.read.epoch == now.epoch && (c.many || c.read.thread != now.thread);
      if (other_warp || same_warp || (global && other_block(c.read))) {
        race(*w.block, c.read, false, access, bytes, where, now);
        told = true;
      }
    }
    if (access == Access::read) {
      const bool fresh = c.read.stamp != now.stamp;
      const bool warp_passed = !fresh && c.read.thread / 32 == now.thread / 32 && c.read.epoch != now.epoch;
      const bool another = !fresh && c.read.thread != now.thread;
      c.many_warps = !fresh && (c.many_warps || c.read.thread / 32 != now.thread / 32);
      c.many = another && !warp_passed ? true : fresh || warp_passed ? false : c.many;
      if (fresh || warp_passed) c.read = now;
    } else {
      c.write = now;
      c.written = true;
      c.atomic = access == Access::atomic;
    }
  }
}

Piece* piece_around(Address a) {
  auto at = pieces.upper_bound(a);
  if (at == pieces.begin()) return nullptr;
  --at;
  Piece& p = *at->second;
  return a < at->first + p.size + 2 * margin ? &p : nullptr;
}

/// What is wrong with an access of the device memory at `a`, or empty; `piece` is where it lies.
std::string judge(Address a, std::size_t bytes, Piece*& piece) {
  piece = piece_around(a);
  if (piece == nullptr) return "memory that is not the device's";
  const Address begin = reinterpret_cast<Address>(piece->block) + margin, end = begin + piece->size;
  const std::string name = fmt::format("'{}' ({} bytes)", piece->label, piece->size);
  if (!piece->live) return fmt::format("released memory, {}", name);
  if (a < begin) return fmt::format("{} bytes before the begin of {}", begin - a, name);
  if (a >= end) return fmt::format("{} bytes behind the end of {}", a - end, name);
  if (a + bytes > end) return fmt::format("across the end of {}", name);
  return {};
}

}  // namespace

void check_report(std::string text) {
  report(std::move(text));
}

void check_block_begin(Block& block, void* shared, std::size_t shared_bytes) {
  std::lock_guard lock(mutex);
  if (!watch_memory) {
    watch_memory = std::make_unique<Watch>();
    watch_memory->fixed = thread_local_begin();
    watch_memory->fixed_cells.cover(watch_memory->fixed, image().tls_bytes);
  }
  Watch& w = *watch_memory;
  w.block = &block;
  w.shared = reinterpret_cast<Address>(shared);
  w.shared_bytes = shared_bytes;
  w.shared_cells.cover(w.shared, shared_bytes);
  w.fixed_cells.forget_written(0, image().tls_bytes);
  std::memset(shared, 0xff, shared_bytes);
  block_stamp = ++stamp;
  watch = &w;
}

void check_block_end(Block&) {
  watch = nullptr;
}
void check_phase(Block&) {
  std::lock_guard lock(mutex);
  ++stamp;
}

namespace {

/// What is so wrong that the kernel cannot go on, or empty.
std::string look(Watch& w, Address a, std::size_t bytes, Access access, const void* code) {
  std::lock_guard lock(mutex);
  if (a >= w.fixed && a + bytes <= w.fixed + w.fixed_cells.bytes()) {
    touch(w, w.fixed_cells, a, bytes, access, "shared memory", false, code);
    return {};
  }
  // The block's dynamic shared memory, and a margin in which a slip is told as one.
  if (a + margin >= w.shared && a < w.shared + w.shared_bytes + margin) {
    if (a >= w.shared && a + bytes <= w.shared + w.shared_bytes) {
      touch(w, w.shared_cells, a, bytes, access, "dynamic shared memory", false, code);
      return {};
    }
    return fmt::format("{}: {} {} bytes at {}, {} bytes from the begin of dynamic shared memory, which has {}",
                       w.block->whereabouts(), verb(access), bytes, place_of(code_offset(code)),
                       static_cast<std::ptrdiff_t>(a - w.shared), w.shared_bytes);
  }
  Piece* piece = nullptr;
  const std::string wrong = judge(a, bytes, piece);
  if (wrong.empty()) {
    touch(w, piece->cells, a, bytes, access, "'" + piece->label + "'", true, code);
    return {};
  }
  const Image& i = image();
  if (piece == nullptr && access == Access::read && a >= i.begin && a < i.end) return {};  // constants of the code
  return fmt::format("{}: {} {} bytes at {}: {}", w.block->whereabouts(), verb(access), bytes,
                     place_of(code_offset(code)), wrong);
}

}  // namespace

void check_range(const void* address, std::size_t bytes, Access access, const void* code) {
  Watch* const w = watch;
  if (w == nullptr || builtins.block == nullptr || bytes == 0) return;
  const auto a = reinterpret_cast<Address>(address), b = reinterpret_cast<Address>(&builtins);
  if (w->block->owns_stack(address) || (a >= b && a < b + sizeof builtins)) return;
  std::string wrong = look(*w, a, bytes, access, code);
  if (!wrong.empty()) w->block->fail([&] { return std::move(wrong); });
}

// ---- memory

void* allocate_memory(Bytes size, std::string_view label) {
  auto piece = std::make_unique<Piece>();
  piece->block = std::aligned_alloc(margin, (size + 2 * margin + margin - 1) / margin * margin);
  if (piece->block == nullptr) return nullptr;
  std::memset(piece->block, 0xff, size + 2 * margin);
  piece->size = size;
  piece->label = label.empty() ? "memory" : label;
  const auto begin = reinterpret_cast<Address>(piece->block);
  piece->cells.cover(begin + margin, size);
  std::lock_guard lock(mutex);
  pieces[begin] = std::move(piece);
  return reinterpret_cast<void*>(begin + margin);
}

void* allocate_ring(Bytes size, std::string_view label) {
  static_assert(margin <= ring_unit);
  void* const ring = map_ring(size);
  if (ring == nullptr) return nullptr;
  auto piece = std::make_unique<Piece>();
  const auto begin = reinterpret_cast<Address>(ring) - margin;
  piece->block = reinterpret_cast<void*>(begin);
  piece->size = 2 * size;
  piece->ring = true;
  piece->label = label.empty() ? "memory" : label;
  piece->cells.cover(begin + margin, 2 * size, size);
  std::lock_guard lock(mutex);
  pieces[begin] = std::move(piece);
  return ring;
}

void release_memory(void* memory) {
  std::lock_guard lock(mutex);
  const Address begin = reinterpret_cast<Address>(memory) - margin;
  const auto at = pieces.find(begin);
  if (at == pieces.end()) return;
  at->second->live = false;
  at->second->cells.cover(begin, 0);
  released.push_back(begin);
  if (released.size() <= quarantine) return;
  const auto oldest = pieces.find(released.front());
  if (oldest->second->ring)
    unmap_ring(reinterpret_cast<void*>(oldest->first + margin), oldest->second->size / 2);
  else
    std::free(oldest->second->block);
  pieces.erase(oldest);
  released.erase(released.begin());
}

std::string device_write(void* to, Bytes size, const void* source, bool source_is_device) {
  std::lock_guard lock(mutex);
  Piece* piece = nullptr;
  const auto a = reinterpret_cast<Address>(to);
  if (std::string wrong = judge(a, size, piece); !wrong.empty())
    return fmt::format("a copy or fill writes {} bytes: {}", size, wrong);
  Piece* from = nullptr;
  const auto b = reinterpret_cast<Address>(source);
  if (source_is_device)
    if (std::string wrong = judge(b, size, from); !wrong.empty())
      return fmt::format("a copy reads {} bytes: {}", size, wrong);
  for (std::size_t k = 0; k < size; ++k) {
    Cell& c = piece->cells.at(a + k);
    c = Cell{};
    c.written = from == nullptr || from->cells.written(b + k - from->cells.begin());
  }
  return {};
}

std::string device_read(const void* from, Bytes size, bool must_be_written) {
  std::lock_guard lock(mutex);
  Piece* piece = nullptr;
  const auto a = reinterpret_cast<Address>(from);
  if (std::string wrong = judge(a, size, piece); !wrong.empty())
    return fmt::format("a copy reads {} bytes: {}", size, wrong);
  if (!must_be_written) return {};
  std::size_t missing = 0, first = 0;
  for (std::size_t k = 0; k < size; ++k)
    if (!piece->cells.written(a + k - piece->cells.begin()) && missing++ == 0) first = a + k - piece->cells.begin();
  if (missing == 0) return {};
  return fmt::format(
      "unwritten output: {} of {} bytes copied to the host from '{}' were never written, the first at byte {}", missing,
      size, piece->label, first);
}

void forget_written(void* memory, Bytes size) {
  std::lock_guard lock(mutex);
  Piece* piece = nullptr;
  if (size == 0 || !judge(reinterpret_cast<Address>(memory), size, piece).empty()) return;
  piece->cells.forget_written(reinterpret_cast<Address>(memory) - piece->cells.begin(), size);
}

void launch_begins(bool cooperative) {
  one_launch.lock();
  std::lock_guard lock(mutex);
  reports.clear();
  told_places.clear();
  reports_left_out = 0;
  cooperative_launch = cooperative;
  launch_stamp = ++stamp;
}

std::string launch_ends() {
  std::string out;
  {
    std::lock_guard lock(mutex);
    for (const std::string& r : reports) out += (out.empty() ? "" : "\n  ") + r;
    if (reports_left_out > 0) out += fmt::format("\n  and {} more", reports_left_out);
  }
  one_launch.unlock();
  return out;
}

}  // namespace conoid::emulated

// ---- what the instrumented code calls (the interface of GCC's and Clang's -fsanitize=thread and -fsanitize=bounds)

using conoid::emulated::Access;
using conoid::emulated::check_range;

#define CONOID_TSAN(n)                                             \
  void __tsan_read##n(void* p) {                                   \
    check_range(p, n, Access::read, __builtin_return_address(0));  \
  }                                                                \
  void __tsan_write##n(void* p) {                                  \
    check_range(p, n, Access::write, __builtin_return_address(0)); \
  }                                                                \
  void __tsan_unaligned_read##n(void* p) {                         \
    check_range(p, n, Access::read, __builtin_return_address(0));  \
  }                                                                \
  void __tsan_unaligned_write##n(void* p) {                        \
    check_range(p, n, Access::write, __builtin_return_address(0)); \
  }                                                                \
  void __tsan_read_write##n(void* p) {                             \
    check_range(p, n, Access::write, __builtin_return_address(0)); \
  }                                                                \
  void __tsan_volatile_read##n(void* p) {                          \
    check_range(p, n, Access::read, __builtin_return_address(0));  \
  }                                                                \
  void __tsan_volatile_write##n(void* p) {                         \
    check_range(p, n, Access::write, __builtin_return_address(0)); \
  }

extern "C" {
CONOID_TSAN(1)
CONOID_TSAN(2)
CONOID_TSAN(4)
CONOID_TSAN(8)
CONOID_TSAN(16)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_read_range(void* p, unsigned long n) {
  check_range(p, n, Access::read, __builtin_return_address(0));
}
void __tsan_write_range(void* p, unsigned long n) {
  check_range(p, n, Access::write, __builtin_return_address(0));
}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}
void* __tsan_memcpy(void* to, const void* from, unsigned long n) {
  check_range(from, n, Access::read, __builtin_return_address(0));
  check_range(to, n, Access::write, __builtin_return_address(0));
  return std::memcpy(to, from, n);
}
void* __tsan_memset(void* to, int value, unsigned long n) {
  check_range(to, n, Access::write, __builtin_return_address(0));
  return std::memset(to, value, n);
}

void __tsan_atomic_thread_fence(int) {}

struct SourcePlace {
  const char* file;
  std::uint32_t line, column;
};
void __ubsan_handle_out_of_bounds(const SourcePlace* place, unsigned long index) {
  auto* const block = conoid::emulated::builtins.block;
  if (block == nullptr) return;
  const char* const slash = std::strrchr(place->file, '/');
  block->fail([&] {
    return fmt::format("{}: index {} lies outside its array at {}:{}", block->whereabouts(), static_cast<long>(index),
                       slash != nullptr ? slash + 1 : place->file, place->line);
  });
}
void __ubsan_handle_out_of_bounds_abort(const SourcePlace* place, unsigned long index) {
  __ubsan_handle_out_of_bounds(place, index);
}
}

#endif
