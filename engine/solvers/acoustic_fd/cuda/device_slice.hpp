// SPDX-License-Identifier: BSD-3-Clause
// Planes and rows of the grid on one device: its arrays, what goes to and fro, and the launches of its kernels. Used by one thread.
// Everything is queued on stream() in order; who reads what came back synchronizes it first. Throws Failure(resources) where the
// device lacks memory. Part of device_steps.cpp.
#pragma once

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/beside_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_shapes.hpp"
#include "engine/solvers/acoustic_fd/cuda/look_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/shell_arguments.hpp"
#include "engine/solvers/acoustic_fd/stepping/field.hpp"
#include "engine/team/device.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

/// Planes and rows on one device. T: float or double.
template <class T>
class DeviceSlice {
 public:
  static constexpr bool doubles = std::is_same_v<T, double>;
  static constexpr const char* suffix = doubles ? "<double>" : "";
  static constexpr Index pad = 16;  ///< values before the first cell of a row, as in Layout

  /// `below` and `above`: rows of neighbours that are held. `planes`: how many, from where begin_at() says on; those of a window lie in rings.
  DeviceSlice(const Problem& problem, Field<T>& host, Device device, Interval rows, Index below, Index above,
              Index planes, bool window = false);

  /// Panels take the place of towers, where they are possible and `spare` bytes hold two levels more. `planes`: that a launch takes. Panels of
  /// `bands` bands keep what launches of the next planes go on with, if `kept` bytes hold it.
  void allow_panels(Bytes spare, Index planes, Bytes kept = 0, Index bands = 0);
  [[nodiscard]] bool has_panels() const { return !panels_.empty(); }
  [[nodiscard]] std::size_t kinds_of_panels() const { return panels_.size(); }
  [[nodiscard]] Index panel_levels(std::size_t kind) const { return panels_[kind].plan.levels; }
  /// Panels work out of place, between two pairs of levels; all else is about the pair that was turned to.
  void turn(int pair) {
    if (pair == pair_) return;
    for (std::size_t i = 0; i < 2; ++i) std::swap(level_[i], spare_[i]);
    pair_ = pair;
  }
  /// "towers of 4 steps".
  [[nodiscard]] std::string way() const {
    if (torre_plan_.half > 0) return fmt::format("DiamondTorre {}x{}", 2 * torre_plan_.half, torre_plan_.steps);
    return fmt::format("{} of {} steps", has_panels() ? "panels" : "towers", band_steps());
  }
  /// The case asks for it: it is not to be compared with single steps.
  [[nodiscard]] bool forced() const { return torre_forced_; }
  /// Steps of a band of towers or panels; 0: this grid, or this device, has none.
  [[nodiscard]] Index band_steps() const {
    return has_panels()           ? panels_.front().plan.levels
           : torre_plan_.half > 0 ? torre_plan_.steps
           : towers_possible_     ? plan_.levels
                                  : 0;
  }
  /// Bands that are worth a launch: they overlap.
  [[nodiscard]] Index bands_together() const {
    return torre_plan_.half > 0 ? std::max<Index>(2, 64 / torre_plan_.steps) : 8;
  }
  /// Updates from k on in towers or panels, sources, images and receivers included; after begin_band(). Returns how many of `steps` it made:
  /// all but what is too little for a band.
  Index bands(Index k, Index steps);
  /// Panels of this kind and band go on where the launch before ended.
  [[nodiscard]] bool keeps(std::size_t kind, Index band) const { return kind == 0 && band < kept_bands_; }
  /// What panels of steps k … k+steps−1 have in common, after begin_band().
  void begin_panels(Index k, Index steps);
  /// Planes (global) of level k + panel_levels(kind) and the one before it, sources and receivers included, from levels k and k − 1 of s ·
  /// panel_levels(kind) planes more; they go to the other pair, without images. `band`: where keeps(kind, band), planes follow those of the call
  /// before for this band without a gap, after its launch, and end s · panel_levels(kind) planes or more before the last, or with it.
  void panel(std::size_t kind, Index k, Interval planes, Index band = 0);
  /// Panels know nothing of matched layers: at level k + m they are wrong within s (m − 1) nodes of these. Those cells are computed here step by
  /// step, from levels k and k − 1 that panels have read, which go from there to k + T − 2 in place; the last two go where the panels wrote. Update m
  /// needs the level before it s nodes farther in, and finds level k + T − 1 beyond its own part as panels made it: so update T − 1 takes what lies
  /// within s (T − 1) nodes of the layers, the ones before it s (2 (T − 2) − m). `planes` (global) are
  /// those of level k + T that are wanted right; after the panels of all planes, before turn().
  void finish_shell(Index k, Index levels, Interval planes);
  /// Zeros around the cells of planes (global) of this pair: rings bring new planes where others have left their values, and panels write
  /// cells only.
  void clear_margins(Stream& stream, Interval planes);
  /// The images of planes (global) of level k.
  void mirror(Index k, Interval planes) { mirror(k, planes, held()); }
  void mirror(Index k, Interval planes, Interval rows) {
    if (!planes.empty() && !rows.empty())
      images(level_[static_cast<std::size_t>(k & 1)].data() + origin_, planes, rows, whole_row());
  }
  [[nodiscard]] const Device& device() const { return device_; }
  /// The stream to which work is given; a window has two of them, which overlap unless told to wait.
  [[nodiscard]] Stream& stream() { return stream_; }
  void work_on(int stream) {
    if (stream != which_) std::swap(stream_, other_stream_);
    which_ = stream;
  }
  [[nodiscard]] int working_on() const { return which_; }
  [[nodiscard]] int pair() const { return pair_; }
  [[nodiscard]] Interval rows() const { return rows_; }
  [[nodiscard]] Interval held() const { return {rows_.begin - below_, rows_.end + above_}; }
  [[nodiscard]] Index planes() const { return at_.nx; }
  /// Planes of the grid, rows that are held, nodes of a row.
  [[nodiscard]] std::array<Index, 3> held_points() const {
    return {problem_.grid.points[0], held().size(), problem_.grid.points[2]};
  }
  [[nodiscard]] std::size_t plane_values() const { return static_cast<std::size_t>(at_.stride_x); }
  [[nodiscard]] Bytes bytes() const {
    const auto held = [&](const DeviceBuffer<T>& planes) { return window_ ? planes.size() / 2 : planes.size(); };
    std::size_t all = kept_.size() + 2 * held(level_[0]) + 2 * held(spare_[0]) +
                      (host_.medium_varies() ? held(a_) : a_.size()) + held(v_) + sigma_.size();
    for (const PanelKind& kind : panels_) all += kind.damping.size();
    for (const CellArray& kept : beside_) all += held(kept.values);
    for (std::size_t a = 0; a < 3; ++a)
      all += layer_arrays(problem_) * (a == 0 ? memory_[a][0].size() : held(memory_[a][0]));
    return all * sizeof(T);
  }
  /// Arrays that come with a plane: the levels, what is kept beside them (memories of the attenuation, maps), the medium and the density where they
  /// vary.
  [[nodiscard]] std::size_t arrays() const {
    return changing() + (host_.medium_varies() ? 1U : 0U) + (host_.potential() ? 1U : 0U);
  }
  /// The first of them: those that updates change.
  [[nodiscard]] std::size_t changing() const { return 2 + beside_.size(); }
  [[nodiscard]] const DeviceBuffer<T>& array(std::size_t n) const {
    return n < 2                                      ? level_[n]
           : n < changing()                           ? beside_[n - 2].values
           : n == changing() && host_.medium_varies() ? a_
                                                      : v_;
  }
  /// The array of a map that is kept; `which` as in Field::append_map().
  [[nodiscard]] std::size_t map_array(int which) const {
    return 2 + host_.relaxations() + (which == 1 && host_.map_of(0) ? 1U : 0U);
  }
  [[nodiscard]] const T* host_array(std::size_t n) const {
    return n < changing()                             ? changing_array(n)
           : n == changing() && host_.medium_varies() ? host_.medium()
                                                      : host_.potential();
  }
  [[nodiscard]] T* changing_array(std::size_t n) const {
    return n < 2 ? host_.level(static_cast<Index>(n)) : beside_[n - 2].host;
  }
  /// Where plane `global` lies in the buffers.
  [[nodiscard]] std::size_t plane_at(Index global) const {
    return static_cast<std::size_t>(origin_ + (global - first_) * at_.stride_x - at_.halo_y * at_.stride_y - pad);
  }
  void begin_at(Index first) { first_ = first; }
  /// Of a window: plane `first` is the lowest that is meant from here on, and `number` counts planes through all sweeps: it lies in the
  /// rings behind those with lower numbers.
  void begin_at(Index first, Index number) {
    first_ = first;
    number_ = number + s_;
    origin_ = number_ * at_.stride_x % ring_values(level_[0]) + at_.halo_y * at_.stride_y + pad;
  }
  /// Planes for which the rings have room.
  [[nodiscard]] Index room() const {
    Index planes = ring_values(level_[0]) / at_.stride_x;
    for (std::size_t a = 1; a < 3; ++a)
      if (const auto& m = host_.layer_memory(a); m.count() > 0)
        planes = std::min(planes, ring_values(memory_[a][0]) / m.stride_x);
    return planes;
  }
  /// Values of the host's plane that this slice holds: position and count.
  [[nodiscard]] std::pair<Index, Index> host_plane(Index global) const {
    const Layout& h = host_.at();
    return {h.at(global - h.first, held().begin - h.halo_y) - pad, h.row_values(held().size() + 2 * h.halo_y)};
  }

