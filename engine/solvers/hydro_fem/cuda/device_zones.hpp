// SPDX-License-Identifier: BSD-3-Clause
// Zones and nodes of a part on one device: their arrays there, and what a stage launches over them.
#pragma once

#include "engine/solvers/hydro_fem/cuda/arguments.hpp"
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/cuda/device_part.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

namespace conoid::hydro_fem {

/// Calls queue work on the device's stream and come back, unless they say otherwise. Numbers come to the host with fetch_numbers() and
/// wait(). A part of several is exchanged by who holds it (device_exchange.hpp). From one thread; failures of the device are thrown.
class DeviceZones {
 public:
  using Row = Backend::Row;
  using Part = Backend::Part;
  using Ref = Backend::Ref;
  enum Stage { stress_stage, force_stage, solve_stage, energy_stage, stage_count };

  /// Waits until everything lies there. `worker`: of the team; -1: none.
  DeviceZones(Operator& op, DevicePart part, Device device, const DeviceOptions& options, int worker);
  ~DeviceZones();
  DeviceZones(const DeviceZones&) = delete;
  DeviceZones& operator=(const DeviceZones&) = delete;

  [[nodiscard]] const DevicePart& part() const { return part_; }
  [[nodiscard]] const DeviceInfo& info() const { return device_.info(); }
  [[nodiscard]] Device& device() { return device_; }
  [[nodiscard]] Stream& stream() const { return stream_; }
  [[nodiscard]] int worker() const { return worker_; }
  [[nodiscard]] Index zones() const { return zones_; }
  [[nodiscard]] Index nodes() const { return nodes_; }
  [[nodiscard]] bool limited() const { return limited_; }
  /// What passes over zones are given, but for the state, and where a row lies: for kernels that compute the same otherwise.
  [[nodiscard]] const ZoneArguments& arguments() const { return zones_arguments_; }
  [[nodiscard]] const double* address(Ref r) { return buffer(r).data(); }

  // A stage.
  void update(Row state, double t) { update_first(zones_, state, t); }
  /// Of the part's first so many zones, one or more, where others compute the rest.
  void update_first(Index zones, Row state, double t);
  /// Loads of a stage: pressure on sides and what driven walls take.
  void load(Row state, const StageTime& when);
  /// A whole solve of a part that is all there is; waits. Returns its iterations.
  int solve(const StageTime& when);
  void energy_rate(Ref velocity);
  /// The rates' energy grows by a power per mass of each region.
  void heat(const std::vector<double>& powers);
  void add(double factor, std::initializer_list<Backend::Sum> sums);
  void copy(Ref to, Ref from);
  void accept() { std::swap(rows_[0], rows_[1]); }
  /// Energies of the part into the numbers' sums: internal, twice kinetic, potential but for its sign.
  void energies();
  [[nodiscard]] bool heavy() const { return !body_force_.empty(); }
  void push_walls(const StageTime& when);

  // A solve that several parts share, between exchanges.
  [[nodiscard]] Index sent() const { return static_cast<Index>(part_.sent.size()); }
  /// Terms for other parts go to half `turn` (0 or 1) of packed(); with the sums of the last passes if so wished. Then others are called.
  void pack(int turn, bool with_sums, const PeerCall& call = {});
  /// The number by which another part calls this one.
  [[nodiscard]] unsigned long long* called_by(int part) const { return called_.data() + part; }
  /// Of a call of this part, in whose `number` others are.
  [[nodiscard]] unsigned* blocks_done() const { return blocks_done_.data(); }
  void take(const TakeArguments& from);
  [[nodiscard]] const DeviceBuffer<double>& packed() const { return packed_; }
  [[nodiscard]] std::size_t packed_half() const;
  /// Where what comes from other parts begins in terms(), in numbers.
  [[nodiscard]] std::size_t received_at() const;
  [[nodiscard]] const DeviceBuffer<double>& terms() const { return terms_; }
  void begin_shared();
  /// Zones whose terms go to other ranks come first, the others are inner ones; of parts with sides all are at the border.
  enum class Zones { all, border, inner };
  void inverses(Zones which);  ///< r·u and terms of u, r times the preconditioner
  void meet_inverses();        ///< u
  void image(Zones which);     ///< u·M u and terms of M u
  void solve_sums();           ///< into the numbers: r·u and u·M u of the part
  void advance(double alpha, double beta);
  void end_shared();  ///< what the last residual asks for
  void advance_among_peers(int iteration, int parts);

