// SPDX-License-Identifier: BSD-3-Clause
// Memory, streams and launches of the radiation on a device.
#include "engine/solvers/maxwell_fem/cuda/device_radiation.hpp"

#include "engine/linalg/device_solve.hpp"
#include "engine/solvers/maxwell_fem/cuda/radiation_arguments.hpp"
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

namespace {

using RadiationClock = std::chrono::steady_clock;

/// Of each of two panels. The larger, the more of the currents comes behind the products of the first one; a device with few units of double
/// precision would hear a stop too late.
constexpr Bytes largest_panel = Bytes{8} << 30, largest_slow_panel = Bytes{2} << 30;
constexpr Index panel_rows = 64;  ///< panels have a multiple of so many rows
/// So that ψ of the last panel, for which nothing is left to be multiplied meanwhile, is no more than a part of it.
constexpr Index least_panels = 4;
/// Blocks of columns in which currents go up: of four pieces or more.
constexpr Index most_blocks = 8;
constexpr std::size_t pieces_a_block = 4;
constexpr Bytes largest_partial = Bytes{256} << 20;
constexpr Index most_parts = 256;  ///< blocks of sources whose sums are kept apart

unsigned blocks_of(Index items, Index each) {
  return static_cast<unsigned>((items + each - 1) / each);
}

/// Sources a block: whole tiles, so that `parts` blocks cover all.
int sources_a_block(Index sources, Index parts) {
  const Index tiles = (sources + radiation_tile - 1) / radiation_tile;
  return static_cast<int>((tiles + parts - 1) / parts * radiation_tile);
}

/// Of currents (`depth` complex numbers of each half) and data of so many columns; of a row of a panel.
Bytes columns_bytes(Index columns, Index depth, Index rows) {
  return static_cast<Bytes>(columns * (2 * depth + 2 * rows)) * sizeof(Complex);
}

Bytes row_bytes(Index depth) {
  return static_cast<Bytes>(2 * depth) * sizeof(Complex);
}

/// As plan_radiation has it.
bool full_doubles(const DeviceInfo& info) {
  return info.minor == 0;
}

DeviceComplex* complex_at(const DeviceBuffer<Complex>& buffer) {
  return reinterpret_cast<DeviceComplex*>(buffer.data());
}

}  // namespace

struct DeviceRadiation::Memory {
  // Of the operator.
  DeviceBuffer<double> to, from, scale;
  DeviceBuffer<int> near_start, near_face;
  DeviceBuffer<Complex> near_blocks;
  // Of an application.
  DeviceBuffer<Complex> f, psi, partial;
  std::array<DeviceBuffer<Complex>, 2> panel;
  Index columns = 0;  ///< that f and psi have room for, with psi of `rows` rows
  Index rows = 0, rows_a_panel = 0;
  Bytes held = 0;  ///< by the operator
  Stream maker, user;
  std::array<Event, 2> made, used, multiplying;
  std::array<bool, 2> timed{};  ///< products between `multiplying` and `used` that are not counted yet
  Event begin, end, arrived;
  DevicePassage passage;
  std::shared_ptr<dense::DeviceLibrary> library;
  bool opened = false;  ///< the library was looked for

  Memory(const Device& device, CpuWorker host, int threads, std::size_t piece)
      : passage(device, std::move(host), threads, piece) {}
  bool take_operator(const Device& device, const RadiationParts& parts);
  bool take_columns(const Device& device, Index depth, Index of_rows, Index count, bool products, Bytes all);
  void give_back_columns();
};

DeviceRadiation::DeviceRadiation(Device device, const RadiationParts& parts, CpuWorker host, int threads,
                                 std::size_t piece)
    : device_(std::move(device)), parts_(parts),
      memory_(std::make_unique<Memory>(device_, std::move(host), threads, piece)) {
  verify(parts_.to.padded < (Index{1} << 31) / 2 && parts_.from.padded < (Index{1} << 31) / 4 &&
             static_cast<Index>(parts_.near.size()) < (Index{1} << 31) / (2 * near_entries),
         "points and near blocks of a surface have numbers of 31 bits");
  Memory& m = *memory_;
  m.maker = device_.stream();
  m.user = device_.stream();
  for (auto* events : {&m.made, &m.used, &m.multiplying})
    for (Event& e : *events) e = device_.event();
  for (Event* e : {&m.begin, &m.end, &m.arrived}) *e = device_.event();
}

