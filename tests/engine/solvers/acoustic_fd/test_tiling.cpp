// SPDX-License-Identifier: BSD-3-Clause
// Tilings by themselves: every cell is updated once a step, after all that it depends on, whatever the order in which free tiles
// are taken. Shapes as text, and their memory.
// labels: unit
#include "engine/solvers/acoustic_fd/stepping/tile_choice.hpp"
#include "engine/solvers/acoustic_fd/stepping/tiling.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <random>
#include <vector>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

/// Knows the level of every cell and refuses an update that comes too early, too late or twice.
class Watch final : public PatchSink {
 public:
  Watch(const Span& span, int radius)
      : span_(span), radius_(radius), first_(span.lag > 0 ? span.grid.begin : span.planes(span.k0).begin) {
    last_ = span.lag > 0 ? span.grid.end : span.planes(span.k0).end;
    level_.assign(static_cast<std::size_t>((last_ - first_) * span.ny * span.nz), 0);
  }
  int& level(Index x, Index y, Index z) {
    return level_[static_cast<std::size_t>(((x - first_) * span_.ny + y) * span_.nz + z)];
  }
  void patch(Index k, const Box& box) override {
    const int now = static_cast<int>(k - span_.k0);
    const Interval planes = span_.planes(k);
    const auto needed = [&](Index x, Index y, Index z) {
      if (x < first_ || x >= last_ || y < 0 || y >= span_.ny || z < 0 || z >= span_.nz) return;
      // Level k of a neighbour must be there, and its level k+2 must not yet stand in the same place.
      const int there = level(x, y, z);
      const bool ever =
          k == span_.k0 || span_.lag > 0 || (x >= span_.planes(k - 1).begin && x < span_.planes(k - 1).end);
      if ((ever && there < now) || there > now + 1) ++wrong;
    };
    for (Index x = box.x.begin; x < box.x.end; ++x)
      for (Index y = box.y.begin; y < box.y.end; ++y)
        for (Index z = box.z.begin; z < box.z.end; ++z) {
          if ((span_.lag == 0 && (x < planes.begin || x >= planes.end)) || level(x, y, z) != now) ++wrong;
          for (Index i = 1; i <= radius_; ++i)
            for (const Index d : {-i, i}) {
              needed(x + d, y, z);
              needed(x, y + d, z);
              needed(x, y, z + d);
            }
        }
    for (Index x = box.x.begin; x < box.x.end; ++x)
      for (Index y = box.y.begin; y < box.y.end; ++y)
        for (Index z = box.z.begin; z < box.z.end; ++z) level(x, y, z) = now + 1;
    cells += box.x.size() * box.y.size() * box.z.size();
  }
  Index wrong = 0, cells = 0;

 private:
  Span span_;
  Index radius_, first_, last_;
  std::vector<int> level_;
};

void run_in_random_order(const Tiling& tiling, PatchSink& sink, std::mt19937& random) {
  std::vector<int> waiting;
  std::vector<Index> free, next;
  for (Index t = 0; t < tiling.tiles(); ++t) {
    waiting.push_back(tiling.predecessors(t));
    if (waiting.back() == 0) free.push_back(t);
  }
  Index done = 0;
  while (!free.empty()) {
    const auto pick = std::uniform_int_distribution<std::size_t>(0, free.size() - 1)(random);
    const Index tile = free[pick];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(pick));
    tiling.run(tile, sink);
    ++done;
    next.clear();
    tiling.successors(tile, next);
    for (const Index t : next)
      if (--waiting[static_cast<std::size_t>(t)] == 0) free.push_back(t);
  }
  QCOMPARE(done, tiling.tiles());
}

}  // namespace

class TestTiling : public QObject {
  Q_OBJECT

 private slots:
  void dependencies_hold_in_every_order() {
    std::mt19937 random(2015);
    const auto number = [&](Index a, Index b) { return std::uniform_int_distribution<Index>(a, b)(random); };
    for (int trial = 0; trial < 160; ++trial) {
      const int s = static_cast<int>(number(1, 6));
      Span span;
      span.nx = number(5, 34);
      span.ny = number(5, 30);
      span.nz = number(1, 40);
      span.k0 = 0;
      span.k1 = number(1, 14);
      if (trial % 4 == 1) span.grow_low = s;
      if (trial % 3 == 1) span.grow_high = s;
      TileShape shape;
      shape.kind = static_cast<TileShape::Kind>(trial % 3);
      shape.width = number(1, 40);
      shape.planes = number(1, 12);
      shape.height = number(1, 9);
      shape.depth = trial % 2 == 0 ? 16 * number(0, 3) : 0;
      shape.follow = shape.kind == TileShape::Kind::diamond && trial % 4 != 3 ? number(1, 20) : 0;
      const auto tiling = make_tiling(shape, span, s, static_cast<int>(number(1, 4)));
      Watch watch(span, s);
      run_in_random_order(*tiling, watch, random);
      Index wanted = 0;
      for (Index k = 0; k < span.k1; ++k) wanted += span.planes(k).size() * span.ny * span.nz;
      QVERIFY2(watch.wrong == 0 && watch.cells == wanted,
               qPrintable(QString("%1 s %2 box %3 x %4 x %5, %6 steps: %7 wrong, %8 of %9 cells")
                              .arg(QString::fromStdString(to_string(shape)))
                              .arg(s)
                              .arg(span.nx)
                              .arg(span.ny)
                              .arg(span.nz)
                              .arg(span.k1)
                              .arg(watch.wrong)
                              .arg(watch.cells)
                              .arg(wanted)));
    }
  }

