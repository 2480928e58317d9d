// SPDX-License-Identifier: BSD-3-Clause
// The threads of a block take turns.
#include "engine/team/emulated/block.hpp"
#include "engine/simd/subnormals.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "engine/team/emulated/check.hpp"

namespace conoid::emulated {

__thread Builtins builtins;

namespace {

// A thread's stack, with a page below it that nobody may touch. Sanitizers need more for their frames.
constexpr std::size_t stack_bytes = CONOID_FIBER_ASAN || CONOID_FIBER_TSAN || checked ? 256 << 10 : 64 << 10;
constexpr std::size_t page = 4096;
constexpr unsigned nobody = ~0U;

bool same(Place a, Place b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}
std::string text_of(Place p) {
  const char* name = p.file;
  for (const char* c = p.file; c != nullptr && *c != '\0'; ++c)
    if (*c == '/') name = c + 1;
  return fmt::format("{}:{}", name != nullptr ? name : "?", p.line);
}

}  // namespace

struct GridMeeting::State {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned blocks = 0, arrived = 0, generation = 0;
  bool abandoned = false;
};
GridMeeting::GridMeeting(unsigned blocks) : state_(std::make_unique<State>()) {
  state_->blocks = blocks;
}
GridMeeting::~GridMeeting() = default;
bool GridMeeting::arrive() {
  std::unique_lock lock(state_->mutex);
  if (++state_->arrived == state_->blocks) {
    state_->arrived = 0;
    ++state_->generation;
    state_->changed.notify_all();
    return !state_->abandoned;
  }
  const unsigned seen = state_->generation;
  state_->changed.wait(lock, [&] { return state_->abandoned || state_->generation != seen; });
  return !state_->abandoned;
}
bool GridMeeting::abandoned() const {
  std::lock_guard lock(state_->mutex);
  return state_->abandoned;
}
void GridMeeting::abandon() {
  std::lock_guard lock(state_->mutex);
  state_->abandoned = true;
  state_->changed.notify_all();
}

Block::Block() : mine_(&builtins) {}

Block::~Block() {
  for (auto& stack : stacks_) {
    void* const memory = stack->memory;
    stack.reset();
    munmap(memory, page + stack_bytes);
  }
}

bool Block::owns_stack(const void* address) const {
  const auto* const stack = static_cast<const char*>(
      reinterpret_cast<const Stack*>(reinterpret_cast<const char*>(threads_[current_].fiber) - offsetof(Stack, fiber))
          ->memory);
  const auto* const a = static_cast<const char*>(address);
  return a >= stack && a < stack + page + stack_bytes;
}

std::string Block::whereabouts() const {
  const uint3 b = mine_->block_index, t = mine_->thread_index;
  return fmt::format("kernel '{}', block ({},{},{}), thread ({},{},{})", job_->name, b.x, b.y, b.z, t.x, t.y, t.z);
}

Fiber* Block::take_fiber() {
  if (free_.empty()) {
    auto stack = std::make_unique<Stack>();
    void* const memory =
        mmap(nullptr, page + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, page, PROT_NONE);
    stack->memory = memory;
    stack->block = this;
    // Tops at different distances from a page's border: else the hot lines of all stacks share a few sets of the caches.
    const std::size_t colour = stacks_.size() * 320 % 12288 & ~std::size_t{63};
    stack->fiber.prepare(static_cast<char*>(memory) + page, stack_bytes - colour, fiber_body, stack.get());
    free_.push_back(&stack->fiber);
    stacks_.push_back(std::move(stack));
  }
  Fiber* const fiber = free_.back();
  free_.pop_back();
  return fiber;
}

void Block::prepare(const Job& job, uint3 index) {
  job_ = &job;
  count_ = job.block.x * job.block.y * job.block.z;
  if (dimensions_.x != job.block.x || dimensions_.y != job.block.y || dimensions_.z != job.block.z) {
    dimensions_ = job.block;
    threads_.assign(count_, Thread{});
    unsigned t = 0;
    for (unsigned z = 0; z < job.block.z; ++z)
      for (unsigned y = 0; y < job.block.y; ++y)
        for (unsigned x = 0; x < job.block.x; ++x) threads_[t++].index = {x, y, z};
    warps_.clear();
    warps_.resize((count_ + 31) / 32);
  }
  for (Thread& t : threads_) {
    t.waits_on = nullptr;
    t.done = false;
  }
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    const unsigned lanes = std::min(32U, count_ - static_cast<unsigned>(w) * 32U);
    warps_[w].alive = lanes == 32 ? 0xffffffffU : (1U << lanes) - 1U;
    for (auto& m : warps_[w].meetings) m->arrived = 0;
  }
  if (!copies_.empty()) copies_.clear();
  next_unstarted_ = finished_ = arrived_ = 0;
  alive_ = count_;
  votes_ = voters_ = 0;
  others_ = nullptr;
  if (shared_.size() < job.shared + 64) shared_.resize(job.shared + 64);
  const auto start = reinterpret_cast<std::uintptr_t>(shared_.data());
  mine_->shared = shared_.data() + (64 - start % 64) % 64;
  mine_->block_index = index;
  mine_->block_dim = job.block;
  mine_->grid_dim = job.grid;
  mine_->block = this;
  if (job.cluster != nullptr) mine_->shared = job.cluster->shared(index.x % job.cluster_blocks);
}

