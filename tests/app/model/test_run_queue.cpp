// SPDX-License-Identifier: BSD-3-Clause
// The queue runs one case after the other, in the order that a person has given it.
// labels: unit
#include <QTest>

#include "app/model/run_queue.hpp"
#include "tests/app/fake_session.hpp"

using namespace conoid;
using namespace conoid::app;

class TestRunQueue : public QObject {
  Q_OBJECT
  std::vector<std::shared_ptr<test::FakeState>> started_;
  std::vector<std::string> titles_;

  StartSession start() {
    return [this](SessionOptions options) {
      started_.push_back(std::make_shared<test::FakeState>());
      titles_.push_back(options.document.json().value("title", ""));
      return std::make_unique<test::FakeSession>(started_.back());
    };
  }
  static CaseDocument document(const char* title) {
    Json json = Json::object();
    json["title"] = title;
    return CaseDocument::from_json(json, {});
  }

 private slots:
  void init() {
    started_.clear();
    titles_.clear();
  }

  void one_after_the_other() {
    RunQueue queue(start(), "runs", {});
    QSignalSpy ended(&queue, &RunQueue::run_ended);
    queue.add("a", {}, document("a"));
    queue.add("b", {}, document("b"));
    queue.poll();
    QCOMPARE(started_.size(), std::size_t{1});
    queue.poll();
    QCOMPARE(started_.size(), std::size_t{1});
    started_[0]->set_state(SessionState::finished);
    queue.poll();
    QCOMPARE(started_.size(), std::size_t{2});
    QCOMPARE(ended.count(), 1);
    QCOMPARE(queue.runs()[0].state, SessionState::finished);
    started_[1]->set_state(SessionState::failed, make_error(ErrorCode::resources, "no memory"));
    queue.poll();
    QCOMPARE(queue.runs()[1].trouble, QString("no memory"));
    queue.remove_ended();
    QCOMPARE(queue.rowCount(), 0);
  }

  void waiting_runs_can_be_moved_and_taken_out() {
    RunQueue queue(start(), "runs", {});
    for (const char* t : {"a", "b", "c", "d"}) queue.add(t, {}, document(t));
    queue.poll();                // a runs
    QVERIFY(queue.move(3, 1));   // a d b c
    QVERIFY(!queue.move(0, 3));  // what runs stays
    QVERIFY(queue.move(2, 0));   // b cannot go before a: a b d c
    QStringList order;
    for (const QueuedRun& r : queue.runs()) order << r.title;
    QCOMPARE(order, (QStringList{"a", "b", "d", "c"}));
    queue.remove(2);
    queue.remove(0);  // asks the running one to stop
    QCOMPARE(started_[0]->commands, std::vector<Command>{Command::stop});
    queue.poll();
    QCOMPARE(titles_, (std::vector<std::string>{"a", "b"}));
  }

  void it_waits_while_the_window_computes_and_while_held() {
    bool busy = true;
    RunQueue queue(start(), "runs", [&] { return busy; });
    queue.add("a", {}, document("a"));
    queue.poll();
    QVERIFY(started_.empty());
    busy = false;
    queue.set_active(false);
    queue.poll();
    QVERIFY(started_.empty());
    queue.set_active(true);
    queue.poll();
    QCOMPARE(started_.size(), std::size_t{1});
    QCOMPARE(started_[0]->per_second, 0.0);  // nobody looks: no frames
  }
};

QTEST_GUILESS_MAIN(TestRunQueue)
#include "test_run_queue.moc"
