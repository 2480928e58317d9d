// SPDX-License-Identifier: BSD-3-Clause
// A checkpoint in memory, for tests of solvers: keeps what is written and gives it back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/io/checkpoint.hpp"

namespace conoid::test {

/// Pieces of several marches (ranks) may be collected in one.
class MemoryCheckpoint final : public CheckpointWriter, public CheckpointReader {
 public:
  using CheckpointReader::value;
  using CheckpointWriter::value;
  [[nodiscard]] Index length(std::string_view name) const override {
    const auto i = arrays_.find(std::string(name));
    return i == arrays_.end() ? -1 : static_cast<Index>(i->second.bytes.size() / i->second.entry);
  }
  /// As a version wrote it that did not have this array.
  void forget(std::string_view name) { arrays_.erase(std::string(name)); }
  /// Arrays of all ranks of which each has whole ones of its own, on every rank; of one that several have, the first one's.
  [[nodiscard]] MemoryCheckpoint joined(Communicator& cluster) const {
    std::vector<std::byte> mine;
    const auto put = [&](const void* data, std::size_t size) {
      const auto* const from = static_cast<const std::byte*>(data);
      mine.insert(mine.end(), from, from + size);
    };
    for (const auto& [name, array] : arrays_) {
      const std::array<std::size_t, 3> head{name.size(), array.entry, array.bytes.size()};
      put(head.data(), sizeof head);
      put(name.data(), name.size());
      put(array.bytes.data(), array.bytes.size());
    }
    const std::vector<std::byte> all = cluster.all_gather(mine);
    MemoryCheckpoint out;
    for (const std::byte* at = all.data(); at < all.data() + all.size();) {
      std::array<std::size_t, 3> head{};
      std::memcpy(head.data(), at, sizeof head);
      at += sizeof head;
      const std::string name(reinterpret_cast<const char*>(at), head[0]);
      at += head[0];
      out.arrays_.try_emplace(name, Array{head[1], std::vector<std::byte>(at, at + head[2])});
      at += head[2];
    }
    return out;
  }

 protected:
  [[nodiscard]] bool leads() const override { return true; }
  void bytes(std::string_view name, std::size_t entry, Index global, Index begin,
             std::span<const std::byte> data) override {
    Array& a = arrays_[std::string(name)];
    a.entry = entry;
    a.bytes.resize(entry * static_cast<std::size_t>(global));
    verify(static_cast<std::size_t>(begin) * entry + data.size() <= a.bytes.size(), "a piece lies inside its array");
    std::copy(data.begin(), data.end(), a.bytes.begin() + begin * static_cast<Index>(entry));
  }
  void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const override {
    const auto i = arrays_.find(std::string(name));
    verify(i != arrays_.end() && i->second.entry == entry, "the array exists and has the type asked for");
    const auto first = static_cast<std::size_t>(begin) * entry;
    verify(first + out.size() <= i->second.bytes.size(), "the range lies inside the array");
    std::copy_n(i->second.bytes.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  }

 private:
  struct Array {
    std::size_t entry = 1;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, Array> arrays_;
};

}  // namespace conoid::test