std::string Block::run(const Job& job, uint3 index) {
  prepare(job, index);
  problem_.clear();
  check_block_begin(*this, mine_->shared, job.shared);
  Fiber::jump(main_, *take_fiber());
  if (problem_.empty()) check_block_end(*this);
  mine_->block = nullptr;
  if (!problem_.empty()) {
    // Threads were abandoned in the middle: their fibers begin anew.
    free_.clear();
    std::size_t k = 0;
    for (auto& stack : stacks_) {
      const std::size_t colour = k++ * 320 % 12288 & ~std::size_t{63};
      stack->fiber.prepare(static_cast<char*>(stack->memory) + page, stack_bytes - colour, fiber_body, stack.get());
      free_.push_back(&stack->fiber);
    }
  }
  return problem_;
}

void Block::fiber_body(void* stack) {
  auto& self = *static_cast<Stack*>(stack);
  self.block->live(self);
}

void Block::live(Stack& self) {
  for (;;) {
    while (next_unstarted_ < count_) {
      const unsigned t = next_unstarted_++;
      threads_[t].fiber = &self.fiber;
      select(t);
      set_subnormal_mode(job_->subnormals);  // fibers keep it
      job_->invoke(job_->function, job_->arguments);
      end_thread(t);
    }
    Fiber* next = &main_;
    if (finished_ < count_) {
      const unsigned n = next_or_end();
      select(n);
      next = threads_[n].fiber;
    }
    free_.push_back(&self.fiber);
    Fiber::jump(self.fiber, *next);
  }
}

inline void Block::select(unsigned thread) {
  current_ = thread;
  mine_->thread_index = threads_[thread].index;
  mine_->rank = thread;
}

inline bool Block::runnable(unsigned thread) const {
  const Thread& t = threads_[thread];
  return !t.done && (t.waits_on == nullptr || __atomic_load_n(t.waits_on, __ATOMIC_ACQUIRE) != t.generation);
}

unsigned Block::next_runnable() {
  unsigned n = current_;
  for (unsigned k = 0; k < count_; ++k) {
    if (++n >= count_) n = 0;
    if (runnable(n)) return n;
  }
  return nobody;
}

/// All may wait for what other blocks of the cluster send; not for ever.
unsigned Block::next_or_end() {
  unsigned n = next_runnable();
  if (n == nobody && job_->cluster != nullptr)
    for (const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
         n == nobody && std::chrono::steady_clock::now() < last; n = next_runnable()) {
      if (job_->cluster->meeting.abandoned())
        fail([] { return std::string("another block of the cluster has failed"); });
      std::this_thread::yield();
    }
  if (n == nobody) deadlock();
  return n;
}

