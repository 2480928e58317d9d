// SPDX-License-Identifier: BSD-3-Clause
// The case of a run and the case of its folder: what a resumed run may change, and what is kept of it.
#include "engine/session/engine.hpp"

#include <ctime>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "conoid/config.hpp"
#include "engine/case/former_names.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/log.hpp"
#include "engine/core/utc.hpp"
#include "engine/session/engine_parts.hpp"
#include "engine/session/prolong.hpp"
#include "engine/team/team.hpp"
namespace conoid {

Json run_record(const std::filesystem::path& run) {
  const auto text = read_file(run / "run.json", RunFolder::json_limit);
  Json json = text ? read_json(*text) : Json();
  return json.is_object() ? json : Json::object();
}

std::vector<std::string> hashes_of(const Json& record) {
  std::vector<std::string> out;
  if (record.contains("hash") && record["hash"].is_string()) out.push_back(record["hash"].get<std::string>());
  if (record.contains("hashes") && record["hashes"].is_array())
    for (const Json& hash : record["hashes"])
      if (hash.is_string()) out.push_back(hash.get<std::string>());
  return out;
}

namespace {

/// The case beside its hash, to name what differs; one with long lists of numbers has its hash alone.
void keep_for_comparison(Json& record, const CaseDocument& document) {
  constexpr std::size_t most = std::size_t{1} << 22;
  record.erase("as_started");
  if (compact_json(document.json()).size() < most) record["as_started"] = document.json();
}

/// What flags, settings and the environment said, as flags of `conoid run` take it: whoever has the case alone can ask for the same.
Json said_beside_the_case(const Offer& offer) {
  const auto was_said = [](const auto& offered) { return offered.said() && offered.source != "case"; };
  Json out = Json::object();
  if (was_said(offer.who)) out["workers"] = offer.who.value;
  if (was_said(offer.threads)) out["threads"] = offer.threads.value;
  std::string memory;
  if (was_said(offer.host)) memory = fmt::format("host={}B", offer.host.value);
  if (was_said(offer.device)) memory += fmt::format("{}device={}B", memory.empty() ? "" : ",", offer.device.value);
  if (!memory.empty()) out["memory"] = memory;
  if (was_said(offer.deterministic)) out["deterministic"] = offer.deterministic.value;
  return out;
}

/// Whether a value, or a section that holds it, has a keyword in the schema.
bool is_marked(const char* keyword, const std::string& pointer, const Schema& schema, const Json& document) {
  std::string upto;
  for (const std::string& step : pointer_steps(pointer)) {
    upto = pointer_join(upto, step);
    const Json node = schema.node(upto, document);
    if (node.is_object() && node.contains(keyword) && node[keyword] == true) return true;
  }
  return false;
}

/// The value that an assignment names, where it made the section at a pointer, which the case did not have; else that pointer.
std::string what_is_set(const std::string& pointer, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments)
    if (const auto key = to_pointer(assignment.substr(0, assignment.find('='))); key)
      if (key->starts_with(pointer + "/")) return *key;
  return pointer;
}

std::string dotted(const std::string& pointer) {
  return fmt::format("{}", fmt::join(pointer_steps(pointer), "."));
}

std::string what_may_change(const Schema& schema) {
  return fmt::format(
      "Only these may change on the way, by `conoid resume RUN --set KEY=VALUE`: {}. For anything else start a new "
      "run.",
      fmt::join(changeable_keys(schema), ", "));
}

}  // namespace

/// `--set` of a resumed run: its end and its output may be others, nothing else.
void Engine::change_the_case(CaseDocument& document) {
  if (options_.set.empty()) return;
  const Schema schema = schema_of(document);
  const CaseDocument before = document;
  for (const std::string& assignment : options_.set) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(make_error(ErrorCode::command_line,
                               fmt::format("--set: expected PATH=VALUE, found '{}'", assignment),
                               "Example: --set parameters.end_time=\"0.6 s\""));
    set_by_any_name(document, schema, assignment.substr(0, equals), assignment.substr(equals + 1)).or_throw();
  }
  for (const std::string& pointer : changes(before, document, schema).pointers)
    if (const std::string key = what_is_set(pointer, options_.set);
        !is_marked("prolongs", key, schema, document.json()) && !is_marked("machine", key, schema, document.json()))
      throw Failure(make_error(ErrorCode::command_line,
                               fmt::format("--set {}: a run that goes on keeps what it has begun with", dotted(key)),
                               what_may_change(schema)));
  if (const auto frames = frames_as_begun(before, document, schema)) {
    document.set("output.frames", *frames).or_throw();
    options_.set.push_back("output.frames=" + *frames);
    if (cluster_.leads()) log::info("frames stay as far apart as they were: \"frames\": {}", *frames);
  }
}