  // Numbers and states.
  void fetch_numbers() { stream_.to_host(host_numbers_.span(), numbers_); }
  void fetch_outside() { stream_.to_host(host_outside_.span(), outside_); }
  void wait() { stream_.synchronize(); }
  void settle() noexcept;  ///< waits, whatever has become of the device
  [[nodiscard]] const SolveNumbers& numbers() const { return host_numbers_[0]; }
  [[nodiscard]] int outside() const { return host_outside_[0]; }
  void begin(Stage stage) { stream_.record(stages_[static_cast<std::size_t>(stage)].begin); }
  void end(Stage stage);
  /// Seconds of stages that have ended, and been waited for, since the last call; below 0: none.
  [[nodiscard]] std::array<double, stage_count> take_stages();

  /// Its part of a whole state; both wait.
  void set_state(const State& state);
  void bring(Row row, State& to) const;

 private:
  struct Buffers {
    DeviceBuffer<double> x, v, e;
  };
  /// Of telemetry, by events of the device.
  struct StageEvents {
    Event begin, end;
    bool open = false;
  };
  /// Zones a block and its memory, for a pass that takes some doubles a zone.
  struct BlockPlan {
    int zones = 1;
    unsigned blocks = 1;
    Bytes shared = 0;
    DeviceBuffer<double> scratch;  ///< where zones do not fit into shared memory
    Index scratch_block = 0;
  };
  struct MassPart {
    Kernel<MassArguments> kernel;
    BlockPlan plan;
    DeviceBuffer<int> list;
    int zones = 0;
    bool border = true;  ///< other ranks may need its terms
  };
  struct Heated {
    std::size_t region;
    DeviceBuffer<double> ones;  ///< at its unknowns of energy, zeros elsewhere
  };
  struct Wall {
    std::size_t number;
    DeviceBuffer<double> velocity, momentum;
  };
  /// Sides under pressure while they are laid out.
  struct Sides {
    std::vector<int> node, boundary;
    std::vector<double> sign;
    std::vector<int> loaded, begin, place;
    int nodes = 1;  ///< of a side
  };

  // Layout (device_layout.cpp).
  DeviceBuffer<double> doubles(const std::vector<double>& from, const char* label);
  DeviceBuffer<int> integers(const std::vector<int>& from, const char* label);
  [[nodiscard]] DeviceBuffer<double> room(Index count, const char* label) const;
  [[nodiscard]] std::vector<double> from_lanes(const double* lanes, Index points, Index inner) const;
  void lay_out_zones();
  void lay_out_tables();
  void lay_out_points();
  void lay_out_cubes();
  void lay_out_materials();
  void lay_out_nodes();
  void lay_out_walls();
  void lay_out_heat();
  void lay_out_pressure();
  [[nodiscard]] Sides pressed_sides();
  void lay_out_share();
  // Plans of launches (device_plans.cpp).
  [[nodiscard]] BlockPlan plan(Index zones, int zone_doubles, int work, unsigned most,
                               const DeviceOptions& options) const;
  void plan_kernels(const DeviceOptions& options);
  void plan_mass(const DeviceOptions& options);
  void plan_inverses(const std::vector<char>& border, const DeviceOptions& options);
  void plan_nodes();
  void plan_whole_solves(const DeviceOptions& options);
  [[nodiscard]] std::string kernel_name(const char* pass, const char* kind = "") const;

  Buffers& row_of(Row row);
  DeviceBuffer<double>& buffer(Ref r);
  double* at(Ref r) { return buffer(r).data(); }
  void drive(const StageTime& when);
  void add_whole(DeviceBuffer<double>& to, double factor, const DeviceBuffer<double>& direction, Index size);
  void total(const DeviceBuffer<double>& partial, int count, bool least, double* out);
  void dot(const DeviceBuffer<double>& a, const DeviceBuffer<double>& b, Index size, int sum);
  void launch_mass(MassArguments& m, Zones which = Zones::all) { launch(mass_, zone_partial_, m, which); }
  void launch_inverses(MassArguments& m, Zones which = Zones::all) { launch(inverse_, inverse_partial_, m, which); }
  void launch(const std::vector<MassPart>& parts, const DeviceBuffer<double>& partial, MassArguments& m, Zones which);
  [[nodiscard]] LaunchShape over_nodes() const;
  [[nodiscard]] SharedNodeArguments shared_arguments();
  int solve_at_once(const NodeArguments& n, const StageTime& when);
  int solve_by_launches(NodeArguments& n, const StageTime& when);
  static void use(ZoneArguments& a, const BlockPlan& plan);
  /// Of the blocks of a launch those that are there at once: blocks that share the items among them would otherwise leave a few for a
  /// second wave, which takes as long as the first. Emulated devices run block after block.
  template <class... P>
  [[nodiscard]] unsigned in_one_wave(const Kernel<P...>& kernel, const LaunchShape& launch) const {
    if (device_.info().backend != "cuda") return launch.grid[0];
    return std::clamp(static_cast<unsigned>(device_.blocks_in_one_wave(kernel, launch)), 1U, launch.grid[0]);
  }
  static LaunchShape shape(const BlockPlan& plan);

