// SPDX-License-Identifier: BSD-3-Clause
// Ranks that share the factors of a matrix find the bits that one finds, each with a part of the memory.
// labels: unit mpi4
#include <QTest>
#include <cmath>

#include "engine/cluster/communicator.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "tests/engine/linalg/helmholtz_grid.hpp"

using namespace conoid;
using Complex = std::complex<double>;

namespace {

/// A layer of n × n × depth points: what a layer of elements around a body amounts to.
SymmetricMatrix layer(Index n, Index depth) {
  return helmholtz_grid(depth, n, n);
}

struct Shared {
  std::vector<Complex> x;
  DirectFacts facts;
};

}  // namespace

class TestDirectRanks : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> world_;

  static Shared solved(const SymmetricMatrix& m, Communicator* ranks, int threads, Index count, Bytes memory = 0) {
    DirectOptions options;
    options.method = DirectMethod::tree;
    options.threads = threads;
    options.block = 3;
    options.ranks = ranks;
    options.memory = memory;
    auto made = factorise(m, options);
    if (!made) throw Failure(made.error());
    Shared out;
    for (Index i = 0; i < m.size * count; ++i)
      out.x.push_back(std::polar(1.0, 0.37 * static_cast<double>(i * i % 1009)));
    (*made)->solve(out.x, count).or_throw();
    out.facts = (*made)->facts();
    return out;
  }

 private slots:
  void initTestCase() {
    auto w = world();
    world_ = std::move(w.value());
    QCOMPARE(world_->size(), 4);
    if (!own_fronts({})) QSKIP("this processor has no kernels of our own fronts");
  }
  void cleanupTestCase() { world_.reset(); }

  void two_and_four_ranks_find_the_bits_of_one() {
    for (const auto& [n, depth] : {std::pair<Index, Index>{48, 5}, {9, 1}, {2, 1}}) {
      const SymmetricMatrix m = layer(n, depth);
      for (const int threads : {1, 2}) {
        const Shared one = solved(m, nullptr, threads, 7);
        QCOMPARE(one.facts.ranks, 1);
        for (const int size : {2, 4}) {
          const auto group = world_->split(world_->rank() / size);
          const Shared here = solved(m, group.get(), threads, 7);
          QCOMPARE(here.facts.ranks, size);
          QVERIFY2(here.x == one.x, qPrintable(QString("%1 unknowns, %2 ranks").arg(m.size).arg(size)));
          const double bytes = group->maximum(static_cast<double>(here.facts.bytes)),
                       all = group->sum(static_cast<double>(here.facts.bytes));
          if (n < 48) continue;
          // A rank's memory falls. Together they hold the same factors, and what is left of all their subtrees at once, where a single
          // one has that of a few: 0.70 and 0.41 of its memory on one thread each, 0.57 and 0.37 on two.
          const double share = bytes / static_cast<double>(one.facts.bytes);
          QVERIFY2(share < (size == 2 ? 0.75 : 0.45), qPrintable(QString("%1 ranks: %2").arg(size).arg(share)));
          const double together = all / static_cast<double>(one.facts.bytes);
          QVERIFY2(together < 1.6, qPrintable(QString("%1 ranks: %2").arg(size).arg(together)));
        }
      }
    }
  }

  /// Each says so, and none waits for the others, where one has less memory than it needs.
  void too_little_memory_on_one_rank_is_an_error_on_all() {
    const SymmetricMatrix m = layer(20, 3);
    try {
      static_cast<void>(solved(m, world_.get(), 1, 1, world_->rank() == 2 ? Bytes{1000} : Bytes{1} << 30));
      QFAIL("it went on");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::resources);
    }
  }
};

QTEST_APPLESS_MAIN(TestDirectRanks)
#include "test_direct_ranks.moc"
