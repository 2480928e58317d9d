// SPDX-License-Identifier: BSD-3-Clause
// Pairs of triangles for densities ∂_n p of some source triangles: what they send to tested triangles by the kernel of DC, each pair from
// both sides (as test and as source, tile.cpp), images below the ground included.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/tile.hpp"

namespace conoid::acoustic_bem {

class SigmaSweep {
 public:
  explicit SigmaSweep(const TileContext& context);
  /// What corner `own` of the tested triangle receives from corner `other` of the source, at columns low + c, c < count: value(own, other, c).
  /// Corners are those of the triangles themselves, also where an image of one takes part.
  struct Pair {
    std::int32_t tested = 0, source = 0;
    double factor = 1;  ///< of an image
    Index low = 0;
    std::size_t count = 0;
    const double* values = nullptr;
    std::size_t stride = 1, of_own = 3, of_other = 1;
    bool own_turned = false, other_turned = false;  ///< an image, which runs through its corners the other way
    [[nodiscard]] double value(std::size_t own, std::size_t other, std::size_t c) const {
      constexpr std::array<std::size_t, 3> turned{0, 2, 1};  // as Surface::images
      const std::size_t a = own_turned ? turned[own] : own, b = other_turned ? turned[other] : other;
      return values[(c * 9 + of_own * a + of_other * b) * stride];
    }
  };
  /// Calls add() twice for each pair, one half of S_k each. Returns early after a stop request.
  void run(std::span<const std::int32_t> tested, std::span<const std::int32_t> sources,
           const std::function<void(const Pair&)>& add, const std::stop_token& stop);
  [[nodiscard]] double delta() const { return form_.delta; }

 private:
  void run_alike(std::span<const std::int32_t> tested, std::span<const std::int32_t> sources,
                 const std::function<void(const Pair&)>& add, const std::stop_token& stop);
  [[nodiscard]] OuterSet set(std::span<const std::int32_t> triangles) const;
  template <class F>
  void for_images(std::int32_t s, F&& f) const;
  template <class Each>
  void sweep(OuterSet& outer, const Triangle& inner, Each&& each);
  [[nodiscard]] Pair pair_of(std::int32_t tested, std::int32_t source, double factor, bool image, bool by_outer,
                             std::size_t lane) const;

  const TileContext& context_;
  const Surface& surface_;
  LaneForm form_;  ///< of what is tested just now
  std::vector<double> first_, last_, direct_, transposed_, work_;
  std::vector<Closeness> close_;
  std::vector<std::size_t> picked_;
};

}  // namespace conoid::acoustic_bem
