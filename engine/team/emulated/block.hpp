// SPDX-License-Identifier: BSD-3-Clause
// Runs the blocks of one kernel, one after the other, on one host thread: the threads of a block as fibers.
//
// A thread that meets no barrier needs no jump: its fiber goes on with the next thread. One that waits leaves its fiber,
// and a fresh one begins with the next thread; later the waiting ones take turns. So each thread and phase (the way from one
// barrier to the next) costs one jump.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/team/emulated/fiber.hpp"
#include "engine/team/emulated/model.hpp"

namespace conoid::emulated {

/// The blocks of a cooperative launch meet here, each on a host thread of its own.
class GridMeeting {
 public:
  explicit GridMeeting(unsigned blocks);
  ~GridMeeting();
  /// False: another block has failed and nobody will come.
  [[nodiscard]] bool arrive();
  void abandon();
  [[nodiscard]] bool abandoned() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Blocks of one cluster, each on a host thread of its own, and their shared memory: it outlives a block that ends with an error.
class Cluster {
 public:
  Cluster(unsigned blocks, std::size_t shared) : meeting(blocks), memory_(blocks) {
    for (auto& m : memory_) m.resize(shared + 64);
  }
  [[nodiscard]] unsigned char* shared(unsigned block) {
    unsigned char* const m = memory_[block].data();
    return m + (64 - reinterpret_cast<std::uintptr_t>(m) % 64) % 64;
  }
  GridMeeting meeting;
  std::mutex signals;

 private:
  std::vector<std::vector<unsigned char>> memory_;
};

struct Job {
  const char* name = "";
  const void* function = nullptr;
  void (*invoke)(const void*, void**) = nullptr;
  void** arguments = nullptr;
  dim3 grid{}, block{};
  std::size_t shared = 0;
  GridMeeting* meeting = nullptr;  ///< of a cooperative launch
  unsigned cluster_blocks = 1;
  Cluster* cluster = nullptr;  ///< where it has more than one block
  unsigned subnormals = 0;     ///< as subnormal_mode() of the thread that launched it
};

class Block {
 public:
  Block();
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Runs one block of the job to its end. An empty string, or what is wrong with the kernel.
  [[nodiscard]] std::string run(const Job& job, uint3 index);

  // For the threads of the block (model.hpp).
  void barrier(Place place);
  int vote(int value, int kind, Place place);
  const unsigned char* exchange(unsigned mask, const void* mine, std::size_t bytes, Place place);
  void grid_barrier(Place place);
  /// Until another device has raised a number (peers.hpp).
  void await(const unsigned long long* number, unsigned long long value);
  void cluster_barrier(Place place);
  [[nodiscard]] unsigned char* in_cluster(unsigned char* mine, unsigned rank) const;
  void signal_start(unsigned char* signal);
  void signal_expect(unsigned char* signal, unsigned bytes);
  void signal_wait(const unsigned char* signal, unsigned parity, Place place);
  void store_in_cluster(unsigned char* to, const void* from, unsigned bytes, unsigned char* signal);
  void copy_box(unsigned char* to, const BoxSource& source, const int (&from)[3], unsigned char* signal);
  void copy_later(void* to, const void* from, std::size_t bytes, Place place);
  void commit_copies();
  void await_copies(unsigned groups);

  /// Ends the launch at once, from inside a thread: control returns to run(). The thread's frames are left as they are, so nothing
  /// in them may own memory by then: `text` makes the sentence and lets go of all else.
  template <class Text>
  [[noreturn]] void fail(Text&& text) {
    problem_ = text();
    end_launch();
  }
  [[nodiscard]] const Job& job() const { return *job_; }
  [[nodiscard]] std::string whereabouts() const;  ///< "kernel 'x', block (0,0,0), thread (3,0,0)"
  [[nodiscard]] unsigned warp_epoch(unsigned warp) const { return warps_[warp].epoch; }
  [[nodiscard]] bool owns_stack(const void* address) const;

 private:
  struct Thread {
    Fiber* fiber = nullptr;
    const unsigned* waits_on = nullptr;  ///< a generation counter
    unsigned generation = 0;             ///< its value when the wait began
    bool done = false;
    uint3 index{};
    Place place{nullptr, 0};
  };
  /// Lanes of one mask that exchange values. Two sets of values by turns: who is first at the next exchange does not
  /// overwrite what the others have yet to read.
  struct Meeting {
    unsigned mask = 0, arrived = 0, generation = 0;
    alignas(16) unsigned char data[2][32 * 16];
  };
  struct Warp {
    unsigned alive = 0;
    unsigned epoch = 0;  ///< how many exchanges have taken place
    std::vector<std::unique_ptr<Meeting>> meetings;
  };
  struct PendingCopy {
    void* to;
    const void* from;
    std::size_t bytes;
    Place place;
  };
  struct Copies {
    std::vector<PendingCopy> list;
    std::vector<std::size_t> groups;  ///< ends of the committed groups in `list`
  };
  struct Stack {
    void* memory = nullptr;
    Fiber fiber;
    Block* block = nullptr;
  };

  static void fiber_body(void* stack);
  void live(Stack& self);
  void prepare(const Job& job, uint3 index);
  Fiber* take_fiber();
  void select(unsigned thread);
  void end_thread(unsigned thread);
  void release_barrier();
  void release(Warp& warp, Meeting& meeting);
  void wait_for(const unsigned& generation, Place place) { wait_while(generation, generation, place); }
  void wait_while(const unsigned& generation, unsigned seen, Place place);
  [[nodiscard]] bool runnable(unsigned thread) const;
  [[nodiscard]] unsigned next_runnable();
  [[nodiscard]] unsigned next_or_end();
  void signal_changed(unsigned char* signal, int by);
  void perform(Copies& copies, std::size_t end);
  [[noreturn]] void deadlock();

  const Job* job_ = nullptr;
  Builtins* mine_ = nullptr;  ///< of this host thread
  unsigned count_ = 0, current_ = 0, next_unstarted_ = 0, alive_ = 0, finished_ = 0;
  unsigned arrived_ = 0, generation_ = 0;
  GridMeeting* others_ = nullptr;  ///< whom the barrier under way waits for too: the grid or the cluster
  Place barrier_place_{nullptr, 0};
  int votes_ = 0, voters_ = 0, vote_kind_ = 0, vote_result_ = 0;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<Copies> copies_;
  dim3 dimensions_{0, 0, 0};

  Fiber main_;
  std::vector<std::unique_ptr<Stack>> stacks_;
  std::vector<Fiber*> free_;
  std::vector<unsigned char> shared_;
  [[noreturn]] void end_launch();

  std::string problem_;
};

}  // namespace conoid::emulated