  /// What updates change (and the medium) of rows of the host. Where planes lie here as there they go in one piece, with the images between them: a copy
  /// takes some microseconds however small it is, and small grids have more planes than that is worth.
  /// `silent`: all that updates change is zero there, which no copy has to tell: of a grid with a medium a third of the bytes are left.
  void send(Interval planes, Interval rows, bool silent) {
    for (std::size_t n = 0; silent && n < changing(); ++n) stream_.zero(array(n));
    const std::size_t first = silent ? changing() : 0;
    if (first == arrays()) return;
    for_pieces(planes, rows, [&](Index at, std::size_t there, std::size_t count) {
      for (std::size_t n = first; n < arrays(); ++n)
        stream_.to_device(array(n), std::span<const T>(host_array(n) + at, count), there);
    });
  }
  /// The same of held rows with those beside them, all that updates change being zero, of arrays that begin at `from` with plane `planes.begin` as the host has it:
  /// pieces of the medium and the density, as arrays() has them.
  void send_medium(Interval planes, std::span<const T* const> from) {
    const Interval rows{held().begin - at_.halo_y, held().end + at_.halo_y};
    const Index before = host_.at().at(planes.begin - host_.at().first, -host_.at().halo_y) - pad;
    for_pieces(planes, rows, [&](Index at, std::size_t there, std::size_t count) {
      for (std::size_t n = changing(); n < arrays(); ++n)
        stream_.to_device(array(n), std::span<const T>(from[n - changing()] + (at - before), count), there);
    });
  }
  /// Ends with the images of the device, or without any: who calls it refreshes those of the host.
  void fetch(Interval planes, Interval rows) {
    for_pieces(planes, rows, [&](Index at, std::size_t there, std::size_t count) {
      for (std::size_t n = 0; n < changing(); ++n)
        stream_.to_host(std::span<T>(changing_array(n) + at, count), array(n), there);
    });
  }
  /// Nodes of an array that frames show: `first` and `step` as those of March::Cut, rows (global) first[1] + j step[1] of this slice for
  /// `count[1]` of j. They come to the host in memory that the next call writes again, x slowest; synchronizes.
  [[nodiscard]] std::span<const T> gather(std::size_t array, const std::array<Index, 3>& first,
                                          const std::array<Index, 3>& step, const std::array<Index, 3>& count);
  /// Largest |value| of level k in own rows of planes (global); infinite where one is not finite. Synchronizes.
  [[nodiscard]] T largest(Index k, Interval planes);