  Operator& op_;
  DevicePart part_;
  Device device_;
  mutable Stream stream_;
  int k_, dim_;
  Index zones_, nodes_;
  bool own_, limited_ = false;
  int worker_;

  ZoneArguments zones_arguments_{};
  NodeArguments node_arguments_{};
  PressureArguments pressure_{};
  Index pressed_ = 0;
  std::vector<int> pressing_;  // boundaries that press
  PinnedBuffer<double> host_pressures_;
  std::vector<Wall> walls_;
  std::vector<Heated> heated_;
  Bytes press_shared_ = 0;
  BlockPlan update_plan_, energy_plan_, at_once_plan_;
  Kernel<SolveArguments> at_once_;
  int lists_kind_ = 0;  // of the last part of the mass: 0 uniform zones
  std::vector<MassPart> mass_, inverse_;
  std::array<std::vector<int>, 2> lists_;  // uniform zones, others; only while the kernels are planned
  int zone_partials_ = 0, inverse_partials_ = 0;
  unsigned node_blocks_ = 1;

  Kernel<ZoneArguments> update_, energy_;
  Kernel<NodeArguments> begin_solve_, advance_, turn_;
  Kernel<PressureArguments> press_, load_;
  Kernel<SumArguments> add_;
  Kernel<DotArguments> dot_;
  Kernel<TotalArguments> total_;
  Kernel<SharedNodeArguments> begin_shared_, precondition_shared_, solve_shared_, end_shared_;
  Kernel<PeerNodeArguments> solve_peers_;
  Kernel<PackArguments> pack_;
  Kernel<PackSumsArguments> pack_sums_;
  Kernel<TakeArguments> take_;
  DeviceBuffer<double> own_force_, packed_, u_, s_;
  DeviceBuffer<unsigned long long> called_;
  DeviceBuffer<unsigned> blocks_done_;
  DeviceBuffer<int> sent_, leads_;

  DeviceBuffer<double> tables_, mass_points_, J0inv_, Meinv_, uniform_, heft_, widths_, material_tables_, S_, hoop_,
      terms_, burn_;
  DeviceBuffer<double> projectors_, diagonal_, energy_weights_, body_force_, y_, p_, extra_, pushed_, pressures_,
      side_sign_, side_terms_;
  DeviceBuffer<double> update_partial_, zone_partial_, inverse_partial_, dot_partial_;
  DeviceBuffer<int> map_, material_of_, meet_begin_, place_, constraint_, side_node_, side_boundary_, loaded_,
      loaded_begin_, loaded_place_;
  DeviceBuffer<unsigned char> cubes_;
  DeviceBuffer<MaterialArguments> materials_;
  DeviceBuffer<SolveNumbers> numbers_;
  DeviceBuffer<int> outside_;
  PinnedBuffer<SolveNumbers> host_numbers_;
  PinnedBuffer<int> host_outside_;
  std::array<Buffers, 4> rows_;
  int expected_iterations_ = 12;
  std::array<StageEvents, stage_count> stages_;
};

/// Threads of a block of passes over zones and over nodes; blocks of a pass: few enough that every block of the next one can add what
/// they leave, enough for any device.
inline constexpr unsigned device_zone_threads = 128, device_node_threads = 256, most_device_blocks = 2048;
[[nodiscard]] unsigned device_blocks(Index items, unsigned threads);
/// Of all blocks, where a zone is too large for shared memory.
inline constexpr Bytes device_scratch = Bytes{256} << 20;

}  // namespace conoid::hydro_fem
