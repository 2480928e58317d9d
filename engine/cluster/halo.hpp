// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a partition owe each other: lists of items made once, and a non-blocking exchange of what stands in them.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// An item is whatever the caller counts: a node, a plane of cells, a place in an array. Of each other rank a halo knows which items go
/// there and which come from there, in the order in which both ranks list them; an exchange is one message to and one from each of
/// them. Used from the engine thread only; one exchange may be under way at a time, together with a sum (Communicator::start_sum()).
class Halo {
 public:
  struct Side {
    int rank = 0;
    std::vector<Index> to, from;
  };
  /// Without sides: exchanges do nothing.
  Halo() = default;
  /// The other end of each side lists the same items, `from` where this one has `to`. Sides without items are dropped.
  Halo(Communicator& cluster, std::vector<Side> sides);

  /// Collective. `parts`: the items of each rank, intervals in rank order. `wanted`: items of others that this rank reads, ascending.
  [[nodiscard]] static Halo of_partition(Communicator& cluster, std::span<const Interval> parts,
                                         std::span<const Index> wanted);

  [[nodiscard]] std::span<const Side> sides() const { return sides_; }

  /// bytes(item): what it is packed into, alike on both ranks; pack(item, std::byte*& at) writes them and moves `at` past them. Starts
  /// at once; packed values may be changed as soon as it comes back.
  template <class BytesOf, class Pack>
  void start(const BytesOf& bytes, const Pack& pack) {
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      sent_[s].resize(total(sides_[s].to, bytes));
      received_[s].resize(total(sides_[s].from, bytes));
      std::byte* at = sent_[s].data();
      for (const Index item : sides_[s].to) pack(item, at);
    }
    send();
  }
  /// Waits. unpack(item, const std::byte*& at) reads what the other rank packed, by ascending rank.
  template <class Unpack>
  void finish(const Unpack& unpack) {
    wait();
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const std::byte* at = received_[s].data();
      for (const Index item : sides_[s].from) unpack(item, at);
    }
  }
  /// The same where each item has so many numbers: value(item, component) gives them, take(item, component, value) gets those of others.
  template <class Value>
  void start_values(int components, const Value& value) {
    start([&](Index) { return static_cast<std::size_t>(components) * sizeof(double); },
          [&](Index item, std::byte*& at) {
            for (int c = 0; c < components; ++c, at += sizeof(double)) {
              const double sent = value(item, c);
              std::memcpy(at, &sent, sizeof(double));
            }
          });
  }
  template <class Take>
  void finish_values(int components, const Take& take) {
    finish([&](Index item, const std::byte*& at) {
      for (int c = 0; c < components; ++c, at += sizeof(double)) {
        double received;
        std::memcpy(&received, at, sizeof(double));
        take(item, c, received);
      }
    });
  }

 private:
  template <class BytesOf>
  static std::size_t total(const std::vector<Index>& items, const BytesOf& bytes) {
    std::size_t sum = 0;
    for (const Index item : items) sum += static_cast<std::size_t>(bytes(item));
    return sum;
  }
  void send();
  void wait();

  Communicator* cluster_ = nullptr;
  std::vector<Side> sides_;
  std::vector<std::vector<std::byte>> sent_, received_;
  std::vector<Outgoing> out_;
  std::vector<Incoming> in_;
};

}  // namespace conoid
