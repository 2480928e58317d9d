// SPDX-License-Identifier: BSD-3-Clause
// Direct solution and GMRES: both bodies of the direct solver against the matrix, many right-hand sides, errors.
// labels: unit
#include <QTest>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <queue>
#include <random>
#include <stop_token>
#include <thread>

#include "engine/cluster/communicator.hpp"
#include "engine/linalg/block_gcr.hpp"
#include "engine/linalg/front_schedule.hpp"
#include "engine/linalg/gmres.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "engine/simd/instruction_set.hpp"
#include "tests/engine/linalg/helmholtz_grid.hpp"

using namespace conoid;
using Complex = std::complex<double>;

namespace {

SymmetricMatrix helmholtz(Index n) {
  return helmholtz_grid(n, n, n);
}

std::vector<Complex> random_values(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<Complex> out(count);
  for (Complex& v : out) v = {normal(engine), normal(engine)};
  return out;
}

double residual(const SymmetricMatrix& m, std::span<const Complex> x, std::span<const Complex> b) {
  std::vector<Complex> y(b.size());
  m.multiply(x, y);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::norm(y[i] - b[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(difference / size);
}

struct Modelled {
  double busy = 0, span = 0;  ///< of all tasks; until the last one's end
  double flops = 0;           ///< of tasks of fronts above subtrees
};

/// Tasks as so many threads would take them, with the shares of the products' rate (38 Gflop/s) that tiles reach on one thread: 0.3 and 0.7
/// in the triangles of the factor, and 2 ns a number of a tile that is filled. That threads share the memory's bandwidth is not part of it.
Modelled modelled(const EliminationTree& tree, int threads) {
  const TreeShares shares = share_out(tree, threads, 1);
  std::vector<int> subtrees(shares.subtrees.size());
  std::iota(subtrees.begin(), subtrees.end(), 0);
  FrontSchedule schedule(tree, shares, subtrees, shares.above, threads);
  const auto time = [&](const FrontTask& t) {
    const Front& front = tree.fronts[t.front];
    if (t.kind == FrontTask::Kind::diagonal) return schedule.flops(t) / 0.3;
    if (t.kind == FrontTask::Kind::solve) return schedule.flops(t) / 0.7;
    if (t.kind == FrontTask::Kind::open) return 1e3 * static_cast<double>(front.size());
    const FrontTiles tiles{front.size(), front.pivots()};
    if (t.kind == FrontTask::Kind::assemble) return 80.0 * static_cast<double>(tiles.rows(t.j) * front.size());
    return schedule.flops(t);
  };
  Modelled out;
  using Running = std::pair<double, FrontTask>;
  const auto later = [](const Running& a, const Running& b) { return a.first > b.first; };
  std::priority_queue<Running, std::vector<Running>, decltype(later)> running(later);
  for (;;) {
    while (static_cast<int>(running.size()) < threads) {
      const auto task = schedule.ready();
      if (!task) break;
      const double takes = time(*task);
      out.busy += takes;
      if (task->kind != FrontTask::Kind::subtree) out.flops += schedule.flops(*task);
      running.emplace(out.span + takes, *task);
    }
    if (running.empty()) return out;
    const auto [end, task] = running.top();
    running.pop();
    out.span = end;
    schedule.done(task);
  }
}

std::vector<DirectMethod> methods() {
  std::vector<DirectMethod> out{DirectMethod::eigen};
  if (has_mumps()) out.push_back(DirectMethod::mumps);
  out.push_back(DirectMethod::automatic);  // fronts of our own, where this processor has kernels for them
  return out;
}

}  // namespace

class TestSparseDirect : public QObject {
  Q_OBJECT

 private slots:
  /// Half the memory and the answers of double, down to right-hand sides that single numbers could not hold; a matrix near a resonance,
  /// whose condition single precision does not bear, gets double factors.
  void single_factors_are_refined() {
    if (!own_fronts({})) QSKIP("this processor has no kernels of our own fronts");
    const SymmetricMatrix m = helmholtz(11);
    DirectOptions options;
    options.method = DirectMethod::tree;
    options.block = 4;
    const auto whole = factorise(m, options);
    options.single = true;
    options.threads = 2;
    const auto half = factorise(m, options);
    QVERIFY(whole.ok() && half.ok());
    QCOMPARE((*half)->facts().method, std::string("own fronts in single precision"));
    QVERIFY(2 * (*half)->facts().bytes <= (*whole)->facts().bytes + 8 * 121 * 121 * 16);  // rests of two threads
    const Index count = 6, n = m.size;
    std::vector<Complex> b = random_values(static_cast<std::size_t>(count * n), 5);
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < n; ++i) b[c * n + i] *= c == 2 ? 1e-60 : c == 3 ? 1e60 : c == 4 ? 0.0 : 1.0;
    std::vector<Complex> x = b, y = b;
    QVERIFY((*half)->solve(x, count).ok() && (*whole)->solve(y, count).ok());
    for (Index c = 0; c < count; ++c) {
      const auto column = [&](const std::vector<Complex>& v) { return std::span(v).subspan(c * n, n); };
      if (c == 4)
        for (const Complex& v : column(x)) QCOMPARE(v, Complex(0));
      else
        QVERIFY2(residual(m, column(x), column(b)) < 2e-12,
                 qPrintable(QString::number(residual(m, column(x), column(b)))));
    }
    QVERIFY((*half)->facts().residual < 2e-12 && (*half)->facts().residual > 0);
    QVERIFY((*half)->facts().refinements >= 4);  // two blocks, each more than one pass
    // Indefinite to within single rounding of a singular one: smallest eigenvalue 1e-9 of the largest.
    SymmetricMatrix near;
    near.size = 40;
    for (Index i = 0; i < near.size; ++i) {
      near.columns.push_back(static_cast<std::int32_t>(i));
      near.values.push_back(i + 1 < near.size ? 2 : 1 + 1e-10);
      if (i == 0) near.values.back() = 1;
      if (i + 1 < near.size) {
        near.columns.push_back(static_cast<std::int32_t>(i + 1));
        near.values.push_back(-1);
      }
      near.row_start.push_back(static_cast<Index>(near.columns.size()));
    }
    const auto hard = factorise(near, options);
    QVERIFY(hard.ok());
    QCOMPARE((*hard)->facts().method, std::string("own fronts"));
  }

  void every_method_solves_many_right_hand_sides() {
    const SymmetricMatrix m = helmholtz(9);
    const Index count = 37;  // more than a block, not a multiple of it
    for (DirectMethod method : methods()) {
      DirectOptions options;
      options.method = method;
      auto direct = factorise(m, options);
      QVERIFY2(direct.ok(), direct.ok() ? "" : direct.error().render().c_str());
      const auto b = random_values(static_cast<std::size_t>(m.size * count), 7);
      auto x = b;
      QVERIFY((*direct)->solve(x, count).ok());
      for (Index c = 0; c < count; ++c) {
        const auto at = static_cast<std::size_t>(c * m.size), n = static_cast<std::size_t>(m.size);
        QVERIFY(residual(m, std::span(x).subspan(at, n), std::span(b).subspan(at, n)) < 1e-12);
      }
      QVERIFY((*direct)->facts().entries >= m.nonzeros());
    }
  }

  void lives_beside_the_ranks_of_the_program() {
    // The direct solver and the communicator share one MPI where the program has it, in either order.
    const SymmetricMatrix m = helmholtz(3);
    auto first = factorise(m);
    QVERIFY(first.ok());
    auto ranks = world();
    QVERIFY(ranks.ok());
    QCOMPARE((*ranks)->sum(2.0), 2.0);
    auto second = factorise(m);
    QVERIFY(second.ok());
    auto b = random_values(static_cast<std::size_t>(m.size), 3), x = b;
    QVERIFY((*first)->solve(x, 1).ok());
    QVERIFY(residual(m, x, b) < 1e-12);
  }

  void ranks_that_are_started_later_are_not_kept_apart() {
    // MPI alone in this program; what it was told about that would reach every mpirun that is started from here.
    if (!has_mumps()) QSKIP("built without MUMPS");
    const bool before = std::getenv("OMPI_MCA_btl") != nullptr;
    const SymmetricMatrix m = helmholtz(3);
    QVERIFY(factorise(m, {}).ok());
    QCOMPARE(std::getenv("OMPI_MCA_btl") != nullptr, before);
  }

  void factors_go_to_disk_when_asked_and_when_memory_is_short() {
    if (!has_mumps()) QSKIP("built without MUMPS");
    const SymmetricMatrix m = helmholtz(12);
    const auto folder = std::filesystem::temp_directory_path() / "conoid-test-factors";
    std::filesystem::create_directories(folder);
    DirectOptions options;
    options.on_disk = true;
    options.scratch = folder;
    auto direct = factorise(m, options);
    QVERIFY2(direct.ok(), direct.ok() ? "" : direct.error().render().c_str());
    QVERIFY((*direct)->facts().on_disk);
    QVERIFY(!std::filesystem::is_empty(folder));
    const auto b = random_values(static_cast<std::size_t>(m.size), 5);
    auto x = b;
    QVERIFY((*direct)->solve(x, 1).ok());
    QVERIFY(residual(m, x, b) < 1e-12);
    direct->reset();
    QVERIFY2(std::filesystem::is_empty(folder), "the factors go with what made them");
    options = {};
    options.memory = 1 << 20;
    const auto refused = factorise(m, options);
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().code == ErrorCode::resources);
    std::filesystem::remove_all(folder);
  }

