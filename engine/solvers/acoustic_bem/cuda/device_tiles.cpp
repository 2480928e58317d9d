// SPDX-License-Identifier: BSD-3-Clause
// Feeds pairs of triangles to a device, source triangles in batches that its memory has room for.
#include "engine/solvers/acoustic_bem/cuda/device_tiles.hpp"

#include <algorithm>

#include "engine/solvers/acoustic_bem/cuda/pair_arguments.hpp"

namespace conoid::acoustic_bem {
namespace {

constexpr std::size_t most_pairs = std::size_t{1} << 18;  ///< at once, and those of one more source

std::vector<double> packed(const PackedRule& rule) {
  std::vector<double> out;
  for (std::size_t q = 0; q < rule.weight.size(); ++q) {
    out.insert(out.end(), rule.lambda.begin() + static_cast<std::ptrdiff_t>(3 * q),
               rule.lambda.begin() + static_cast<std::ptrdiff_t>(3 * q + 3));
    out.push_back(rule.weight[q]);
  }
  return out;
}

/// Unknowns of an interval and where their functions lie in a list of triangles (with a factor each).
struct Corners {
  std::vector<std::int32_t> begin;
  std::vector<PairCorner> list;
};
struct Listed {
  std::int32_t number;  ///< in the device's array: images behind all triangles
  const Triangle* triangle;
  double factor;
};
Corners corners_of(const Surface& surface, Interval unknowns, std::span<const Listed> triangles) {
  std::vector<std::vector<PairCorner>> of(static_cast<std::size_t>(unknowns.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t a = 0; a < 3; ++a)
      for (const Share& part : surface.shares(triangles[t].triangle->vertex[a]))
        if (part.unknown >= unknowns.begin && part.unknown < unknowns.end)
          of[static_cast<std::size_t>(part.unknown - unknowns.begin)].push_back(
              {static_cast<std::int32_t>(t), static_cast<std::int32_t>(a), triangles[t].factor * part.weight});
  Corners out{{0}, {}};
  for (const auto& own : of) {
    out.list.insert(out.list.end(), own.begin(), own.end());
    out.begin.push_back(static_cast<std::int32_t>(out.list.size()));
  }
  if (out.list.empty()) out.list.push_back({});
  return out;
}

template <class T>
void upload(const Device& device, Stream& stream, DeviceBuffer<T>& buffer, std::span<const T> values,
            const char* name) {
  if (buffer.size() < values.size()) {
    buffer = {};
    buffer = device.allocate<T>(values.size() + values.size() / 4, name);
  }
  stream.to_device(buffer, values);
}

}  // namespace

struct DeviceTiles::Parts {
  /// A block as the device has it.
  struct DeviceBlock {
    DeviceBuffer<double> values;
    DeviceBuffer<std::uint32_t> offset;
    DeviceBuffer<std::uint16_t> first, last;
    std::vector<std::uint16_t> first_here, last_here;
  };

  Device device;
  const TileContext& context;
  Bytes memory;
  Stream stream;
  Kernel<PairArguments> pairs;
  Kernel<PairGatherArguments> gather;
  DeviceBuffer<PairTriangle> triangles;
  DeviceBuffer<double> far, near, thin, work, values;
  DeviceBuffer<PairHead> head;
  DeviceBuffer<std::int32_t> outer, source, row_begin, column_begin;
  DeviceBuffer<PairCorner> row, column;
  DeviceBlock block, mirror;
  std::uint64_t evaluations = 0;

  Parts(const Device& d, const TileContext& c, Bytes m)
      : device(d), context(c), memory(m), stream(d.stream()), pairs(d.kernel<PairArguments>("acoustic-bem/pairs")),
        gather(d.kernel<PairGatherArguments>("acoustic-bem/gather_pairs")) {
    std::vector<PairTriangle> all;
    for (std::size_t t = 0; t < context.surface.triangles.size(); ++t) {
      const Triangle& of = context.surface.triangles[t];
      all.push_back({lane_source(of), of.area, context.surface.is_plain(t) ? 0.0 : 1.0});
    }
    for (const Triangle& t : context.surface.images) all.push_back({lane_source(t), t.area, 1});
    upload<PairTriangle>(device, stream, triangles, all, "triangles");
    const auto far_here = packed(context.far), near_here = packed(context.near), thin_here = packed(context.thin);
    upload<double>(device, stream, far, far_here, "rule");
    upload<double>(device, stream, near, near_here, "rule");
    upload<double>(device, stream, thin, thin_here, "rule");
    stream.synchronize();
  }

