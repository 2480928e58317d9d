// SPDX-License-Identifier: BSD-3-Clause
// Geometry and dependencies of the tilings.
#include "engine/solvers/acoustic_fd/stepping/tiling.hpp"

#include "engine/solvers/acoustic_fd/kernels/patch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

Index floor_div(Index a, Index b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Blocks of rows and planes; a step waits for the whole step before it.
class Stepwise final : public Tiling {
 public:
  Stepwise(const TileShape& shape, const Span& span, int radius, int threads) : span_(span), s_(radius) {
    const Index height = std::clamp<Index>(shape.width, 1, std::max<Index>(1, span.ny));
    y_blocks_ = (span.ny + height - 1) / height;
    const Index wanted = threads == 1 ? 1 : 4 * threads;
    x_blocks_ = std::clamp<Index>((wanted + y_blocks_ - 1) / y_blocks_, 1,
                                  std::max<Index>(1, span.planes(span.k0).size() / (4 * radius)));
    if (x_blocks_ * y_blocks_ < wanted) y_blocks_ = std::min(span.ny, (wanted + x_blocks_ - 1) / x_blocks_);
    blocks_ = x_blocks_ * y_blocks_;
  }
  // Between two steps stands a gate: a tile without patches that waits for all blocks.
  [[nodiscard]] Index tiles() const override { return (blocks_ + 1) * (span_.k1 - span_.k0); }
  [[nodiscard]] int predecessors(Index tile) const override {
    if (tile % (blocks_ + 1) == blocks_) return static_cast<int>(blocks_);
    return tile < blocks_ ? 0 : 1;
  }
  void successors(Index tile, std::vector<Index>& out) const override {
    const Index step = tile / (blocks_ + 1), place = tile % (blocks_ + 1);
    if (place < blocks_) {
      out.push_back(step * (blocks_ + 1) + blocks_);
    } else if (step + 1 < span_.k1 - span_.k0) {
      for (Index b = blocks_; b-- > 0;) out.push_back((step + 1) * (blocks_ + 1) + b);
    }
  }
  void run(Index tile, PatchSink& sink) const override {
    const Index k = span_.k0 + tile / (blocks_ + 1), b = tile % (blocks_ + 1);
    if (b == blocks_) return;
    const Interval planes = span_.planes(k);
    const Index i = b / y_blocks_, j = b % y_blocks_;
    const Index x0 = planes.begin + planes.size() * i / x_blocks_;
    const Index x1 = planes.begin + planes.size() * (i + 1) / x_blocks_;
    const Interval rows{span_.ny * j / y_blocks_, span_.ny * (j + 1) / y_blocks_}, all{0, span_.nz};
    if (rows.empty()) return;
    // A few planes at a time, while the next ones are asked for: their rows at both edges are read again soon.
    Ahead ahead;
    for (Index x = x0; x < x1; x += planes_) {
      const Index end = std::min(x + planes_, x1), next = std::min(end + planes_, x1);
      ahead.clear();
      if (end < next)
        sink.ask(k, {{end + s_, next + s_}, {rows.begin - s_, rows.end + s_}, all}, {{end, next}, rows, all}, true,
                 ahead);
      sink.patch_asking(k, {{x, end}, rows, all}, ahead);
    }
  }

 private:
  static constexpr Index planes_ = 8;  // taken together
  Span span_;
  Index s_, x_blocks_ = 1, y_blocks_ = 1, blocks_ = 1;
};

/// Diamond (a, b): a W ≤ x + s j < (a+1) W, b W ≤ x − s j < (b+1) W with j = k − k0, marched along y; it needs (a−1, b), (a, b+1),
/// (a−1, b+1). Tile (a, b, c) is what it has of c C ≤ y + s j < (c+1) C, and needs (a, b, c−1), too. What enters at its edges lies side by side in memory then, a few rows of y of every plane. With x and y exchanged,
/// where planes move or are too few for all threads, every plane that it marches to begins new pages.
class Diamonds final : public Tiling {
 public:
  Diamonds(const TileShape& shape, const Span& span, int radius, int threads)
      : span_(span), s_(radius), width_(std::max<Index>(shape.width, 2 * radius)),
        block_(std::max<Index>(shape.planes, 1)), piece_(radius <= 2 ? 16 : width_),
        depth_(shape.depth > 0 ? (shape.depth + skew - 1) / skew * skew : span.nz + skew * (span.k1 - span.k0)),
        of_x_(span.planes_stay() && (span.nx >= span.ny || span.nx >= threads * width_)) {
    const Index steps = span.k1 - span.k0, n = of_x_ ? span.nx : span.ny;
    Interval leant{0, 0};  // y + s j of all updates
    for (Index j = 0; j < steps; ++j)
      if (const Interval all = wave(span.k0 + j); !all.empty())
        leant = leant.empty()
                    ? Interval{all.begin + s_ * j, all.end + s_ * j}
                    : Interval{std::min(leant.begin, all.begin + s_ * j), std::max(leant.end, all.end + s_ * j)};
    follow_ = shape.follow > 0                          ? shape.follow
              : threads > 1 && n < 4 * threads * width_ ? usual_follow
                                                        : std::max<Index>(1, leant.size());
    follow_ = (follow_ + block_ - 1) / block_ * block_;
    from_ = leant.begin;
    pieces_ = std::max<Index>(1, (leant.size() + follow_ - 1) / follow_);
    a_ = {0, floor_div(n - 1 + s_ * (steps - 1), width_) + 1};
    b_ = {floor_div(-s_ * (steps - 1), width_), floor_div(n - 1, width_) + 1};
    place_.assign(static_cast<std::size_t>(a_.size() * b_.size()), -1);
    for (Index sum = a_.begin - b_.end; sum <= a_.end - b_.begin; ++sum)  // earlier rows of diamonds first
      for (Index a = a_.begin; a < a_.end; ++a) {
        const Index b = a - sum;
        if (b < b_.begin || b >= b_.end) continue;
        const Interval steps_of = updates(a, b);
        if (steps_of.empty()) continue;
        place_[at(a, b)] = static_cast<std::int32_t>(list_.size());
        list_.push_back({a, b, steps_of});
      }
  }
  [[nodiscard]] Index tiles() const override { return static_cast<Index>(list_.size()) * pieces_; }
  [[nodiscard]] bool by_number() const override { return pieces_ > 1; }
  [[nodiscard]] int predecessors(Index tile) const override {
    const Tile& t = list_[static_cast<std::size_t>(tile / pieces_)];
    return exists(t.a - 1, t.b) + exists(t.a, t.b + 1) + exists(t.a - 1, t.b + 1) + (tile % pieces_ > 0 ? 1 : 0);
  }
  void successors(Index tile, std::vector<Index>& out) const override {
    const Tile& t = list_[static_cast<std::size_t>(tile / pieces_)];
    const Index piece = tile % pieces_;
    for (const auto& [a, b] : {std::pair{t.a + 1, t.b - 1}, std::pair{t.a, t.b - 1}, std::pair{t.a + 1, t.b}})
      if (exists(a, b)) out.push_back(place_[at(a, b)] * pieces_ + piece);
    if (piece + 1 < pieces_) out.push_back(tile + 1);
  }
  void run(Index tile, PatchSink& sink) const override {
    const Tile& t = list_[static_cast<std::size_t>(tile / pieces_)];
    const Index first = t.updates.begin, last = t.updates.end;
    Index begin = wave(first).begin, end = begin;
    for (Index k = first; k < last; ++k) {
      const Interval there = wave(k);
      if (there.empty()) continue;
      begin = std::min(begin, there.begin + s_ * (k - first));
      end = std::max(end, there.end + s_ * (k - first));
    }
    // A cut along z is the inner loop: what its levels share then stays in a core's own cache, and the next cut finds
    // what it shares with this one in the last cache. So are pieces of the axis that the diamond cuts, which lean as its lower edge does.
    const Index from = from_ + tile % pieces_ * follow_ - s_ * (first - span_.k0);
    begin = std::max(begin, from);
    end = std::min(end, from + follow_);
    Ahead ahead;
    for (Index Y = begin; Y < end; Y += block_) {
      ahead.clear();  // what is left would be late
      for (Index k = first; k < last; ++k) ask_ahead(t, k, Y + block_ - s_ * (k - first), sink, ahead);
      for (Index Z = 0; Z < span_.nz + skew * (last - 1 - first); Z += depth_)
        for (Index piece = 0; piece < width_; piece += piece_)
          for (Index k = first; k < last; ++k) {
            const Interval there = wave(k), all = across(t.a, t.b, k);
            const Index x = t.a * width_ - s_ * (k - span_.k0) + piece, y = Y - s_ * (k - first),
                        z = Z - skew * (k - first);
            const Box box = box_of({std::max(all.begin, x), std::min(all.end, x + piece_)},
                                   {std::max(there.begin, y), std::min(there.end, y + std::min(block_, end - Y))},
                                   {std::max<Index>(0, z), std::min(span_.nz, z + depth_)});
            if (!box.empty()) sink.patch_asking(k, box, ahead);
          }
    }
  }

 private:
  static constexpr Index skew = 16;  // of z a level: at least s, and whole vectors
  /// Rows of diamonds that follow each other at this distance keep 0.94 to 1.0 of 16 and 32 threads at work in 384³ and 512³ nodes with half as many
  /// diamonds in a row as threads and more (0.93 at 64, by count); a thread goes on with its diamond, whose rows are near, in nine of ten pieces.
  static constexpr Index usual_follow = 32;
  struct Tile {
    Index a, b;
    Interval updates;
  };
  [[nodiscard]] std::size_t at(Index a, Index b) const {
    return static_cast<std::size_t>((a - a_.begin) * b_.size() + b - b_.begin);
  }
  [[nodiscard]] int exists(Index a, Index b) const {
    return a >= a_.begin && a < a_.end && b >= b_.begin && b < b_.end && place_[at(a, b)] >= 0 ? 1 : 0;
  }
  /// What the tile has of the axis that diamonds cut.
  [[nodiscard]] Interval across(Index a, Index b, Index k) const {
    const Index j = s_ * (k - span_.k0);
    return {std::max({a * width_ - j, b * width_ + j, Index{0}}),
            std::min({(a + 1) * width_ - j, (b + 1) * width_ + j, of_x_ ? span_.nx : span_.ny})};
  }
  /// All of the axis that they march along.
  [[nodiscard]] Interval wave(Index k) const { return of_x_ ? Interval{0, span_.ny} : span_.planes(k); }
  [[nodiscard]] Box box_of(Interval cut, Interval along, Interval z) const {
    return of_x_ ? Box{cut, along, z} : Box{along, cut, z};
  }
  /// Of the next step of the wavefront, which begins at y, what lies at both edges of the diamond and no lower level of it brings.
  void ask_ahead(const Tile& t, Index k, Index y, PatchSink& sink, Ahead& ahead) const {
    const Interval now = across(t.a, t.b, k), before = k > t.updates.begin ? across(t.a, t.b, k - 1) : Interval{};
    const Interval next{y, y + block_}, entering{y + s_, y + s_ + block_}, all{0, span_.nz};
    if (now.empty()) return;
    if (before.empty()) {
      sink.ask(k, box_of({now.begin - s_, now.end + s_}, entering, all), box_of(now, next, all), true, ahead);
      return;
    }
    if (now.begin < before.begin)
      sink.ask(k, box_of({now.begin - s_, before.begin}, entering, all), box_of({now.begin, before.begin}, next, all),
               false, ahead);
    if (now.end > before.end)
      sink.ask(k, box_of({before.end, now.end + s_}, entering, all), box_of({before.end, now.end}, next, all), false,
               ahead);
  }
  [[nodiscard]] Interval updates(Index a, Index b) const {
    // x + s j ≥ aW and x − s j < (b+1)W: 2 s j > (a − b − 1) W; likewise 2 s j < (a − b + 1) W.
    const Index low = std::max<Index>(0, floor_div((a - b - 1) * width_, 2 * s_));
    const Index high = std::min<Index>(span_.k1 - span_.k0, floor_div((a - b + 1) * width_, 2 * s_) + 2);
    Interval out{span_.k1, span_.k0};
    for (Index k = span_.k0 + low; k < span_.k0 + high; ++k)
      if (!across(a, b, k).empty()) {
        out.begin = std::min(out.begin, k);
        out.end = std::max(out.end, k + 1);
      }
    return out;
  }
  Span span_;
  Index s_, width_, block_;
  Index piece_;  ///< at orders 2 and 4 levels share half of a piece with the one before, above next to nothing
  Index depth_;
  Index follow_ = 0, from_ = 0, pieces_ = 1;  ///< C, the lowest y + s j, pieces of a diamond
  bool of_x_;                                 ///< diamonds cut x and march along y; or the other way round
  Interval a_{}, b_{};
  std::vector<std::int32_t> place_;
  std::vector<Tile> list_;
};

class Towers final : public Tiling {
 public:
  Towers(const TileShape& shape, const Span& span, int radius)
      : span_(span), s_(radius), width_(std::max<Index>(shape.width, 2 * radius)),
        height_(std::max<Index>(shape.height, 1)) {
    const Index steps = span.k1 - span.k0;
    bands_ = (steps + height_ - 1) / height_;
    Interval p{0, 0}, q{0, 0};  // of P and Q over all updates
    for (Index k = 0; k < steps; ++k) {
      const Interval planes = span.planes(span.k0 + k);
      if (planes.empty()) continue;
      const Interval pk{planes.begin - s_ * k, planes.end + span.ny - 1 - s_ * k};
      const Interval qk{planes.begin - (span.ny - 1) - s_ * k, planes.end - s_ * k};
      p = p.empty() ? pk : Interval{std::min(p.begin, pk.begin), std::max(p.end, pk.end)};
      q = q.empty() ? qk : Interval{std::min(q.begin, qk.begin), std::max(q.end, qk.end)};
    }
    a_ = {floor_div(p.begin, width_), p.empty() ? floor_div(p.begin, width_) : floor_div(p.end - 1, width_) + 1};
    b_ = {floor_div(q.begin, width_), q.empty() ? floor_div(q.begin, width_) : floor_div(q.end - 1, width_) + 1};
    place_.assign(static_cast<std::size_t>(a_.size() * b_.size() * bands_), -1);
    for (Index n = 0; n < bands_; ++n)
      for (Index a = a_.end; a-- > a_.begin;)
        for (Index b = b_.end; b-- > b_.begin;)
          if (touches(a, b, n)) {
            place_[at(a, b, n)] = static_cast<std::int32_t>(list_.size());
            list_.push_back({a, b, n});
          }
  }
  [[nodiscard]] Index tiles() const override { return static_cast<Index>(list_.size()); }
  [[nodiscard]] int predecessors(Index tile) const override {
    const Tile& t = list_[static_cast<std::size_t>(tile)];
    int count = 0;
    visit(t, -1, [&](Index) { ++count; });
    return count;
  }
  void successors(Index tile, std::vector<Index>& out) const override {
    visit(list_[static_cast<std::size_t>(tile)], 1, [&](Index other) { out.push_back(other); });
  }
  void run(Index tile, PatchSink& sink) const override {
    const Tile& t = list_[static_cast<std::size_t>(tile)];
    const Interval all{0, span_.nz};
    for (Index k = span_.k0 + t.n * height_; k < std::min(span_.k1, span_.k0 + (t.n + 1) * height_); ++k) {
      const Index shift = s_ * (k - span_.k0);
      const Index pa = t.a * width_ + shift, qa = t.b * width_ + shift;
      const Interval planes = span_.planes(k);
      // Rows of the diamond: pa ≤ x + y < pa + D, qa ≤ x − y < qa + D.
      const Index y_first = std::max<Index>(0, floor_div(pa - qa - width_ + 2, 2));
      const Index y_last = std::min<Index>(span_.ny - 1, floor_div(pa + width_ - 1 - qa, 2));
      const auto row = [&](Index y) {
        return Interval{std::max({planes.begin, pa - y, qa + y}),
                        std::min({planes.end, pa + width_ - y, qa + width_ + y})};
      };
      // Rows in fours: what they have in common as one patch, the steps at both ends row by row.
      for (Index y = y_first; y <= y_last;) {
        const Index count = std::min<Index>(4, y_last + 1 - y);
        Interval common = row(y);
        for (Index i = 1; i < count; ++i) {
          const Interval r = row(y + i);
          common = {std::max(common.begin, r.begin), std::min(common.end, r.end)};
        }
        if (common.empty()) common.end = common.begin;
        if (!common.empty()) sink.patch(k, {common, {y, y + count}, all});
        for (Index i = 0; i < count; ++i) {
          const Interval r = row(y + i);
          if (common.empty()) {
            if (!r.empty()) sink.patch(k, {r, {y + i, y + i + 1}, all});
            continue;
          }
          if (r.begin < common.begin) sink.patch(k, {{r.begin, common.begin}, {y + i, y + i + 1}, all});
          if (common.end < r.end) sink.patch(k, {{common.end, r.end}, {y + i, y + i + 1}, all});
        }
        y += count;
      }
    }
  }

 private:
  struct Tile {
    Index a, b, n;
  };
  [[nodiscard]] std::size_t at(Index a, Index b, Index n) const {
    return static_cast<std::size_t>((n * a_.size() + a - a_.begin) * b_.size() + b - b_.begin);
  }
  [[nodiscard]] Index place(Index a, Index b, Index n) const {
    return a >= a_.begin && a < a_.end && b >= b_.begin && b < b_.end && n >= 0 && n < bands_ ? place_[at(a, b, n)]
                                                                                              : -1;
  }
  /// Tiles before (−1) or after (+1). Those of the paper and the ones behind them: where the box clips (a+1, b, n) away,
  /// (a+1, b+1, n) must still be waited for.
  template <class Visit>
  void visit(const Tile& t, int direction, Visit&& call) const {
    constexpr std::array<std::array<int, 3>, 7> after{
        {{-1, -1, 1}, {-1, 0, 1}, {0, -1, 1}, {-1, -1, 0}, {0, 0, 1}, {0, -1, 0}, {-1, 0, 0}}};
    for (const auto& [i, j, n] : after)
      if (const Index other = place(t.a + direction * i, t.b + direction * j, t.n + direction * n); other >= 0)
        call(other);
  }
  [[nodiscard]] bool touches(Index a, Index b, Index n) const {
    for (Index k = span_.k0 + n * height_; k < std::min(span_.k1, span_.k0 + (n + 1) * height_); ++k) {
      const Index shift = s_ * (k - span_.k0), pa = a * width_ + shift, qa = b * width_ + shift;
      const Interval planes = span_.planes(k);
      const Index y_first = std::max<Index>(0, floor_div(pa - qa - width_ + 2, 2));
      const Index y_last = std::min<Index>(span_.ny - 1, floor_div(pa + width_ - 1 - qa, 2));
      for (Index y = y_first; y <= y_last; ++y)
        if (std::max({planes.begin, pa - y, qa + y}) < std::min({planes.end, pa + width_ - y, qa + width_ + y}))
          return true;
    }
    return false;
  }
  Span span_;
  Index s_, width_, height_, bands_ = 0;
  Interval a_{}, b_{};
  std::vector<std::int32_t> place_;
  std::vector<Tile> list_;
};

}  // namespace