  /// The choice does not ask for a library that only takes over where pivots fail.
  void every_processor_with_kernels_has_fronts_of_our_own() {
    QCOMPARE(own_fronts({}), instruction_set() >= InstructionSet::avx2);
    const auto direct = factorise(helmholtz(6));
    QVERIFY(direct.ok());
    QCOMPARE((*direct)->facts().method == "own fronts", own_fronts({}));
  }

  /// Right-hand sides in pieces that are no threads' shares, the last one shorter.
  void eigen_solves_by_threads_to_the_bits_of_one() {
    const SymmetricMatrix m = helmholtz(7);
    const Index count = 21;
    const auto b = random_values(static_cast<std::size_t>(m.size * count), 11);
    std::vector<Complex> one;
    for (const int threads : {1, 3}) {
      DirectOptions options;
      options.method = DirectMethod::eigen;
      options.threads = threads;
      const auto direct = factorise(m, options);
      QVERIFY(direct.ok());
      std::vector<Complex> x = b;
      QVERIFY((*direct)->solve(x, count).ok());
      for (Index c = 0; c < count; ++c) {
        const auto column = [&](const std::vector<Complex>& v) { return std::span(v).subspan(c * m.size, m.size); };
        QVERIFY(residual(m, column(x), column(b)) < 1e-12);
      }
      if (one.empty()) one = x;
      QVERIFY(one == x);
    }
  }

