// SPDX-License-Identifier: BSD-3-Clause
// Checks a case again and again while somebody edits it.
#pragma once

#include <memory>

#include "engine/session/session.hpp"

namespace conoid {

/// check_case() for the edits of one case: what of it an edit leaves as it was, its surface for example, is not made again where the solver
/// can take it over. Holds that memory as long as it lives. check() may be called from any thread, one call at a time goes on.
class CaseChecker {
 public:
  CaseChecker();
  ~CaseChecker();
  CaseChecker(const CaseChecker&) = delete;
  CaseChecker& operator=(const CaseChecker&) = delete;

  [[nodiscard]] CheckReport check(const CaseDocument& document, const OfferSources& sources = {});

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace conoid
