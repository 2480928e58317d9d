// SPDX-License-Identifier: BSD-3-Clause
// The radiation operator of one frequency: currents F on S' to Cauchy data ψ on S, for any number of right-hand sides.
//
// Elements of S are the items of a phase of the team. Triangles of S' nearer to a point than 1.5 of their diameter are
// integrated by adaptive subdivision; the differences to the plain rule are kept as small dense blocks.
#pragma once

#include "engine/solvers/maxwell_fem/cuda/device_radiation.hpp"
#include "engine/solvers/maxwell_fem/discretization/domain.hpp"
#include "engine/solvers/maxwell_fem/kernels/radiation.hpp"
#include "engine/solvers/maxwell_fem/solving/compressed.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

namespace conoid {
class Team;
}

namespace conoid::maxwell_fem {

/// blocked: tiles times panels of right-hand sides. fused: one right-hand side, no tiles. omp_*: the paper's loops.
/// compressed: far blocks of low rank, kept. automatic: fused for one right-hand side, blocked for more. device*: devices of the team
/// share S with its processors (device_radiation.hpp), the form by the number of right-hand sides or as named; cuda_*: the paper's
/// loops there. A device that cannot hold what it must leaves its share to its host threads.
enum class RadiationLoop : std::uint8_t {
  automatic,
  blocked,
  fused,
  omp_inner,
  omp_outer,
  omp_rhs,
  compressed,
  device,
  device_fused,
  device_products,
  cuda_outer,
  cuda_rhs
};
[[nodiscard]] constexpr bool on_devices(RadiationLoop loop) {
  return loop >= RadiationLoop::device;
}

/// `padding` more entries than points, all far away.
[[nodiscard]] PointArrays point_arrays(const Patch& patch);

class Radiation {
 public:
  /// `domain` must outlive the operator. `near` = 0: the plain rule everywhere. After a stop neither the operator nor what it
  /// has computed is whole.
  Radiation(const Domain& domain, double k, int threads, double near = 1.5,
            InstructionSet level = InstructionSet::avx512, std::stop_token stop = {});
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }

  /// psi (columns of 2 N_S) = R f (columns of 4 N_S'); all of it, or what lies on some elements of S.
  void apply(Team& team, std::span<const Complex> f, Index count, std::span<Complex> psi,
             RadiationLoop loop = RadiationLoop::automatic) const {
    apply(team, f, count, psi, loop, {0, domain_->outer.faces()});
  }
  void apply(Team& team, std::span<const Complex> f, Index count, std::span<Complex> psi, RadiationLoop loop,
             Interval faces) const;
  /// Loops that compute a part of S alone at a part of the cost.
  [[nodiscard]] static bool divisible(RadiationLoop loop) {
    return loop == RadiationLoop::automatic || loop == RadiationLoop::blocked || loop == RadiationLoop::fused;
  }

  /// Prepares the loop `compressed`: a relative error of `tolerance` a block. Of several ranks each computes rows of its own then,
  /// whatever part apply() is asked for, and zeros elsewhere.
  void compress(double tolerance, int threads, int rank = 0, int ranks = 1);
  [[nodiscard]] const CompressedRadiation* compressed() const { return compressed_.get(); }

  [[nodiscard]] Index near_blocks() const { return static_cast<Index>(near_.size()); }
  [[nodiscard]] double pairs() const {
    return static_cast<double>(domain_->outer.size()) * static_cast<double>(domain_->currents.size());
  }

 private:
  class Blocked;
  class Fused;
  class Paper;
  class OnDevices;
  void find_near(double factor, int threads);
  void add_near(Interval points, const Complex* f_minus, const Complex* f_plus, Complex* plus, Complex* minus) const;

  const Domain* domain_;
  double k_;
  std::stop_token stop_;
  const RadiationKernel* kernel_;
  PointArrays to_, from_;
  std::vector<Index> near_start_;  ///< of each point of S
  std::vector<NearBlock> near_;
  std::vector<double> scale_;  ///< of each point of S: √(w/2)
  std::unique_ptr<CompressedRadiation> compressed_;
  struct OfDevices {
    std::mutex mutex;
    std::map<int, std::unique_ptr<DeviceRadiation>> by_worker;
    bool warned = false, told = false;
  };
  std::unique_ptr<OfDevices> of_devices_;
};

}  // namespace conoid::maxwell_fem