DeviceRadiation::~DeviceRadiation() {
  if (!memory_->library) return;
  try {
    memory_->user.synchronize();  // and its device is this thread's
  } catch (const Failure&) {      // it is lost: whoever used it last was told
  }
}

void DeviceRadiation::open_products() {
  Memory& m = *memory_;
  if (m.opened) return;
  m.opened = true;
  auto opened = dense::DeviceLibrary::open(device_);
  if (opened)
    m.library = std::move(*opened);
  else
    no_products_ = opened.error().text;
}

/// Points, weights and near blocks go to the device; false where it is full.
bool DeviceRadiation::Memory::take_operator(const Device& device, const RadiationParts& parts) {
  const std::size_t blocks = parts.near.size();
  try {
    to = device.allocate<double>(parts.to.data.size(), "points of S");
    from = device.allocate<double>(parts.from.data.size(), "points of S'");
    scale = device.allocate<double>(parts.scale.size(), "weights of S");
    near_start = device.allocate<int>(parts.near_start.size(), "near blocks");
    near_face = device.allocate<int>(std::max<std::size_t>(1, blocks), "near blocks");
    near_blocks = device.allocate<Complex>(std::max<std::size_t>(1, blocks * 2 * near_entries), "near blocks");
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::resources) throw;
    to = {};
    from = {};
    near_blocks = {};
    static_cast<void>(device.free_memory());  // a device that is lost, not full, throws here
    return false;
  }
  maker.to_device(to, std::span(parts.to.data.data(), parts.to.data.size()));
  maker.to_device(from, std::span(parts.from.data.data(), parts.from.data.size()));
  maker.to_device(scale, parts.scale);
  std::vector<int> start(parts.near_start.begin(), parts.near_start.end()), face;
  maker.to_device(near_start, start);
  for (const NearBlock& b : parts.near) face.push_back(static_cast<int>(b.face));
  maker.to_device(near_face, face);
  constexpr std::size_t some = 1 << 16;
  std::vector<Complex> entries;
  for (std::size_t b = 0; b < blocks; b += some) {
    entries.clear();
    for (std::size_t i = b; i < std::min(blocks, b + some); ++i)
      for (const auto* half : {&parts.near[i].plus, &parts.near[i].minus})
        for (const auto& point : *half) entries.insert(entries.end(), point.begin(), point.end());
    maker.to_device(near_blocks, entries, b * 2 * near_entries);
    maker.synchronize();
  }
  maker.synchronize();
  return true;
}

void DeviceRadiation::Memory::give_back_columns() {
  f = {};
  psi = {};
  partial = {};
  panel = {};
}

/// Room for as many columns as there are bytes for, with panels or with sums; false where there is none for one.
bool DeviceRadiation::Memory::take_columns(const Device& device, Index depth, Index of_rows, Index count, bool products,
                                           Bytes all) {
  const Index tallest = (of_rows + panel_rows - 1) / panel_rows * panel_rows;
  for (Index some = count; some >= 1; some = some > 1 ? (some + 1) / 2 : 0) {
    const Bytes needed = columns_bytes(some, depth, of_rows);
    if (needed >= all) continue;
    const Bytes left = all - needed;
    Index high = 0;
    Bytes sums = 0;
    if (products) {
      const Bytes most = full_doubles(device.info()) ? largest_panel : largest_slow_panel;
      high = std::min<Index>(static_cast<Index>(std::min(left / 2, most) / row_bytes(depth)) / panel_rows * panel_rows,
                             std::max(panel_rows, (tallest / least_panels + panel_rows - 1) / panel_rows * panel_rows));
      if (high < panel_rows) continue;
    } else {
      sums = std::min(
          {left, largest_partial, static_cast<Bytes>(most_parts * 2 * fused_columns[0] * of_rows) * sizeof(Complex)});
      if (sums < static_cast<Bytes>(2 * of_rows) * sizeof(Complex)) continue;
    }
    try {
      f = device.allocate<Complex>(static_cast<std::size_t>(some * 2 * depth), "currents on S'");
      psi = device.allocate<Complex>(static_cast<std::size_t>(some * 2 * of_rows), "data on S");
      if (products)
        for (auto& one : panel)
          one = device.allocate<Complex>(static_cast<std::size_t>(high * 2 * depth), "panel of the radiation operator");
      else
        partial = device.allocate<Complex>(sums / sizeof(Complex), "sums of the radiation");
    } catch (const Failure& failure) {
      if (failure.error().code != ErrorCode::resources) throw;
      give_back_columns();
      static_cast<void>(device.free_memory());
      continue;
    }
    columns = some;
    rows = of_rows;
    rows_a_panel = high;
    return true;
  }
  return false;
}