std::string to_string(const TileShape& shape) {
  switch (shape.kind) {
    case TileShape::Kind::diamond:
      return fmt::format("diamond {}x{}{}{}", shape.width, shape.planes,
                         shape.depth > 0 ? fmt::format("x{}", shape.depth) : std::string(),
                         shape.follow > 0 ? fmt::format("/{}", shape.follow) : std::string());
    case TileShape::Kind::tower: return fmt::format("tower {}x{}", shape.width, shape.height);
    case TileShape::Kind::stepwise: break;
  }
  return fmt::format("stepwise {}", shape.width);
}

bool parse_shape(std::string_view text, TileShape& shape) {
  long long first = 0, second = 0, third = 0;
  std::string copy(text.substr(0, 60));
  char end = 0;
  TileShape out;
  if (const auto slash = copy.find('/'); slash != std::string::npos) {
    if (std::sscanf(copy.c_str() + slash, "/%9lld%c", &third, &end) != 1 || third < 1) return false;
    out.follow = third;
    copy.resize(slash);
    if (!copy.starts_with("diamond")) return false;
  }
  if (std::sscanf(copy.c_str(), "diamond %9lldx%9lldx%9lld%c", &first, &second, &third, &end) == 3 && third > 0) {
    out.kind = TileShape::Kind::diamond;
    out.width = first;
    out.planes = second;
    out.depth = third;
  } else if (std::sscanf(copy.c_str(), "diamond %9lldx%9lld%c", &first, &second, &end) == 2) {
    out.kind = TileShape::Kind::diamond;
    out.width = first;
    out.planes = second;
  } else if (std::sscanf(copy.c_str(), "tower %9lldx%9lld%c", &first, &second, &end) == 2) {
    out.kind = TileShape::Kind::tower;
    out.width = first;
    out.height = second;
  } else if (std::sscanf(copy.c_str(), "stepwise %9lld%c", &first, &end) == 1) {
    out.kind = TileShape::Kind::stepwise;
    out.width = first;
    second = 1;
  } else {
    return false;
  }
  if (first < 1 || second < 1) return false;
  shape = out;
  return true;
}

std::unique_ptr<Tiling> make_tiling(const TileShape& shape, const Span& span, int radius, int threads) {
  switch (shape.kind) {
    case TileShape::Kind::diamond: return std::make_unique<Diamonds>(shape, span, radius, threads);
    case TileShape::Kind::tower: return std::make_unique<Towers>(shape, span, radius);
    case TileShape::Kind::stepwise: break;
  }
  return std::make_unique<Stepwise>(shape, span, radius, threads);
}

}  // namespace conoid::acoustic_fd
