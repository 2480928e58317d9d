// SPDX-License-Identifier: BSD-3-Clause
// Steps that ranks share: what is handed out is each step's own answer, in order; what waits goes on from a checkpoint.
// labels: unit
#include <QTest>

#include <array>
#include <complex>

#include "engine/solvers/step_rounds.hpp"
#include "tests/engine/solvers/memory_checkpoint.hpp"

using namespace conoid;
using conoid::test::MemoryCheckpoint;

namespace {

/// The leading one of so many ranks; what the others compute is told by `others`.
class Leading final : public Communicator {
 public:
  Leading(int size, std::function<Parcel(int)> others) : size_(size), others_(std::move(others)) {}
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return size_; }
  void barrier() override {}
  void sum(std::span<double>) override {}
  void start_sum(std::span<double>) override {}
  void finish_sum() override {}
  void minimum(std::span<double>) override {}
  void maximum(std::span<double> values) override {
    if (other_fails) values[0] = 1;
  }
  void broadcast(std::span<std::byte>, int) override {}
  void start_exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
  void finish_exchange() override {}
  [[nodiscard]] std::vector<std::byte> gather(std::span<const std::byte> data, int) override {
    std::vector<std::byte> out(data.begin(), data.end());
    const bool lengths = (gathers_++ % 2) == 0;
    for (int r = 1; r < size_; ++r) {
      const Parcel parcel = others_(r);
      const auto length = static_cast<std::uint64_t>(parcel.size());
      const auto bytes = lengths ? std::as_bytes(std::span(&length, 1)) : std::as_bytes(std::span(parcel));
      out.insert(out.end(), bytes.begin(), bytes.end());
    }
    return out;
  }
  [[nodiscard]] std::vector<std::byte> all_gather(std::span<const std::byte> data) override { return gather(data, 0); }
  [[nodiscard]] std::unique_ptr<Communicator> split(int) override { return single_rank(); }
  [[nodiscard]] const void* native() const override { return nullptr; }
  bool other_fails = false;

 private:
  int size_, gathers_ = 0;
  std::function<Parcel(int)> others_;
};

/// Of another length each.
Parcel answer_of(Index step) {
  return Parcel(static_cast<std::size_t>(step % 3 + 1), static_cast<double>(step));
}

}  // namespace

class TestStepRounds : public QObject {
  Q_OBJECT

 private slots:
  void parcels_bring_back_what_was_put() {
    using Two = std::array<std::complex<double>, 2>;
    const std::vector<std::complex<double>> one{{1, 2}, {3, 4}};
    const std::vector<std::vector<Two>> nested{{}, {{std::complex<double>(5, 6), std::complex<double>(7, 8)}}};
    ParcelWriter writer;
    writer.put(one);
    writer.put(nested);
    const Parcel parcel = writer.finish();
    ParcelReader reader(parcel);
    std::vector<std::complex<double>> back;
    std::vector<std::vector<Two>> nested_back;
    reader.get(back);
    reader.get(nested_back);
    QVERIFY(back == one && nested_back == nested);
    QVERIFY_THROWS_EXCEPTION(std::exception, reader.get(back));
  }

  void answers_come_in_order() {
    for (const int ranks : {1, 2, 3, 8}) {
      Index first = 0;
      constexpr Index steps = 7;
      Leading cluster(ranks, [&](int r) { return first + r < steps ? answer_of(first + r) : Parcel(); });
      StepRounds rounds;
      Index computed = 0;
      for (Index step = 0; step < steps; ++step) {
        const auto brought = rounds.bring(step, steps, cluster, [&](Index mine) -> Result<Parcel> {
          ++computed;
          first = mine;
          return answer_of(mine);
        });
        QVERIFY(brought.ok() && *brought);
        QCOMPARE(rounds.take(), answer_of(step));
      }
      QCOMPARE(computed, rounds_of(steps, ranks));
    }
  }

  void what_waits_goes_on_elsewhere() {
    Leading four(4, [](int r) { return answer_of(r); });
    StepRounds rounds;
    const auto compute = [](Index mine) -> Result<Parcel> { return answer_of(mine); };
    QVERIFY(rounds.bring(0, 9, four, compute).ok());
    QCOMPARE(rounds.take(), answer_of(0));
    MemoryCheckpoint checkpoint;
    rounds.save(checkpoint);
    StepRounds alone, other;
    alone.load(checkpoint, true);
    other.load(checkpoint, false);
    const auto cluster = single_rank();
    bool called = false;
    for (Index step = 1; step < 5; ++step) {
      const auto brought = alone.bring(step, 9, *cluster, [&](Index mine) {
        called = true;
        return compute(mine);
      });
      QVERIFY(brought.ok() && *brought);
      QCOMPARE(called, step == 4);  // three waited
      QCOMPARE(alone.take(), answer_of(step));
      if (step < 4) QVERIFY(other.take().empty());
    }
  }

  void a_failure_is_that_of_the_rank_that_has_it() {
    Leading two(2, [](int r) { return answer_of(r); });
    StepRounds rounds;
    const auto mine = rounds.bring(
        0, 4, two, [](Index) -> Result<Parcel> { throw Failure(make_error(ErrorCode::resources, "lost", "")); });
    QVERIFY(!mine.ok());
    QCOMPARE(static_cast<int>(mine.error().code), static_cast<int>(ErrorCode::resources));
    two.other_fails = true;
    const auto others = rounds.bring(0, 4, two, [](Index step) -> Result<Parcel> { return answer_of(step); });
    QVERIFY(others.ok() && !*others);
  }
};

QTEST_APPLESS_MAIN(TestStepRounds)
#include "test_step_rounds.moc"