/// Memory for an application; false where there is none.
bool DeviceRadiation::prepare(Index rows, Index count, bool products, const std::function<Bytes(Bytes)>& budget,
                              DeviceRadiationFacts& facts) {
  Memory& m = *memory_;
  const Index depth = 2 * parts_.from.count;
  const Bytes one = columns_bytes(1, depth, rows), two_panels = 2 * panel_rows * row_bytes(depth);
  if (m.to.empty()) {
    const Bytes operator_bytes =
        (parts_.to.data.size() + parts_.from.data.size() + parts_.scale.size()) * sizeof(double) +
        parts_.near_start.size() * sizeof(int) +
        parts_.near.size() * (sizeof(int) + 2 * near_entries * sizeof(Complex));
    facts.least = operator_bytes + one + (products ? two_panels : largest_partial / 16);
    facts.given = budget(0);
    if (facts.given < facts.least || !m.take_operator(device_, parts_)) return false;
    facts.copied += operator_bytes;
    m.held = operator_bytes;
  }
  // What the last application had serves where it is enough.
  if (m.columns >= count && m.rows >= rows && (products ? !m.panel[0].empty() : !m.partial.empty())) return true;
  m.give_back_columns();
  m.columns = 0;
  const Bytes all = budget(m.held);
  if (m.take_columns(device_, depth, rows, count, products, all)) return true;
  facts.least = one + (products ? two_panels : static_cast<Bytes>(2 * rows) * sizeof(Complex));
  facts.given = all;
  return false;
}

void DeviceRadiation::fused(Interval points, std::span<const Complex> f, Index count, std::span<Complex> psi,
                            DeviceRadiationFacts& facts, const std::stop_token& stop) {
  Memory& m = *memory_;
  const Index rows = points.size(), sources = parts_.from.count;
  m.passage.up(m.f, 0, f);
  m.passage.stream().record(m.arrived);
  m.maker.wait(m.arrived);
  m.maker.record(m.begin);
  const DeviceSurfaces surfaces{
      m.to.data(), m.from.data(), parts_.to.padded, parts_.from.padded, static_cast<int>(sources), parts_.k};
  const auto near = device_.kernel<NearArguments>("maxwell-fem/near-sums");
  const auto finish = device_.kernel<FinishArguments>("maxwell-fem/finish");
  const unsigned across = blocks_of(rows, radiation_threads);
  for (Index done = 0; done < count && !stop.stop_requested();) {
    // The largest kernel that fills its columns, and whose sums there is room for.
    int columns = 1;
    for (const int c : fused_columns)
      if (c <= count - done && static_cast<std::size_t>(2 * c * rows) <= m.partial.size()) {
        columns = c;
        break;
      }
    const auto kernel = device_.kernel<FusedArguments>(fmt::format("maxwell-fem/fused<{}>", columns));
    LaunchShape shape{.grid = {across, 1, 1}, .block = {radiation_threads, 1, 1}, .shared = radiation_shared(columns)};
    // Four rounds of all multiprocessors, or as many as there is room for.
    const Index at_once = device_.blocks_in_one_wave(kernel, shape);
    const Index tiles = (sources + radiation_tile - 1) / radiation_tile,
                room = static_cast<Index>(m.partial.size()) / (2 * columns * rows);
    const Index wanted = std::clamp<Index>(4 * at_once / across, 1, std::min({tiles, room, most_parts}));
    FusedArguments a{surfaces,
                     static_cast<int>(points.begin),
                     static_cast<int>(rows),
                     sources_a_block(sources, wanted),
                     complex_at(m.f) + 4 * done * sources,
                     complex_at(m.partial)};
    shape.grid[1] = blocks_of(sources, a.sources_a_block);
    m.maker.launch(kernel, shape, a);
    DeviceComplex* const sums = complex_at(m.psi) + 2 * done * rows;
    m.maker.launch(near,
                   {.grid = {static_cast<unsigned>(rows), 1, 1}, .block = {32, static_cast<unsigned>(columns), 1}},
                   NearArguments{m.near_start.data(), m.near_face.data(), complex_at(m.near_blocks),
                                 static_cast<int>(points.begin), static_cast<int>(rows), static_cast<int>(sources), a.f,
                                 sums, nullptr, nullptr});
    m.maker.launch(finish,
                   {.grid = {across, static_cast<unsigned>(2 * columns), 1}, .block = {radiation_threads, 1, 1}},
                   FinishArguments{complex_at(m.partial), static_cast<int>(shape.grid[1]), 2 * columns,
                                   static_cast<int>(points.begin), static_cast<int>(rows), m.scale.data(), sums});
    done += columns;
    m.maker.synchronize();  // a stop is heard here: work that is given to a stream cannot be taken back
  }
  m.maker.record(m.end);
  m.maker.synchronize();
  if (!stop.stop_requested()) m.passage.down(psi.subspan(points.begin), parts_.to.count, m.psi, 0, rows, 2 * count);
  facts.products = false;
}

