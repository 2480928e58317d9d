// SPDX-License-Identifier: BSD-3-Clause
// One pair of functions a kind of message.
#include "engine/session/process/wire_events.hpp"

#include <array>

#include "engine/core/codec.hpp"
#include "engine/io/field_codec.hpp"
#include "engine/io/table_codec.hpp"

namespace conoid::process {
namespace {

void put(Encoder& out, const Diagnostic& d) {
  out.number(static_cast<std::uint8_t>(d.severity));
  out.number(static_cast<std::int32_t>(d.code));
  out.text(d.place.file);
  out.number(static_cast<std::int64_t>(d.place.line));
  out.text(d.place.pointer);
  out.text(d.text);
  out.text(d.hint);
}
Diagnostic diagnostic(Decoder& in) {
  Diagnostic d;
  d.severity = in.choice(Severity::error);
  const auto code = in.number<std::int32_t>();
  constexpr std::array codes{ErrorCode::internal, ErrorCode::command_line,  ErrorCode::invalid_input,
                             ErrorCode::file,     ErrorCode::not_converged, ErrorCode::resources,
                             ErrorCode::remote,   ErrorCode::stopped};
  d.code = ErrorCode::internal;
  for (const ErrorCode known : codes)
    if (static_cast<std::int32_t>(known) == code) d.code = known;
  d.place.file = in.text();
  d.place.line = static_cast<long>(in.number<std::int64_t>());
  d.place.pointer = in.text();
  d.text = in.text();
  d.hint = in.text();
  return d;
}

// ---- events: what follows the number of the alternative

void put(Encoder& out, const StateEvent& e) {
  out.number(e.state);
  out.number(static_cast<std::uint8_t>(e.error.has_value()));
  if (e.error) put(out, *e.error);
}
void put(Encoder& out, const ProgressEvent& e) {
  out.text(e.progress.phase);
  out.number(e.progress.done);
  out.number(e.progress.total);
  out.text(e.progress.unit);
  out.number(e.progress.criterion);
  out.number(e.progress.target);
  out.number(e.progress.items_per_second);
  out.text(e.progress.item_name);
  out.number(e.step);
  out.number(e.steps);
  out.number(e.value);
  out.number(e.elapsed);
  out.number(static_cast<std::uint8_t>(e.eta.has_value()));
  out.number(e.eta.value_or(0));
}
void put(Encoder& out, const TableEvent& e) {
  put(out, e.info);
  out.number(static_cast<std::uint64_t>(e.first_row));
  out.number(static_cast<std::uint64_t>(e.rows.size()));
  for (const auto& row : e.rows) out.array(std::span<const double>(row));
}
void put(Encoder& out, const MachineRates& rates) {
  for (const double rate : {rates.copy, rates.flops_double, rates.flops_single}) out.number(rate);
  out.number(static_cast<std::int32_t>(rates.threads));
}
void put(Encoder& out, const BalanceEvent& e) {
  out.number(static_cast<std::uint64_t>(e.workers.size()));
  for (const WorkerSpec& w : e.workers) {
    out.text(w.name);
    out.number(static_cast<std::int32_t>(w.threads));
    out.number(w.slowdown);
    out.text(w.device);
  }
  put(out, e.rates);
  out.number(static_cast<std::uint64_t>(e.device_rates.size()));
  for (const MachineRates& rates : e.device_rates) put(out, rates);
  out.number(static_cast<std::uint64_t>(e.samples.size()));
  for (const BalanceSample& s : e.samples) {
    out.number(s.pass);
    out.number(static_cast<std::int32_t>(s.worker));
    out.number(s.items.begin);
    out.number(s.items.end);
    out.number(s.busy);
    out.number(s.waiting);
    out.number(s.copying);
    out.number(s.work.flops);
    out.number(s.work.bytes);
    out.number(static_cast<std::uint64_t>(s.held));
    out.number(static_cast<std::uint64_t>(s.streamed));
    out.text(s.phase);
  }
}
void put(Encoder& out, const DiagnosticEvent& e) {
  put(out, e.diagnostic);
}
void put(Encoder& out, const NumberEvent& e) {
  out.text(e.name);
  out.number(e.value);
  out.text(e.unit);
}
void put(Encoder& out, const CatalogEvent& e) {
  out.number(static_cast<std::uint64_t>(e.fields.size()));
  for (const auto& [part, info] : e.fields) {
    out.text(part);
    put_field(out, info);
  }
}

StateEvent state_event(Decoder& in) {
  StateEvent e;
  e.state = in.choice(SessionState::failed);
  if (in.flag()) e.error = diagnostic(in);
  return e;
}
ProgressEvent progress_event(Decoder& in) {
  ProgressEvent e;
  e.progress.phase = in.text();
  e.progress.done = in.number<Index>();
  e.progress.total = in.number<Index>();
  e.progress.unit = in.text();
  e.progress.criterion = in.number<double>();
  e.progress.target = in.number<double>();
  e.progress.items_per_second = in.number<double>();
  e.progress.item_name = in.text();
  e.step = in.number<Index>();
  e.steps = in.number<Index>();
  e.value = in.number<double>();
  e.elapsed = in.number<double>();
  const bool known = in.flag();
  const double eta = in.number<double>();
  if (known) e.eta = eta;
  return e;
}
TableEvent table_event(Decoder& in) {
  TableEvent e;
  e.info = table_info(in);
  e.first_row = static_cast<std::size_t>(in.number<std::uint64_t>());
  e.rows.resize(in.count(8));
  for (auto& row : e.rows) {
    row = in.array<double>();
    if (row.size() != e.info.columns.size()) Decoder::damaged("a value for every column");
  }
  return e;
}
MachineRates machine_rates(Decoder& in) {
  MachineRates out;
  for (double* rate : {&out.copy, &out.flops_double, &out.flops_single}) *rate = in.number<double>();
  out.threads = in.number<std::int32_t>();
  return out;
}
BalanceEvent balance_event(Decoder& in) {
  BalanceEvent e;
  e.workers.resize(in.count(24));
  for (WorkerSpec& w : e.workers) {
    w.name = in.text();
    w.threads = in.number<std::int32_t>();
    w.slowdown = in.number<double>();
    w.device = in.text();
  }
  e.rates = machine_rates(in);
  e.device_rates.resize(in.count(28));
  for (MachineRates& rates : e.device_rates) rates = machine_rates(in);
  e.samples.resize(in.count(84));
  for (BalanceSample& s : e.samples) {
    s.pass = in.number<std::uint64_t>();
    s.worker = in.number<std::int32_t>();
    s.items.begin = in.number<Index>();
    s.items.end = in.number<Index>();
    s.busy = in.number<double>();
    s.waiting = in.number<double>();
    s.copying = in.number<double>();
    s.work.flops = in.number<double>();
    s.work.bytes = in.number<double>();
    s.held = in.number<std::uint64_t>();
    s.streamed = in.number<std::uint64_t>();
    s.phase = in.text();
    if (s.worker < 0 || static_cast<std::size_t>(s.worker) >= e.workers.size()) Decoder::damaged("a worker's number");
  }
  return e;
}
NumberEvent number_event(Decoder& in) {
  NumberEvent e;
  e.name = in.text();
  e.value = in.number<double>();
  e.unit = in.text();
  return e;
}
CatalogEvent catalog_event(Decoder& in) {
  CatalogEvent e;
  e.fields.resize(in.count(39));
  for (auto& [part, info] : e.fields) {
    part = in.text();
    info = get_field(in);
  }
  return e;
}

}  // namespace

namespace {

void put(Encoder& out, const std::optional<Bytes>& amount) {
  out.number(static_cast<std::uint8_t>(amount.has_value()));
  out.number(amount.value_or(0));
}
std::optional<Bytes> amount(Decoder& in) {
  const bool said = in.flag();
  const auto bytes = in.number<Bytes>();
  return said ? std::optional(bytes) : std::nullopt;
}

void put(Encoder& out, const ResourceRequest& r) {
  out.text(r.workers);
  out.number(static_cast<std::int32_t>(r.threads));
  put(out, r.host);
  put(out, r.device);
  out.number(static_cast<std::uint8_t>(r.deterministic.has_value()));
  out.number(static_cast<std::uint8_t>(r.deterministic.value_or(false)));
}
ResourceRequest resource_request(Decoder& in) {
  ResourceRequest r;
  r.workers = in.text();
  r.threads = in.number<std::int32_t>();
  r.host = amount(in);
  r.device = amount(in);
  const bool said = in.flag(), yes = in.flag();
  if (said) r.deterministic = yes;
  return r;
}

}  // namespace

std::string encode(const SessionOptions& o) {
  Encoder out;
  out.text(o.document.file().string());
  out.text(json_text(o.document.json()));
  out.text(o.runs.string());
  out.text(o.folder.string());
  out.text(o.resume.string());
  put(out, o.flags);
  put(out, o.settings);
  out.number(static_cast<std::int32_t>(o.courtesy));
  out.number(static_cast<std::uint8_t>(o.start_paused));
  out.number(static_cast<std::uint8_t>(o.keep_results));
  out.number(static_cast<std::uint8_t>(o.trust_geometry));
  out.number(static_cast<std::uint32_t>(o.set.size()));
  for (const std::string& assignment : o.set) out.text(assignment);
  return out.take();
}

SessionOptions decode_options(std::string_view body) {
  Decoder in(body);
  SessionOptions o;
  const std::string file = in.text();
  auto json = parse_json(in.text());
  if (!json || !json->is_object()) Decoder::damaged("a case");
  o.document = CaseDocument::from_json(std::move(*json), file);
  o.runs = in.text();
  o.folder = in.text();
  o.resume = in.text();
  o.flags = resource_request(in);
  o.settings = resource_request(in);
  o.courtesy = in.number<std::int32_t>();
  o.start_paused = in.flag();
  o.keep_results = in.flag();
  o.trust_geometry = in.flag();
  for (auto n = in.number<std::uint32_t>(); n > 0; --n) o.set.push_back(in.text());
  in.end();
  return o;
}

std::string encode(const SessionEvent& event) {
  Encoder out;
  out.number(static_cast<std::uint8_t>(event.index()));
  std::visit([&out](const auto& e) { put(out, e); }, event);
  return out.take();
}

SessionEvent decode_event(std::string_view body) {
  Decoder in(body);
  const auto which = in.number<std::uint8_t>();
  const auto read = [&]() -> SessionEvent {
    switch (which) {
      case 0: return state_event(in);
      case 1: return progress_event(in);
      case 2: return table_event(in);
      case 3: return balance_event(in);
      case 4: return DiagnosticEvent{diagnostic(in)};
      case 5: return number_event(in);
      case 6: return catalog_event(in);
      default: Decoder::damaged("the kind of an event");
    }
  };
  static_assert(std::variant_size_v<SessionEvent> == 7, "every kind of event has a case");
  SessionEvent event = read();
  in.end();
  return event;
}

std::string encode(Command command) {
  Encoder out;
  out.number(command);
  return out.take();
}
Command decode_command(std::string_view body) {
  Decoder in(body);
  const Command command = in.choice(Command::stop);
  in.end();
  return command;
}

std::string encode(const FrameWish& wish) {
  Encoder out;
  for (const auto* names : {&wish.request.parts, &wish.request.fields}) {
    out.number(static_cast<std::uint64_t>(names->size()));
    for (const std::string& name : *names) out.text(name);
  }
  out.number(wish.request.points_limit);
  out.number(wish.per_second);
  return out.take();
}
FrameWish decode_wish(std::string_view body) {
  Decoder in(body);
  FrameWish wish;
  for (auto* names : {&wish.request.parts, &wish.request.fields})
    for (std::uint64_t n = in.count(8); n > 0; --n) names->insert(in.text());
  wish.request.points_limit = in.number<Index>();
  wish.per_second = in.number<double>();
  in.end();
  return wish;
}

std::string encode(const LogEntry& entry) {
  Encoder out;
  out.number(static_cast<std::uint8_t>(entry.level));
  out.number(entry.seconds);
  out.text(entry.text);
  return out.take();
}
LogEntry decode_log(std::string_view body) {
  Decoder in(body);
  LogEntry entry;
  entry.level = in.choice(LogLevel::error);
  entry.seconds = in.number<double>();
  entry.text = in.text();
  in.end();
  return entry;
}

std::string encode(const Error& error) {
  Encoder out;
  put(out, error);
  return out.take();
}
Error decode_error(std::string_view body) {
  Decoder in(body);
  Error error = diagnostic(in);
  in.end();
  return error;
}

}  // namespace conoid::process