  void fronts_give_the_same_bits_on_any_number_of_threads() {
    if (!own_fronts({})) QSKIP("this processor has no kernels of our own fronts");
    const SymmetricMatrix m = helmholtz(15);
    const Index count = 21;
    const auto b = random_values(static_cast<std::size_t>(m.size * count), 11);
    std::vector<Complex> first;
    for (const int threads : {1, 2, 3, 8, 16}) {
      DirectOptions options;
      options.method = DirectMethod::tree;
      options.threads = threads;
      auto direct = factorise(m, options);
      if (!direct && threads == 1) QSKIP("this processor has no kernels for it");
      QVERIFY2(direct.ok(), direct.ok() ? "" : direct.error().render().c_str());
      auto x = b;
      QVERIFY((*direct)->solve(x, count).ok());
      if (first.empty()) first = x;
      QVERIFY(first == x);
      QVERIFY((*direct)->facts().flops > 0 && (*direct)->facts().seconds > 0);
    }
    const auto n = static_cast<std::size_t>(m.size);
    QVERIFY(residual(m, std::span(first).first(n), std::span(b).first(n)) < 1e-13);
  }

  void fronts_near_the_root_keep_sixteen_threads_at_work() {
    const auto tree = elimination_tree(helmholtz(36), 2, {});
    QVERIFY(tree.ok());
    const double alone = modelled(*tree, 1).span;
    for (const int threads : {2, 4, 8, 16}) {
      const Modelled m = modelled(*tree, threads);
      const QByteArray text = QString("%1 threads: %2 at work, %3 of the flops in tiles, %4 times the speed of one")
                                  .arg(threads)
                                  .arg(m.busy / m.span)
                                  .arg(m.flops / tree->flops)
                                  .arg(alone / m.span)
                                  .toUtf8();
      qInfo("%s", text.constData());
      // Fronts above hold most of the work, and yet no chain of tasks through them holds up the others.
      QVERIFY2(m.flops > 0.5 * tree->flops && m.busy > 0.8 * threads * m.span, text.constData());
    }
  }

