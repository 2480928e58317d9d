// SPDX-License-Identifier: BSD-3-Clause
// The semi-discrete equations: M_v dv/dt = -F·1, M_e de/dt = F^T v, dx/dt = v (Dobrev, Kolev, Rieben, SIAM J. Sci.
// Comput. 34 (2012) 606; Dong et al.), on zones in intervals computed by a team.
#pragma once

#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/solvers/hydro_fem/discretization/burn.hpp"
#include "engine/solvers/hydro_fem/discretization/paged_vector.hpp"
#include "engine/solvers/hydro_fem/discretization/space.hpp"
#include "engine/solvers/hydro_fem/kernels/zone_kernels.hpp"
#include "engine/team/phase.hpp"
#include "engine/team/tuned_width.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace conoid {
class CheckpointReader;
class CheckpointWriter;
class Halo;
class Team;
}  // namespace conoid

namespace conoid::hydro_fem {

namespace reference {
struct ZoneTables;
}

/// Position and velocity at nodes (dim × nodes, component by component), specific internal energy at the L2 nodes
/// (zone × k^dim).
struct State {
  PagedVector x, v, e;
};

struct StageTime;

/// What holds on a boundary. Walls (planes of symmetry alike) and pistons have plane sides, in any direction.
struct BoundaryCondition {
  enum class Kind { wall, free, pressure, piston } kind = Kind::wall;
  /// Of a piston: along which its speed is given, whatever its length; zero: each side's own normal, pointing into the material. A side
  /// that stands aslant moves across itself by its share of that.
  Vec3 normal{};
  double value = 0;  ///< pressure [Pa], or piston speed along `normal` [m/s]
  /// Instead of the value: what it is at a time [s]. Called from one thread at a time.
  std::function<double(double t)> over_time{};
  /// Of a table: its mean between two times where it bends between them.
  std::function<std::optional<double>(double from, double to)> bent{};