/// Rows of a panel; ψ of one follows that of the one before on the device, each in columns of its own rows.
Interval DeviceRadiation::panel(Interval points, Index turn) const {
  const Index row = turn * memory_->rows_a_panel;
  return {row, std::min(row + memory_->rows_a_panel, points.size())};
}

void DeviceRadiation::make_panel(Interval points, Index turn) {
  Memory& m = *memory_;
  const auto which = static_cast<std::size_t>(turn % 2);
  const Interval rows = panel(points, turn);
  const Index high = rows.size(), sources = parts_.from.count;
  OperatorArguments a{
      {m.to.data(), m.from.data(), parts_.to.padded, parts_.from.padded, static_cast<int>(sources), parts_.k},
      static_cast<int>(points.begin + rows.begin),
      static_cast<int>(high),
      0,
      m.scale.data(),
      complex_at(m.panel[which])};
  const unsigned across = blocks_of(high, radiation_threads);
  const Index tiles = (sources + radiation_tile - 1) / radiation_tile,
              wanted = std::clamp<Index>(32 * Index{device_.info().multiprocessors} / across, 1, tiles);
  a.sources_a_block = sources_a_block(sources, wanted);
  m.maker.launch(device_.kernel<OperatorArguments>("maxwell-fem/operator"),
                 {.grid = {across, blocks_of(sources, a.sources_a_block), 1},
                  .block = {radiation_threads, 1, 1},
                  .shared = radiation_shared(0)},
                 a);
  m.maker.launch(device_.kernel<NearArguments>("maxwell-fem/near-panel"),
                 {.grid = {blocks_of(high, 4), 1, 1}, .block = {32, 4, 1}},
                 NearArguments{m.near_start.data(), m.near_face.data(), complex_at(m.near_blocks), a.first, a.rows,
                               static_cast<int>(sources), nullptr, nullptr, m.scale.data(), a.panel});
  m.maker.record(m.made[which]);
}

void DeviceRadiation::multiply_panel(Interval points, Index count, Index turn, Interval columns) {
  Memory& m = *memory_;
  const auto which = static_cast<std::size_t>(turn % 2);
  const Interval rows = panel(points, turn);
  const Index high = rows.size(), depth = 2 * parts_.from.count;
  for (Index half = 0; half < 2; ++half)
    m.library->multiply(m.user, m.panel[which].data() + half * depth * high, high, depth,
                        m.f.data() + (2 * columns.begin + half) * depth, columns.size(), Complex(1), Complex(0),
                        m.psi.data() + 2 * count * rows.begin + (2 * columns.begin + half) * high, 2 * depth, 2 * high);
}

void DeviceRadiation::bring_panel(Interval points, Index count, Index turn, std::span<Complex> psi) {
  const Interval rows = panel(points, turn);
  memory_->passage.down(psi.subspan(points.begin + rows.begin), parts_.to.count, memory_->psi,
                        static_cast<std::size_t>(2 * count * rows.begin), rows.size(), 2 * count);
}

