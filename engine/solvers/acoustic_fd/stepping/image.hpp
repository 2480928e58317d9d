// SPDX-License-Identifier: BSD-3-Clause
// Images of the medium: the gradient of a misfit by the adjoint march, and reverse-time migration.
//
// The march of one shot is M (p^{k+1} − 2p^k + p^{k−1}) = h_x² Δ_h p^k + (h_x²/dV) w s^k with M = h_x²/(c² dt²) at every node; traces are
// d = F R p with the receivers' weights R and the filter F of the traces (trace_filter.hpp). The misfit of a shot against observed traces is
//
//     J = ½ Δ Σ (d − d_obs)²,   Δ between samples, in Pa² s.
//
// The march is symmetric (README.md, Reciprocity). So what the residual's transpose ρ = Δ Fᵀ (d − d_obs) sends from the receivers, backwards in time,
// is the adjoint field λ, and a change δc of the speed at the nodes changes the misfit by δJ = Σ g δc dV with
//
//     g = 2/(c³ dt²) Σ_k λ^k (p^{k+1} − 2p^k + p^{k−1}) = 2/(c³ dt²) Σ_{k=1}^{N} v^k u^{N+1−k},
//
// where v^k = p^k − p^{k−1}, u^l = μ^l − μ^{l−1} and μ^{N−k} = λ^k is the level that the march backwards has: sums by parts, so that two levels, which
// a march has, are all that it takes (adjoint states: Lailly 1983; Tarantola, Geophysics 49, 1984, 1259-1266; Plessix, Geophys. J. Int. 167, 2006,
// 495-503). It is the gradient of the discrete misfit, to rounding, where every step counts; of every n-th step it takes n times the product, which
// is as good while 1/(n dt) is above the sum of the highest frequencies of both (four samples in the source's shortest period: 3e-4). Nodes in absorbing layers and on walls of an impedance
// are left at zero: matched layers are not symmetric, and damping that depends on c has terms of its own.
//
// With attenuation the march is M (p^{k+1} − 2p^k + p^{k−1} + σ (p^{k+1} − p^{k−1}) − Σ P (p^k − m^k)) = h_x² Δ_h p^k + … (attenuation.hpp), and p − m is v filtered,
// r^k = (1 + E)/2 Σ_{j ≤ k} E^{k−j} v^j. The same sums by parts put the filter on the march backwards, whose own memory m' has it: what v^k is multiplied by becomes
//
//     u^l + σ (μ^l + μ^{l−1}) − Σ P (m'^l/(1 − E) − μ^l/2),
//
// with 2/(c³ dt²) of c at high frequency, times c_U/c for the derivative with respect to the speed of the case. Q itself is held. Dot products agree within 1e-12 as without.
//
// Migration sends the observed traces, or what they have beyond the modelled ones, and takes Σ v (μ^{l} + μ^{l−1})/2, one derivative in time less: what
// a row of receivers sends as monopoles lags the wave that arrived there by a quarter of a period, so that an interface is a peak where it is, and
// not a change of sign. The sum is divided by the illumination Σ v² of the source (or the root of it times that of the receivers; Claerbout, Geophysics 36, 1971, 467-481; Kaelin & Guitton, SEG 2006), and, where asked, less its
// second derivative, which takes away the smooth part that waves leave along their common paths (Zhang & Sun, First Break 27, 2009).
//
// The fields of the march forwards rest in windows (engine/window) within a budget of memory, else on the disk, at 16 bits a value (a scale for each 64
// nodes along z: an error of at most 1.6e-5 of their largest value) or as the march has them.
#pragma once

#include "engine/cluster/communicator.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/solvers/acoustic_fd/case_image.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/window/windows.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace conoid {
class DiskWindows;
}