  [[nodiscard]] double at(double t) const { return over_time ? over_time(t) : value; }
  /// Pressure of a stage: that of its time, and of a table that bends within the step the mean over the step, so that a jump or a pulse
  /// shorter than a step gives its impulse.
  [[nodiscard]] double pressure_in(const StageTime& when) const;
  [[nodiscard]] bool presses() const { return kind == Kind::pressure && (value != 0 || over_time); }
  /// A piston whose speed changes.
  [[nodiscard]] bool driven() const { return kind == Kind::piston && over_time != nullptr; }
  /// Whether it does work on the material.
  [[nodiscard]] bool works() const {
    return (kind == Kind::pressure || kind == Kind::piston) && (value != 0 || over_time);
  }
};

/// When a stage of a step takes place. A piston of changing speed w gets the acceleration with which the integrator ends at its speed
/// exactly, whatever w does in between: (half (w(begin + step/2) - w(begin)) + whole (w(begin + step) - w(begin))) / step.
struct StageTime {
  double t = 0;
  double begin = 0, step = 0;  ///< of the step; 0: pistons are not accelerated
  double half = 0, whole = 0;
};

/// What of a piston's speed along its `normal` goes across a side, along the side's normal.
[[nodiscard]] double share_across(const BoundaryCondition& piston, const SidePlane& side);

using EnergySource = std::function<double(const Vec3& x, double t, int region)>;

/// A problem without its time loop.
struct Setup {
  ZoneMesh mesh;
  int k = 2;
  /// Directions that the flow is even around: 0 planar, 1 axisymmetric (two dimensions) or cylindrical (one), 2 spherical (one). The last
  /// coordinate is then the radius r, and integrals carry r^turns.
  int turns = 0;
  std::vector<std::shared_ptr<const EquationOfState>> materials;  ///< one a region
  std::vector<BoundaryCondition> boundaries;                      ///< one a boundary name
  std::function<double(const Vec3&, int region)> density;         ///< interpolated at the L2 nodes
  std::function<double(const Vec3&, int region)> energy;          ///< likewise
  std::function<Vec3(const Vec3&, int region)> velocity;          ///< at the H1 nodes, region: the last at a node
  /// Density is taken at the quadrature points as it is there, and energy projected with it (∫ ρ e φ), so that mass and internal energy
  /// are what the points say: for values that jump inside zones.
  bool at_points = false;
  /// Optional: makes the power fed in per unit volume [W/m³] over place, time and region. Called once a thread, as what
  /// it makes may keep scratch of its own.
  std::function<EnergySource()> energy_source;
  Burn burn;
  std::vector<Afterburn> afterburn;  ///< one a region; empty: nothing burns on
  Vec3 gravity{};
  /// Point energy (Sedov): the zones with a vertex at `point` get e ∝ Π(1-ξ)^(k-1), scaled to this total energy.
  double point_energy = 0;
  Vec3 point{};
  bool viscosity = true;
  bool vorticity_switch = false;
  bool viscosity_vanishes = false;  ///< in zones whose velocity is smooth
  /// Forms F_z = A_z B^T as the paper does (slower, for comparisons); otherwise its products are sum-factorised.
  bool corner_matrices = false;
  double mass_tolerance = 1e-8;  ///< relative, of the velocity solve
  int mass_iterations = 300;
};

struct Energies {
  double internal = 0;
  double kinetic = 0;
  double potential = 0;  ///< of the body force
  [[nodiscard]] double total() const { return internal + kinetic + potential; }
};

/// Processor seconds of all threads in each kernel, for shares.
struct KernelTimes {
  double update = 0;  ///< stress (and F_z where it is formed)
  double force = 0, velocity_solve = 0, energy_solve = 0;
  /// Wall seconds of what the paper counts as corner force (stress, F_z, F·1, F^T v) and of its CG solver.
  double corner_wall = 0, solve_wall = 0;
  Index update_points = 0;  ///< quadrature points updated
  Index solves = 0;
  Index iterations = 0;
};

class Operator {
 public:
  /// Of several ranks (`cluster`, which must outlive it) this one computes a part of the batches of zones in their order, and shares the
  /// sums at nodes with the ranks whose zones meet there; every call that computes is collective then. A state is right at the nodes of the
  /// rank's zones and of its interval of nodes, and in its zones; zones_on_leader() brings what is asked of it to one rank. Sums are made of the same chunks in
  /// the same order as on one rank, so that states and energies have the same bits on any number of ranks. What lies at the quadrature
  /// points of zones is kept of the rank's own, and of vectors, whose numbers are those of one rank, the pages that it writes (PagedVector).
  /// Throws Failure(invalid_input) naming the zone where the initial mesh is tangled or the density not positive, and Failure(resources)
  /// on all ranks if one would have no zones.
  Operator(const Setup& setup, const ZoneKernels& kernels, Team& team, Communicator* cluster = nullptr);

