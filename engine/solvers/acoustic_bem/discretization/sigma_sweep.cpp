// SPDX-License-Identifier: BSD-3-Clause
// Batches of outer triangles for the lane kernels.
#include "engine/solvers/acoustic_bem/discretization/sigma_sweep.hpp"

#include <algorithm>

namespace conoid::acoustic_bem {

SigmaSweep::SigmaSweep(const TileContext& context)
    : context_(context), surface_(context.surface), form_(context.form.sigma_lanes()) {
  const auto W = static_cast<std::size_t>(context_.kernels.lanes);
  first_.resize(W);
  last_.resize(W);
  direct_.resize((context.most_shells + 2) * 9 * W);
  transposed_.resize(direct_.size());
  work_.resize(context.most_shells * 20 * W);
}

void SigmaSweep::run(std::span<const std::int32_t> tested, std::span<const std::int32_t> sources,
                     const std::function<void(const Pair&)>& add, const std::stop_token& stop) {
  for (const std::vector<std::int32_t>& alike : by_form(surface_, tested)) {
    if (alike.empty()) continue;
    form_ = form_at(surface_, context_.form, static_cast<std::size_t>(alike.front())).sigma_lanes();
    run_alike(alike, sources, add, stop);
  }
}

/// Of tests of one form.
void SigmaSweep::run_alike(std::span<const std::int32_t> tested, std::span<const std::int32_t> sources,
                           const std::function<void(const Pair&)>& add, const std::stop_token& stop) {
  OuterSet tests = set(tested), outer_sources = set(sources);
  for (const std::int32_t s : sources) {
    if (stop.stop_requested()) return;
    for_images(s, [&](const Triangle& S, double factor, bool image) {
      sweep(tests, S,
            [&](std::size_t k, std::size_t lane) { add(pair_of(tests.triangle(k), s, factor, image, true, lane)); });
    });
  }
  for (const std::int32_t t : tested) {
    if (stop.stop_requested()) return;
    for_images(t, [&](const Triangle& T, double factor, bool image) {
      sweep(outer_sources, T, [&](std::size_t k, std::size_t lane) {
        add(pair_of(t, outer_sources.triangle(k), factor, image, false, lane));
      });
    });
  }
}

OuterSet SigmaSweep::set(std::span<const std::int32_t> triangles) const {
  return {surface_,      {triangles.begin(), triangles.end()},
          context_.far,  context_.near,
          context_.thin, context_.kernels.lanes};
}

template <class F>
void SigmaSweep::for_images(std::int32_t s, F&& f) const {
  f(surface_.triangles[static_cast<std::size_t>(s)], 1.0, false);
  if (!surface_.images.empty()) f(surface_.images[static_cast<std::size_t>(s)], surface_.image_sign(), true);
}

/// All pairs of outer triangles with one: each(k, lane) after the kernel.
template <class Each>
void SigmaSweep::sweep(OuterSet& outer, const Triangle& inner, Each&& each) {
  const auto W = static_cast<std::size_t>(context_.kernels.lanes);
  const LaneSource source = lane_source(inner);
  const LaneResult result{first_.data(), last_.data(), direct_.data(), transposed_.data(), work_.data()};
  outer.classify(inner, close_);
  for (std::size_t begin = 0; begin < outer.size(); begin += W) {
    const std::size_t end = std::min(begin + W, outer.size());
    if (std::none_of(close_.begin() + static_cast<std::ptrdiff_t>(begin),
                     close_.begin() + static_cast<std::ptrdiff_t>(end),
                     [](Closeness c) { return c == Closeness::far; }))
      continue;
    context_.kernels.pair(source, outer.far(), begin, context_.far.view(), form_, result);
    for (std::size_t k = begin; k < end; ++k)
      if (close_[k] == Closeness::far) each(k, k - begin);
  }
  for (const Closeness how : {Closeness::near, Closeness::thin}) {
    const PackedRule& rule = how == Closeness::near ? context_.near : context_.thin;
    picked_.clear();
    for (std::size_t k = 0; k < outer.size(); ++k)
      if (close_[k] == how) picked_.push_back(k);
    for (std::size_t p = 0; p < picked_.size(); p += W) {
      const std::size_t count = std::min(W, picked_.size() - p);
      context_.kernels.pair(source, outer.batch(picked_.data() + p, count, rule), 0, rule.view(), form_, result);
      for (std::size_t t = 0; t < count; ++t) each(picked_[p + t], t);
    }
  }
}

/// `by_outer`: the tested triangle is the outer one, corner a of entries (a, b). `image`: the inner one is an image.
SigmaSweep::Pair SigmaSweep::pair_of(std::int32_t tested, std::int32_t source, double factor, bool image, bool by_outer,
                                     std::size_t lane) const {
  Pair out{tested, source, factor, static_cast<Index>(first_[lane]),
           static_cast<std::size_t>(last_[lane] - first_[lane]) + 2};
  out.values = (by_outer ? direct_ : transposed_).data() + lane;
  out.stride = static_cast<std::size_t>(context_.kernels.lanes);
  out.of_own = by_outer ? 3 : 1;
  out.of_other = by_outer ? 1 : 3;
  (by_outer ? out.other_turned : out.own_turned) = image;
  return out;
}

}  // namespace conoid::acoustic_bem