  /// Bytes that stay while a tile is swept, with a quarter more for those that grow.
  [[nodiscard]] Bytes held(std::size_t numbers, std::size_t entries) const {
    return 10 * numbers + 10 * entries + least(context.surface);
  }
  [[nodiscard]] static Bytes a_pair(Bytes most_shells) {
    return sizeof(PairHead) + 8 * (most_shells * pair_moments + (most_shells + 2) * pair_values);
  }
  /// Source triangles whose pairs with so many outer ones fit at once.
  [[nodiscard]] std::size_t at_once(std::size_t outers, Bytes beside) const {
    return std::min<std::size_t>((memory - std::min(memory, beside)) / 10 * 9 / a_pair(context.most_shells) / outers,
                                 most_pairs / outers + 1);
  }

  void bring(DeviceBlock& to, const Block& from) {
    to.first_here.clear();
    to.last_here.clear();
    for (Index j = from.cols.begin; j < from.cols.end; ++j)
      for (Index i = from.rows.begin; i < from.rows.end; ++i) {
        to.first_here.push_back(static_cast<std::uint16_t>(from.first(i, j)));
        to.last_here.push_back(static_cast<std::uint16_t>(from.last(i, j)));
      }
    if (to.values.size() < from.values.size()) {
      to.values = {};
      to.values = device.allocate<double>(from.values.size() + from.values.size() / 4, "tile");
    }
    stream.zero(to.values);  // as the block's are
    upload<std::uint32_t>(device, stream, to.offset, from.offset, "tile");
    upload<std::uint16_t>(device, stream, to.first, to.first_here, "tile");
    upload<std::uint16_t>(device, stream, to.last, to.last_here, "tile");
  }

  void sweep(Interval rows, Interval columns, DeviceBlock& direct, DeviceBlock& transposed, Bytes beside,
             const std::stop_token& stop) {
    const Surface& surface = context.surface;
    const auto count = static_cast<std::int32_t>(surface.triangles.size());
    std::vector<Listed> tested, sources;
    for (const std::int32_t t : surface.touching(rows))
      tested.push_back({t, &surface.triangles[static_cast<std::size_t>(t)], 1});
    for (const std::int32_t s : surface.touching(columns)) {
      sources.push_back({s, &surface.triangles[static_cast<std::size_t>(s)], 1});
      if (!surface.images.empty())
        sources.push_back({s + count, &surface.images[static_cast<std::size_t>(s)], surface.image_sign()});
    }
    const std::size_t some_at_once = at_once(tested.size(), beside);
    const auto numbers = [](std::span<const Listed> list) {
      std::vector<std::int32_t> out;
      for (const Listed& l : list) out.push_back(l.number);
      return out;
    };
    const auto outer_here = numbers(tested);
    const Corners row_here = corners_of(surface, rows, tested);
    upload<std::int32_t>(device, stream, outer, outer_here, "triangles");
    upload<std::int32_t>(device, stream, row_begin, row_here.begin, "corners");
    upload<PairCorner>(device, stream, row, row_here.list, "corners");
    for (std::size_t begin = 0; begin < sources.size() && !stop.stop_requested(); begin += some_at_once) {
      const std::span<const Listed> some =
          std::span(sources).subspan(begin, std::min(some_at_once, sources.size() - begin));
      const auto source_here = numbers(some);
      const Corners column_here = corners_of(surface, columns, some);
      upload<std::int32_t>(device, stream, source, source_here, "triangles");
      upload<std::int32_t>(device, stream, column_begin, column_here.begin, "corners");
      upload<PairCorner>(device, stream, column, column_here.list, "corners");
      launch(tested.size(), some.size(), rows, columns, direct, transposed);
      stream.synchronize();  // lists of the host are free again
      evaluations += tested.size() * some.size() * context.far.weight.size();
    }
  }