  ~Operator();
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  /// Several ranks share it.
  [[nodiscard]] bool shared() const { return ranks_ != nullptr; }
  /// Of one rank, or the rank that zones_on_leader() is for.
  [[nodiscard]] bool leads() const;
  /// Whether a zone is this rank's.
  [[nodiscard]] bool owns(Index zone) const;
  /// `bytes` of every zone of an interval on the leading rank: give(zone, to) is asked of a rank's own, from several threads, and
  /// take(zone, from) gets each there, from one. They come some zones of every rank at a time, so that little is held twice. Collective.
  void gather_zones(Interval zones, std::size_t bytes, const std::function<void(Index, std::byte*)>& give,
                    const std::function<void(Index, const std::byte*)>& take) const;
  /// `each` values of those zones, in their order, on the leading rank; empty elsewhere.
  template <class T>
  [[nodiscard]] std::vector<T> zones_on_leader(Interval zones, Index each,
                                               const std::function<void(Index, T*)>& give) const {
    const auto bytes = static_cast<std::size_t>(each) * sizeof(T);
    std::vector<T> out(leads() ? static_cast<std::size_t>(zones.size() * each) : 0);
    gather_zones(
        zones, bytes, [&](Index zone, std::byte* to) { give(zone, reinterpret_cast<T*>(to)); },
        [&](Index zone, const std::byte* from) {
          std::memcpy(&out[static_cast<std::size_t>((zone - zones.begin) * each)], from, bytes);
        });
    return out;
  }
  /// Σ over the zones of two numbers each, of(batch, lane), by chunks of batches. Collective.
  [[nodiscard]] std::array<double, 2> sum_zones(const std::function<std::array<double, 2>(Index, Index)>& of) const;
  /// The state at the start, as far as this rank holds it, is no longer needed.
  void drop_initial() { initial_ = {}; }
  /// Arrays of a checkpoint, to which each rank adds what is its own, and of which it reads what it holds.
  void write(CheckpointWriter& writer, const State& state) const;
  [[nodiscard]] State read(const CheckpointReader& reader) const;
  /// Of several ranks, what a backend needs that keeps this rank's part elsewhere; none on one.
  struct Share {
    Communicator* cluster = nullptr;
    Halo* halo = nullptr;              ///< of what zones add at nodes; its items are numbers in Space::meet
    Interval nodes;                    ///< this rank's own
    std::span<const Interval> others;  ///< nodes that it holds besides
    std::span<const int> rank_of_zone;
  };
  [[nodiscard]] std::optional<Share> share() const;

  [[nodiscard]] const State& initial() const { return initial_; }
  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] const Tables& tables() const { return tables_; }
  [[nodiscard]] const ZoneData& data() const { return data_; }
  [[nodiscard]] const ZoneKernels& kernels() const { return kernels_; }
  [[nodiscard]] int threads() const { return workers_.threads(); }
  [[nodiscard]] Index batches() const { return batch_count_; }
  [[nodiscard]] const std::vector<Index>& lane_zones() const { return lane_zone_; }

  /// Stress at the quadrature points of a state at time t, which says what is burnt; returns the stable step for Courant factor 1 (0: a zone is tangled).
  double update(const State& state, double t = 0);
  /// The zone that allowed the smallest step in the last update, which was of `state`, and why, as the end of a sentence.
  struct Limit {
    Index zone = 0;
    std::string reason;
  };
  [[nodiscard]] Limit limit(const State& state) const;  ///< collective
  /// Points of the last update whose state the table of their material does not hold, and where the first of them lies.
  [[nodiscard]] Index outside() const;
  [[nodiscard]] Limit first_outside(const State& state) const;  ///< collective
  /// Mean of the positions of a zone's nodes. Collective.
  [[nodiscard]] Vec3 centre(const State& state, Index zone) const;
  /// a = M_v^-1 (-F·1 + body force + boundary pressure) with the stress of the last update.
  /// The solve starts from zero. Measured, to the same residual: the last two accelerations extrapolated need 15.7 iterations
  /// for 14.9 on the triple point and 19.3 for 17.7 on Sedov's blast, as accelerations at a shock change more from stage to stage
  /// than the first iterations gain; they save only in smooth flow (12.6 for 14.8 on Gresho's vortex). README.md has the table.
  /// Pressure on boundaries is that of the stage's time, and pistons are accelerated as it says.
  void acceleration(const State& state, PagedVector& a, const StageTime& when = {});
  /// de/dt = M_e^-1 (F^T v + source at time t) with the stress of the last update.
  void energy_rate(const State& state, const PagedVector& v, double t, PagedVector& de);

