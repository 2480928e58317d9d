// SPDX-License-Identifier: BSD-3-Clause
// The state of a run and the way it goes from step to step.
//
//   p^{k+1} = (2 p^k − (1−σ) p^{k−1} + c² dt² (Δ_h p^k + Σ_n s_n(t_k) δ_h(x − x_n))) / (1+σ),   sources outside the quotient
//
// Two levels in place (k+1 overwrites k−1), level k in array k mod 2. σ is the sum of three one-dimensional profiles. Free
// and rigid faces lie on the outermost nodes; each row that is written also writes its images behind the faces, so that an
// update reads plain memory everywhere and a row never depends on work other than its own (field.hpp). Bands of several
// steps are cut into tiles (tiling.hpp), whose shape has no influence on a single bit.
//
// A rank owns a slab of x-planes. Before a band of T steps it receives `radius` T planes from each neighbour and computes
// along those that its own need: one exchange a band.
#pragma once

#include "engine/cluster/communicator.hpp"
#include "engine/core/types.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/solvers/acoustic_fd/stepping/slab.hpp"
#include "engine/team/machine.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {
class Team;
}

namespace conoid::acoustic_fd {

/// The conserved energy of the leapfrog scheme at k + ½ without sponge and sources, in Pa² m:
///   kinetic ½ Σ ((p^{k+1} − p^k)/(c dt))² dV,  potential −½ Σ p^{k+1} Δ_h p^k dV;
/// nodes on reflecting faces count half.
struct Energy {
  double kinetic = 0;
  double potential = 0;
  [[nodiscard]] double total() const { return kinetic + potential; }
  /// From what Field::plane_energy() finds of each plane: kinetic, potential, kinetic …
  [[nodiscard]] static Energy of(std::span<const double> planes, const Vec3& spacing);
};

/// Used from the engine thread; all members but the plain getters are collective over the communicator.
class March {
 public:
  virtual ~March() = default;

  /// From nothing to step 0 (levels −1 and 0 set from the initial field).
  virtual void start(Team& team, Communicator& cluster) = 0;
  /// Levels to be recorded on the way: those divisible by `every`; see sample() for what is kept of each.
  struct Recorder {
    Index every = 1;
    std::vector<std::vector<double>> samples;
  };
  /// `steps` time steps. The same number on every rank.
  virtual void advance(Team& team, Communicator& cluster, Index steps, Recorder* recorder = nullptr) = 0;
  void step(Team& team, Communicator& cluster) { advance(team, cluster, 1); }
  [[nodiscard]] Index steps_done() const { return k_; }
  /// Steps that are worth taking together.
  [[nodiscard]] virtual Index band() const = 0;

  /// Contributions of this rank's planes to the receivers at the present step; sum over ranks, then join_traces().
  virtual void sample(std::span<double> parts) const = 0;
  [[nodiscard]] virtual std::size_t parts() const = 0;
  /// One value a receiver from the summed contributions, in an order that does not depend on ranks.
  virtual void join_traces(std::span<const double> parts, std::span<double> traces) const = 0;

  [[nodiscard]] virtual Energy energy(Team& team, Communicator& cluster) = 0;
  /// Largest |p| of this rank; not finite if the run has diverged.
  [[nodiscard]] virtual double peak(Team& team) = 0;

  /// p (level k) at nodes x0, x0+step, … of this rank's slab, likewise y and z; x slowest, z fastest. `x0` and the
  /// counts are global; planes of other ranks are left out.
  struct Cut {
    std::array<Index, 3> first{}, step{1, 1, 1}, count{1, 1, 1};
    /// Which of its j have first + j step in `nodes`, along an axis.
    [[nodiscard]] Interval within(std::size_t axis, Interval nodes) const {
      const auto from = [&](Index n) {
        return std::clamp<Index>((n - first[axis] + step[axis] - 1) / step[axis], 0, count[axis]);
      };
      return {from(nodes.begin), from(nodes.end)};
    }
  };
  virtual void read(const Cut& cut, std::vector<float>& out) const = 0;
  /// The same of the largest |p| so far (0) or of the sum of p² over all steps (1), where the problem keeps them.
  virtual void read_map(int which, const Cut& cut, std::vector<float>& out) const = 0;
  /// Levels k and k−1 of a plane as the march holds them: float, or double where the problem is in double precision; of a varying density
  /// q, not p (medium.hpp). Row y begins at y · stride_y, and has nz values.
  struct PlaneView {
    const void* now = nullptr;
    const void* before = nullptr;
    Index stride_y = 0;
    /// m_l of the attenuation at level k (attenuation.hpp), as many as the problem has relaxations, in rows like those of the levels.
    std::array<const void*, most_relaxations> memory{};
  };
  /// Who looks at all planes of this rank, piece by piece in ascending order.
  class PlaneVisitor {
   public:
    virtual ~PlaneVisitor() = default;
    /// Intervals of global x that cover this rank's planes; none crosses a multiple of block().
    [[nodiscard]] virtual std::span<const Interval> pieces() const = 0;
    /// Before and after the planes of a piece, on the engine's thread. May throw Failure.
    virtual void open(std::size_t piece) = 0;
    virtual void close(std::size_t piece) = 0;
    /// From any thread of the team, several planes at once. Must not throw.
    virtual void plane(Index x, const PlaneView& view) = 0;
  };
  virtual void visit(Team& team, PlaneVisitor& visitor) = 0;
  /// Planes, counted from 0, that are in memory together; 0: all of this rank.
  [[nodiscard]] virtual Index block() const { return 0; }
  /// Sets level k−1 or k of a plane (global x, this rank's) from ny·nz values; call refresh() afterwards.
  virtual void save(CheckpointWriter& writer) const = 0;
  virtual void load(CheckpointReader& reader, Communicator& cluster) = 0;

  [[nodiscard]] Interval planes() const { return planes_; }
  [[nodiscard]] virtual Bytes bytes() const = 0;
  [[nodiscard]] virtual std::string_view kernel() const = 0;
  /// The tiling in use, "diamond 32x8".
  [[nodiscard]] virtual std::string tiling() const = 0;
  /// Bytes of planes that passed through a window so far.
  struct Streamed {
    Bytes read = 0, written = 0;           ///< between disk and memory
    Bytes to_device = 0, from_device = 0;  ///< between memory and a device
  };
  [[nodiscard]] virtual Streamed streamed() const { return {}; }
  /// Planes come and go once a band of band() steps, from the disk or to a device.
  [[nodiscard]] virtual bool streams() const { return false; }

 protected:
  Index k_ = 0;
  Interval planes_{};  ///< global x-planes of this rank
};

/// Throws Failure(resources) without memory, Failure(invalid_input) when there are more ranks than planes allow or the
/// kernel asked for does not exist on this machine. `problem` must outlive the march.
[[nodiscard]] std::unique_ptr<March> make_march(const Problem& problem, const Machine& machine,
                                                const Communicator& cluster);

}  // namespace conoid::acoustic_fd
