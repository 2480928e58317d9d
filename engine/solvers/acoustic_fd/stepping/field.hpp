// SPDX-License-Identifier: BSD-3-Clause
// The state of one rank (or one window) and everything that happens to a patch of its cells in one step: stencil, layers,
// sources, images, receivers. Tilings decide the order of patches and nothing else.
//
// A patch at update k reads level k within the stencil's reach and level k−1 of its own cells, and writes level k+1 of its
// own cells and of their images behind reflecting faces. So any order in which every update follows those of its
// neighbours gives the same bits.
#pragma once

#include "engine/core/types.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/discretization/point_rows.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/kernels/beside.hpp"
#include "engine/solvers/acoustic_fd/kernels/patch.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/solvers/acoustic_fd/stepping/storage.hpp"
#include "engine/solvers/acoustic_fd/stepping/tiling.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conoid::acoustic_fd {

/// Planes `planes` (global) of the problem; `beside` planes on either side are held and may be computed along. `lower` and
/// `upper` say whether a neighbour holds what lies beyond.
struct Slab {
  Interval planes{};
  Index beside = 0;
  bool lower = false, upper = false;
  bool moves = false;  ///< a window that slides over planes; see Field::slide
  Interval own{};      ///< of such a window: those (global) whose receivers it hears and whose memory of x it keeps
};

template <class T>
class Field final : public PatchSink {
 public:
  /// Throws Failure(resources) without memory or when the kernel asked for does not exist here.
  Field(const Problem& problem, const Machine& machine, const Slab& slab);