void Block::wait_while(const unsigned& generation, unsigned seen, Place place) {
  Thread& self = threads_[current_];
  self.waits_on = &generation;
  self.generation = seen;
  self.place = place;
  if (next_unstarted_ < count_) {
    Fiber::jump(*self.fiber, *take_fiber());
  } else {
    const unsigned n = next_or_end();
    select(n);
    if (threads_[n].fiber != self.fiber) Fiber::jump(*self.fiber, *threads_[n].fiber);
  }
  self.waits_on = nullptr;
}

void Block::end_thread(unsigned thread) {
  if (!copies_.empty()) {
    Copies& c = copies_[thread];
    if (checked && !c.list.empty())
      check_report(fmt::format("{}: ends with an asynchronous copy that nobody has waited for, begun at {}",
                               whereabouts(), text_of(c.list.front().place)));
    perform(c, c.list.size());
  }
  threads_[thread].done = true;
  ++finished_;
  --alive_;
  if (arrived_ > 0 && arrived_ == alive_) release_barrier();
  Warp& warp = warps_[thread / 32];
  warp.alive &= ~(1U << (thread % 32));
  for (auto& m : warp.meetings)
    if (m->arrived != 0 && m->arrived == (m->mask & warp.alive)) release(warp, *m);
}

void Block::release_barrier() {
  if (others_ != nullptr && !std::exchange(others_, nullptr)->arrive())
    fail([] { return std::string("another block that this one meets has failed"); });
  arrived_ = 0;
  ++generation_;
  vote_result_ = vote_kind_ == 1 ? votes_ == voters_ : votes_;
  votes_ = voters_ = 0;
  check_phase(*this);
}

void Block::barrier(Place place) {
  if (arrived_ == 0)
    barrier_place_ = place;
  else if (checked && !same(place, barrier_place_))
    fail([&] {
      return fmt::format(
          "{}: waits at the barrier of {}, while other threads of the block wait at the one of {}. All threads of "
          "a block must come to the same barrier.",
          whereabouts(), text_of(place), text_of(barrier_place_));
    });
  if (++arrived_ == alive_)
    release_barrier();
  else
    wait_for(generation_, place);
}

int Block::vote(int value, int kind, Place place) {
  vote_kind_ = kind;
  votes_ += value != 0 ? 1 : 0;
  ++voters_;
  barrier(place);
  return kind == 2 ? vote_result_ != 0 : vote_result_;
}

void Block::await(const unsigned long long* number, unsigned long long value) {
  check_range(number, sizeof *number, Access::atomic, __builtin_return_address(0));
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < value) {
    if (std::chrono::steady_clock::now() > last) fail([&] { return whereabouts() + ": another device has not come"; });
    std::this_thread::yield();
  }
}

void Block::grid_barrier(Place place) {
  if (job_->meeting == nullptr)
    fail([&] {
      return fmt::format("{}: waits for the whole grid at {}, but the launch was not cooperative", whereabouts(),
                         text_of(place));
    });
  others_ = job_->meeting;
  barrier(place);
}
void Block::cluster_barrier(Place place) {
  if (job_->cluster != nullptr) others_ = &job_->cluster->meeting;
  barrier(place);
}
unsigned char* Block::in_cluster(unsigned char* mine, unsigned rank) const {
  auto* const here = static_cast<unsigned char*>(mine_->shared);
  return job_->cluster != nullptr ? job_->cluster->shared(rank) + (mine - here) : mine;
}

namespace {
/// How many phases have ended, and what the one that goes on lacks: twice the bytes that came beyond those expected, and one when
/// it is known how many are.
struct SignalWord {
  unsigned ended;
  int balance;
};
SignalWord& word_of(const unsigned char* signal) {
  return *reinterpret_cast<SignalWord*>(const_cast<unsigned char*>(signal));
}
void changed(SignalWord& word, int by) {
  word.balance += by;
  if (word.balance != 1) return;
  word.balance = 0;
  __atomic_store_n(&word.ended, word.ended + 1, __ATOMIC_RELEASE);
}
}  // namespace

