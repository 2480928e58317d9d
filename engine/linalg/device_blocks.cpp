// SPDX-License-Identifier: BSD-3-Clause
// Panels, exchanges and products in their order; what passes between host and device, through two pieces of page-locked memory that take
// turns.
#include "engine/linalg/device_blocks.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include <fmt/core.h>

#include "engine/linalg/cuda/dense_arguments.hpp"
#include "engine/team/parallel_for.hpp"

namespace conoid::dense {
namespace {

/// Narrower panels wait for their pivots no longer, since these come one by one, and leave less to them; wider ones multiply no faster (an H200, 19,200
/// unknowns: 256 to 2048 columns 39 to 40 Tflop/s, with products of ten bits 86 to 69).
constexpr Index panel_of_card = 256, panel_of_emulated = 24;

/// Bytes that pass through page-locked memory at a time, at least.
constexpr Bytes piece = Bytes{32} << 20;

/// Copies between columns of the host and of the device.
template <class T>
class Ferry {
 public:
  Ferry(const Device& device, Index longest, int threads) : threads_(std::max(1, threads)) {
    const auto most = std::max(static_cast<std::size_t>(longest), piece / sizeof(T));
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      pieces_[k] = device.template pinned<T>(most);
      done_[k] = device.event();
    }
  }
  /// Returns when the last piece is on its way; the device's columns follow one another.
  void up(Stream& stream, const DeviceBuffer<T>& to, const T* from, Index rows, Index columns, Index leading) {
    const Index many = at_once(rows);
    for (Index begin = 0; begin < columns; begin += many) {
      const Index count = std::min(many, columns - begin);
      const std::size_t turn = next();
      T* const here = pieces_[turn].data();
      parallel_for(threads_, {0, count}, 1,
                   [&](Index c) { std::copy_n(from + (begin + c) * leading, rows, here + c * rows); });
      stream.to_device(to, std::span<const T>(here, static_cast<std::size_t>(rows * count)),
                       static_cast<std::size_t>(begin * rows));
      sent(stream, turn);
    }
  }
  /// Waits for the last one.
  void down(Stream& stream, const DeviceBuffer<T>& from, T* to, Index rows, Index columns, Index leading) {
    const Index many = at_once(rows);
    std::size_t before = 0;
    for (Index begin = 0; begin < columns + many; begin += many) {
      std::size_t turn = 0;
      if (begin < columns) {
        const Index count = std::min(many, columns - begin);
        turn = next();
        stream.to_host(pieces_[turn].span().first(static_cast<std::size_t>(rows * count)), from,
                       static_cast<std::size_t>(begin * rows));
        sent(stream, turn);
      }
      if (begin > 0) {
        const Index first = begin - many, count = std::min(many, columns - first);
        done_[before].synchronize();
        const T* const here = pieces_[before].data();
        parallel_for(threads_, {0, count}, 1,
                     [&](Index c) { std::copy_n(here + c * rows, rows, to + (first + c) * leading); });
      }
      before = turn;
    }
  }

 private:
  [[nodiscard]] Index at_once(Index rows) const { return static_cast<Index>(pieces_[0].size()) / rows; }
  std::size_t next() {
    turn_ = 1 - turn_;
    if (used_[turn_]) done_[turn_].synchronize();
    return turn_;
  }
  void sent(Stream& stream, std::size_t turn) {
    stream.record(done_[turn]);
    used_[turn] = true;
  }
  int threads_;
  std::array<PinnedBuffer<T>, 2> pieces_;
  std::array<Event, 2> done_;
  std::array<bool, 2> used_{};
  std::size_t turn_ = 0;
};

}  // namespace

template <class T>
Index DeviceBlocks<T>::width_on(const DeviceInfo& device) {
  return device.backend == "cuda" ? panel_of_card : panel_of_emulated;
}

template <class T>
DeviceBlocks<T>::DeviceBlocks(std::shared_ptr<DeviceLibrary> library, Stream& stream, Index rows, Index columns,
                              Rounding rounding, Index width)
    : library_(std::move(library)), stream_(stream), rounding_(rounding),
      width_(std::min(std::max<Index>(columns, 1), width > 0 ? width : width_on(library_->device().info()))) {
  const Device& device = library_->device();
  const DeviceLibrary::PanelRoom room = library_->template panel_room<T>(rows, width_);
  pivots_ = device.template allocate<std::int64_t>(static_cast<std::size_t>(columns), "pivots");
  states_ =
      device.template allocate<int>(static_cast<std::size_t>((columns + width_ - 1) / width_), "states of panels");
  there_ = device.template allocate<std::byte>(std::max<Bytes>(room.there, 1), "room of a panel");
  here_.resize(room.here);
  swap_ = device.template kernel<SwapArguments<Real>>(
      fmt::format("linalg/swap_rows<{}>", std::is_same_v<Real, float> ? "float" : "double"));
}