  void a_matrix_that_needs_its_pivots_exchanged_is_solved() {
    if (!has_mumps()) QSKIP("built without MUMPS");
    // Nothing on the diagonal: pairs of unknowns that only see each other, and their neighbours.
    SymmetricMatrix m;
    m.size = 600;
    for (Index i = 0; i < m.size; ++i) {
      if (i % 2 == 0) {
        m.columns.push_back(static_cast<std::int32_t>(i + 1));
        m.values.emplace_back(2, 0.5);
      }
      if (i + 2 < m.size) {
        m.columns.push_back(static_cast<std::int32_t>(i + 2));
        m.values.emplace_back(0.3, -0.1);
      }
      m.row_start.push_back(static_cast<Index>(m.columns.size()));
    }
    const auto b = random_values(static_cast<std::size_t>(m.size), 3);
    auto direct = factorise(m);
    QVERIFY2(direct.ok(), direct.ok() ? "" : direct.error().render().c_str());
    auto x = b;
    QVERIFY((*direct)->solve(x, 1).ok());
    QVERIFY(residual(m, x, b) < 1e-12);
  }

  void a_singular_matrix_is_an_error() {
    SymmetricMatrix m;
    m.size = 2;
    m.row_start = {0, 2, 3};
    m.columns = {0, 1, 1};
    m.values = {1, 1, 1};
    DirectOptions options;
    options.method = DirectMethod::eigen;
    QVERIFY(!factorise(m, options).ok());
  }

