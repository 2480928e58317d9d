// SPDX-License-Identifier: BSD-3-Clause
// A frequency as numbers.
#include "engine/solvers/maxwell_fem/solving/outcome.hpp"

namespace conoid::maxwell_fem {

void put_outcome(ParcelWriter& out, const Outcome& o) {
  out.put(o.solved);
  out.put(o.mix);
  out.put(o.changes);
  out.put(o.far.cuts);
  for (const auto* list : {&o.far.sphere, &o.far.back, &o.far.forward, &o.far.everywhere, &o.far.reciprocal})
    out.put(*list);
  out.put(o.rows);
  out.put(std::vector<double>{o.told});
  out.put(std::vector<OutcomeFacts>{o.facts});
  out.put(o.shown);
}

Outcome get_outcome(ParcelReader& in) {
  Outcome o;
  in.get(o.solved);
  in.get(o.mix);
  in.get(o.changes);
  in.get(o.far.cuts);
  for (auto* list : {&o.far.sphere, &o.far.back, &o.far.forward, &o.far.everywhere, &o.far.reciprocal}) in.get(*list);
  in.get(o.rows);
  std::vector<double> told;
  in.get(told);
  o.told = told.at(0);
  std::vector<OutcomeFacts> facts;
  in.get(facts);
  o.facts = facts.at(0);
  in.get(o.shown);
  return o;
}

}  // namespace conoid::maxwell_fem