/// A run goes on with the case that it began with: from another one's checkpoint nothing right can come. By what is written, since a
/// hash also changes with the defaults of another version; earlier versions kept no case to compare.
void Engine::expect_own_case(const CaseDocument& document) {
  const Json record = run_record(options_.resume);
  if (!record.contains("as_started") || !record["as_started"].is_object()) return;
  const Schema schema = schema_of(document);
  auto started = CaseDocument::from_json(record["as_started"], document.file());
  for (const std::string& assignment : options_.set) {  // what may change, as change_the_case has found
    const auto equals = assignment.find('=');
    if (const Status set =
            set_by_any_name(started, schema, assignment.substr(0, equals), assignment.substr(equals + 1));
        !set)
      log::debug("{}", set.error().text);  // compared as it is
  }
  std::vector<std::string> others;
  for (const std::string& pointer : changes(started, document, schema).pointers)
    if (!is_marked("machine", pointer, schema, document.json())) others.push_back(dotted(pointer));
  if (others.empty()) return;
  throw Failure(
      make_error(ErrorCode::invalid_input,
                 fmt::format("the case of this run is not the one that it began with: {} differ{}",
                             fmt::join(others, ", "), others.size() == 1 ? "s" : ""),
                 "Its checkpoints belong to the case as it was: put the old values back. " + what_may_change(schema),
                 {(options_.resume / "case.json").string(), 0, {}}));
}

/// The name of the case in checkpoints: a run keeps the one that it has, unless it was changed.
void Engine::name_the_case() {
  can_be_prolonged_ = !keys_of_the_end(setup_.input.schema()).empty();
  case_hash_ = setup_.input.hash();
  if (options_.resume.empty() || !options_.set.empty()) return;
  if (const auto known = hashes_of(run_record(options_.resume)); !known.empty()) case_hash_ = known.back();
}

/// What a run was changed to by `--set` is its case from here on.
void Engine::keep_changed_case() {
  if (options_.resume.empty() || options_.set.empty() || !cluster_.leads()) return;
  Json record = run_record(files_->folder());
  std::vector<std::string> known = hashes_of(record);
  if (!known.empty() && known.back() != case_hash_) {
    known.erase(known.begin());
    known.push_back(case_hash_);
    record["hashes"] = known;
  }
  keep_for_comparison(record, options_.document);
  files_->take_case(options_.document, record);
}

void Engine::open_files() {
  const std::string hash = setup_.input.hash();
  if (options_.keep_results) {
    RunFiles::Plan plan;
    plan.hash = hash;
    plan.checkpoints_kept = static_cast<int>(setup_.input["output"]["checkpoints"]["keep"].integer());
    plan.run = {{"conoid", CONOID_VERSION},
                {"format", RunFolder::format},
                {"solver", setup_.info->id},
                {"title", setup_.input.title()},
                {"hash", hash},
                {"started", utc_text(std::time(nullptr))},
                {"host", setup_.offer.machine.host},
                {"processor", setup_.offer.machine.processor},
                {"cores", setup_.offer.machine.cores},
                {"ranks", cluster_.size()},
                {"case", absolute_path(options_.document.file()).string()},
                {"options", setup_.plan.options()},
                {"flags", said_beside_the_case(setup_.offer)}};
    if (options_.trust_geometry) plan.run["trusted"] = true;
    plan.log_origin = log::seconds() - seconds();
    keep_for_comparison(plan.run, options_.document);
    files_ = std::make_unique<RunFiles>(options_, plan, cluster_);
    control_.set_folder(files_->folder());
  }
  if (cluster_.leads()) {
    log::info("options: {}", setup_.plan.text());
    log::info("conoid {} on {} ({}, {} cores), case {}, hash {}", CONOID_VERSION, setup_.offer.machine.host,
              setup_.offer.machine.processor, setup_.offer.machine.cores, options_.document.file().string(),
              hash.substr(0, 8));
    for (const auto& [name, value] : setup_.estimate.details) log::info("{}: {}", name, value);
  }
  results_ = std::make_unique<SessionResults>(files_ ? &files_->results() : nullptr, [this](SessionEvent event) {
    if (cluster_.leads()) control_.emit(std::move(event));
  });
  team_ = std::make_unique<Team>(setup_.plan.team.workers, setup_.offer.balancer.value,
                                 PlaceShare{setup_.offer.place.sharer, setup_.offer.place.sharers});
}

}  // namespace conoid