namespace conoid::acoustic_fd {

/// What the images of a case take of one rank, of one shot at a time.
struct ImagePlan {
  Index snapshots = 0;  ///< of a shot
  Bytes one = 0;        ///< of a snapshot
  Bytes sums = 0;       ///< image and illumination, of the shot and of those before it
  Bytes windows = 0;    ///< memory for both
  Bytes march = 0;      ///< what is left of the budget to the march
  Bytes smooth = 0;     ///< of that, the smooth medium's
  Bytes disk = 0;       ///< what does not stay in memory
  [[nodiscard]] Bytes all() const { return static_cast<Bytes>(snapshots) * one + sums; }
};
/// `budget`: of fields on the host; 0: without a limit.
[[nodiscard]] ImagePlan plan_image(const Problem& problem, const ImageSettings& settings, Bytes budget, int ranks);
/// How many fields are kept, how often and where.
[[nodiscard]] std::string image_text(const Problem& problem, const ImageSettings& settings, const ImagePlan& plan);

/// Of one rank. From the engine thread; read() with several ranks is collective, as keep() and correlate() are where the march is.
class Imaging {
 public:
  /// `problem` and `march` as the waves forwards have them; `problem` must outlive this. Throws Failure(resources, file).
  Imaging(const Problem& problem, const ImageSettings& settings, const ImagePlan& plan, const March& march);
  ~Imaging();
  Imaging(const Imaging&) = delete;
  Imaging& operator=(const Imaging&) = delete;

  /// The march of a shot forwards begins: what was kept is of no use any more.
  void begin_shot();
  /// Steps of a march until the next level that is wanted of it, from `k` on; at least one.
  [[nodiscard]] Index next_forward(Index k) const { return (k / settings_.every + 1) * settings_.every; }
  [[nodiscard]] Index next_backward(Index l) const;
  /// At level k of the march forwards, l of that backwards; levels that are not wanted are passed over.
  void keep(Team& team, March& march);
  void correlate(Team& team, March& march);

  enum class Shown { image, illumination };
  /// The shot's products come to those of the shots before it, so that the sum of a shot does not depend on which come before it.
  void end_shot(int threads) {
    if (settings_.adds) add_shot_of(*this, threads);
  }
  /// What another part has of its shot, whose planes are the same.
  void add_shot_of(Imaging& from, int threads);
  /// The same for a plane, between ranks: values as bytes.
  [[nodiscard]] std::vector<std::byte> take_shot(Index x);
  void add_shot(Index x, std::span<const std::byte> products);
  [[nodiscard]] Interval planes() const { return planes_; }

  /// Appends nodes of the cut on this rank's planes, x slowest. Collective.
  void read(Shown what, const March::Cut& cut, Communicator& cluster, std::vector<float>& out) const;
  /// Of one plane of this rank, ny × nz values without what illumination and filter do: the gradient in Pa² s²/m⁴, or the sum of products.
  void raw_plane(Index x, std::vector<double>& out) const;

  void save(CheckpointWriter& writer) const;
  void load(CheckpointReader& reader);

 private:
  class Keeper;
  class Correlator;
  template <class T>
  void keep_plane(const March::PlaneView& view, std::byte* to) const;
  template <class T>
  void correlate_plane(const March::PlaneView& view, const std::byte* kept, T* sums) const;
  template <class T>
  void add_relaxing(const March::PlaneView& view, Index row, std::span<const T> v, std::span<T> products) const;
  void finished_plane(Index x, double floor, std::vector<double>& out) const;
  template <class Call>
  void with_sums(Index x, Call&& call) const;
  /// Of the shot, or of those before it.
  enum class Sum : Index { shot, before };
  template <class Call>
  void with_stored(Index x, Sum which, Access access, Call&& call) const;
  [[nodiscard]] Index window_of(Index piece, Sum which) const {
    return piece + static_cast<Index>(which) * static_cast<Index>(pieces_.size());
  }
  template <class T>
  [[nodiscard]] double light_at(const T* sums, std::size_t i) const;
  [[nodiscard]] std::size_t arrays() const;
  [[nodiscard]] std::size_t plane_cells() const;
  [[nodiscard]] std::size_t piece_of(Index x) const;
  [[nodiscard]] double brightest(Communicator& cluster) const;
  void fetch_edges(double floor, Communicator& cluster, std::vector<double>& low, std::vector<double>& high) const;

  const Problem& problem_;
  ImageSettings settings_;
  Interval planes_;
  Index count_;                     ///< snapshots of a shot
  std::size_t plane_bytes_;         ///< of a snapshot
  std::vector<Interval> pieces_;    ///< sums: one window each of the shot, then one of the shots before it
  std::array<Interval, 3> inside_;  ///< nodes that have an image
  std::unique_ptr<DiskWindows> snapshots_, sums_;
  Tour order_;                             ///< of the snapshots, which outlive it
  mutable std::vector<double> brightest_;  ///< of the illumination, a plane; negative: not known
};

}  // namespace conoid::acoustic_fd