  void rows_of_diamonds_follow_each_other_before_they_end() {
    Span span;
    span.nx = span.ny = 200;
    span.nz = 1;
    span.k1 = 24;
    TileShape shape;
    shape.kind = TileShape::Kind::diamond;
    shape.width = 24;
    shape.planes = 4;
    constexpr std::size_t in_a_row = 9;  // diamonds, and a part of one at either end
    Index tiles[2]{};
    for (const bool many : {false, true}) {
      const auto tiling = make_tiling(shape, span, 2, many ? 8 : 1);
      tiles[many ? 1 : 0] = tiling->tiles();
      Watch watch(span, 2);
      std::vector<int> waiting;
      std::vector<Index> free, next;
      for (Index t = 0; t < tiling->tiles(); ++t) {
        waiting.push_back(tiling->predecessors(t));
        if (waiting.back() == 0) free.push_back(t);
      }
      std::size_t most = 0;
      while (!free.empty()) {  // all that can be done at the same time
        most = std::max(most, free.size());
        next.clear();
        for (const Index t : free) {
          tiling->run(t, watch);
          tiling->successors(t, next);
        }
        free.clear();
        for (const Index t : next)
          if (--waiting[static_cast<std::size_t>(t)] == 0) free.push_back(t);
      }
      QCOMPARE(watch.wrong, Index{0});
      QCOMPARE(watch.cells, span.nx * span.ny * span.nz * span.k1);
      QVERIFY2(many ? most >= 2 * in_a_row : most <= in_a_row + 2, qPrintable(QString::number(most)));
    }
    QCOMPARE(tiles[1], 8 * tiles[0]);  // 200 + 2 · 23 rows, leant by two a level, 32 each
  }

  void windows_side_by_side_cover_the_grid() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 40; ++trial) {
      const Index s = 1 + trial % 4, N = 40 + trial, steps = 1 + trial % 6, B = 3 + trial % 11;
      Span span;
      span.ny = 14;
      span.nz = 3;
      span.k1 = steps;
      span.lag = s;
      span.grid = {0, N};
      Watch watch(span, static_cast<int>(s));
      for (Index j = 0; j * B < N + s * (steps - 1); ++j) {
        span.window = {j * B, (j + 1) * B};
        TileShape shape;
        shape.kind = static_cast<TileShape::Kind>(trial % 3);
        shape.width = 2 * s + trial % 5;
        shape.height = 2;
        if (shape.kind == TileShape::Kind::diamond) shape.follow = trial % 5;
        run_in_random_order(*make_tiling(shape, span, static_cast<int>(s), 2), watch, random);
      }
      QCOMPARE(watch.wrong, Index{0});
      QCOMPARE(watch.cells, N * span.ny * span.nz * steps);
    }
  }

  void shapes_are_text() {
    for (const char* text :
         {"diamond 32x8", "diamond 32x8x128", "diamond 32x8/64", "diamond 32x8x128/16", "tower 16x12", "stepwise 40"}) {
      TileShape shape;
      QVERIFY(parse_shape(text, shape));
      QCOMPARE(to_string(shape), std::string(text));
    }
    TileShape shape;
    for (const char* text :
         {"", "diamond", "diamond 32", "diamond 0x8", "diamond 32x8x", "tower -3x4", "stepwise", "tower 3x4 5", "x",
          "diamond 32x8/", "diamond 32x8/0", "diamond 32x8/4x", "tower 16x12/4", "/4"})
      QVERIFY2(!parse_shape(text, shape), text);
  }

  void shapes_are_remembered() {
    QTemporaryDir folder;
    const TileMemory memory(folder.filePath("cache").toStdString());
    TileShape shape;
    QVERIFY(!memory.recall("a machine | order 8", shape));
    TileShape diamond;
    QVERIFY(parse_shape("diamond 24x4", diamond));
    memory.remember("a machine | order 8", diamond);
    TileShape tower;
    QVERIFY(parse_shape("tower 16x9", tower));
    memory.remember("a machine | order 2", tower);
    QVERIFY(memory.recall("a machine | order 8", shape) && shape == diamond);
    memory.remember("a machine | order 8", tower);
    QVERIFY(memory.recall("a machine | order 8", shape) && shape == tower);
    QVERIFY(memory.recall("a machine | order 2", shape) && shape == tower);
    const TileMemory nowhere("/proc/no/such/folder");
    nowhere.remember("k", tower);  // no error
    QVERIFY(!nowhere.recall("k", shape));
  }

  void candidates_respect_the_caches() {
    Machine machine;
    machine.l2 = Bytes{1} << 20;
    machine.l3 = Bytes{8} << 20;
    for (const int s : {1, 2, 3, 4, 5, 6})
      for (const Index nz : {64, 512, 4096})
        for (const TileShape& shape : tile_candidates({s, 512, 512, nz, 12, 2}, machine))
          if (shape.kind == TileShape::Kind::diamond && shape.width > 2 * s)
            QVERIFY(shape.width / 2 * (shape.width + 2 * s + shape.planes) * nz * 12 <= static_cast<Index>(machine.l3));
    QCOMPARE(tile_candidates({4, 20, 20, 20, 12, 16}, machine).size(),
             std::size_t{1});  // too small for diamonds on 16 threads
  }
};

QTEST_APPLESS_MAIN(TestTiling)
#include "test_tiling.moc"