template <class T>
void DeviceBlocks<T>::exchange(T* a, Index columns, Index leading, const std::int64_t* pivots, Index count) {
  if (columns == 0 || count == 0) return;
  stream_.launch(swap_,
                 {.grid = {static_cast<unsigned>((columns + swap_threads - 1) / swap_threads), 1, 1},
                  .block = {swap_threads, 1, 1}},
                 {reinterpret_cast<Real*>(a), pivots, static_cast<long long>(leading), static_cast<long long>(columns),
                  static_cast<long long>(count)});
}

template <class T>
std::vector<std::int64_t> DeviceBlocks<T>::factorise(T* a, Index rows, Index columns, Index leading) {
  const Index panels = (columns + width_ - 1) / width_;
  for (Index p = 0; p < panels; ++p) {
    const Index k = p * width_, own = std::min(width_, columns - k), right = columns - k - own, below = rows - k - own;
    T* const panel = a + k * leading + k;
    T* const beside = panel + own * leading;
    library_->factorise_panel(stream_, panel, rows - k, own, leading, pivots_.data() + k, states_.data() + p,
                              there_.data(), here_);
    exchange(a + k, k, leading, pivots_.data() + k, own);
    exchange(beside, right, leading, pivots_.data() + k, own);
    library_->solve_lower(stream_, panel, own, leading, beside, right, leading);
    if (right > 0 && below > 0)
      library_->multiply(stream_, panel + own, below, own, beside, right, T(-1), T(1), beside + own, leading, leading,
                         leading, rounding_);
  }
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(columns));
  std::vector<int> states(static_cast<std::size_t>(panels));
  const auto count = static_cast<std::size_t>(columns);
  if (count > 0) {
    // The buffers may be those of a wider matrix.
    stream_.to_host(std::span(pivots), pivots_);
    stream_.to_host(std::span(states), states_);
    stream_.synchronize();
  }
  zero_ = 0;
  for (Index p = panels; p-- > 0;)
    if (states[static_cast<std::size_t>(p)] != 0) zero_ = p * width_ + states[static_cast<std::size_t>(p)];
  for (std::size_t k = 0; k < count; ++k) pivots[k] += static_cast<Index>(k) / width_ * width_;
  last_ = columns;
  stream_.to_device(pivots_, pivots);
  stream_.synchronize();  // the vector goes
  return pivots;
}

namespace {

/// Columns of a block, and those that come from the host at a time, in so much memory; 0: not even one panel.
struct Widths {
  Index block = 0, chunk = 0;
};

template <class T>
Bytes fixed_room(DeviceLibrary& library, Index n) {
  const Index width = DeviceBlocks<T>::width_on(library.device().info());
  return library.panel_room<T>(n, std::min(n, width)).there + static_cast<Bytes>(n) * 32 + (Bytes{1} << 16);
}

template <class T>
Widths widths_in(DeviceLibrary& library, Index n, Bytes memory) {
  const Index width = std::min(n, DeviceBlocks<T>::width_on(library.device().info()));
  const Bytes column = static_cast<Bytes>(n) * sizeof(T), fixed = fixed_room<T>(library, n),
              chunks = 2 * static_cast<Bytes>(width) * column;
  if (memory < fixed + chunks + static_cast<Bytes>(width) * column) return {};
  const auto most = static_cast<Index>((memory - fixed - chunks) / column);
  return {std::min(n, most / width * width), width};
}

}  // namespace

template <class T>
Bytes least_through(DeviceLibrary& library, Index n) {
  const auto width = static_cast<Bytes>(std::min(n, DeviceBlocks<T>::width_on(library.device().info())));
  return fixed_room<T>(library, n) + 3 * width * static_cast<Bytes>(n) * sizeof(T);
}

Bytes expected_through(const DeviceInfo& device, Index n, Bytes entry) {
  const Index width = std::min(n, DeviceBlocks<std::complex<float>>::width_on(device));
  // The library's panels take about as much as a panel has; emulated ones nothing.
  const Bytes panels = device.backend == "cuda" ? 4 : 3;
  return panels * static_cast<Bytes>(width * n) * entry + static_cast<Bytes>(n) * 32 + (Bytes{1} << 16);
}

