// SPDX-License-Identifier: BSD-3-Clause
// Where the planes of a grid rest that streams through a device: in the host's arrays, or in windows over a disk. Used by one thread. Part of device_steps.cpp.
#pragma once

#include "engine/core/taken.hpp"
#include "engine/solvers/acoustic_fd/stepping/field.hpp"
#include "engine/solvers/in_flight.hpp"
#include "engine/team/device.hpp"
#include "engine/window/windows.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace conoid::acoustic_fd {

/// Planes −s … N + s − 1, those beyond the faces included.
template <class T>
class HostPlanes {
 public:
  /// Planes that lie one behind the other.
  struct Piece {
    Interval planes;
    std::vector<T*> arrays;  ///< where they begin in each array
    std::vector<T*> layers;  ///< where the first of them inside the grid begins in each memory of layers
  };
  using Body = std::function<void(const Piece&)>;

  virtual ~HostPlanes() = default;
  /// Of the host's field, in the order of DeviceSlice: where plane 0 begins in each array, and in each memory of layers, of `values` a plane.
  struct Place {
    T* plane;
    Index values;
  };
  virtual void place(std::vector<Place> arrays, std::vector<Place> layers) = 0;
  /// body(piece) for all of `planes` in ascending order, to be copied from there (read) or to there (write) by what it gives to `copies`; they are
  /// held until the stream has come past that. Planes are read after they have been written. What is written replaces windows as a whole,
  /// so that nothing is loaded for it: the medium goes back with the levels.
  virtual void for_pieces(Interval planes, Access access, Stream& copies, const Body& body) = 0;
  /// All copies are done.
  virtual void finish() {}
};

/// In arrays of the host for the whole grid.
template <class T>
class PlanesInArrays final : public HostPlanes<T> {
 public:
  using typename HostPlanes<T>::Place;
  void place(std::vector<Place> arrays, std::vector<Place> layers) override {
    arrays_ = std::move(arrays);
    layers_ = std::move(layers);
  }
  void for_pieces(Interval planes, Access, Stream&, const typename HostPlanes<T>::Body& body) override {
    typename HostPlanes<T>::Piece piece;
    piece.planes = planes;
    for (const Place& array : arrays_) piece.arrays.push_back(array.plane + planes.begin * array.values);
    for (const Place& layer : layers_)
      piece.layers.push_back(layer.plane + std::max<Index>(0, planes.begin) * layer.values);
    body(piece);
  }

 private:
  std::vector<Place> arrays_, layers_;
};

/// In windows over a disk, each with a plane as Field::keep_plane() writes it: those that copies use are leased, and the leases end at an event. What lies beyond the faces
/// is in memory of its own.
template <class T>
class PlanesInWindows final : public HostPlanes<T> {
 public:
  using typename HostPlanes<T>::Place;
  /// Window `i` is plane i. `host`: any window of the grid; all must outlive this.
  PlanesInWindows(const Field<T>& host, Windows& windows, Device device)
      : host_(host), windows_(windows), device_(std::move(device)), planes_(windows.count()),
        beyond_planes_(host.stencil().radius), tour_(windows.announce({0, planes_}, Access::read, Repeat::yes)) {
    for (Held* const both : {&coming_, &leaving_}) both->has.assign(static_cast<std::size_t>(planes_), false);
    // Half of what the level holds may wait for copies, one half of that each way: the rest is for planes that come from the disk, and go there.
    most_ = static_cast<std::size_t>(
        std::clamp<Bytes>(windows.budget() / (4 * std::max<Bytes>(1, windows.size(0))), 1, 64));
  }
  void place(std::vector<Place> arrays, std::vector<Place> layers) override {
    for (const Place& array : arrays) arrays_.push_back({host_.kept_at(array.plane), array.values});
    for (const Place& layer : layers) layers_.push_back(host_.kept_at(layer.plane));
    Index values = 0;
    for (const auto& [at, count] : arrays_) values += count;
    beyond_ = device_.template pinned<T>(static_cast<std::size_t>(2 * beyond_planes_ * values));
    std::fill_n(beyond_.data(), beyond_.size(), T(0));
    beyond_values_ = values;
  }
  /// Both levels of a plane beyond the faces, as local plane `local` of the host's field has them.
  void keep_beyond(Index global, Index local) {
    T* to = beyond(global);
    for (std::size_t n = 0; n < 2; ++n) {
      std::copy_n(host_.plane_of_level(static_cast<Index>(n), local), arrays_[n].second, to);
      to += arrays_[n].second;
    }
  }
  void for_pieces(Interval planes, Access access, Stream& copies, const typename HostPlanes<T>::Body& body) override {
    for (Index x = planes.begin; x < planes.end; ++x) {
      typename HostPlanes<T>::Piece piece;
      piece.planes = {x, x + 1};
      if (x < 0 || x >= planes_) {
        T* at = beyond(x);
        for (const auto& [kept, count] : arrays_) piece.arrays.push_back(std::exchange(at, at + count));
        piece.layers.resize(layers_.size(), nullptr);
        body(piece);
        continue;
      }
      Held& held = access == Access::read ? coming_ : leaving_;
      for (Held* const both : {&coming_, &leaving_})
        while (both->has[static_cast<std::size_t>(x)] || (!both->leases.empty() && both->leases.reached()))
          both->let_go();
      while (held.leases.size() >= most_) held.let_go();
      Lease lease = taken_or_thrown(access == Access::read ? tour_.acquire(x, access) : windows_.acquire(x, access));
      // Copies only read what was leased for reading.
      T* const values = reinterpret_cast<T*>(const_cast<std::byte*>(lease.bytes().data()));
      for (const auto& [kept, count] : arrays_) piece.arrays.push_back(values + kept);
      for (const Index kept : layers_) piece.layers.push_back(values + kept);
      body(piece);
      held.has[static_cast<std::size_t>(x)] = true;
      held.leases.hold(device_, copies, std::move(lease));
    }
  }
  void finish() override {
    for (Held* const both : {&coming_, &leaving_})
      while (!both->leases.empty()) both->let_go();
  }

 private:
  struct Held {
    InFlight<Lease> leases;
    std::vector<bool> has;  ///< by plane
    /// Of the oldest, when its copies are done.
    void let_go() {
      has[static_cast<std::size_t>(leases.oldest().window())] = false;
      leases.finish_oldest();
    }
  };
  [[nodiscard]] T* beyond(Index global) {
    const Index slot = global < 0 ? -1 - global : beyond_planes_ + global - planes_;
    return beyond_.data() + slot * beyond_values_;
  }

  const Field<T>& host_;
  Windows& windows_;
  Device device_;
  Index planes_, beyond_planes_;
  Tour tour_;
  std::size_t most_ = 1;
  std::vector<std::pair<Index, Index>> arrays_;  ///< where they begin in a window, values
  std::vector<Index> layers_;
  PinnedBuffer<T> beyond_;
  Index beyond_values_ = 0;
  Held coming_, leaving_;
};

}  // namespace conoid::acoustic_fd