/// The first panel times blocks of columns, as they come.
void DeviceRadiation::multiply_first(Interval points, std::span<const Complex> f, Index count,
                                     const std::stop_token& stop) {
  Memory& m = *memory_;
  const Index depth = 2 * parts_.from.count,
              blocks = std::clamp<Index>(static_cast<Index>(f.size() / (pieces_a_block * m.passage.piece())), 1,
                                         std::min(count, most_blocks)),
              each = (count + blocks - 1) / blocks;
  for (Index c = 0; c < count && !stop.stop_requested(); c += each) {
    const Interval columns{c, std::min(count, c + each)};
    m.passage.up(
        m.f, static_cast<std::size_t>(2 * depth * c),
        f.subspan(static_cast<std::size_t>(2 * depth * c), static_cast<std::size_t>(2 * depth * columns.size())));
    m.passage.stream().record(m.arrived);
    m.user.wait(m.arrived);
    if (c == 0) {
      m.user.record(m.begin);
      m.user.record(m.multiplying[0]);
    }
    multiply_panel(points, count, 0, columns);
  }
}

void DeviceRadiation::products(Interval points, std::span<const Complex> f, Index count, std::span<Complex> psi,
                               DeviceRadiationFacts& facts, const std::stop_token& stop) {
  Memory& m = *memory_;
  const Index turns = (points.size() + m.rows_a_panel - 1) / m.rows_a_panel;
  m.timed = {};
  const auto await = [&](Index turn) {
    const auto which = static_cast<std::size_t>(turn % 2);
    m.used[which].synchronize();
    if (std::exchange(m.timed[which], false))
      facts.product_seconds += m.used[which].seconds_since(m.multiplying[which]);
  };
  Index turn = 0;
  for (; turn < turns && !stop.stop_requested(); ++turn) {
    const auto which = static_cast<std::size_t>(turn % 2);
    if (turn > 1) await(turn - 2);  // a stop is heard here, and no panel is overwritten
    if (turn != 1) make_panel(points, turn);
    if (turn == 0 && turns > 1) make_panel(points, 1);  // while the currents come
    m.user.wait(m.made[which]);
    if (turn == 0) {
      multiply_first(points, f, count, stop);
    } else {
      m.user.record(m.multiplying[which]);
      multiply_panel(points, count, turn, {0, count});
    }
    m.user.record(m.used[which]);
    m.timed[which] = true;
    if (turn > 1) bring_panel(points, count, turn - 2, psi);
  }
  m.user.record(m.end);
  const bool stopped = stop.stop_requested();
  for (Index last = std::max<Index>(0, turn - 2); last < turn && !stopped; ++last) {
    await(last);
    bring_panel(points, count, last, psi);
  }
  m.maker.synchronize();
  m.user.synchronize();
  m.passage.stream().synchronize();
  facts.products = true;
  facts.panels += turn;
}

DeviceRadiationFacts DeviceRadiation::apply(std::span<const Complex> f, Index count, std::span<Complex> psi,
                                            Interval points, DeviceForm form, const std::function<Bytes(Bytes)>& budget,
                                            const std::stop_token& stop) {
  const auto start = RadiationClock::now();
  DeviceRadiationFacts facts;
  if (count == 0 || points.empty()) return facts;
  Memory& m = *memory_;
  const Index depth = 2 * parts_.from.count, all_rows = parts_.to.count, rows = points.size();
  bool by_products = form == DeviceForm::products || (form == DeviceForm::automatic && count > most_fused_columns);
  if (by_products) {
    open_products();
    by_products = no_products_.empty();
  }
  if (!prepare(rows, count, by_products, budget, facts)) {
    facts.fits = false;
    return facts;
  }
  for (Index done = 0; done < count && !stop.stop_requested(); ++facts.groups) {
    const Index some = std::min(m.columns, count - done);
    const auto currents =
        f.subspan(static_cast<std::size_t>(2 * depth * done), static_cast<std::size_t>(2 * depth * some));
    const auto data = psi.subspan(static_cast<std::size_t>(2 * all_rows * done));
    if (by_products)
      products(points, currents, some, data, facts, stop);
    else
      fused(points, currents, some, data, facts, stop);
    if (stop.stop_requested()) break;
    facts.kernel_seconds += m.end.seconds_since(m.begin);
    facts.copied += static_cast<Bytes>(2 * some * (depth + rows)) * sizeof(Complex);
    done += some;
  }
  facts.seconds = std::chrono::duration<double>(RadiationClock::now() - start).count();
  return facts;
}

namespace {
/// Points and near blocks; of a column, of a row of a panel.
double surface_bytes(double outer, double currents, double near_blocks) {
  return 72 * (outer + currents) + 12 * outer + near_blocks * (4 + 32 * near_entries);
}
double column_bytes(double outer, double currents) {
  return 64 * currents + 32 * outer;
}
}  // namespace

