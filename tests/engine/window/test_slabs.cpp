// SPDX-License-Identifier: BSD-3-Clause
// Planes with halos over windows: a sweep in place equals the same sweep in memory, bit for bit.
// labels: unit
// links: conoid_window
#include "engine/window/slabs.hpp"
#include "tests/engine/window/support.hpp"

#include <QTest>
#include <random>

using namespace conoid;
using namespace conoid::window_tests;

namespace {

/// new(p) = 0.5 old(p) + 0.25 old(p + 1) + 0.125 new(p − 1): needs a halo of one plane on both sides while going up.
void update(std::span<float> now, std::span<const float> below, std::span<const float> above) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    now[i] *= 0.5f;
    if (!above.empty()) now[i] += 0.25f * above[i];
    if (!below.empty()) now[i] += 0.125f * below[i];
  }
}

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}
std::span<const float> floats(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace

class TestSlabs : public QObject {
  Q_OBJECT
 private slots:
  void layout() {
    const SlabLayout slabs{.planes = 10, .plane_bytes = 100, .per_window = 4};
    QCOMPARE(slabs.windows(), Index{3});
    QCOMPARE(slabs.sizes().back(), Bytes{200});
    QVERIFY((slabs.planes_of(2) == Interval{8, 10}));
    QVERIFY((slabs.windows_of({3, 9}) == Interval{0, 3}));
    QVERIFY((slabs.windows_of({4, 8}) == Interval{1, 2}));
    QVERIFY((slabs.windows_of({-5, 0}) == Interval{0, 0}));
    QCOMPARE(SlabView::least_budget({.planes = 100, .plane_bytes = 4096, .per_window = 4}, 4, 1), Bytes{4 * 4 * 4096});
  }

  void sweeps_equal_those_in_memory() {
    std::mt19937 random(31);
    for (int round = 0; round < 20; ++round) {
      const auto planes = static_cast<Index>(3 + random() % 30), width = static_cast<Index>(1 + random() % 50);
      const SlabLayout slabs{planes, static_cast<Bytes>(width) * sizeof(float), static_cast<Index>(1 + random() % 5)};
      const auto range = static_cast<Index>(1 + random() % 6);
      auto backing = std::make_shared<VectorBacking>(slabs.sizes());
      Windows windows("field", slabs.sizes(), SlabView::least_budget(slabs, range, 1), backing);

      std::vector<float> truth(static_cast<std::size_t>(planes * width));
      const auto of_truth = [&](Index p) {
        return std::span(truth).subspan(static_cast<std::size_t>(p * width), static_cast<std::size_t>(width));
      };
      SlabView view(windows, slabs);
      for (Index p = 0; p < planes; ++p) {
        QVERIFY(view.move_to({p, p + 1}).ok());
        const std::span<float> here = floats(view.plane(p));
        for (std::size_t i = 0; i < here.size(); ++i)
          here[i] = of_truth(p)[i] = static_cast<float>(random() % 1000) / 7.0f;
      }
      const Index moves = (planes + range - 1) / range;
      view.announce({0, range}, range, moves, 1, Repeat::yes);
      for (int sweep = 0; sweep < 4; ++sweep) {
        for (Index m = 0; m < moves; ++m) {
          const Status moved = view.move_to({m * range, (m + 1) * range}, 1);
          QVERIFY2(moved.ok(), moved.ok() ? "" : moved.error().text.c_str());
          for (Index p = view.range().begin; p < view.range().end; ++p)
            update(floats(view.plane(p)), p > 0 ? floats(view.halo_plane(p - 1)) : std::span<const float>{},
                   p + 1 < planes ? floats(view.halo_plane(p + 1)) : std::span<const float>{});
        }
        for (Index p = 0; p < planes; ++p)
          update(of_truth(p), p > 0 ? of_truth(p - 1) : std::span<const float>{},
                 p + 1 < planes ? of_truth(p + 1) : std::span<const float>{});
      }
      view.leave();
      for (Index p = 0; p < planes; ++p) {
        QVERIFY(view.move_to({p, p + 1}).ok());
        const auto here = floats(view.halo_plane(p));
        QVERIFY(std::equal(here.begin(), here.end(), of_truth(p).begin()));
      }
    }
  }

  void only_planes_in_reach_are_given() {
    const SlabLayout slabs{.planes = 12, .plane_bytes = 64, .per_window = 2};
    Windows windows("field", slabs.sizes(), Bytes{8} * 4096, std::make_shared<VectorBacking>(slabs.sizes()));
    SlabView view(windows, slabs);
    QVERIFY(view.move_to({4, 6}, 2).ok());
    QCOMPARE(view.halo_plane(2).size(), std::size_t{64});
    QVERIFY_THROWS_EXCEPTION(Failure, (void)view.halo_plane(1));
    QVERIFY_THROWS_EXCEPTION(Failure, (void)view.plane(6));
    QVERIFY(view.move_to({10, 15}, 2).ok());  // clipped to the grid
    QVERIFY((view.range() == Interval{10, 12}));
    QVERIFY_THROWS_EXCEPTION(Failure, SlabView(windows, {.planes = 13, .plane_bytes = 64, .per_window = 2}));
  }
};

QTEST_APPLESS_MAIN(TestSlabs)
#include "test_slabs.moc"