  [[nodiscard]] const Layout& at() const { return at_; }
  [[nodiscard]] const Stencil& stencil() const { return stencil_; }
  [[nodiscard]] std::string_view kernel() const { return kernels_->name; }
  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] T* level(Index k) { return level_[k & 1].data(); }
  [[nodiscard]] const T* level(Index k) const { return level_[k & 1].data(); }
  /// Local planes that exist in the grid: [−beside, nx + beside) cut to it.
  [[nodiscard]] Interval held() const { return held_; }

  /// A moving window comes to begin at global plane `first`: planes that it held and still holds stay where they belong, the
  /// others hold nothing of use. Planes that left must have been kept with keep_plane() before.
  void slide(Index first);
  /// Everything that belongs to one plane (local x), of a fixed size: both levels, the medium, the memory of the layers of
  /// y and z. Those of x stay in the window.
  /// Both levels of a plane (local x, halo included) become zero.
  void silence_plane(Index x);
  [[nodiscard]] std::size_t plane_bytes() const;
  void keep_plane(Index x, std::byte* to) const;
  void bring_plane(Index x, const std::byte* from);
  /// Values before it in what keep_plane() makes of plane 0, where this array's part of that plane begins.
  [[nodiscard]] Index kept_at(const T* part) const;
  /// Where a plane of a level begins, with what lies beside its rows, as it is kept.
  [[nodiscard]] const T* plane_of_level(Index k, Index x) const;

  /// Medium and initial field of one plane (local x inside held()), levels 0 and −1, memories of layers. First touch of its memory, which is zero
  /// before.
  void fill_plane(Index x);
  /// The medium alone, c² dt²/h_x² and h_x² V where they vary, to where plane x begins (row 0, z = 0) in memory that is zero beside the cells. From any thread.
  void make_medium(Index x, T* a, T* v) const;
  /// What matched layers need of the density in plane x.
  void fill_stretches(Index x);
  void place_points();
  /// p^{−1} of a field at rest, from p^0 with its images in place, on local planes; their neighbours must be there.
  void rest_start(Interval planes);
  /// Images of both levels, after they were set from outside.
  void refresh_images();
  void refresh_images(Index x);
  void clear_memory();

  /// Before updates first ≤ k < last; `every` > 0: levels k+1 divisible by it are recorded.
  void begin_band(Index first, Index last, Index every);
  /// Levels that the band recorded, and the values of receiver parts at the n-th of them.
  [[nodiscard]] Index recorded_levels() const { return slots_; }
  [[nodiscard]] std::vector<double> recorded(Index n) const;
  [[nodiscard]] Index record_bytes() const { return static_cast<Index>(nodes_.size()) * static_cast<Index>(sizeof(T)); }

  /// One step of a box of cells, x and y local (PatchSink).
  void patch(Index k, const Box& box) override { update(k, box, nullptr); }
  void patch_asking(Index k, const Box& box, Ahead& ahead) override { update(k, box, &ahead); }
  void ask(Index k, const Box& level, const Box& cells, bool older, Ahead& ahead) override;

  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  /// Adds what nodes on global planes give to the parts. Parts never share a plane, so any cut gives the same bits.
  void sample(Index k, Interval planes, std::span<double> parts) const;
  void join_traces(std::span<const double> parts, std::span<double> traces) const;

  /// Kinetic and potential sums of one plane (local x), see March::energy; levels k−1 and k.
  void plane_energy(Index k, Index x, std::span<const double> wz, double half_low, double half_high, double& kinetic,
                    double& potential) const;
  [[nodiscard]] double plane_peak(Index k, Index x) const;
  /// The same of the values of one row (x global).
  [[nodiscard]] double row_peak(Index x, Index y, const T* values) const;
  /// What one row of q has to be multiplied by to be pressure; empty when it is 1.
  [[nodiscard]] bool scaled() const { return scaled_; }

  /// What a device needs of the sources: nodes with what each gets, in the order in which patches add it.
  struct Contribution {
    double weight;
    std::size_t source;
  };
  struct SourceCell {
    Index x, y, z;  ///< x global
    std::vector<Contribution> from;
  };
  [[nodiscard]] std::vector<SourceCell> source_cells() const;
  /// s_n(t_k) of an update of the band.
  [[nodiscard]] double signal(Index k, std::size_t source) const {
    return signal_[static_cast<std::size_t>(k - band_first_) * problem_.sources.size() + source];
  }
  /// Global places of the nodes of the receivers.
  [[nodiscard]] std::vector<std::array<Index, 3>> receiver_nodes() const;
  /// Where the values of those nodes at level k+1 are kept, before those of the next recorded level; null when that level is not recorded.
  [[nodiscard]] T* record_of(Index k);
  /// c² dt²/h_x² of every cell in the layout of a level, or one row where c is constant.
  [[nodiscard]] const T* medium() const { return a_.data(); }
  [[nodiscard]] bool medium_varies() const { return varying_; }
  [[nodiscard]] const T* potential() const { return dense_ ? v_.data() : nullptr; }
  [[nodiscard]] const RowWeights<T>& weights() const { return weights_; }
  [[nodiscard]] bool unequal() const { return unequal_; }
  /// σ of every node of an axis, in the precision of the field.
  [[nodiscard]] const std::vector<T>& sigma(std::size_t axis) const { return sigma_[axis]; }
  /// σ of a node of the grid: the sum of the three profiles.
  [[nodiscard]] T sigma_at(Index x, Index y, Index z) const {
    return (sigma_[0][static_cast<std::size_t>(x)] + sigma_[1][static_cast<std::size_t>(y)]) +
           sigma_[2][static_cast<std::size_t>(z)];
  }

  /// Memory of the matched layers of one axis, and what they need of the density: two variables for every cell of its layers.
  struct Memory {
    MatchedLayer layer;
    Block<T> block[layer_variables];
    Block<T> density[2];  ///< V_a and W_a in the same places, where the density varies
    std::vector<T> factor[7];
    Index stride_x = 0, stride_y = 0, offset_high = 0;  ///< see memory_at()
    Index begin_high = 0;                               ///< z axis: where the vectors of the higher layer begin
    Index planes = 0;                                   ///< x axis: planes held; otherwise all
    [[nodiscard]] std::size_t count() const { return layer.any() ? static_cast<std::size_t>(planes * stride_x) : 0; }
  };
  [[nodiscard]] const Memory& layer_memory(std::size_t a) const { return memory_[a]; }
  /// Position in the memory of axis a of cell (x, y, z = 0), x and y local; −1 where row (x, y) has none. In the higher layer of
  /// z offset_high comes to it.
  [[nodiscard]] Index memory_at(std::size_t a, Index x, Index y) const;
  /// What a device needs of walls: nodes beside them by plane and row, x global, and their entries. Empty: there are none.
  [[nodiscard]] std::span<const WallNode> wall_nodes() const { return walls_.all(); }
  [[nodiscard]] std::span<const WallEntry> wall_entries() const { return wall_entries_; }
  /// Largest |p| (which = 0) or the sum of p² (1) at nodes first, first + step, … of global planes; see March::Cut.
  using Three = std::array<Index, 3>;
  [[nodiscard]] std::size_t relaxations() const { return memories_.size(); }
  [[nodiscard]] T* memory_of(std::size_t relaxation) { return memories_[relaxation].data(); }
  [[nodiscard]] const RelaxationStep& relaxation(std::size_t n) const { return relaxation_steps_[n]; }
  /// Of every cell in the layout of a level; null where it is not kept. `which` as in append_map().
  [[nodiscard]] T* map_of(int which) { return map_[which].data(); }
  void append_map(int which, const Three& first, const Three& step, const Three& count, Interval planes,
                  std::vector<float>& out) const;
  /// The same of values of that map at nodes first_z, first_z + step_z, … of row (x global, y).
  void map_of_row(int which, Index x, Index y, Index first_z, Index step_z, std::span<const T> values,
                  float* out) const;
  /// Pressure of level k at the nodes of a cut (March::Cut) that lie on these planes (global x).
  void append_pressure(Index k, const Three& first, const Three& step, const Three& count, Interval planes,
                       std::vector<float>& out) const;
  /// The same of one plane x (global) of the cut.
  void put_pressure(Index k, const Three& first, const Three& step, const Three& count, Index x, float* out) const;
  /// Of values of level k at nodes first_z, first_z + step_z, … of row (x global, y).
  void pressure_of_row(Index x, Index y, Index first_z, Index step_z, std::span<const T> values, float* out) const;
  [[nodiscard]] const T* curvature() const { return curvature_; }
  [[nodiscard]] const T* slope() const { return slope_; }

  /// Bytes of plane x that a neighbour needs to go on from level k: both levels and the layers' memory.
  [[nodiscard]] std::size_t plane_state_bytes(Index x, bool older) const;
  void pack(Index k, Index x, bool older, std::byte*& to) const;
  void unpack(Index k, Index x, bool older, const std::byte*& from);

  /// Levels k and k−1 and the memory of the layers of y and z on global planes; the memory of the layers of x that is held.
  void save_planes(CheckpointWriter& writer, Index k, Interval planes) const;
  void load_planes(CheckpointReader& reader, Index k, Interval planes);
  void save_memory_x(CheckpointWriter& writer) const;
  void load_memory_x(CheckpointReader& reader);

 private:
  struct SourceNode {
    Index x, y, z;  ///< x global
    double weight;  ///< c² dt² w / dV
    std::size_t source;
  };
  struct ReceiverNode {
    Index x, y, z;  ///< x global
    std::size_t number;
  };
  struct Node {
    Index x, y, z;  ///< global
    double weight;
  };
  struct Part {  ///< what one x-plane gives to one receiver: nodes [first, last)
    std::size_t receiver;
    Index x;  ///< global
    std::size_t first, last;
  };

  // Parts of the constructor, in this order. `row`: values of a row that is the same everywhere.
  void take_medium(Index row);
  void take_profiles(Index row);
  /// Where the memory of matched layers lies.
  void lay_out_layers();
  /// Kernels take layers along where they lie so that they can.
  void join_layers_to_kernels();

  void update(Index k, const Box& box, Ahead* ahead);
  void run(Cells kind, Index k, const Box& box, Ahead* ahead);
  /// A box in the lower or the higher layer of axis a.
  void matched(Index k, std::size_t a, bool high, const Box& box);
  /// What comes after the stencil and the layers: walls, sources, images, receivers, maps.
  void finish(Index k, const Box& box);
  void walls(Index k, const Box& box);
  /// Σ w u of a node beside a wall; `u` lies at the node.
  [[nodiscard]] T wall_sum(const T* u, const WallNode& node) const;
  void map(const T* o, const Box& box);
  /// The terms and the memories of the attenuation, after the stencil and before the sources; relax() pulls, remember() goes on with what the
  /// sources have added.
  void relax(Index k, const Box& box) { solids(k, box, beside_->relax); }
  void remember(Index k, const Box& box) { solids(k, box, beside_->remember); }
  void solids(Index k, const Box& box, void (*row)(const RelaxRow<T>&));
  void images(T* u, const Box& box);
  void silence_layers(Index x);
  void silence_all(Index x);
  void fill_levels(Index x);
  void speeds_of_row(Index x, Index y, std::vector<double>& c) const;
  void fill_stretch(std::size_t a, Index x, Index y);
  [[nodiscard]] std::vector<std::pair<std::string, T*>> kept_arrays() const;
  [[nodiscard]] bool on_free_surface(Index x, Index y, Index z) const;
  template <class Call>
  void for_memory_pieces(std::size_t a, Interval planes, Call&& call) const;
  template <class Call>
  void for_plane_arrays(Index x, Call&& call) const;
  /// Contiguous memory of plane x of axis a: position and count.
  [[nodiscard]] std::pair<Index, Index> memory_plane(std::size_t a, Index x) const;

  const Problem& problem_;
  Stencil stencil_;
  const PatchKernels<T>* kernels_;
  const OrderKernels<T>* order_;
  const BesideKernels<T>* beside_;
  Slab slab_;
  Layout at_;
  Interval core_x_{};  ///< global
  Interval held_{};
  Block<T> level_[2];
  Block<T> a_;                  ///< c² dt²/h_x²: every cell, or one row where c is constant
  Block<T> v_;                  ///< h_x² V: every cell, or one row of zeros where the density is constant
  std::vector<double> column_;  ///< c of a row along z where it is the same for all x and y and varies along z
  bool varying_ = false, dense_ = false, scaled_ = false, unequal_ = false;
  RowWeights<T> weights_;
  T curvature_[max_radius + 1]{}, slope_[max_radius + 1]{};
  std::vector<T> sigma_[3];       ///< by global node; σ_z padded to whole vectors
  Block<T> sigma_z_, inverse_z_;  ///< along z, aligned and padded: σ_z, 1/(1 + σ_z)
  Interval undamped_z_{};         ///< cells outside may have σ_z: whole vectors
  Interval
      core_[3]{};  ///< nodes (x and y local, z) without a sponge, or, if layered_, without matched layers of x and y
  bool layered_ = false;  ///< kernels take matched layers along
  Block<T> end_factors_;  ///< of the layers of z, as PatchLayers has them
  bool sponges_ = false;
  Memory memory_[3];
  int sign_[6]{};
  bool reflects_ = false;
  PointRows<WallNode> walls_;
  std::vector<WallEntry> wall_entries_;
  std::vector<Block<T>> memories_;  ///< m_l of every cell
  std::vector<RelaxationStep> relaxation_steps_;
  Block<T> map_[2];  ///< largest |p|, sum of p², where they are kept
  PointRows<SourceNode> sources_;
  PointRows<ReceiverNode> receivers_;
  std::vector<Part> parts_;
  std::vector<Node> nodes_;
  Index band_first_ = 0, every_ = 0, first_recorded_ = 0, slots_ = 0;
  std::vector<double> signal_;  ///< [step − band_first_][source]
  std::vector<T> record_;       ///< [slot][node]
};

extern template class Field<float>;
extern template class Field<double>;

}  // namespace conoid::acoustic_fd