  /// Rows (global) of another device, both levels, with the images behind the faces of x, memories of the attenuation and of the layers; then the images of level k. The gaps before the first row and
  /// behind the last have images of this slice's own rows, too, which the other does not keep: they stay.
  void pull(const DeviceSlice& from, Index k, Interval rows) {
    if (rows.empty()) return;
    const auto at = [&](const DeviceSlice& slice) {
      return static_cast<std::size_t>(slice.at_.at(-s_, rows.begin - slice.held().begin));
    };
    for (std::size_t l = 0; l < 2 + problem_.relaxations.size(); ++l)
      stream_.from_peer(array(l), at(*this), static_cast<std::size_t>(at_.stride_x), from.array(l), at(from),
                        static_cast<std::size_t>(from.at_.stride_x), from.device_.info().index,
                        static_cast<std::size_t>(rows.size() * at_.stride_y - pad),
                        static_cast<std::size_t>(problem_.grid.points[0] + 2 * s_));
    pull_layers(from, rows);
    mirror(k, {0, problem_.grid.points[0]}, rows);
  }

  /// call(memory, values on the host, position in both, count) for the memory of the layers of planes (global) of a slab.
  template <class Call>
  void for_layers(Interval planes, Call&& call) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& m = host_.layer_memory(a);
      if (m.count() == 0) continue;
      for (Index x = planes.begin; x < planes.end; ++x) {
        const Index local = x - host_.at().first,
                    at = a == 0 ? host_.memory_at(0, local, 0) : (local - host_.held().begin) * m.stride_x;
        if (at < 0) continue;
        for (std::size_t i = 0; i < layer_variables; ++i)
          call(memory_[a][i], m.block[i].data() + at, static_cast<std::size_t>(at),
               static_cast<std::size_t>(m.stride_x));
      }
    }
  }
  /// It comes back to the host.
  void fetch_layers(Interval planes) {
    for_layers(planes, [&](const DeviceBuffer<T>& from, T* to, std::size_t at, std::size_t count) {
      stream_.to_host(std::span<T>(to, count), from, at);
    });
  }
  /// What belongs to a plane of a window beside arrays(): memory of the layers of y and z, and the density there.
  struct PlaneMemory {
    const DeviceBuffer<T>* buffer;
    T* host;       ///< of plane 0
    Index values;  ///< of a plane
    std::size_t axis;
    bool changes;
  };
  [[nodiscard]] std::vector<PlaneMemory> plane_memory() const;
  /// Where what an axis's layer has of plane `global` lies in its memory in a window.
  [[nodiscard]] std::size_t layer_at(std::size_t axis, Index global) const {
    const Index values = host_.layer_memory(axis).stride_x;
    return static_cast<std::size_t>(number_ * values % ring_values(memory_[axis][0]) + (global - first_) * values);
  }

  /// The memory of the matched layers in held rows, and the density there, from the host's arrays; that of own rows to them. Of a window those of x.
  /// `silent`: the memory is zero, as it is from the beginning.
  void send_layers(bool silent = false);
  void fetch_layers();

  /// Contributions of the sources and room for the receivers of updates k … k+count−1.
  void begin_band(Index k, Index count);
  /// Values of the receivers in this slice's rows go to the host's record.
  void end_band();

  /// Energies between levels k−1 and k of own rows of some planes (global), from levels with their images; they stay on the device.
  void queue_row_energies(Index k, Interval planes);
  /// Those rows added up plane by plane, [plane][2]: to what `before` says (nothing: zero), in the order of Field::plane_energy(), whose bits they have.
  /// Neither waits: both work on the current stream.
  void queue_plane_energies(Interval planes, const double* before, double* to);

  /// Update k of global planes and rows: stencil, sources, images, receivers.
  void update(Index k, Interval planes, Interval rows);

 private:
  /// Planes and rows of the grid, cells of rows.
  struct Part {
    Interval x, y, z;
    [[nodiscard]] bool empty() const { return x.empty() || y.empty() || z.empty(); }
  };
  [[nodiscard]] Interval whole_row() const { return {0, at_.nz}; }
  /// What comes after the stencil and the layers of update k: attenuation, sources, maps, images, receivers.
  void finish(Index k, const Part& part, T* o);
  /// Attenuation, sources and maps of whole rows, where there is anything beside the levels.
  void update_beside(Index k, const Part& part, T* o);
  void make_beside();
  /// Cells of planes (global) that lie within `beside` nodes of matched layers, in parts that share none.
  [[nodiscard]] std::vector<Part> shell_parts(Interval planes, Index beside) const;
  void update_shell(const Part& part, const T* u, const T* older, T* o);
  /// call(where in the host's arrays, where in those here, values) for rows of planes (global).
  template <class Call>
  void for_pieces(Interval planes, Interval rows, const Call& call) const {
    if (planes.empty()) return;
    const Layout& h = host_.at();
    const bool alike = h.stride_x == at_.stride_x && h.stride_y == at_.stride_y && held().size() == h.ny;
    const Index each = alike ? planes.size() : 1, count = (each - 1) * h.stride_x + h.row_values(rows.size());
    for (Index x = planes.begin; x < planes.end; x += each)
      call(h.at(x - h.first, rows.begin) - pad,
           static_cast<std::size_t>(at_.at(x - first_, rows.begin - held().begin) - pad),
           static_cast<std::size_t>(count));
  }
  [[nodiscard]] DeviceBuffer<T> planes_of(std::size_t values, const char* label) const {
    return window_ ? device_.ring<T>(values, label) : device_.allocate<T>(values, label);
  }
  [[nodiscard]] static Index ring_values(const DeviceBuffer<T>& ring) { return static_cast<Index>(ring.size() / 2); }
  /// Strides, and the medium from `here` values behind cell (0, 0, 0) on; one row for all where it does not vary.
  template <class Arguments>
  void place(Arguments& t, Index here = 0) const {
    const bool varies = host_.medium_varies();
    t.a = varies ? a_.data() + origin_ + here : a_.data();
    t.stride_x = at_.stride_x;
    t.stride_y = at_.step_y();
    t.a_stride_x = varies ? at_.stride_x : 0;
    t.a_stride_y = varies ? at_.stride_y : 0;
  }
  /// The weights of all three axes.
  template <class Arguments>
  void weigh(Arguments& t) const {
    const RowWeights<T>& w = host_.weights();
    t.centre = w.centre;
    for (Index i = 1; i <= s_; ++i) {
      t.x[i] = host_.unequal() ? w.x[i] : w.equal[i];
      t.y[i] = host_.unequal() ? w.y[i] : w.equal[i];
      t.z[i] = host_.unequal() ? w.z[i] : w.equal[i];
    }
  }
  void towers(Index k, Index bands);
  /// DiamondTorre where "tower WIDTHxSTEPS" asks for it, or where it should be faster than streaming towers, of which 4 levels made
  /// 331 · 10⁹ updates a second on a device of that size.
  void choose_torre();
  void torre(Index k, Index bands);
  /// What PanelArguments::damping points to, which is the same for every launch; empty where these panels have it in shared memory.
  [[nodiscard]] DeviceBuffer<T> damping_of(const PanelPlan& plan);
  [[nodiscard]] static LaunchShape panel_shape(const PanelPlan& plan, Index blocks, Index cluster);
  /// What all of them take alike.
  void place_band(Index k, Index bands, Index levels, BandArguments<T>& t);
  /// Persistent blocks, at most one a multiprocessor, which wait for each other.
  template <class Arguments>
  void launch_bands(const Kernel<Arguments>& kernel, unsigned threads, Bytes shared, Arguments& t) {
    const std::size_t number =
        static_cast<std::size_t>(t.rows) * static_cast<std::size_t>(t.columns) * static_cast<std::size_t>(t.bands);
    if (progress_.size() < number + 1) progress_ = device_.allocate<unsigned>(number + 1, "progress of towers");
    stream_.zero(progress_);
    t.ticket = progress_.data();
    t.done = progress_.data() + 1;
    LaunchShape shape;
    shape.block = {threads, 1, 1};
    shape.shared = shared;
    shape.cooperative = true;
    shape.grid = {static_cast<unsigned>(std::min(number, static_cast<std::size_t>(device_.info().multiprocessors))), 1,
                  1};
    stream_.launch(kernel, shape, t);
  }

  static unsigned blocks(Index n, Index each) { return static_cast<unsigned>((n + each - 1) / each); }
  void place_points();

  /// Rows and cells of rows between which nodes lie.
  [[nodiscard]] std::array<Interval, 2> box_of(const std::vector<PointNode>& nodes) const;
  /// The same nodes as towers look for them.
  void place_rows(const std::vector<PointNode>& receivers);

  // Memory of the layers lies as on the host, of the rows that are held: those of y have some of the nodes of both of their layers, or none.
  /// What no layer of axis a has of the nodes that are held: planes of the grid, held rows, cells.
  [[nodiscard]] Interval layer_nodes(std::size_t a) const;
  /// What the host's memory of an axis has of rows (global), counted in its rows.
  [[nodiscard]] Interval memory_rows(std::size_t a, Interval rows) const;
  [[nodiscard]] Index memory_stride_x(std::size_t a) const;
  [[nodiscard]] std::size_t memory_count(std::size_t a) const;
  /// call(position here, position on the host, values) for pieces of what the memory of an axis has of rows (global).
  template <class Call>
  void for_memory_rows(std::size_t a, Interval rows, Call&& call) const;
  void pull_layers(const DeviceSlice& from, Interval rows);
  /// Position in the memory of axis a of cell (plane `global`, held row y, z = 0).
  [[nodiscard]] Index memory_at(std::size_t a, Index global, Index y) const;
  /// The matched layers in planes (global) and local rows, axis after axis as the host has them.
  void layers(Index k, Interval planes, Interval rows);

  void points(const Kernel<PointArguments<T>>& kernel, const DeviceBuffer<PointNode>& nodes,
              const std::vector<std::size_t>& first, const std::array<Interval, 2>& box, Interval planes, Interval y,
              Interval z, T* o, Index k);

  void images(T* o, Interval planes, Interval rows, Interval cells);
  /// Nodes beside walls of planes (global) and local rows.
  void walls(Index k, Interval planes, Interval rows);
  void place_walls();
  /// What walls add to the energies of own rows of planes (global), which lie in `sums` as the kernel of energies has put them.
  void queue_wall_energies(Index k, Interval planes, double* sums);

  const Problem& problem_;
  Field<T>& host_;
  Device device_;
  Stream stream_, other_stream_;
  int which_ = 0;
  Interval rows_;
  Index below_, above_, s_;
  bool window_;  ///< of planes that come and go
  Layout at_;
  Index first_ = 0;   ///< global plane of plane 0
  Index number_ = 0;  ///< of a window: its number, from 0 on
  Index origin_ = 0;  ///< position of cell (0, 0, 0) in the arrays
  DeviceBuffer<T> level_[2], a_, v_, sigma_, values_, traces_;
  struct CellArray {
    DeviceBuffer<T> values;
    T* host;
  };
  std::vector<CellArray> beside_;  ///< memories of the attenuation, then maps, of every node
  Kernel<BesideArguments<T>> update_beside_;
  DeviceBuffer<T> spare_[2];  ///< the other pair
  DeviceBuffer<T> kept_;      ///< by panels, of each of the bands
  Index kept_bands_ = 0;
  int pair_ = 0;
  struct PanelKind {
    PanelPlan plan;
    Kernel<PanelArguments> kernel;
    DeviceBuffer<T> damping;
  };
  std::vector<PanelKind> panels_;  ///< by falling levels
  PanelArguments panel_;
  Index panels_from_ = 0;
  std::size_t sigma_at_[3]{};
  Kernel<AdvanceArguments<T>> advance_;
  Kernel<PointArguments<T>> inject_, record_;
  Kernel<MirrorArguments<T>> mirror_;
  Kernel<MarginArguments> margins_;
  Kernel<EnergyArguments<T>> energy_;
  Kernel<WallEnergyArguments<T>> wall_energy_;
  Kernel<PlaneEnergyArguments> plane_energies_;
  DeviceBuffer<double> energies_[2], plane_sums_[2];  ///< of each stream
  DeviceBuffer<T> seen_;                              ///< by gather() and largest(), here and on the host
  PinnedBuffer<T> shown_;
  Kernel<MatchedArguments<T>> matched_;
  DeviceBuffer<T> memory_[3][layer_variables], factors_[3];  ///< of the matched layers, by axis
  DeviceBuffer<T> density_[3][2];                            ///< V_a and W_a there, where the density varies
  bool layered_ = false;
  Kernel<ShellArguments> shell_;  ///< where panels leave matched layers
  std::vector<PointNode> source_nodes_list_;
  DeviceBuffer<PointNode> source_nodes_, receiver_nodes_, wall_nodes_;
  DeviceBuffer<std::int64_t> wall_offsets_;
  DeviceBuffer<T> wall_weights_;
  std::vector<std::size_t> wall_first_;  ///< nodes before each plane
  Kernel<WallArguments<T>> walls_;
  std::vector<std::size_t> source_first_, receiver_first_;  ///< nodes before each plane
  std::array<Interval, 2> source_box_{}, receiver_box_{};   ///< of rows and cells
  std::vector<std::pair<double, std::size_t>> parts_;
  std::vector<std::size_t> receiver_of_;
  std::size_t receiver_count_ = 0, slot_ = 0;
  TowerPlan plan_{};
  bool plain_ = false;  ///< equal spacings, constant density, sponges: towers know no more, panels do
  bool bands_possible_ = false, towers_possible_ = false, panels_possible_ = false;
  Kernel<TowerArguments> tower_;
  Kernel<TorreArguments<T>> torre_;
  TorrePlan torre_plan_;
  bool torre_forced_ = false;
  int core_[6]{};  ///< nodes of each axis that lie in no sponge
  DeviceBuffer<unsigned> progress_;
  DeviceBuffer<unsigned char> busy_;
  DeviceBuffer<int> row_slots_, record_of_step_;
  DeviceBuffer<std::uint32_t> row_firsts_;
  DeviceBuffer<RowNode> row_nodes_;
  DeviceBuffer<TowerPoints<T>> points_;
  TowerPoints<T> point_data_;
  std::array<std::size_t, 2>
      source_rows_{};  ///< of the sources, planes and firsts, which come before those of the receivers
  std::vector<int> records_;
  Index band_ = 0;
  std::vector<T> contributions_;
  std::vector<Index> recorded_;
};