double device_columns(double outer, double currents, double near_blocks, double columns, bool products, double memory) {
  const double least =
      surface_bytes(outer, currents, near_blocks) + (products ? 2 * panel_rows * 64 * currents : largest_partial / 16);
  for (double some = columns; some >= 1; some = some > 1 ? std::ceil(some / 2) : 0)
    if (least + some * column_bytes(outer, currents) <= memory) return some;
  return 0;
}

double device_panel_share(double outer, double currents) {
  const double whole = 64 * outer * currents, row = 64 * currents;
  return std::min(1.0,
                  std::max<double>(std::min<double>(largest_panel, whole / least_panels), panel_rows * row) / whole);
}

double device_radiation_bytes(double outer, double currents, double near_blocks, double columns) {
  const double surfaces = surface_bytes(outer, currents, near_blocks),
               vectors = columns * column_bytes(outer, currents);
  const double rest = columns > most_fused_columns
                          ? 2 * device_panel_share(outer, currents) * 64 * outer * currents
                          : std::min<double>(largest_partial, 32.0 * most_parts * fused_columns[0] * outer);
  return surfaces + vectors + rest;
}

double paper_loops_on_device(const Device& device, bool pairs, const PaperArrays& currents, PaperArrays& fields,
                             Interval elements, double k) {
  const Index samples = fields.samples, rhs = currents.rhs, sources = currents.elements * currents.samples,
              first = elements.begin * samples, points = elements.size() * samples;
  if (points == 0 || rhs == 0) return 0;
  const auto there = device.allocate<Complex>(currents.values.size(), "currents");
  const auto rad = device.allocate<Complex>(static_cast<std::size_t>(6 * points * rhs), "rad_fields");
  Stream stream = device.stream();
  const Event begin = device.event(), end = device.event();
  stream.to_device(there, currents.values);
  stream.zero(rad);
  if (pairs) {
    const auto kernel = device.kernel<PaperPairArguments>("maxwell-fem/cuda_rhs");
    const LaunchShape shape{.grid = {blocks_of(rhs, 64), 1, 1}, .block = {64, 1, 1}};
    stream.record(begin);
    for (Index q = 0; q < sources; ++q)
      for (Index p = 0; p < points; ++p) {
        const Coupling c = coupling(fields.points[first + p], currents.points[q], k);
        PaperPairArguments a{};
        a.currents = complex_at(there) + 6 * q * rhs;
        a.fields = complex_at(rad) + 6 * p * rhs;
        for (int i = 0; i < 6; ++i) a.g[i] = {c.g[i].real(), c.g[i].imag()};
        for (int i = 0; i < 3; ++i) a.gradient[i] = {c.gradient[i].real(), c.gradient[i].imag()};
        a.k2 = k * k;
        a.rhs = static_cast<int>(rhs);
        stream.launch(kernel, shape, a);
      }
  } else {
    const auto to = device.allocate<double>(static_cast<std::size_t>(3 * points), "points of S");
    const auto from = device.allocate<double>(static_cast<std::size_t>(3 * sources), "points of S'");
    std::vector<double> flat;
    for (Index p = first; p < first + points; ++p)
      flat.insert(flat.end(), fields.points[p].begin(), fields.points[p].end());
    stream.to_device(to, flat);
    stream.synchronize();
    flat.clear();
    for (const Vec3& x : currents.points) flat.insert(flat.end(), x.begin(), x.end());
    stream.to_device(from, flat);
    const auto kernel = device.kernel<PaperArguments>("maxwell-fem/cuda_S");
    stream.record(begin);
    stream.launch(
        kernel, {.grid = {blocks_of(elements.size(), 32), 1, 1}, .block = {32, 1, 1}},
        PaperArguments{to.data(), from.data(), complex_at(there), complex_at(rad), static_cast<int>(elements.size()),
                       static_cast<int>(samples), static_cast<int>(sources), static_cast<int>(rhs), k});
    stream.record(end);
    stream.synchronize();
  }
  if (pairs) stream.record(end);
  stream.to_host(std::span(fields.values).subspan(static_cast<std::size_t>(6 * first * rhs), rad.size()), rad);
  stream.synchronize();
  return end.seconds_since(begin);
}

}  // namespace conoid::maxwell_fem