void Block::signal_start(unsigned char* signal) {
  word_of(signal) = {0, 0};
}
void Block::signal_changed(unsigned char* signal, int by) {
  std::unique_lock<std::mutex> lock;
  if (job_->cluster != nullptr) lock = std::unique_lock(job_->cluster->signals);
  changed(word_of(signal), by);
}
void Block::signal_expect(unsigned char* signal, unsigned bytes) {
  signal_changed(signal, 1 - 2 * static_cast<int>(bytes));
}
void Block::store_in_cluster(unsigned char* to, const void* from, unsigned bytes, unsigned char* signal) {
  std::memcpy(to, from, bytes);
  signal_changed(signal, 2 * static_cast<int>(bytes));
}
void Block::copy_box(unsigned char* to, const BoxSource& source, const int (&from)[3], unsigned char* signal) {
  BoxedArray a;
  std::memcpy(&a, source.bytes, sizeof a);
  const auto row = static_cast<std::size_t>(a.values) * sizeof(float);
  const long long low = std::max(from[0], 0), high = std::min<long long>(from[0] + a.values, a.size[0]);
  for (int r = 0; r < a.rows; ++r) {
    unsigned char* const here = to + row * static_cast<std::size_t>(r);
    std::memset(here, 0, row);
    const long long y = from[1] + r, z = from[2];
    if (y < 0 || y >= a.size[1] || z < 0 || z >= a.size[2] || low >= high) continue;
    const float* const values = a.first + (z * a.plane_stride + y * a.row_stride + low);
    const auto bytes = static_cast<std::size_t>(high - low) * sizeof(float);
    check_range(values, bytes, Access::read, __builtin_return_address(0));
    std::memcpy(here + static_cast<std::size_t>(low - from[0]) * sizeof(float), values, bytes);
  }
  signal_changed(signal, 2 * static_cast<int>(row) * a.rows);
}
void Block::signal_wait(const unsigned char* signal, unsigned parity, Place place) {
  const unsigned& ended = word_of(signal).ended;
  for (;;) {
    const unsigned seen = __atomic_load_n(&ended, __ATOMIC_ACQUIRE);
    if ((seen & 1U) != parity) return;
    wait_while(ended, seen, place);
  }
}

void Block::release(Warp& warp, Meeting& meeting) {
  meeting.arrived = 0;
  ++meeting.generation;
  ++warp.epoch;
}

const unsigned char* Block::exchange(unsigned mask, const void* mine, std::size_t bytes, Place place) {
  const unsigned lane = current_ % 32, bit = 1U << lane;
  Warp& warp = warps_[current_ / 32];
  if ((mask & bit) == 0)
    fail([&] {
      return fmt::format("{}: lane {} calls a warp operation at {} with the mask {:#010x}, which does not contain it",
                         whereabouts(), lane, text_of(place), mask);
    });
  Meeting* meeting = nullptr;
  for (auto& m : warp.meetings)
    if (m->mask == mask) meeting = m.get();
  if (meeting == nullptr) {
    warp.meetings.push_back(std::make_unique<Meeting>());
    meeting = warp.meetings.back().get();
    meeting->mask = mask;
  }
  unsigned char* const data = meeting->data[meeting->generation & 1U];
  if (bytes > 0) std::memcpy(data + 16 * lane, mine, bytes);
  meeting->arrived |= bit;
  if (meeting->arrived == (mask & warp.alive))
    release(warp, *meeting);
  else
    wait_for(meeting->generation, place);
  return data;
}

void Block::copy_later(void* to, const void* from, std::size_t bytes, Place place) {
  if (copies_.empty()) copies_.resize(count_);
  copies_[current_].list.push_back({to, from, bytes, place});
}

