// SPDX-License-Identifier: BSD-3-Clause
// What is known of a frequency as numbers: on its way to the leading rank, and in checkpoints.
#include "engine/solvers/elastic_bem/elastic_bem.hpp"

namespace conoid::elastic_bem {
namespace {

std::vector<double> numbers_of(const SolveFacts& f) {
  return {f.residual,
          f.rcond,
          static_cast<double>(f.iterations),
          f.chief_detector,
          static_cast<double>(f.chief_rows),
          f.seconds_pairs,
          f.seconds_singular,
          f.seconds_solve,
          f.seconds_factors,
          f.work.far_points,
          f.work.near_points,
          static_cast<double>(f.compressed),
          f.compression_rank,
          f.compression_error,
          f.residual_asked};
}

SolveFacts facts_of(const std::vector<double>& numbers) {
  SolveFacts f;
  f.residual = numbers[0];
  f.rcond = numbers[1];
  f.iterations = static_cast<int>(numbers[2]);
  f.chief_detector = numbers[3];
  f.chief_rows = static_cast<int>(numbers[4]);
  f.seconds_pairs = numbers[5];
  f.seconds_singular = numbers[6];
  f.seconds_solve = numbers[7];
  f.seconds_factors = numbers[8];
  f.work.far_points = numbers[9];
  f.work.near_points = numbers[10];
  if (numbers.size() < 14) return f;  // of a checkpoint of before there were compressed matrices
  f.compressed = static_cast<Bytes>(numbers[11]);
  f.compression_rank = numbers[12];
  f.compression_error = numbers[13];
  if (numbers.size() > 14) f.residual_asked = numbers[14];
  return f;
}

}  // namespace

Parcel parcel_of(const Computed& computed) {
  ParcelWriter out;
  const Answer& a = computed.answer;
  out.put(a.impedance);
  out.put(a.motions);
  std::vector<std::vector<Complex3>> displacements, tractions;
  for (const BoundaryValues& v : a.total) {
    displacements.push_back(v.displacement);
    tractions.push_back(v.traction);
  }
  out.put(displacements);
  out.put(tractions);
  out.put(a.at_points);
  out.put(a.stresses);
  out.put(computed.alone);
  out.put(numbers_of(computed.facts));
  out.put(numbers_of(computed.facts_alone));
  return out.finish();
}

Computed computed_of(const Parcel& parcel) {
  ParcelReader in(parcel);
  Computed out;
  Answer& a = out.answer;
  in.get(a.impedance);
  in.get(a.motions);
  std::vector<std::vector<Complex3>> displacements, tractions;
  in.get(displacements);
  in.get(tractions);
  for (std::size_t q = 0; q < displacements.size(); ++q)
    a.total.push_back({std::move(displacements[q]), std::move(tractions[q])});
  in.get(a.at_points);
  in.get(a.stresses);
  in.get(out.alone);
  std::vector<double> numbers;
  in.get(numbers);
  out.facts = facts_of(numbers);
  in.get(numbers);
  out.facts_alone = facts_of(numbers);
  return out;
}

double parcel_length(const Problem& p, double points) {
  const Surface& s = *p.scene.surface;
  const auto motions = static_cast<double>(6 * p.foundations.size()),
             receivers = static_cast<double>(p.receivers.size()),
             shown = p.loads.empty() ? motions : static_cast<double>(p.loads.size()),
             nodes = static_cast<double>(s.nodes.size() + s.traction_node.size());
  return 2 * (motions * motions + shown * (motions + 3 * nodes + 3 * points * (p.bare ? 2 : 1) + 6 * receivers));
}

}  // namespace conoid::elastic_bem
