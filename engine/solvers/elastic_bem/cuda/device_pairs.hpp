// SPDX-License-Identifier: BSD-3-Clause
// Far pairs of an interval of elements on one device: panels of columns, assembled there and copied back to the columns of the targets, or
// put where those are on the device itself.
//
// A panel holds the columns of some consecutive elements, 3 · rows values each; two take turns, so that one is copied and handed over
// while the next one is computed. Its size follows the device's budget and halves where memory is refused.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/column_sink.hpp"
#include "engine/team/device_worker.hpp"

namespace conoid::elastic_bem {

/// Memory of one device and of the host for its panels; kept from frequency to frequency. Used by one thread at a time.
struct PanelMemory {
  struct Slot {
    Stream stream;
    DeviceBuffer<std::byte> device;
    PinnedBuffer<std::byte> host;
    Event begin, computed, copied;
  };
  std::array<Slot, 2> turns;
  Bytes size = 0, wanted = 0;  ///< of each slot; what was asked for when they were taken
  Bytes host_size = 0;    ///< of the host's part: columns that come back lie there, so that such a panel is no larger
  Bytes wanted_host = 0;  ///< what was asked for of it
  Bytes beside = 0;       ///< what they leave room for
};
/// Of the devices of a team, by the worker's number. From any thread.
class PanelStore {
 public:
  [[nodiscard]] PanelMemory& of(int worker) {
    const std::scoped_lock lock(mutex_);
    auto& mine = memory_[worker];
    if (!mine) mine = std::make_unique<PanelMemory>();
    return *mine;
  }
  /// Between phases: panels of a device that needs its memory for something else; a later phase takes new ones beside that.
  void give_back(int worker) {
    const std::scoped_lock lock(mutex_);
    if (const auto& mine = memory_[worker]) *mine = {};
  }
  /// Bytes that solutions hold on a device beside panels.
  void set_held(int worker, Bytes bytes) {
    const std::scoped_lock lock(mutex_);
    held_[worker] = bytes;
  }
  [[nodiscard]] Bytes held(int worker) {
    const std::scoped_lock lock(mutex_);
    return held_[worker];
  }
  /// How many passes of a stage came before this one, which counts.
  [[nodiscard]] int passes_before(const std::string& stage) {
    const std::scoped_lock lock(mutex_);
    return passes_[stage]++;
  }
  /// True once a worker: its warning is told once.
  [[nodiscard]] bool first_warning(int worker) {
    const std::scoped_lock lock(mutex_);
    return warned_.insert(worker).second;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::unique_ptr<PanelMemory>> memory_;
  std::map<int, Bytes> held_;
  std::set<int> warned_;
  std::map<std::string, int> passes_;
};

/// Instead of columns: their products with some vectors, which alone come back. Columns of the targets are told apart by their addresses,
/// 3 · rows values each from `base`; nothing is ever there.
template <class Real>
struct PanelSums {
  std::complex<Real>* base = nullptr;
  Index width = 0, cases = 0;
  const std::complex<Real>* x = nullptr;         ///< width × cases, column-major
  std::vector<std::complex<Real>>* y = nullptr;  ///< gets 3 · rows × cases
};

template <class Real>
struct PairWork {
  const Surface& surface;
  const FarRules<Real>& rules;
  const LaneMedium<Real>& medium;
  const RowPoints& rows;
  ColumnSink<Real>& sink;
  /// For comparison, constant elements and Accuracy::fixed8 only: a block of the device a pair (Belinassi 2017, Algorithm 5).
  bool block_a_pair = false;
  /// The columns of the targets are addresses of this device: nothing comes back to the host.
  bool resident = false;
  const PanelSums<Real>* sums = nullptr;
  /// Panels stay on the device.
  [[nodiscard]] bool stays() const { return resident || sums != nullptr; }
};

/// What a run on a device did.
struct DevicePairFacts {
  double points = 0;          ///< Gauss points of all pairs
  double kernel_seconds = 0;  ///< of the device's clock
  double seconds = 0;         ///< in all
  Bytes copied = 0;           ///< back to the host
  Index panels = 0;
  Bytes least = 0, given = 0;  ///< bytes of a slot: what the largest element needs, what there was
  bool fits = true;            ///< false: nothing was done
};

/// Bytes of each of the two slots that a run asks for: room for sixteen elements of the largest kind, within limits; no more than all need.
[[nodiscard]] Bytes panel_slot(Bytes largest_element, Bytes all);
/// The same of a matrix that stays on the device: as much as a slot may have, since nothing waits for it on the bus.
[[nodiscard]] Bytes resident_slot(Bytes largest_element, Bytes all);
/// What the largest element needs at most: columns of H and G of so many nodes, so many rows of `entry` bytes, its Gauss points.
[[nodiscard]] Bytes least_slot_of(Index nodes, Index rows, Bytes entry);

/// What is said where `fits` is false.
[[nodiscard]] std::string too_small(const DeviceWorker& worker, const DevicePairFacts& facts);

/// Far pairs of `items` by the device. `budget`: bytes of the device that may be taken; asked for once, after memory of another size was given
/// back. Values go to the targets as PairPhase puts them there. Throws Failure (resources) when the device fails; memory that is refused is no
/// failure: `fits` tells.
template <class Real>
[[nodiscard]] DevicePairFacts device_pairs(const Device& device, const std::function<Bytes()>& budget,
                                           PanelMemory& memory, const CpuWorker& host, const PairWork<Real>& work,
                                           Interval items, const std::stop_token& stop = {});

extern template DevicePairFacts device_pairs<double>(const Device&, const std::function<Bytes()>&, PanelMemory&,
                                                     const CpuWorker&, const PairWork<double>&, Interval,
                                                     const std::stop_token&);
extern template DevicePairFacts device_pairs<float>(const Device&, const std::function<Bytes()>&, PanelMemory&,
                                                    const CpuWorker&, const PairWork<float>&, Interval,
                                                    const std::stop_token&);

}  // namespace conoid::elastic_bem