template <class T>
Result<Lu<T>> factorise_through(const std::shared_ptr<DeviceLibrary>& library, Stream& stream, T* matrix, Index n,
                                Bytes memory, Rounding rounding, int threads, const Stopped& stopped) {
  const Device& device = library->device();
  const Widths wide = widths_in<T>(*library, n, memory);
  verify(wide.block > 0, "a device that factorises has memory for a panel");
  const double norm = norm1(matrix, n, threads);
  DeviceBlocks<T> blocks(library, stream, n, wide.block, rounding);
  const auto block = device.allocate<T>(static_cast<std::size_t>(n * wide.block), "columns of the equations");
  const auto size = static_cast<std::size_t>(n * wide.chunk);
  const std::array<DeviceBuffer<T>, 2> chunks{device.allocate<T>(size, "earlier columns"),
                                              device.allocate<T>(size, "earlier columns")};
  const auto earlier = device.allocate<std::int64_t>(static_cast<std::size_t>(n), "pivots of earlier columns");
  const std::array<Event, 2> come{device.event(), device.event()}, used{device.event(), device.event()};
  Stream copies = device.stream();
  Ferry<T> ferry(device, n, threads);
  std::vector<int> pivots(static_cast<std::size_t>(n));
  std::size_t turn = 0;
  std::array<bool, 2> taken{};
  for (Index begin = 0; begin < n; begin += wide.block) {
    const Index count = std::min(wide.block, n - begin);
    ferry.up(stream, block, matrix + begin * n, n, count, n);
    for (Index first = 0; first < begin; first += wide.block) {
      blocks.exchange(block.data() + first, count, n, earlier.data() + first, wide.block);
      for (Index at = first; at < first + wide.block; at += wide.chunk) {
        if (stopped && stopped()) return stop_error();
        const Index own = std::min(wide.chunk, first + wide.block - at), rows = n - at;
        if (taken[turn]) copies.wait(used[turn]);
        ferry.up(copies, chunks[turn], matrix + at * n + at, rows, own, n);
        copies.record(come[turn]);
        stream.wait(come[turn]);
        const T* const l = chunks[turn].data();
        library->solve_lower(stream, l, own, rows, block.data() + at, count, n);
        library->multiply(stream, l + own, rows - own, own, block.data() + at, count, T(-1), T(1),
                          block.data() + at + own, n, n, rows, rounding);
        stream.record(used[turn]);
        taken[turn] = true;
        turn = 1 - turn;
      }
    }
    if (stopped && stopped()) return stop_error();
    const std::vector<std::int64_t> own = blocks.factorise(block.data() + begin, n - begin, count, n);
    if (const auto zero = blocks.zero_pivot(); zero != 0)
      return make_error(
          ErrorCode::not_converged, fmt::format("the matrix of {} equations is singular (pivot {})", n, begin + zero),
          "Check that the case is well posed: every body held or damped, no two surfaces at the same place.");
    for (Index k = 0; k < count; ++k)
      pivots[static_cast<std::size_t>(begin + k)] = static_cast<int>(begin + own[static_cast<std::size_t>(k)]);
    stream.to_device(earlier, own, static_cast<std::size_t>(begin));
    ferry.down(stream, block, matrix + begin * n, n, count, n);
    stream.synchronize();
  }
  // Exchanges of later blocks in the columns before them.
  parallel_for(std::max(1, threads), {0, n}, 16, [&](Index c) {
    T* const column = matrix + c * n;
    for (Index k = (c / wide.block + 1) * wide.block; k < n; ++k)
      std::swap(column[k], column[pivots[static_cast<std::size_t>(k)] - 1]);
  });
  return Lu<T>::of_factors(matrix, n, threads, norm, std::move(pivots));
}

#define CONOID_BLOCKS(T)                                                                                               \
  template class DeviceBlocks<T>;                                                                                      \
  template Bytes least_through<T>(DeviceLibrary&, Index);                                                              \
  template Result<Lu<T>> factorise_through(const std::shared_ptr<DeviceLibrary>&, Stream&, T*, Index, Bytes, Rounding, \
                                           int, const Stopped&);
CONOID_BLOCKS(std::complex<float>)
CONOID_BLOCKS(std::complex<double>)
#undef CONOID_BLOCKS

}  // namespace conoid::dense