  /// Power per mass of each region by what burns on, on average between two times; empty where nothing does. It is the same at all places
  /// of a zone, so that de/dt of all its unknowns grows by it.
  [[nodiscard]] std::vector<double> heat(double from, double to) const;
  void add_heat(const std::vector<double>& heat, PagedVector& de) const;
  [[nodiscard]] const std::vector<Afterburn>& afterburn() const { return afterburn_; }
  [[nodiscard]] bool burns_on() const { return !afterburn_.empty(); }

  /// out = base + factor × direction, on all threads; several such sums at once.
  struct Sum {
    PagedVector* out = nullptr;
    const PagedVector* base = nullptr;
    const PagedVector* direction = nullptr;
  };
  void add(double factor, std::span<const Sum> sums) const;
  void copy(const PagedVector& from, PagedVector& to) const;

  [[nodiscard]] Energies energies(const State& state);
  [[nodiscard]] double total_mass() const;
  [[nodiscard]] const KernelTimes& times() const { return times_; }
  /// y = M_v p for `components` fields.
  void multiply_mass(const PagedVector& p, int components, PagedVector& y);
  [[nodiscard]] const PagedVector& inverse_diagonal() const { return diagonal_; }
  /// z = what the velocity solve is preconditioned by times r, both `components` fields; walls are not looked at.
  void precondition(const PagedVector& r, int components, PagedVector& z);

