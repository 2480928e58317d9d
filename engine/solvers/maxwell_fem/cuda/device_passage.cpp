// SPDX-License-Identifier: BSD-3-Clause
// Pieces by turns.
#include "engine/solvers/maxwell_fem/cuda/device_passage.hpp"

#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <utility>

namespace conoid::maxwell_fem {
namespace {

constexpr Index grain = Index{1} << 14;  ///< complex numbers that a thread copies at a time: 256 KiB

}  // namespace

DevicePassage::DevicePassage(Device device, CpuWorker host, int threads, std::size_t piece)
    : device_(std::move(device)), host_(std::move(host)),
      threads_(threads > 0 ? std::min(threads, host_.threads()) : host_.threads()),
      piece_(std::max<std::size_t>(1, piece)), stream_(device_.stream()) {
  for (Slot& slot : slots_) slot.passed = device_.event();
}

DevicePassage::~DevicePassage() {
  try {
    stream_.synchronize();    // memory that is being copied must stay until then
  } catch (const Failure&) {  // it is lost: whoever used it last was told
  }
}

void DevicePassage::make_room(std::size_t entries) {
  if (slots_[0].memory.size() >= entries) return;
  stream_.synchronize();
  for (Slot& slot : slots_) {
    slot.memory = {};
    slot.memory = device_.pinned<Complex>(entries);
  }
}

void DevicePassage::by_threads(Interval items, Index grain, const std::function<void(Interval, int)>& body) const {
  in_chunks(threads_, items, grain, body, [this](int thread) { host_.bind(thread); });
}

DevicePassage::Slot& DevicePassage::next() {
  Slot& slot = slots_[turn_++ % slots_.size()];
  slot.passed.synchronize();
  return slot;
}

void DevicePassage::up(const DeviceBuffer<Complex>& to, std::size_t offset, std::span<const Complex> from) {
  make_room(std::min(piece_, from.size()));
  for (std::size_t at = 0; at < from.size(); at += piece_) {
    const std::size_t some = std::min(piece_, from.size() - at);
    Slot& slot = next();
    by_threads({0, static_cast<Index>(some)}, grain, [&](Interval part, int) {
      std::copy_n(from.data() + at + part.begin, part.size(), slot.memory.data() + part.begin);
    });
    stream_.to_device(to, slot.memory.span().first(some), offset + at);
    stream_.record(slot.passed);
  }
}

void DevicePassage::down(std::span<Complex> to, Index leading, const DeviceBuffer<Complex>& from, std::size_t offset,
                         Index rows, Index columns) {
  if (rows <= 0 || columns <= 0) return;
  const Index each = std::clamp<Index>(static_cast<Index>(piece_) / rows, 1, columns);
  make_room(static_cast<std::size_t>(each * rows));
  const auto lay_out = [&](Slot& slot, Index first) {
    slot.passed.synchronize();
    by_threads({first, std::min(columns, first + each)}, std::max<Index>(1, grain / rows), [&](Interval part, int) {
      for (Index c = part.begin; c < part.end; ++c)
        std::copy_n(slot.memory.data() + (c - first) * rows, rows, to.data() + c * leading);
    });
  };
  Slot* before = nullptr;
  for (Index c = 0; c < columns; c += each) {
    Slot& slot = next();
    const auto some = static_cast<std::size_t>(std::min(each, columns - c) * rows);
    stream_.to_host(slot.memory.span().first(some), from, offset + static_cast<std::size_t>(c * rows));
    stream_.record(slot.passed);
    if (before != nullptr) lay_out(*before, c - each);
    before = &slot;
  }
  lay_out(*before, (columns - 1) / each * each);
}

}  // namespace conoid::maxwell_fem
