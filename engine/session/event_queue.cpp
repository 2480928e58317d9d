// SPDX-License-Identifier: BSD-3-Clause
// Merging of events that wait for a client.
#include "engine/session/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace conoid {
namespace {

template <class T>
void keep_newest(std::vector<T>& values, std::size_t limit) {
  if (values.size() > limit)
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() - limit));
}

/// Rows are cut a quarter of the limit at a time, so that a long wait costs no quadratic copying.
void merge_rows(TableEvent& into, TableEvent& from) {
  if (from.first_row == 0) {  // a fresh start replaces what waits
    into = std::move(from);
  } else {
    const std::size_t expected = into.first_row + into.rows.size();
    if (from.first_row != expected) {  // a gap before: the older rows would come out of order
      into.rows.clear();
      into.first_row = from.first_row;
    }
    std::move(from.rows.begin(), from.rows.end(), std::back_inserter(into.rows));
  }
  if (into.rows.size() > EventQueue::row_limit) {
    const std::size_t drop = into.rows.size() - EventQueue::row_limit * 3 / 4;
    into.rows.erase(into.rows.begin(), into.rows.begin() + static_cast<std::ptrdiff_t>(drop));
    into.first_row += drop;
  }
}

}  // namespace

bool EventQueue::merge(SessionEvent& event) {
  for (SessionEvent& waiting : events_) {
    if (waiting.index() != event.index()) continue;
    if (auto* p = std::get_if<ProgressEvent>(&waiting)) {
      *p = std::move(std::get<ProgressEvent>(event));
      return true;
    }
    if (auto* c = std::get_if<CatalogEvent>(&waiting)) {
      *c = std::move(std::get<CatalogEvent>(event));
      return true;
    }
    if (auto* n = std::get_if<NumberEvent>(&waiting)) {
      auto& fresh = std::get<NumberEvent>(event);
      if (n->name != fresh.name) continue;
      *n = std::move(fresh);
      return true;
    }
    if (auto* t = std::get_if<TableEvent>(&waiting)) {
      auto& fresh = std::get<TableEvent>(event);
      if (t->info.id != fresh.info.id) continue;
      merge_rows(*t, fresh);
      return true;
    }
    if (auto* b = std::get_if<BalanceEvent>(&waiting)) {
      auto& fresh = std::get<BalanceEvent>(event);
      b->workers = std::move(fresh.workers);
      if (fresh.rates.known()) b->rates = fresh.rates;
      if (!fresh.device_rates.empty()) b->device_rates = std::move(fresh.device_rates);
      b->samples.insert(b->samples.end(), fresh.samples.begin(), fresh.samples.end());
      if (b->samples.size() > sample_limit) keep_newest(b->samples, sample_limit * 3 / 4);
      return true;
    }
  }
  return false;
}

void EventQueue::push(SessionEvent event) {
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<DiagnosticEvent>(event)) {
    if (diagnostics_ > diagnostic_limit) return;
    if (diagnostics_ == diagnostic_limit)
      event = DiagnosticEvent{make_warning("too many messages; the rest is in log.jsonl only")};
    ++diagnostics_;
  }
  if (merge(event)) return;
  events_.push_back(std::move(event));
}

std::vector<SessionEvent> EventQueue::take() {
  const std::lock_guard lock(mutex_);
  diagnostics_ = 0;
  return std::exchange(events_, {});
}

}  // namespace conoid
