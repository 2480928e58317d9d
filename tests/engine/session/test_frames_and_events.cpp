// SPDX-License-Identifier: BSD-3-Clause
// Frames are latest-wins and within their budget; events are bounded and lose nothing that matters.
// labels: unit
#include <QTest>

#include "engine/session/event_queue.hpp"
#include "engine/solvers/frame_marks.hpp"
#include "tests/engine/session/rod.hpp"

using namespace conoid;
using namespace std::chrono_literals;

class TestFramesAndEvents : public QObject {
  Q_OBJECT
 private slots:
  void newest_frame_wins();
  void frames_stay_within_their_share();
  void a_paused_run_shows_one_frame_a_wish();
  void the_last_picture_is_the_last_moment();
  void the_queue_is_bounded();
  void row_gaps_are_visible();
  void results_frames_fall_on_their_marks();
  void a_bundle_of_steps_ends_where_a_frame_is_due();
  void table_events_hold_all_rows();
};

namespace {
std::shared_ptr<const Frame> numbered(std::uint64_t number) {
  FrameBuilder builder({}, number);
  return builder.finish();
}
}  // namespace

void TestFramesAndEvents::newest_frame_wins() {
  FrameChannel channel;
  QVERIFY(!channel.wanted());
  channel.want({}, 1000);
  QVERIFY(channel.wanted().has_value());
  channel.put(numbered(1), 0);
  std::this_thread::sleep_for(3ms);
  QVERIFY2(!channel.wanted(), "the last frame was not taken yet");
  channel.put(numbered(2), 0);
  QCOMPARE(channel.take()->number, std::uint64_t(2));
  QVERIFY(channel.take() == nullptr);
  std::this_thread::sleep_for(3ms);
  QVERIFY(channel.wanted().has_value());
  channel.put(numbered(3), 0);
  channel.want({{"volume"}, {}, 0}, 1000);
  QVERIFY2(channel.wanted().has_value(), "a new wish does not wait for the old picture");
  channel.want({}, 0);
  QVERIFY(!channel.wanted() && channel.take() == nullptr);
}

void TestFramesAndEvents::frames_stay_within_their_share() {
  FrameChannel channel;
  channel.want({}, 1e6);
  QVERIFY(channel.wanted(0.02).has_value());
  channel.put(numbered(1), 20);  // 20 s: the next is due after 1000 s
  static_cast<void>(channel.take());
  std::this_thread::sleep_for(20ms);
  QVERIFY(!channel.wanted(0.02));
  QVERIFY2(channel.wanted_when_idle().has_value(), "a paused run may spend time freely");
  FrameChannel cheap;
  cheap.want({}, 1e6);
  QVERIFY(cheap.wanted(0.02).has_value());
  cheap.put(numbered(1), 0.004);  // 4 ms: the next is due after 200 ms
  static_cast<void>(cheap.take());
  QVERIFY(rod::eventually([&] { return cheap.wanted(0.02).has_value(); }));
}

void TestFramesAndEvents::a_paused_run_shows_one_frame_a_wish() {
  const rod::Scratch scratch;
  SessionOptions options = rod::options(rod::json(100000, 0.001), scratch / "run");
  options.start_paused = true;
  const auto session = start_session(std::move(options));
  session->want_frames({}, 30);
  std::shared_ptr<const Frame> frame;
  QVERIFY(rod::eventually([&] { return (frame = session->take_frame()) != nullptr; }));
  QCOMPARE(frame->parts.size(), std::size_t(1));
  QCOMPARE(frame->parts[0].fields.at(0).values->size(), std::size_t(38));
  std::this_thread::sleep_for(200ms);
  QVERIFY2(session->take_frame() == nullptr, "nothing moved, so nothing new is shown");
  session->send(Command::step);
  QVERIFY(rod::eventually([&] { return (frame = session->take_frame()) != nullptr; }));
  QCOMPARE(frame->step, Index(1));
  session->send(Command::resume);
  const auto first = frame->number;
  QVERIFY(rod::eventually([&] {
    if (auto next = session->take_frame()) frame = next;
    return frame->number > first + 3;
  }));
}

void TestFramesAndEvents::the_last_picture_is_the_last_moment() {
  const rod::Scratch scratch;
  const auto session = start_session(rod::options(rod::json(40, 0.002), scratch / "run"));
  session->want_frames({}, 30);  // and nobody takes them
  QVERIFY(session->wait(30s));
  const auto frame = session->take_frame();
  QVERIFY(frame != nullptr);
  QCOMPARE(frame->step, Index(40));
}

void TestFramesAndEvents::the_queue_is_bounded() {
  EventQueue queue;
  TableInfo info;
  info.id = "t";
  info.columns = {{"x", "", ""}};
  for (std::size_t r = 0; r < 3 * EventQueue::row_limit; ++r)
    queue.push(TableEvent{info, r, {{static_cast<double>(r)}}});
  for (int i = 0; i < 100000; ++i) queue.push(ProgressEvent{{}, i, 0, 0, 0, {}});
  for (std::uint64_t i = 0; i < 3 * EventQueue::sample_limit; ++i)
    queue.push(BalanceEvent{{}, {{i, 0, {}, 0, 0, 0}}, {}});
  for (std::size_t i = 0; i < 3 * EventQueue::diagnostic_limit; ++i) queue.push(DiagnosticEvent{});
  for (int i = 0; i < 1000; ++i) queue.push(NumberEvent{"n" + std::to_string(i % 5), double(i), "1"});
  queue.push(StateEvent{SessionState::finished, {}});
  const auto events = queue.take();
  QCOMPARE(events.size(), std::size_t(1 + 1 + 1 + (EventQueue::diagnostic_limit + 1) + 5 + 1));
  for (const SessionEvent& event : events) {
    if (const auto* t = std::get_if<TableEvent>(&event)) {
      QVERIFY(t->rows.size() <= EventQueue::row_limit);
      QCOMPARE(t->first_row + t->rows.size(), 3 * EventQueue::row_limit);
      QCOMPARE(t->rows.front().front(), static_cast<double>(t->first_row));
    }
    if (const auto* p = std::get_if<ProgressEvent>(&event)) QCOMPARE(p->step, Index(99999));
    if (const auto* b = std::get_if<BalanceEvent>(&event)) {
      QVERIFY(b->samples.size() <= EventQueue::sample_limit);
      QCOMPARE(b->samples.back().pass, std::uint64_t(3 * EventQueue::sample_limit - 1));
    }
  }
  QVERIFY(queue.take().empty());
}