/// Energies between levels k−1 and k of planes (global) of which the slices share the rows, [plane][2], with the bits of Field::plane_energy().
template <class T>
void sum_energies(std::span<const std::unique_ptr<DeviceSlice<T>>> slices, Index k, Interval planes,
                  std::vector<double>& sums) {
  constexpr Index rows_together = Index{1} << 19;  // 8 MiB of sums
  sums.assign(static_cast<std::size_t>(2 * planes.size()), 0.0);
  Index rows = 0;
  for (const auto& slice : slices) {
    slice->mirror(k - 1, planes);
    rows += slice->rows().size();
  }
  const Index together = std::clamp<Index>(rows_together / rows, 1, planes.size());
  for (Index x = planes.begin; x < planes.end; x += together) {
    const Interval part{x, std::min(x + together, planes.end)};
    for (const auto& slice : slices) slice->queue_row_energies(k, part);
    double* const of_part = sums.data() + 2 * (x - planes.begin);
    for (const auto& slice : slices) {  // rows follow each other
      slice->queue_plane_energies(part, of_part, of_part);
      slice->stream().synchronize();
    }
  }
}

}  // namespace conoid::acoustic_fd

#include "engine/solvers/acoustic_fd/cuda/device_slice_layers.inl"
#include "engine/solvers/acoustic_fd/cuda/device_slice_panels.inl"
#include "engine/solvers/acoustic_fd/cuda/device_slice_points.inl"
#include "engine/solvers/acoustic_fd/cuda/device_slice_setup.inl"
#include "engine/solvers/acoustic_fd/cuda/device_slice_towers.inl"