  void launch(std::size_t outers, std::size_t sources, Interval rows, Interval columns, const DeviceBlock& direct,
              const DeviceBlock& transposed) {
    const std::size_t count = outers * sources, most = context.most_shells;
    if (head.size() < count) {
      head = {};
      work = {};
      values = {};
      head = device.allocate<PairHead>(count, "pairs");
      work = device.allocate<double>(count * most * pair_moments, "moments of pairs");
      values = device.allocate<double>(count * (most + 2) * pair_values, "values of pairs");
    }
    const auto grid = [](std::size_t threads) {
      return LaunchShape{.grid = {static_cast<unsigned>((threads + 127) / 128), 1, 1}, .block = {128, 1, 1}};
    };
    const LaneForm form = context.form.lanes();
    const auto rule = [](const DeviceBuffer<double>& points, const PackedRule& of) {
      return PairRule{points.data(), static_cast<std::int32_t>(of.weight.size())};
    };
    stream.launch(
        pairs, grid(count),
        {triangles.data(), outer.data(), source.data(), static_cast<std::int32_t>(outers),
         static_cast<std::int32_t>(sources), rule(far, context.far), rule(near, context.near), rule(thin, context.thin),
         form.delta, form.alpha_plus, form.alpha_minus, static_cast<std::int32_t>(form.kind),
         static_cast<std::int32_t>(most), head.data(), work.data(), values.data()});
    for (const bool other : {false, true}) {
      const DeviceBlock& to = other ? transposed : direct;
      stream.launch(gather, grid(static_cast<std::size_t>(rows.size() * columns.size())),
                    {head.data(), values.data(), static_cast<std::int32_t>(count), static_cast<std::int32_t>(outers),
                     lane_reach(form.kind), row_begin.data(), row.data(), column_begin.data(), column.data(),
                     static_cast<std::int32_t>(rows.size()), static_cast<std::int32_t>(columns.size()), other ? 1 : 0,
                     to.offset.data(), to.first.data(), to.last.data(), to.values.data()});
    }
  }
};

Bytes DeviceTiles::least(const Surface& surface) {
  return (surface.triangles.size() + surface.images.size()) * (sizeof(PairTriangle) + 160) + (Bytes{1} << 18);
}

Bytes DeviceTiles::expected(const Surface& surface, const Form& form, Bytes tiles) {
  const std::size_t all = surface.triangles.size(),
                    pairs = std::min(all * (all + surface.images.size()), most_pairs + all);
  return least(surface) + tiles + tiles / 4 + pairs * Parts::a_pair(most_shells_of(surface, form));
}

int DeviceTiles::feeders(const Surface& surface, const Form& form, Bytes tiles, Bytes memory, int threads) {
  const auto room = static_cast<Index>(memory / expected(surface, form, tiles));
  return static_cast<int>(std::clamp<Index>(room, 1, std::clamp(threads, 1, most_feeders)));
}

DeviceTiles::DeviceTiles(const Device& device, const TileContext& context, Bytes memory)
    : parts_(std::make_unique<Parts>(device, context, memory)) {}
DeviceTiles::~DeviceTiles() = default;

bool DeviceTiles::sweep(Block& block, Block& mirror, std::uint64_t& evaluations, const std::stop_token& stop) {
  Parts& p = *parts_;
  const bool diagonal = &block == &mirror;
  const std::uint64_t before = p.evaluations;
  const std::size_t values = block.values.size() + (diagonal ? 0 : mirror.values.size()),
                    entries = block.offset.size() * (diagonal ? 1 : 2),
                    outers = std::max(p.context.surface.touching(block.rows).size(),
                                      p.context.surface.touching(block.cols).size());
  const Bytes beside = p.held(values, entries);
  if (p.at_once(outers, beside) == 0) return false;
  p.bring(p.block, block);
  if (!diagonal) p.bring(p.mirror, mirror);
  Parts::DeviceBlock& other = diagonal ? p.block : p.mirror;
  p.sweep(block.rows, block.cols, p.block, other, beside, stop);
  if (!diagonal) p.sweep(block.cols, block.rows, p.mirror, p.block, beside, stop);
  p.stream.to_host(std::span<double>(block.values), p.block.values);
  if (!diagonal) p.stream.to_host(std::span<double>(mirror.values), p.mirror.values);
  p.stream.synchronize();
  evaluations += p.evaluations - before;
  return true;
}

}  // namespace conoid::acoustic_bem