void TestFramesAndEvents::row_gaps_are_visible() {
  EventQueue queue;
  TableInfo info;
  info.id = "t";
  info.columns = {{"x", "", ""}};
  queue.push(TableEvent{info, 5, {{5}, {6}}});
  queue.push(TableEvent{info, 7, {{7}}});
  auto events = queue.take();
  QCOMPARE(std::get<TableEvent>(events.at(0)).rows.size(), std::size_t(3));
  queue.push(TableEvent{info, 8, {{8}}});
  queue.push(TableEvent{info, 0, {{0}}});  // a fresh beginning
  events = queue.take();
  QCOMPARE(std::get<TableEvent>(events.at(0)).first_row, std::size_t(0));
  QCOMPARE(std::get<TableEvent>(events.at(0)).rows.size(), std::size_t(1));
}

void TestFramesAndEvents::results_frames_fall_on_their_marks() {
  auto marks = [](const Cadence& cadence, Index steps, bool known) {
    int n = 0;
    Cadence::Moment kept{0, 0, known ? 0.0 : -1.0};
    for (Index s = 1; s <= steps; ++s) {
      const Cadence::Moment now{s, 0.1 * static_cast<double>(s),
                                known ? static_cast<double>(s) / static_cast<double>(steps) : -1};
      if (!cadence.due(kept, now)) continue;
      ++n;
      kept = now;
    }
    return n;
  };
  QCOMPARE(marks({}, 1000, true), 20);
  QCOMPARE(marks({}, 7, true), 7);
  QCOMPARE(marks({0, 0, 33}, 997, true), 33);
  QCOMPARE(marks({10, 0, 0}, 1000, true), 100);
  QCOMPARE(marks({0, 0.5, 0}, 1000, true), 200);
  QCOMPARE(marks({0, 0, 0}, 1000, true), 0);
  const int open_end = marks({}, 100000, false);
  QVERIFY2(open_end > 40 && open_end < 120, qPrintable(QString::number(open_end)));
}

/// Whatever the bundles, frames lie where single steps would put them.
void TestFramesAndEvents::a_bundle_of_steps_ends_where_a_frame_is_due() {
  constexpr Index steps = 500;
  const auto at = [](Index s) { return Advanced{s >= steps, s, steps, 0.3 * static_cast<double>(s)}; };
  const auto kept = [&](const Cadence& cadence, Index bundle) {
    std::vector<Index> out;
    Cadence::Moment last{0, 0, 0};
    for (Index s = 0; s < steps;) {
      const FrameMarks marks(cadence, last);
      s = marks.first_due(s, std::min(steps, s + bundle), at);
      if (!marks.due(at(s))) continue;
      out.push_back(s);
      last = Cadence::moment(at(s));
    }
    return out;
  };
  for (const Cadence& cadence :
       {Cadence{}, Cadence{7, 0, 0}, Cadence{0, 4.1, 0}, Cadence{0, 0, 33}, Cadence{0, 0.01, 0}})
    for (const Index bundle : {2, 13, 1000}) QVERIFY(kept(cadence, bundle) == kept(cadence, 1));
  QVERIFY((kept({100, 0, 0}, 1000) == std::vector<Index>{100, 200, 300, 400, 500}));
  QCOMPARE(FrameMarks().first_due(3, 90, at), Index{90});
  // Of a run whose number of steps is open the share counts, and without one the steps.
  QVERIFY(FrameMarks({0, 0, 4}, {0, 0, 0}).due({false, 3, 0, 0, 0.25}));
  QVERIFY(!FrameMarks({0, 0, 4}, {0, 0, 0}).due({false, 3, 0, 0, 0.24}));
  QVERIFY(FrameMarks({0, 0, 4}, {0, 0, -1}).due({false, 3, 0, 0}));
}

void TestFramesAndEvents::table_events_hold_all_rows() {
  const rod::Scratch scratch;
  SessionOptions options = rod::options(rod::json(57), scratch / "run");
  const auto session = start_session(std::move(options));
  std::size_t rows = 0;
  bool finished = false;
  bool catalog = false;
  QVERIFY(rod::eventually([&] {
    for (const SessionEvent& event : session->take_events()) {
      if (const auto* t = std::get_if<TableEvent>(&event)) {
        if (t->first_row != rows) return false;
        rows += t->rows.size();
      }
      if (const auto* s = std::get_if<StateEvent>(&event)) finished = s->state == SessionState::finished;
      if (const auto* c = std::get_if<CatalogEvent>(&event)) catalog = c->fields.size() == 1;
    }
    return finished;
  }));
  QCOMPARE(rows, std::size_t(58));  // the beginning and every step
  QVERIFY(catalog);
  QVERIFY(rod::fs::exists(scratch / "run/telemetry.csv"));
  QVERIFY(rod::fs::exists(scratch / "run/log.jsonl"));
}

QTEST_APPLESS_MAIN(TestFramesAndEvents)
#include "test_frames_and_events.moc"