void Block::commit_copies() {
  if (copies_.empty()) copies_.resize(count_);
  Copies& c = copies_[current_];
  c.groups.push_back(c.list.size());
}

void Block::perform(Copies& copies, std::size_t end) {
  for (std::size_t k = 0; k < end; ++k) {
    const PendingCopy& p = copies.list[k];
    check_range(p.from, p.bytes, Access::read, __builtin_return_address(0));
    check_range(p.to, p.bytes, Access::write, __builtin_return_address(0));
    std::memcpy(p.to, p.from, p.bytes);
  }
  copies.list.erase(copies.list.begin(), copies.list.begin() + static_cast<std::ptrdiff_t>(end));
}

void Block::await_copies(unsigned groups) {
  if (copies_.empty()) return;
  Copies& c = copies_[current_];
  if (c.groups.size() <= groups) return;
  const std::size_t done = c.groups.size() - groups, end = c.groups[done - 1];
  perform(c, end);
  c.groups.erase(c.groups.begin(), c.groups.begin() + static_cast<std::ptrdiff_t>(done));
  for (std::size_t& g : c.groups) g -= end;
}

void Block::end_launch() {
  if (job_->meeting != nullptr) job_->meeting->abandon();
  if (job_->cluster != nullptr) job_->cluster->meeting.abandon();
  Fiber::jump(*threads_[current_].fiber, main_);
  __builtin_unreachable();
}

void Block::deadlock() {
  const uint3 b = mine_->block_index;
  unsigned waiting = 0, first = nobody;
  for (unsigned t = 0; t < count_; ++t)
    if (!threads_[t].done) {
      ++waiting;
      if (first == nobody) first = t;
    }
  const uint3 i = threads_[first].index;
  fail([&] {
    return fmt::format("kernel '{}', block ({},{},{}): {} of {} threads wait for ever, thread ({},{},{}) at {}",
                       job_->name, b.x, b.y, b.z, waiting, count_, i.x, i.y, i.z, text_of(threads_[first].place));
  });
}

// ---- the calls of model.hpp

void block_barrier(Place place) {
  builtins.block->barrier(place);
}
int block_vote(int value, int kind, Place place) {
  return builtins.block->vote(value, kind, place);
}
void warp_barrier(unsigned mask, Place place) {
  builtins.block->exchange(mask, nullptr, 0, place);
}
const unsigned char* warp_exchange(unsigned mask, const void* mine, std::size_t bytes, Place place) {
  return builtins.block->exchange(mask, mine, bytes, place);
}
void await_number(const unsigned long long* number, unsigned long long value) {
  builtins.block->await(number, value);
}
void grid_barrier(Place place) {
  builtins.block->grid_barrier(place);
}
void cluster_barrier(Place place) {
  builtins.block->cluster_barrier(place);
}
unsigned char* in_cluster(unsigned char* mine, unsigned rank) {
  return builtins.block->in_cluster(mine, rank);
}
void signal_start(unsigned char* signal) {
  builtins.block->signal_start(signal);
}
void signal_expect(unsigned char* signal, unsigned bytes) {
  builtins.block->signal_expect(signal, bytes);
}
void signal_wait(const unsigned char* signal, unsigned parity, Place place) {
  builtins.block->signal_wait(signal, parity, place);
}
void store_in_cluster(unsigned char* to, const void* from, unsigned bytes, unsigned char* signal) {
  builtins.block->store_in_cluster(to, from, bytes, signal);
}
void copy_box(unsigned char* to, const BoxSource& source, int x, int y, int z, unsigned char* signal) {
  builtins.block->copy_box(to, source, {x, y, z}, signal);
}
bool grid_is_cooperative() {
  return builtins.block->job().meeting != nullptr;
}
void async_copy(void* to, const void* from, std::size_t bytes, Place place) {
  builtins.block->copy_later(to, from, bytes, place);
}
void async_commit() {
  builtins.block->commit_copies();
}
void async_wait_prior(unsigned groups, Place) {
  builtins.block->await_copies(groups);
}

}  // namespace conoid::emulated