  /// What else a backend needs that keeps the state elsewhere.
  struct Constraint {
    Index node;
    std::array<double, 9> projector;  // dim × dim: what walls leave free
  };
  [[nodiscard]] const std::vector<Constraint>& constraints() const { return constraints_; }
  [[nodiscard]] const ZoneMesh& mesh() const { return mesh_; }  ///< without places of zones
  [[nodiscard]] const std::vector<BoundaryCondition>& boundaries() const { return boundaries_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const EquationOfState>>& materials() const { return materials_; }
  [[nodiscard]] const PagedVector& energy_weights() const { return energy_weights_; }  ///< ∫ ρ φ_j
  [[nodiscard]] const PagedVector& body_force() const { return weight_; }              ///< M_v g; empty without one
  /// A piston of changing speed: the velocity at nodes that its unit speed is, and M_v times that.
  struct DrivenWall {
    int boundary = 0;
    PagedVector velocity, momentum;
  };
  [[nodiscard]] const std::vector<DrivenWall>& driven_walls() const { return driven_; }
  [[nodiscard]] double wall_acceleration(const DrivenWall& wall, const StageTime& when) const;
  [[nodiscard]] double mass_tolerance() const { return mass_tolerance_; }
  [[nodiscard]] int mass_iterations() const { return mass_iterations_; }
  [[nodiscard]] Error not_solved() const;  ///< what is wrong after so many
  [[nodiscard]] Team& team() const { return team_; }
  /// What a zone takes in the sum-factorised kernels, for telemetry; zeros where F is formed.
  [[nodiscard]] Work update_work() const;
  [[nodiscard]] Work force_work() const;
  [[nodiscard]] Work energy_work() const;
  [[nodiscard]] Work solve_work(int iterations) const;  ///< of all zones

 private:
  void number_batches(const ZoneMesh& mesh);
  void map_batches();
  void list_pressed_faces();
  void drop_far(std::span<const Interval> looked_at);
  void drop_of_others();
  void set_sizes();
  void allocate_points(const Setup& setup);
  void start_velocities(const Setup& setup);
  [[nodiscard]] std::vector<Interval> batches_looked_at(const std::vector<Index>& hot) const;
  void look_on_all_ranks(const std::function<void()>& look) const;
  void set_masses(const Setup& setup, const std::vector<Index>& hot, std::span<const Interval> looked_at);
  /// Of a zone while masses are made.
  struct ZoneMass;
  void start_densities(const Setup& setup, const Matrix& at_energies, ZoneMass& zone);
  void weigh_points(const Setup& setup, const reference::ZoneTables& tables, const std::vector<double>& weights,
                    ZoneMass& zone, double* J0inv);
  [[nodiscard]] double round_off(Index zone) const;
  void count_uniform(double* uniform);
  void add_diagonal(const reference::ZoneTables& tables, Index batch, const double* mass, PagedVector& diagonals) const;
  void set_diagonal(const PagedVector& diagonals);
  void set_heft(const PagedVector& diagonals);
  [[nodiscard]] std::vector<double> densities_at_points(const Setup& setup, const reference::ZoneTables& tables,
                                                        Index zone, const std::vector<double>& weights) const;
  void project_energy(const Setup& setup, const reference::ZoneTables& tables, const Matrix& Meinv,
                      const ZoneMass& zone);
  [[nodiscard]] std::vector<Index> zones_at_point(const Setup& setup) const;
  void set_widths();
  void set_burn(const Setup& setup);
  /// Density, energy and the rest at a quadrature point of a lane of the last update.
  struct Local;
  [[nodiscard]] Local local(const reference::ZoneTables& tables, const State& state, Index batch, Index lane,
                            Index point) const;
  void set_constraints(const Setup& setup);
  void weigh_driven_walls();
  void deposit_point_energy(const Setup& setup, const std::vector<Index>& hot);
  void gravity_weights();
  /// out[c·stride + i - nodes.begin] = factor × Σ of what meets at node i, for an interval of nodes.
  void sum_node_terms(int components, Interval nodes, double factor, double* out, Index stride) const;
  template <int components>
  void sum_terms_of(Interval nodes, double factor, double* out, Index stride) const;
  double multiply_mass(const double* p, int components, double* y);  // returns p·y
  /// Takes what walls do not leave free from a field at an interval of nodes, laid out like that of sum_node_terms().
  void project(double* field, Index stride, Interval nodes) const;
  struct MassSolve;
  class VelocitySolve;
  int solve_mass(PagedVector& a);  // of rhs_
  void add_boundary_pressure(const PagedVector& x, const StageTime& when, PagedVector& rhs) const;
  void add_energy_source(const State& state, double t, PagedVector& de) const;
  [[nodiscard]] Limit limit_in(const State& state, Index batch) const;
  // Of several ranks (operator_ranks.cpp).
  struct Ranks;
  [[nodiscard]] Interval batches_of(int rank, int ranks) const;
  void share_among(Communicator& cluster);
  void share_nodes();
  void list_pieces();
  /// Whether this rank has a number for a node.
  [[nodiscard]] bool holds(Index node) const;
  [[nodiscard]] bool meets_held_nodes(Index zone) const;
  [[nodiscard]] Limit told_by(int rank, Limit said) const;
  void find_inner_batches();
  /// Terms of zones of other ranks at the nodes that this one holds, for `components` fields; in two halves, between which zones may be
  /// computed whose terms nobody else needs (inner_batches_).
  void exchange_terms(int components) const;
  void start_terms(int components) const;
  void finish_terms(int components) const;
  /// The same together with sums of chunks, as share_sums(); `started`: start_terms() has been called.
  void exchange_terms_and_sums(int components, std::vector<double>& sums, Interval own, bool started = false) const;
  /// All ranks' sums of chunks, of which this rank has made those of an interval.
  void share_sums(std::vector<double>& sums, Interval own) const;
  /// Positions, right at all nodes of sides under pressure.
  [[nodiscard]] const PagedVector& loaded_positions(const State& state) const;
  /// Of a field so long at nodes or of energies, what this rank holds. Of several ranks.
  [[nodiscard]] const std::vector<Interval>& pieces_of(std::size_t size) const;
  void add_pieces(double factor, std::span<const Sum> sums) const;
  [[nodiscard]] double least_of_ranks(double step);
  [[nodiscard]] Index first_of_ranks(Index batch) const;
  [[nodiscard]] Index outside_of_ranks(Index own) const;
  [[nodiscard]] Interval own_batch_chunks() const {
    return {(own_batches_.begin + batch_grain_ - 1) / batch_grain_,
            (own_batches_.end + batch_grain_ - 1) / batch_grain_};
  }
  [[nodiscard]] Interval own_node_chunks() const {
    return {(own_nodes_.begin + node_grain_ - 1) / node_grain_, (own_nodes_.end + node_grain_ - 1) / node_grain_};
  }
  /// body(nodes) over the nodes that this rank holds: chunks of its own, then the others.
  template <class Body>
  void over_nodes(const Body& body) const {
    workers_.for_each(own_nodes_, node_grain_, [&](Interval nodes, int) { body(nodes); });
    if (!ghosts_.empty())
      workers_.for_each({0, static_cast<Index>(ghosts_.size())}, 32, [&](Interval some, int) {
        for (Index g = some.begin; g < some.end; ++g) body(ghosts_[static_cast<std::size_t>(g)]);
      });
  }
  /// Runs body over batches under the team.
  void run_phase(const char* name, const std::function<void(Interval)>& body, Work zone = {});
  void run_phase(const char* name, Interval items, const std::function<void(Interval)>& body, Work zone);
  void sum_forces();
  ZoneMesh mesh_;
  Tables tables_;
  Space space_;
  ZoneKernels kernels_;
  Team& team_;
  CpuWorker workers_;
  std::vector<std::shared_ptr<const EquationOfState>> materials_;
  std::vector<BoundaryCondition> boundaries_;
  Vec3 gravity_{};
  std::vector<Afterburn> afterburn_;
  int turns_ = 0;
  std::unique_ptr<CornerTables> corner_;  // only where F is formed
  double* power_ = nullptr;               // likewise, F^T v
  double mass_tolerance_ = 1e-8;
  int mass_iterations_ = 300;
  std::vector<EnergySource> energy_sources_;  // one a thread, none without a source

  Index batch_count_ = 0;
  Interval own_batches_, own_nodes_;  // of this rank; all on one
  Interval inner_batches_;  // the longest row of whole chunks of own ones whose terms no other rank needs; empty on one
  std::vector<Interval> ghosts_;  // nodes of its zones besides, each interval at most a chunk long
  std::unique_ptr<Ranks> ranks_;  // null on one
  double uniform_batches_ = 0;    // whose matrix is a product of one-dimensional ones
  std::vector<Index> lane_zone_;  // batch × W
  std::vector<const EquationOfState*> batch_material_;
  std::vector<char> cubes_;           // see ZoneData
  Paged<int> batch_map_;              // likewise, of own batches
  Paged<int> meet_place_;             // space_.meet at nodes held, as offsets into node_terms of component 0
  std::vector<Index> pressed_faces_;  // of the mesh, under pressure, at nodes held
  ZoneData data_;
  std::vector<PagedVector> blocks_;
  double* allocate(Index count);
  // Chunks of nodes and of batches: products are summed chunk by chunk in a fixed order, so that results do not depend on
  // the number of threads. They follow the size of the mesh alone: some fifty chunks of a small mesh, for even shares.
  static constexpr Index largest_node_grain = 512;
  Index node_grain_ = largest_node_grain, batch_grain_ = 8;
  TunedWidth solve_width_;  // threads of the mass solve, whose passes may be shorter than a barrier

  PagedVector diagonal_;  // of M_v, inverse
  std::vector<Constraint> constraints_;
  std::vector<DrivenWall> driven_;
  std::vector<double> batch_step_;
  Index limiting_batch_ = 0;    // of the last update
  std::vector<Index> outside_;  // see ZoneData; empty without tables
  State initial_;
  KernelTimes times_;
  PagedVector energy_weights_;      // ∫ ρ φ_j
  PagedVector weight_;              // M_v g, empty without body force
  PagedVector rhs_, y_, p_;         // of a solve: y is the residual over the diagonal, p the direction
  std::vector<double> batch_sums_;  // of the products of each chunk
};

}  // namespace conoid::hydro_fem
