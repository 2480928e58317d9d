// SPDX-License-Identifier: BSD-3-Clause
// A case is read once: what check() has made of it, surface and all, serves estimate() and prepare(); and what the next edit of the case
// leaves as it is may be taken over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid {

/// A case as its solver needs it, and what was said of it; no problem where that is an error.
template <class Problem>
struct Reading {
  std::unique_ptr<Problem> problem;
  std::vector<Diagnostic> said;
};

/// A checksum of points, cells and groups; 0 without a mesh.
[[nodiscard]] std::uint64_t mark_of(const Mesh* mesh);

/// Keeps what was read last, of this resolved case on this mesh. One thread at a time.
template <class Problem>
class KeptReading {
 public:
  /// What is kept, or what `read(input, mesh)` makes now. `read(input, mesh, before)` also gets the last problem that was read of another
  /// case on the same mesh, null if there is none, and may take of it what is the same.
  template <class Read>
  Reading<Problem>& of(const Case& input, const Mesh* mesh, Read&& read) {
    const std::uint64_t mark = mark_of(mesh);
    // Cases are immutable and copies share: one that is kept is not another at the same place.
    if (!reading_ || &input_.values().json() != &input.values().json() || mark != mark_) {
      if constexpr (std::is_invocable_v<Read&, const Case&, const Mesh*, Problem*>) {
        if (mark != mark_)
          before_.reset();
        else if (reading_ && reading_->problem)
          before_ = std::move(reading_->problem);
        reading_.reset();
        reading_ = read(input, mesh, before_.get());
        if (reading_->problem) before_.reset();  // otherwise it waits until an error is mended
      } else {
        reading_.reset();
        reading_ = read(input, mesh);
      }
      input_ = input;
      mark_ = mark;
    }
    return *reading_;
  }
  /// Once what was read is at work, or was taken out.
  void forget() { *this = {}; }

 private:
  std::optional<Reading<Problem>> reading_;
  std::unique_ptr<Problem> before_;
  Case input_;
  std::uint64_t mark_ = 0;
};

}  // namespace conoid
