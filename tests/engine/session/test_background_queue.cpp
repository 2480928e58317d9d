// SPDX-License-Identifier: BSD-3-Clause
// Jobs are done in order, hold bounded memory, and their errors reach the one who posted them.
// labels: unit
#include <QTest>

#include <atomic>
#include <semaphore>
#include <stdexcept>
#include <vector>

#include "engine/session/background_queue.hpp"

using namespace conoid;

class TestBackgroundQueue : public QObject {
  Q_OBJECT
 private slots:
  void jobs_keep_their_order();
  void a_full_queue_makes_the_producer_wait();
  void a_job_larger_than_the_limit_is_taken();
  void an_error_comes_out_and_drops_what_follows();
  void the_end_does_what_is_waiting();
};

void TestBackgroundQueue::jobs_keep_their_order() {
  BackgroundQueue queue(100);
  std::vector<int> done;
  for (int i = 0; i < 1000; ++i) queue.post(7, [&done, i] { done.push_back(i); });
  queue.drain();
  QCOMPARE(done.size(), std::size_t(1000));
  for (int i = 0; i < 1000; ++i) QCOMPARE(done[std::size_t(i)], i);
}

void TestBackgroundQueue::a_full_queue_makes_the_producer_wait() {
  BackgroundQueue queue(100);
  std::counting_semaphore<> gate(0);
  std::atomic<int> posted = 0;
  std::thread producer([&] {
    for (int i = 0; i < 5; ++i) {
      queue.post(40, [&] { gate.acquire(); });
      ++posted;
    }
  });
  // However late the producer is: it comes to its second job, and no further.
  for (int k = 0; k < 6000 && posted < 2; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int while_full = posted;  // looked at before anything can fail: the producer must be joined
  gate.release(5);
  producer.join();
  queue.drain();
  QCOMPARE(while_full, 2);
  QCOMPARE(posted.load(), 5);
}

void TestBackgroundQueue::a_job_larger_than_the_limit_is_taken() {
  BackgroundQueue queue(100);
  int done = 0;
  for (int i = 0; i < 3; ++i) queue.post(1000, [&] { ++done; });
  queue.drain();
  QCOMPARE(done, 3);
}

void TestBackgroundQueue::an_error_comes_out_and_drops_what_follows() {
  BackgroundQueue queue(1000);
  std::counting_semaphore<> gate(0);
  bool after = false;
  queue.post(1, [&] {
    gate.acquire();
    throw std::runtime_error("full");
  });
  queue.post(1, [&] { after = true; });
  gate.release();
  QVERIFY_THROWS_EXCEPTION(std::runtime_error, queue.drain());
  QVERIFY(!after);
  queue.post(1, [&] { after = true; });  // the error was told once; the queue goes on
  queue.drain();
  QVERIFY(after);
}

void TestBackgroundQueue::the_end_does_what_is_waiting() {
  int done = 0;
  {
    BackgroundQueue queue(1000);
    for (int i = 0; i < 10; ++i) queue.post(1, [&] { ++done; });
  }
  QCOMPARE(done, 10);
}

QTEST_APPLESS_MAIN(TestBackgroundQueue)
#include "test_background_queue.moc"