  void gmres_in_step_solves_each_column_to_its_tolerance() {
    // Columns of unlike difficulty: an eigenvector ends after one step, the others later.
    const Index n = 40;
    const auto apply = [&](std::span<const Complex> v) {
      std::vector<Complex> out(v.begin(), v.end());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto k = static_cast<Index>(i) % n;
        out[i] *= Complex(1 + 0.05 * static_cast<double>(k), 0.3);
        if (k + 1 < n) out[i] += 0.2 * v[i + 1];
      }
      return out;
    };
    std::vector<Complex> b = random_values(static_cast<std::size_t>(3 * n), 11);
    std::fill(b.begin(), b.begin() + n, Complex(0));
    b[0] = 2;
    std::fill(b.begin() + 2 * n, b.end(), Complex(0));  // zero: solved at the start
    LockstepGmres g(n, b, 1e-10, 60);
    QCOMPARE(g.active().size(), std::size_t{2});
    while (!g.finished()) g.take(apply(g.next()));
    QVERIFY(g.converged());
    QCOMPARE(g.steps_of(0), Index{1});
    QVERIFY(g.steps_of(1) > 5);
    const auto x = g.solution(), y = apply(x);
    for (Index c = 0; c < 2; ++c) {
      double difference = 0, size = 0;
      for (Index i = c * n; i < (c + 1) * n; ++i) {
        difference += std::norm(y[static_cast<std::size_t>(i)] - b[static_cast<std::size_t>(i)]);
        size += std::norm(b[static_cast<std::size_t>(i)]);
      }
      QVERIFY(std::sqrt(difference / size) < 2e-10);
    }
  }

  void columns_that_resemble_each_other_share_their_directions() {
    const Index n = 60, columns = 20;
    const auto apply = [&](std::span<const Complex> v) {
      std::vector<Complex> out(v.begin(), v.end());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto k = static_cast<Index>(i) % n;
        out[i] *= Complex(1 + 0.05 * static_cast<double>(k), 0.3);
        if (k + 1 < n) out[i] += 0.2 * v[i + 1];
      }
      return out;
    };
    // Mixtures of three vectors, a zero column, a small one.
    const auto three = random_values(static_cast<std::size_t>(3 * n), 4), weights = random_values(3 * columns, 9);
    std::vector<Complex> b(static_cast<std::size_t>(n * columns));
    for (Index c = 0; c < columns; ++c)
      for (Index k = 0; k < 3; ++k)
        for (Index i = 0; i < n; ++i)
          b[static_cast<std::size_t>(c * n + i)] +=
              weights[static_cast<std::size_t>(3 * c + k)] * three[static_cast<std::size_t>(k * n + i)];
    std::fill(b.begin() + 5 * n, b.begin() + 6 * n, Complex(0));
    for (Index i = 0; i < n; ++i) b[static_cast<std::size_t>(7 * n + i)] *= 1e-6;
    BlockGcr::Options o;
    o.tolerance = 1e-9;
    o.longest = 100;
    o.threads = 2;
    const auto worst = [&](const std::vector<Complex>& x) {
      const auto y = apply(x);
      double out = 0;
      for (Index c = 0; c < columns; ++c) {
        double difference = 0, size = 0;
        for (Index i = c * n; i < (c + 1) * n; ++i) {
          difference += std::norm(y[static_cast<std::size_t>(i)] - b[static_cast<std::size_t>(i)]);
          size += std::norm(b[static_cast<std::size_t>(i)]);
        }
        if (size > 0) out = std::max(out, std::sqrt(difference / size));
      }
      return out;
    };
    BlockGcr whole(n, b, o);
    QCOMPARE(whole.directions(), Index{3});
    Index by_column = 0;
    {
      LockstepGmres g(n, b, o.tolerance, 100);
      while (!g.finished()) {
        by_column += static_cast<Index>(g.active().size());
        g.take(apply(g.next()));
      }
    }
    BlockGcr::State kept, thin;
    while (!whole.finished()) {
      whole.take(apply(whole.next()));
      if (whole.steps() == 4) {
        kept = whole.state(Bytes{1} << 30);
        thin = whole.state(0);
      }
    }
    QVERIFY2(worst(whole.solution()) < 1.01e-9, qPrintable(QString::number(worst(whole.solution()))));
    QVERIFY2(whole.applications() < by_column / 3,
             qPrintable(QString("%1 of %2").arg(whole.applications()).arg(by_column)));
    // From a state: the same steps to the last bit; without its directions: a few more, to the same tolerance.
    BlockGcr again(n, b, o), thinner(n, b, o);
    QVERIFY(again.restore(kept) && thinner.restore(thin));
    QCOMPARE(again.steps(), Index{4});
    while (!again.finished()) again.take(apply(again.next()));
    QVERIFY(again.solution() == whole.solution());
    QCOMPARE(again.steps(), whole.steps());
    while (!thinner.finished()) thinner.take(apply(thinner.next()));
    QVERIFY(worst(thinner.solution()) < 1.01e-9);
    kept.data.pop_back();
    QVERIFY(!again.restore(kept));
    // Little memory: directions are given up, the solution is not.
    o.memory = 32 * n * 7;
    BlockGcr poor(n, b, o);
    while (!poor.finished()) poor.take(apply(poor.next()));
    QVERIFY(worst(poor.solution()) < 1.01e-9);
  }

  void a_stop_is_heard_while_right_hand_sides_are_solved() {
    if (!has_mumps()) QSKIP("built without MUMPS");
    const SymmetricMatrix m = helmholtz(20);
    std::stop_source source;
    DirectOptions options;
    options.stop = source.get_token();
    auto direct = factorise(m, options);
    QVERIFY2(direct.ok(), direct.ok() ? "" : direct.error().render().c_str());
    const Index count = 512;
    const auto b = random_values(static_cast<std::size_t>(m.size * count), 5);
    auto x = b;
    QVERIFY((*direct)->solve(x, 1).ok());
    x = b;
    Status s;
    std::chrono::steady_clock::duration took{};
    {
      std::atomic<bool> begun = false;
      const std::jthread soon([&] {
        while (!begun) std::this_thread::yield();
        source.request_stop();
      });
      const auto begin = std::chrono::steady_clock::now();
      begun = true;
      s = (*direct)->solve(x, count);
      took = std::chrono::steady_clock::now() - begin;
    }
    QVERIFY(!s.ok() && s.error().code == ErrorCode::stopped);
    QVERIFY(x.empty());
    QVERIFY(took < std::chrono::seconds(3));
    auto again = b;
    QVERIFY(!(*direct)->solve(again, 1).ok());  // the factors are gone
  }

  void a_step_that_is_stopped_leaves_a_state_to_go_on_from() {
    const Index n = 40, columns = 3;
    const auto a = random_values(static_cast<std::size_t>(n * n), 9),
               b = random_values(static_cast<std::size_t>(n * columns), 4);
    const auto apply = [&](std::span<const Complex> v) {
      std::vector<Complex> w(v.size(), 0);
      for (std::size_t c = 0; c < v.size() / n; ++c)
        for (Index i = 0; i < n; ++i) {
          w[c * n + i] = 6.0 * v[c * n + i];
          for (Index k = 0; k < n; ++k) w[c * n + i] += 0.3 * a[k * n + i] * v[c * n + k];
        }
      return w;
    };
    std::stop_source source;
    BlockGcr::Options o;
    o.tolerance = 1e-9;
    o.longest = 200;
    BlockGcr whole(n, b, o);
    while (!whole.finished()) whole.take(apply(whole.next()));
    o.stop = source.get_token();
    BlockGcr stopped(n, b, o);
    for (int step = 0; step < 3; ++step) QVERIFY(stopped.take(apply(stopped.next())));
    auto product = apply(stopped.next());
    source.request_stop();
    QVERIFY(!stopped.take(std::move(product)));
    QCOMPARE(stopped.steps(), Index{3});
    o.stop = {};
    BlockGcr again(n, b, o);
    QVERIFY(again.restore(stopped.state(Bytes{1} << 30)));
    while (!again.finished()) again.take(apply(again.next()));
    QVERIFY(again.solution() == whole.solution());
    QCOMPARE(again.applications(), whole.applications());
    // Of a space that is too large the newest directions stay.
    const auto some = whole.state(32 * n * 4);
    QVERIFY(some.data.size() > whole.state(0).data.size());
    QVERIFY(some.data.size() <= whole.state(0).data.size() + static_cast<std::size_t>(2 * n * 4));
  }

  void a_stop_is_heard_while_factors_are_made() {
    const SymmetricMatrix m = helmholtz(34);
    for (DirectMethod method : methods()) {
      if (method == DirectMethod::eigen) continue;
      std::stop_source source;
      DirectOptions options;
      options.method = method;
      options.stop = source.get_token();
      const std::jthread soon([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        source.request_stop();
      });
      const auto direct = factorise(m, options);
      QVERIFY(!direct.ok() && direct.error().code == ErrorCode::stopped);
      // The next one waits for what still runs, and works.
      const SymmetricMatrix small = helmholtz(5);
      auto next = factorise(small);
      QVERIFY(next.ok());
      const auto b = random_values(static_cast<std::size_t>(small.size), 3);
      auto x = b;
      QVERIFY((*next)->solve(x, 1).ok());
      QVERIFY(residual(small, x, b) < 1e-12);
    }
  }
};

QTEST_APPLESS_MAIN(TestSparseDirect)
#include "test_sparse_direct.moc"
