// SPDX-License-Identifier: BSD-3-Clause
// The device kernels compute the host's fields: on the emulated device, whose accesses are checked in the checked one.
// labels: unit emulated rows timeout900
#include "engine/session/offer.hpp"
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"
#include "engine/solvers/acoustic_fd/case.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_shapes.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_steps.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_windows.hpp"
#include "engine/team/team.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestDeviceField : public QObject {
  Q_OBJECT

  /// A run of the march on a team, in bands of lengths `first`, 2 first + 1, …: field, traces, energy.
  static Everything run(const Problem& p, const char* workers, Index steps, std::string* how = nullptr,
                        Index first = 1) {
    const auto cluster = single_rank();
    Team team(parse_workers(workers, 2).value());
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    March::Recorder recorder;
    for (Index length = first; march->steps_done() < steps; length = 2 * length + 1)
      march->advance(team, *cluster, std::min(length, steps - march->steps_done()), &recorder);
    Everything out;
    std::vector<double> traces(p.receivers.size());
    for (const auto& parts : recorder.samples) {
      march->join_traces(parts, traces);
      out.traces.insert(out.traces.end(), traces.begin(), traces.end());
    }
    out.energy = march->energy(team, *cluster);
    March::Cut all;
    all.count = p.grid.points;
    march->read(all, out.field);
    if (how) *how = march->tiling();
    return out;
  }

  static Problem run_problem(int order, std::array<Index, 3> n, bool double_precision = false) {
    Problem p = busy_problem(order, n, order % 4 != 2, order != 6, double_precision);
    if (order == 4) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
    if (order == 10) p.density = layered_velocity(0, 1, p.grid.origin[0], {{0, 1000, 5}, {20, 2200, 0}});
    return p;
  }

  static void split_by_save_and_load(bool layers, bool window) {
    Problem p = run_problem(4, {window ? 97 : 19, 22, 25});
    if (layers) make_matched(p);
    if (window) p.device_memory = std::max(device_plan(p, 1, 1).least, device_plan(p, 1, 1).in_core / 10 * 8);
    const auto cluster = single_rank();
    Team team(parse_workers("emulated", 2).value());
    const auto whole = make_march(p, this_machine(), *cluster);
    whole->start(team, *cluster);
    whole->advance(team, *cluster, 5);
    MemoryCheckpoint checkpoint;
    whole->save(checkpoint);
    const Everything rest = march_on(*whole, p, 4, team, *cluster);
    const auto second = make_march(p, this_machine(), *cluster);
    second->start(team, *cluster);
    second->load(checkpoint, *cluster);
    QVERIFY(march_on(*second, p, 4, team, *cluster) == rest);
  }

  /// Rounds of panels one after the other, and a rest: two of the longest and three steps, or two and some of each kind of the shorter ones.
  static Index rounds(const Problem& p) { return p.order == 2 ? 17 : 11; }

  /// A run that goes in `way` gives the bits of one that goes step by step; what it gave.
  static Everything same_as_single_steps(Problem p, const std::string& way, const char* device, Index steps) {
    std::string how, single;
    Everything got = run(p, device, steps, &how, steps);
    p.tiling = "stepwise 8";
    const Everything want = run(p, "emulated", steps, &single, steps);
    const auto compare = [&] {
      QVERIFY2(how.find(way) != std::string::npos && single.find(way) == std::string::npos, how.c_str());
      QCOMPARE(want.traces.size(), static_cast<std::size_t>(steps) * p.receivers.size());
      QVERIFY2(*std::max_element(want.field.begin(), want.field.end()) > 1e-6F, "something happens");
      QVERIFY2(got == want, qPrintable(QString("order %1, %2").arg(p.order).arg(way.c_str())));
    };
    compare();
    return got;
  }
  static Everything same_as_single_steps(const Problem& p, const std::string& way) {
    return same_as_single_steps(p, way, "emulated", rounds(p));
  }

  /// Of `turns` those that are taken without all rows: by their places.
  template <class Turn>
  static std::vector<Turn> taken(std::initializer_list<Turn> turns, std::initializer_list<std::size_t> places) {
    if (conoid::all_rows()) return turns;
    std::vector<Turn> out;
    for (const std::size_t place : places) out.push_back(turns.begin()[place]);
    return out;
  }

  /// A case to its end; its last frame.
  static std::shared_ptr<const Frame> run_case(const Case& input, const char* workers, MemoryResults& results) {
    const auto alone = single_rank();
    const Offer offer = make_offer(input, {.flags = {.workers = workers, .threads = 2}}).value();
    Team team(offer.workers);
    NoProgress progress;
    RunContext context{input, nullptr, team, offer, *alone, results, progress, {}};
    const auto solver = solver_info().make();
    if (!solver->prepare(context).ok()) return nullptr;
    while (!solver->advance(context)->finished) continue;
    FrameBuilder builder({}, 0);
    solver->fill(builder);
    const auto frame = builder.finish();
    return solver->finish(context).ok() ? frame : nullptr;
  }

  /// A case through the solver's face.
  static Case device_case(const char* memory, const char* from, const char* to) {
    std::string text = R"({
      "solver": "acoustic-fd", "grid": {"points": [96, 44, 40], "spacing": 2},
      "medium": {"velocity": {"kind": "layers", "layers": [{"speed": 1500}, {"top": 30, "speed": 1900}]}},
      "boundaries": {"x_min": {"width": 6}, "x_max": {"width": 6}, "y_min": {"kind": "rigid"}, "y_max": {"width": 6},
                     "z_min": {"width": 6}, "z_max": {"kind": "free"}},
      "excitation": {"sources": [{"position": [60.3, 47.1, 50], "signal": {"frequency": 60}}]},
      "compute": {"workers": "emulated", "precision": "single", "memory": {"device": MEMORY}},
      "parameters": {"order": 4, "steps": 30}, "output": {"receivers": [{"position": [69.5, 41, 33]}], "energy_every": 15}
    })";
    text.replace(text.find("MEMORY"), 6, memory);
    if (const auto at = text.find(from); at != std::string::npos) text.replace(at, std::strlen(from), to);
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    return Case::resolve(CaseDocument::parse(text, "case.json").value(), schema.value()).value();
  }
  static std::string words(const Case& input) {
    std::string all;
    for (const auto& d : solver_info().make()->check(input, nullptr, make_offer(input).value())) all += d.render();
    return all;
  }

 private slots:
  void a_run_of_every_order_gives_the_processors_field() {
    for (const int order : {2, 4, 6, 8, 10, 12}) {
      const Problem p = run_problem(order, {order + 13, order + 10, 23 + order});
      QVERIFY2(nearly(run(p, "emulated", 7), run(p, "cpu", 7)), qPrintable(QString("order %1").arg(order)));
    }
  }

  void double_precision_of_every_order_gives_the_processors_field() {
    for (const int order : {2, 4, 6, 8, 10, 12}) {
      Problem p = run_problem(order, {order + 11, order + 12, 21 + order}, true);
      if (order % 4 == 0) make_matched(p);
      std::string how;
      const Everything got = run(p, "emulated", 7, &how), want = run(p, "cpu", 7);
      QVERIFY2(how.find("emulated") != std::string::npos, how.c_str());
      QVERIFY2(nearly(got, want), qPrintable(QString("order %1").arg(order)));
      p.double_precision = false;
      QVERIFY(!nearly(run(p, "emulated", 7), want));  // the precision is felt
    }
  }

  /// All faces, sources and receivers inside; boxes that are no multiples of a tile, bands that overlap on three multiprocessors.
  void towers_give_the_bits_of_single_steps() {
    configure_emulated({.multiprocessors = 3});
    for (const int order : {2, 4, 6, 8, 10, 12}) {
      Problem p = busy_problem(order, {order + 17, order + 31, 59 + order}, true, order != 6, false);
      if (order == 8) std::swap(p.faces[4], p.faces[5]);  // the free surface where rows begin
      if (order == 12) std::swap(p.faces[2], p.faces[3]);
      p.device_memory = device_plan(p, 1, 1).in_core;  // no room for panels
      same_as_single_steps(p, "towers", "emulated", 19);
    }
    configure_emulated({});
  }

  /// DiamondTorre of every width: bands that are shorter and longer than a tile is wide, several to a launch, cuts along z that lean over
  /// each other, and what remains step by step.
  void diamond_torre_gives_the_bits_of_single_steps() {
    configure_emulated({.multiprocessors = 3});
    const char* const shapes[] = {"tower 6x6", "tower 8x16", "tower 10x10", "tower 6x12", "tower 6x6"};
    for (const std::size_t turn : {0U, 1U, 2U, 3U, 4U}) {
      const Index more = static_cast<Index>(turn);
      Problem p =
          busy_problem(2, {11 + 4 * more, 21 - 2 * more, turn == 2 ? 263 : 61 - more}, true, turn != 1, turn == 4);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (turn == 1 || turn == 3) std::swap(p.faces[2 * axis], p.faces[2 * axis + 1]);
        if (turn == 2) p.faces[2 * axis] = Face{FaceKind::sponge, 30};
      }
      p.tiling = shapes[turn];
      same_as_single_steps(p, "DiamondTorre", "emulated", 19);
    }
    configure_emulated({});
  }

  /// Every kind of face in every place; panels beside each other and alone, of several blocks and of one, cut along x, ending within a four.
  void panels_give_the_bits_of_single_steps() {
    configure_emulated({.multiprocessors = 8});
    struct Turn {
      int order;
      std::array<Index, 3> points;
      bool varying, swapped, thick;
    };
    for (const Turn& turn :
         taken<Turn>({Turn{2, {21, 133, 141}, true, false, false}, Turn{2, {87, 17, 50}, false, true, false},
                      Turn{2, {47, 45, 158}, true, false, true}, Turn{4, {18, 123, 134}, true, true, false},
                      Turn{6, {23, 111, 147}, true, false, false}, Turn{8, {19, 69, 139}, true, true, false},
                      Turn{8, {71, 16, 37}, true, false, true}},
                     {1, 3, 4, 6})) {
      Problem p = busy_problem(turn.order, turn.points, true, turn.varying, false);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (turn.swapped) std::swap(p.faces[2 * axis], p.faces[2 * axis + 1]);
        if (turn.thick) p.faces[2 * axis] = Face{FaceKind::sponge, 30};
      }
      same_as_single_steps(p, "panels");
    }
    configure_emulated({});
  }

  /// Panels of every order leave the cells beside matched layers to single steps: layers on all faces that absorb, beside free and rigid ones
  /// in every place and beside a sponge, with receivers on lines through all layers.
  void panels_beside_matched_layers_give_the_bits_of_single_steps() {
    configure_emulated({.multiprocessors = 8});
    struct Turn {
      int order;
      std::array<Index, 3> points;
      bool varying, swapped, sponge;
    };
    for (const Turn& turn :
         taken<Turn>({Turn{2, {37, 61, 141}, true, false, false}, Turn{2, {62, 35, 50}, false, true, false},
                      Turn{2, {33, 45, 63}, true, true, true}, Turn{4, {45, 49, 54}, true, false, false},
                      Turn{4, {39, 37, 133}, false, true, true}, Turn{6, {31, 33, 41}, true, true, false},
                      Turn{6, {29, 35, 47}, true, false, true}, Turn{8, {33, 37, 61}, true, false, false},
                      Turn{8, {43, 34, 38}, false, true, false}},
                     {2, 4, 5, 8})) {
      Problem p = busy_problem(turn.order, turn.points, true, turn.varying, false);
      make_matched(p);
      p.faces[3] = p.faces[2];  // both of y
      if (turn.sponge) p.faces[1].kind = FaceKind::sponge;
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (turn.swapped) std::swap(p.faces[2 * axis], p.faces[2 * axis + 1]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (Index i = 0; i < p.grid.points[axis]; ++i) {
          Vec3 at{p.grid.at(0, turn.points[0] / 2), p.grid.at(1, turn.points[1] / 2), p.grid.at(2, turn.points[2] / 2)};
          at[axis] = p.grid.at(axis, i);
          p.receivers.push_back({"P", at});
        }
      const Everything got = same_as_single_steps(p, "panels");
      QVERIFY(nearly(got, run(p, "cpu", rounds(p), nullptr, rounds(p))));
    }
    Problem thin = busy_problem(2, {33, 24, 63}, true, true, false);  // no room between the layers of y
    make_matched(thin);
    thin.faces[3] = thin.faces[2];
    thin.faces[2].width = thin.faces[3].width = 9;
    std::string how;
    (void)run(thin, "emulated", 19, &how, 19);
    QVERIFY2(how.find("panels of 7") == std::string::npos, how.c_str());
    configure_emulated({});
  }

  /// Spacings that differ and a density that varies from node to node, alone and together, in a medium of one speed and of many; panels beside each
  /// other and alone, of several blocks and of one, beside sponges and matched layers.
  void panels_of_unequal_spacings_and_densities_give_the_bits_of_single_steps() {
    configure_emulated({.multiprocessors = 8});
    struct Turn {
      int order;
      std::array<Index, 3> points;
      bool unequal, dense, varying, swapped, layered;
    };
    for (const Turn& turn : taken<Turn>({Turn{2, {27, 133, 141}, true, false, true, false, false},
                                         Turn{2, {33, 45, 50}, false, true, false, true, false},
                                         Turn{2, {39, 37, 49}, true, true, true, false, true},
                                         Turn{2, {35, 41, 43}, true, false, true, true, true},
                                         Turn{4, {18, 63, 134}, true, true, true, false, false},
                                         Turn{4, {41, 37, 51}, false, true, true, true, true},
                                         Turn{4, {45, 39, 44}, true, false, false, false, true},
                                         Turn{6, {23, 51, 147}, false, true, false, true, false},
                                         Turn{6, {31, 35, 49}, true, true, true, false, true},
                                         Turn{8, {19, 69, 39}, true, false, true, true, false},
                                         Turn{8, {33, 37, 41}, true, true, false, false, true}},
                                        {1, 3, 5, 7, 10})) {
      Problem p = busy_problem(turn.order, turn.points, !turn.unequal, turn.varying, false);
      if (turn.dense) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      if (turn.layered) make_matched(p);
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (turn.swapped) std::swap(p.faces[2 * axis], p.faces[2 * axis + 1]);
      for (Index i = 0; i < std::min(turn.points[1], turn.points[2]); ++i)
        p.receivers.push_back({"P", {p.grid.at(0, turn.points[0] / 2), p.grid.at(1, i), p.grid.at(2, i)}});
      const int levels = turn.order == 2 ? (turn.dense ? 5 : 7) : turn.order == 4 ? (turn.dense ? 3 : 4) : 2;
      same_as_single_steps(p, fmt::format("panels of {} steps", levels));
    }
    configure_emulated({});
  }

  /// All accesses of their kernels to memory are inside what is theirs, and to values that are known.
  void panels_of_unequal_spacings_and_densities_stay_inside_their_memory() {
    if (!Device::open("emulated-checked")) QSKIP("built without the checked device");
    for (const auto& [order, points, levels, layered] : {std::tuple{2, std::array<Index, 3>{17, 19, 35}, 5, false},
                                                         {4, {15, 18, 33}, 3, false},
                                                         {8, {31, 33, 31}, 2, true}}) {
      if (order == 4 && !conoid::all_rows()) continue;
      Problem p = busy_problem(order, points, false, true, false);
      p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      if (layered) make_matched(p);
      // One round and a rest: the accesses of all others are those of the first.
      same_as_single_steps(p, fmt::format("panels of {} steps", levels), "emulated-checked",
                           conoid::all_rows() ? 19 : levels + 2);
    }
  }

  /// Three panels along y, each cut in two along x, two at a time: the second half of one begins when the first has ended, and must not
  /// touch what receivers have heard.
  void panels_leave_the_receivers_of_others_alone() {
    configure_emulated({.multiprocessors = 2});
    Problem p = busy_problem(2, {87, 20, 50}, true, true, false);
    for (Index x = 0; x < p.grid.points[0]; ++x)
      p.receivers.push_back({"P",
                             {p.grid.origin[0] + p.grid.spacing[0] * static_cast<double>(x), p.grid.origin[1] + 20,
                              p.grid.origin[2] + 30}});
    same_as_single_steps(p, "panels");
    configure_emulated({});
  }

  /// More panels than go at a time: some take all planes at once, the others, which come last, take them in pieces.
  void panels_of_unlike_lengths_give_the_bits_of_single_steps() {
    struct Turn {
      int order;
      std::array<Index, 3> points;
      int multiprocessors;
    };
    for (const Turn& turn : taken<Turn>({Turn{2, {89, 21, 139}, 3}, Turn{2, {90, 20, 50}, 2},
                                         Turn{4, {101, 33, 135}, 6}, Turn{8, {103, 34, 138}, 6}},
                                        {1, 2})) {
      configure_emulated({.multiprocessors = turn.multiprocessors});
      Problem p = busy_problem(turn.order, turn.points, true, turn.order != 4, false);
      PanelPlan plan = *std::find_if(std::begin(panel_plans), std::end(panel_plans),
                                     [&](const PanelPlan& a) { return a.radius == turn.order / 2; });
      plan.cover(turn.points, 8, [&](Index cluster) -> Index { return turn.multiprocessors / cluster; });
      QVERIFY2(plan.whole < plan.rows * plan.columns && plan.rest > plan.parts,
               qPrintable(QString("order %1").arg(turn.order)));
      same_as_single_steps(p, "panels");
    }
    configure_emulated({});
  }

  /// Matched layers on every face that absorbs, or beside a sponge, on one device and on two.
  void matched_layers_of_every_order_give_the_processors_field() {
    configure_emulated({.devices = 2});
    for (const int order : {2, 4, 6, 8, 10, 12}) {
      Problem p = run_problem(order, {order + 17, order + 14, 21 + order});
      make_matched(p);
      if (order == 8)
        for (Face& face : p.faces)
          if (face.kind == FaceKind::matched) {
            face.kind = FaceKind::sponge;
            break;
          }
      std::string how, host;
      const Everything got = run(p, order == 2 ? "emulated:0,emulated:1" : "emulated:0", 9, &how);
      const Everything want = run(p, "cpu", 9, &host);
      QVERIFY2(how != host && (how.find("×") != std::string::npos) == (order == 2), how.c_str());
      QVERIFY2(nearly(got, want), qPrintable(QString("order %1").arg(order)));
      Problem sponges = p;
      for (Face& face : sponges.faces)
        if (face.kind == FaceKind::matched) face.kind = FaceKind::sponge;
      QVERIFY(!nearly(got, run(sponges, "cpu", 9)));  // the layers do something
    }
    configure_emulated({});
  }

  /// Layers of every axis, of y and z in planes that come and go, and what a checkpoint keeps of them.
  void matched_layers_in_a_window_give_the_bits_of_the_whole_grid() {
    for (const int order : {2, 4, 8}) {
      Problem p = run_problem(order, {57 + 9 * order, 2 * order + 15, order + 19}, order == 8);
      make_matched(p);
      if (order == 4) p.faces[0] = p.faces[1];
      const Everything whole = run(p, "emulated", 13);
      const Bytes all = device_plan(p, 1, 1).in_core;
      p.device_memory = std::max(device_plan(p, 1, 1).least, all / 10 * 8);
      std::string how;
      const Everything streamed = run(p, "emulated", 13, &how);
      QVERIFY2(how.find("window") != std::string::npos, how.c_str());
      QVERIFY2(streamed == whole, qPrintable(QString("order %1: %2").arg(order).arg(how.c_str())));
    }
  }

  void a_window_over_the_host_gives_the_bits_of_the_whole_grid() {
    for (const int order : {2, 4, 8}) {
      Problem p = run_problem(order, {61 + 9 * order, 17, 21}, order == 4);
      std::string how;
      const Everything whole = run(p, "emulated", 9, &how);
      QVERIFY(how.find("window") == std::string::npos);
      const Bytes all = device_plan(p, 1, 1).in_core;
      p.device_memory = std::max(device_plan(p, 1, 1).least, all / 10 * 7);
      const DevicePlan plan = device_plan(p, p.device_memory, 1);
      QVERIFY2(plan.streamed && plan.possible,
               qPrintable(QString("order %1: least %2, all %3").arg(order).arg(plan.least).arg(all)));
      const Everything streamed = run(p, "emulated", 9, &how);
      QVERIFY2(how.find("window") != std::string::npos, how.c_str());
      QVERIFY2(streamed == whole,
               qPrintable(QString("order %1, %2 planes, %3 steps").arg(order).arg(plan.planes).arg(plan.steps)));
    }
  }

  /// Panels in windows: sweeps alone and in chains, of which some end with shorter panels and single steps; receivers in every plane;
  /// energies summed by the host and by the device.
  void panels_in_a_window_give_the_bits_of_single_steps() {
    configure_emulated({.multiprocessors = 3});
    struct Turn {
      int order;
      std::array<Index, 3> points;
      int tenths;  ///< of the memory that the grid takes
      bool varying, swapped, thick, unequal = false, dense = false;
    };
    for (const Turn& turn :
         taken<Turn>({Turn{2, {201, 19, 37}, 7, true, false, false}, Turn{2, {140, 33, 61}, 8, false, true, true},
                      Turn{4, {181, 16, 35}, 7, true, true, false}, Turn{6, {203, 17, 41}, 8, true, false, true},
                      Turn{8, {191, 16, 38}, 8, false, true, false}, Turn{8, {213, 33, 36}, 8, true, false, false},
                      Turn{2, {190, 19, 37}, 7, true, false, false, true, true},
                      Turn{4, {181, 17, 35}, 7, false, true, false, false, true},
                      Turn{6, {203, 17, 41}, 8, true, false, false, true, true}},
                     {2})) {
      Problem p = busy_problem(turn.order, turn.points, !turn.unequal, turn.varying, false);
      if (turn.dense) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (turn.swapped) std::swap(p.faces[2 * axis], p.faces[2 * axis + 1]);
        if (turn.thick) p.faces[2 * axis] = Face{FaceKind::sponge, 30};
      }
      for (Index x = 0; x < p.grid.points[0]; ++x)
        p.receivers.push_back({"P",
                               {p.grid.origin[0] + p.grid.spacing[0] * static_cast<double>(x), p.grid.origin[1] + 20,
                                p.grid.origin[2] + 30}});
      p.energy_every = turn.swapped ? 1 : 1000;
      p.device_memory = device_plan(p, 1, 1).in_core / 10 * static_cast<Bytes>(turn.tenths);
      const auto device = Device::open("emulated");
      const DevicePlan plan = device_plan(p, p.device_memory, 1, &device->info());
      const QString where = QString("order %1, %2 planes, %3 steps of %4 levels, %5 sweeps")
                                .arg(turn.order)
                                .arg(plan.planes)
                                .arg(plan.steps)
                                .arg(plan.levels)
                                .arg(plan.sweeps);
      QVERIFY2(plan.streamed && plan.possible && plan.levels > 0 && plan.sweeps > 1, qPrintable(where));
      const Index steps = 3 * plan.steps + plan.levels + 1;
      std::string how, single;
      const Everything got = run(p, "emulated", steps, &how, 2 * plan.steps);
      p.tiling = "stepwise 8";
      const Everything windows = run(p, "emulated", steps, &single, 2 * plan.steps);
      QVERIFY2(how.find("window") != std::string::npos && how.find("panels") != std::string::npos, how.c_str());
      QVERIFY2(single.find("window") != std::string::npos && single.find("panels") == std::string::npos,
               single.c_str());
      p.device_memory = 0;
      const Everything want = run(p, "emulated", steps, &single, 2 * plan.steps);
      QVERIFY2(single.find("window") == std::string::npos, single.c_str());
      QVERIFY2(*std::max_element(want.field.begin(), want.field.end()) > 1e-6F, "something happens");
      QVERIFY2(windows == want, qPrintable(where + ", single steps"));
      QVERIFY2(got == want, qPrintable(where));
    }
    configure_emulated({});
  }

  /// Panels that go on where those of the position before ended: positions longer and shorter than what a panel reads, of whole rounds of fast
  /// steps and not, at every kind of face, with shorter panels and single steps at the end of a sweep.
  void panels_that_go_on_give_the_bits_of_others() {
    configure_emulated({.multiprocessors = 3});
    struct Turn {
      int order;
      std::array<Index, 3> points;
      Index planes;
      bool unequal = false, dense = false;
    };
    for (const Turn& turn :
         taken<Turn>({Turn{2, {81, 19, 37}, 24}, Turn{2, {37, 34, 45}, 5}, Turn{2, {27, 16, 61}, 2},
                      Turn{4, {57, 33, 35}, 20}, Turn{4, {51, 16, 38}, 7}, Turn{6, {68, 33, 41}, 18},
                      Turn{8, {73, 16, 61}, 24}, Turn{8, {50, 34, 36}, 9}, Turn{2, {61, 19, 37}, 12, true, true},
                      Turn{4, {51, 17, 35}, 7, false, true}, Turn{8, {50, 34, 36}, 10, true, true}},
                     {4, 8})) {
      const auto [order, points, planes, unequal, dense] = turn;
      const std::vector<Index> levels = order == 2   ? (dense ? std::vector<Index>{5} : std::vector<Index>{7, 4})
                                        : order == 4 ? std::vector<Index>{dense ? 3 : 4}
                                                     : std::vector<Index>{2};
      Problem p = busy_problem(order, points, !unequal, planes % 2 == 0, false);
      if (dense) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      if (planes % 3 == 0) std::swap(p.faces[0], p.faces[1]);
      for (Index x = 0; x < points[0]; ++x)
        p.receivers.push_back({"P", {p.grid.at(0, x), p.grid.origin[1] + 20, p.grid.origin[2] + 30}});
      p.energy_every = 1;
      const Index s = order / 2, most = levels.front();
      DevicePlan plan;
      plan.planes = planes;
      plan.steps = 2 * most;
      plan.levels = most;
      const std::vector<Stage> stages = stages_of(plan.steps, s, levels);
      plan.room = planes_behind(stages, s) + planes_ahead(stages, s) + 3 * planes;
      plan.sweeps = points[0] + 2 * s >= plan.room ? 2 : 1;
      struct Ended {
        std::vector<float> newer, older;
        std::vector<std::vector<double>> records;
        std::vector<double> energies;
        Bytes bytes;
        bool operator==(const Ended& other) const {
          return newer == other.newer && older == other.older && records == other.records && energies == other.energies;
        }
      };
      const auto end_of = [&](Bytes kept) {
        plan.kept = kept;
        acoustic_fd::Field<float> host(p, this_machine(), Slab{{0, points[0]}});
        for (Index x = 0; x < points[0]; ++x) host.fill_plane(x);
        host.place_points();
        host.refresh_images();
        auto device = Device::open("emulated");
        Windowed<float> window(p, host, std::move(*device), plan);
        const auto alone = single_rank();
        window.take(0, false);
        Ended out;
        const Index steps = 5 * most + 6;
        for (const auto& [first, last] : {std::pair{Index{0}, 2 * plan.steps}, std::pair{2 * plan.steps, steps}}) {
          host.begin_band(first, last, 1);
          window.advance(first, last - first, *alone);
          for (Index n = 0; n < host.recorded_levels(); ++n) out.records.push_back(host.recorded(n));
        }
        if (!window.plane_energies(steps, out.energies)) out.energies.clear();
        window.bring_back(steps);
        out.newer.assign(host.level(steps), host.level(steps) + host.at().count);
        out.older.assign(host.level(steps - 1), host.level(steps - 1) + host.at().count);
        out.bytes = window.bytes();
        return out;
      };
      const Ended want = end_of(0), got = end_of(~Bytes{0});
      const QString where = QString("order %1, %2 planes").arg(order).arg(planes);
      QVERIFY2(*std::max_element(want.newer.begin(), want.newer.end()) > 1e-6F && !want.energies.empty(),
               qPrintable(where));
      QVERIFY2(got.bytes > want.bytes, qPrintable(where));
      QVERIFY2(got == want, qPrintable(where));
    }
    configure_emulated({});
  }

  /// In core with and without room for panels, and in windows of every budget, of panels, single steps and matched layers: what is planned is
  /// taken, and no more than there is.
  void what_a_device_takes_is_what_was_planned() {
    const auto device = Device::open("emulated");
    const auto bytes_of = [&](const Problem& p) {
      const auto cluster = single_rank();
      Team team(parse_workers("emulated", 2).value()), processors(parse_workers("cpu", 2).value());
      const auto on = make_march(p, this_machine(), *cluster), off = make_march(p, this_machine(), *cluster);
      on->start(team, *cluster);
      off->start(processors, *cluster);
      return on->bytes() - off->bytes();
    };
    constexpr Bytes rest = Bytes{2} << 20;
    for (const int order : {2, 4, 8}) {
      Problem p = busy_problem(order, {231, 33, 61}, true, true, false);
      const Bytes all = device_plan(p, 1, 1).in_core;
      for (const int twelfths : taken({25, 21, 17, 12, 11, 9, 7, 6, 5, 4}, {1, 3, 5, 7, 9})) {
        p.device_memory = all / 12 * static_cast<Bytes>(twelfths) + 4096;
        const DevicePlan plan = device_plan(p, p.device_memory, 1, &device->info());
        if (!plan.possible) continue;
        QCOMPARE(plan.streamed, twelfths < 12);
        QCOMPARE(plan.taken > all, twelfths >= 21);
        const Bytes taken = bytes_of(p);
        QVERIFY2(
            taken <= p.device_memory && taken <= plan.taken && (plan.streamed || taken + rest >= plan.taken),
            qPrintable(QString("order %1, %2 twelfths: %3 of %4").arg(order).arg(twelfths).arg(taken).arg(plan.taken)));
      }
      make_matched(p);
      p.device_memory = device_plan(p, 1, 1).in_core / 3 * 2;
      QVERIFY(device_plan(p, p.device_memory, 1, &device->info()).streamed);
      QVERIFY(bytes_of(p) <= p.device_memory);
    }
  }

  void two_devices_share_the_rows() {
    configure_emulated({.devices = 2});
    for (const int order : {2, 8}) {
      const Problem p = run_problem(order, {order + 12, 2 * order + 25, 27});
      std::string how;
      const Everything two = run(p, "emulated:0,emulated:1", 11, &how);
      QVERIFY2(how.find("2 ×") != std::string::npos, how.c_str());
      QVERIFY2(two == run(p, "emulated:0", 11), qPrintable(QString("order %1").arg(order)));
    }
    configure_emulated({});
  }

  /// Rounds of panels between exchanges of whole halos, sources and receivers on both sides of borders, leftovers step by step; two and three
  /// devices, of which the middle one has no face of y.
  void panels_of_several_devices_give_the_bits_of_one() {
    configure_emulated({.devices = 3, .multiprocessors = 4});
    struct Turn {
      int order;
      std::array<Index, 3> points;
      int devices;
      bool unequal, dense, swapped;
    };
    for (const Turn& turn :
         taken<Turn>({Turn{2, {19, 61, 141}, 2, false, false, false}, Turn{2, {17, 91, 37}, 3, true, false, true},
                      Turn{2, {17, 65, 35}, 2, false, true, false}, Turn{4, {18, 69, 41}, 2, true, true, true},
                      Turn{6, {23, 53, 39}, 2, false, false, true}, Turn{8, {19, 101, 38}, 3, false, false, false}},
                     {1, 3})) {
      Problem p = busy_problem(turn.order, turn.points, !turn.unequal, true, false);
      if (turn.dense) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      if (turn.swapped) std::swap(p.faces[2], p.faces[3]);
      for (Index y = 0; y < turn.points[1]; ++y)
        p.receivers.push_back({"P", {p.grid.at(0, y % turn.points[0]), p.grid.at(1, y), p.grid.at(2, 20)}});
      for (int d = 1; d < turn.devices; ++d)  // beside each border
        p.sources.push_back({{p.grid.at(0, 9), p.grid.at(1, turn.points[1] * d / turn.devices - d), p.grid.at(2, 17)},
                             p.sources.front().signal});
      const char* const names = turn.devices == 2 ? "emulated:0,emulated:1" : "emulated:0,emulated:1,emulated:2";
      std::string how;
      (void)run(p, names, 5, &how, 5);                 // before both ways have been timed
      const Index far = conoid::all_rows() ? 61 : 31;  // three stretches, or two
      const Everything got = run(p, names, 19, nullptr, 19), longer = run(p, names, far, nullptr, 10);
      p.tiling = "stepwise 8";
      const QString where = QString("order %1, %2").arg(turn.order).arg(how.c_str());
      QVERIFY2(how.find(fmt::format("{} ×", turn.devices)) == 0 && how.find("panels of") != std::string::npos,
               qPrintable(where));
      QVERIFY2(got == run(p, "emulated:0", 19, nullptr, 19), qPrintable(where));
      QVERIFY2(longer == run(p, "emulated:0", far, nullptr, 10), qPrintable(where));
      QVERIFY2(longer == run(p, names, far, nullptr, 10), qPrintable(where + ", single steps"));
    }
    configure_emulated({});
  }

  /// Unlike devices have unlike parts, as long as each has memory for its own.
  void unlike_devices_share_the_rows_as_they_can() {
    const std::vector<Interval> rows = share_rows(100, {2, 1, 1}, 4);
    QVERIFY((rows == std::vector<Interval>{{0, 50}, {50, 75}, {75, 100}}));
    QVERIFY((share_rows(23, {1, 1000}, 4) == std::vector<Interval>{{0, 4}, {4, 23}}));
    QVERIFY((share_rows(12, {1, 0.001, 0.001}, 4) == std::vector<Interval>{{0, 4}, {4, 8}, {8, 12}}));
    configure_emulated({.devices = 2, .multiprocessors = 4});
    for (const bool matched : {false, true}) {
      Problem p = busy_problem(2, {19, 97, 41}, true, true, false);
      if (matched) make_matched(p);
      p.receivers.clear();
      for (Index y = 0; y < 97; ++y)
        p.receivers.push_back({"P", {p.grid.at(0, y % 19), p.grid.at(1, y), p.grid.at(2, 20)}});
      const Everything one = run(p, "emulated:0", 19, nullptr, 19);
      p.device_shares = {7, 3};
      for (const bool room : {true, false}) {
        if (matched && !room && !conoid::all_rows()) continue;
        // A device that has memory for half of the rows and no more cannot take seven tenths of them: both take half.
        if (!room)
          p.device_memory =
              device_plan(p, Bytes{1} << 60, 2, &Device::open("emulated:0").value().info()).in_core + 4096;
        std::string how;
        QVERIFY2(run(p, "emulated:0,emulated:1", 19, &how, 19) == one, qPrintable(how.c_str()));
        QVERIFY2(how.find("2 ×") == 0, how.c_str());
        QCOMPARE(how.find(" with 68, 29 rows") != std::string::npos, room);
      }
    }
    configure_emulated({});
  }

  /// Matched layers on all sides but some, whose memory each device has of its rows: two and three devices, panels and single steps, layers of y
  /// at one end and across a border, rows of whole sixteens, a density that varies in the layers.
  void matched_layers_of_several_devices_give_the_bits_of_one() {
    configure_emulated({.devices = 3, .multiprocessors = 4});
    struct Turn {
      int order;
      std::array<Index, 3> points;
      int devices;
      bool unequal, dense, swapped;
      const char* tiling;
    };
    for (const Turn& turn : taken<Turn>(
             {Turn{2, {37, 91, 48}, 2, false, false, false, "auto"},
              Turn{2, {39, 97, 41}, 3, true, false, true, "auto"}, Turn{2, {35, 95, 43}, 2, false, true, false, "auto"},
              Turn{4, {43, 87, 41}, 2, true, true, true, "auto"},
              Turn{4, {39, 67, 48}, 3, false, false, false, "stepwise 8"},
              Turn{6, {37, 93, 43}, 3, false, false, false, "auto"},
              Turn{8, {35, 107, 48}, 3, false, true, true, "auto"},
              Turn{8, {37, 91, 41}, 2, true, false, false, "stepwise 8"}},
             {0, 6})) {
      for (const bool both : {false, true}) {  // of y, or one of them across the border
        if (both != (turn.order == 8) && !conoid::all_rows()) continue;
        Problem p = busy_problem(turn.order, turn.points, !turn.unequal, true, false);
        make_matched(p);
        if (turn.dense) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
        if (both)
          p.faces[3] = p.faces[2];
        else if (turn.devices == 2)
          p.faces[2].width = turn.points[1] / 2 + 6;  // across the border
        if (turn.swapped) std::swap(p.faces[2], p.faces[3]);
        p.tiling = turn.tiling;
        for (Index y = 0; y < turn.points[1]; ++y)
          p.receivers.push_back({"P", {p.grid.at(0, y % turn.points[0]), p.grid.at(1, y), p.grid.at(2, 20)}});
        for (int d = 1; d < turn.devices; ++d)  // beside each border, in a layer
          p.sources.push_back({{p.grid.at(0, 3), p.grid.at(1, turn.points[1] * d / turn.devices - d), p.grid.at(2, 17)},
                               p.sources.front().signal});
        const char* const names = turn.devices == 2 ? "emulated:0,emulated:1" : "emulated:0,emulated:1,emulated:2";
        std::string how;
        (void)run(p, names, 5, &how, 5);  // before both ways have been timed
        const QString where = QString("order %1, %2").arg(turn.order).arg(how.c_str());
        QVERIFY2(how.find(fmt::format("{} ×", turn.devices)) == 0, qPrintable(where));
        QCOMPARE(how.find("panels of") != std::string::npos, p.tiling == "auto");
        const Index steps = conoid::all_rows() ? 31 : 21;  // of which 10, then the rest at once
        const Everything one = run(p, "emulated:0", steps, nullptr, 10);
        QVERIFY2(*std::max_element(one.field.begin(), one.field.end()) > 1e-6F, "something happens");
        QVERIFY2(run(p, names, steps, nullptr, 10) == one, qPrintable(where));
        if (p.tiling != "auto") continue;
        p.tiling = "stepwise 8";
        QVERIFY2(run(p, names, steps, nullptr, 10) == one, qPrintable(where + ", single steps"));
      }
    }
    configure_emulated({});
  }

  /// Rows whose images behind the last node lie in the gap before the next row (multiples of sixteen, and with order 8 a few less): a halo comes from
  /// its neighbour without those of its last row. A free surface at the end of rows, waves at it beside the border, stretches that leave several
  /// steps for the way step by step.
  void a_free_surface_goes_on_across_devices() {
    configure_emulated({.devices = 2});
    for (const auto& [order, deep] : {std::pair{2, 32}, {8, 30}})
      for (const char* tiling : {"auto", "stepwise 8"}) {
        if ((order == 2) != (std::string_view(tiling) == "auto") && !conoid::all_rows()) continue;
        Problem p = busy_problem(order, {17, 66, deep}, true, false, false);
        p.tiling = tiling;
        const double border = p.grid.at(1, 33) - 1.3, surface = p.grid.at(2, deep - 4);
        p.sources.push_back({{p.grid.at(0, 8), border, surface}, p.sources.front().signal});
        const Index steps = conoid::all_rows() ? 41 : 25;  // in stretches of 3, 7, 15 and the rest
        QVERIFY2(run(p, "emulated:0,emulated:1", steps, nullptr, 3) == run(p, "emulated:0", steps, nullptr, 3),
                 qPrintable(QString("order %1, %2 nodes deep, %3").arg(order).arg(deep).arg(tiling)));
      }
    configure_emulated({});
  }

  /// One row has no faces of y that halve it.
  void energy_in_two_dimensions_is_that_of_the_processors() {
    Problem p = busy_problem(4, {23, 1, 32}, true, false, false);
    p.faces[2] = p.faces[3] = Face{FaceKind::rigid, 0};
    QVERIFY(nearly(run(p, "emulated", 9), run(p, "cpu", 9)));
  }

  void too_little_device_memory_is_told() {
    Problem p = run_problem(8, {90, 40, 40});
    p.device_memory = Bytes{1} << 20;
    try {
      (void)run(p, "emulated", 1);
      QFAIL("a megabyte cannot hold the window");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::resources);
      QVERIFY2(failure.error().text.find("are needed") != std::string::npos, failure.error().text.c_str());
    }
  }

  /// Frames, maps and the largest pressure fetch the nodes that they look at from one device and from two; what is asked for later, and the march itself,
  /// know nothing of it: planes, rows and nodes left out, one plane across x, all nodes, of one density and of many, in both precisions, from a
  /// silent start, whose levels the host has no memory for until a checkpoint, and from a field.
  void nodes_that_are_looked_at_come_alone() {
    struct Turn {
      bool dense, double_precision, silent;
      int maps;  // the largest pressure 1, squares 2
    };
    for (const Turn& turn : {Turn{false, false, true, 0}, Turn{true, false, false, 2}, Turn{true, true, true, 3}}) {
      Problem p = busy_problem(4, {29, 23, 31}, false, true, turn.double_precision);
      if (turn.dense) p.density = std::make_shared<RoughDensity>(1000, 2.2, 3);
      p.peak_map = turn.maps % 2 == 1;
      p.rms_map = turn.maps > 1;
      if (!turn.silent)
        p.initial = {Initial::Kind::pulse, 3.0, 6.0, {p.grid.at(0, 14), p.grid.at(1, 11), p.grid.at(2, 15)}};
      March::Cut some, across, all;
      some.first = {1, 0, 2};
      some.step = {3, 2, 4};
      some.count = {9, 11, 7};
      across.first = {0, 13, 0};  // of one device's rows
      across.count = {29, 1, 31};
      all.count = p.grid.points;
      const auto looked_at = [&](const char* workers) {
        const auto cluster = single_rank();
        Team team(parse_workers(workers, 2).value());
        const auto march = make_march(p, this_machine(), *cluster);
        march->start(team, *cluster);
        std::vector<float> seen;
        for (const Index steps : {4, 5, 6}) {
          march->read(across, seen);
          march->advance(team, *cluster, steps);
          march->read(some, seen);
          for (const int which : {0, 1})
            if (which == 0 ? p.peak_map : p.rms_map) {
              march->read_map(which, across, seen);
              march->read_map(which, some, seen);
            }
          seen.push_back(static_cast<float>(march->peak(team)));
        }
        MemoryCheckpoint checkpoint;
        march->save(checkpoint);
        march->read(all, seen);
        const auto begin = seen.end() - p.grid.cells();
        const auto [low, high] = std::minmax_element(begin, seen.end());
        const double most = std::max(-*low, *high);  // of all nodes, which peak() has not fetched
        if (std::abs(march->peak(team) - most) > 1e-6 * most) return std::vector<float>{};
        march->load(checkpoint, *cluster);
        march->advance(team, *cluster, 3);
        march->read(all, seen);
        return seen;
      };
      const std::vector<float> want = looked_at("cpu");
      QVERIFY(!want.empty());
      const float most = *std::max_element(want.begin(), want.end());
      QVERIFY(most > 0);
      const std::vector<float> got = looked_at("emulated:0");
      QCOMPARE(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i) QVERIFY(std::abs(got[i] - want[i]) <= 1e-5F * most);
      configure_emulated({.devices = 2});
      QVERIFY(looked_at("emulated:0,emulated:1") == got);
      configure_emulated({});
    }
  }

  /// A value that is no number, or infinite, anywhere in the field is found on the device, as on the host.
  void a_field_that_is_not_finite_is_told_by_the_device() {
    for (const bool double_precision : {false, true}) {
      Problem p = busy_problem(2, {19, 41, 35}, true, true, double_precision);
      const auto cluster = single_rank();
      Team team(parse_workers("emulated", 2).value());
      const auto march = make_march(p, this_machine(), *cluster);
      march->start(team, *cluster);
      march->advance(team, *cluster, 2);
      QVERIFY(std::isfinite(march->peak(team)) && march->peak(team) > 0);
      p.sources.front().signal = std::make_shared<Ricker>(60, 0, std::numeric_limits<double>::quiet_NaN());
      march->advance(team, *cluster, 1);
      QVERIFY(std::isinf(march->peak(team)));
    }
  }

  void a_split_by_save_and_load_goes_on() {
    for (const bool layers : {false, true}) split_by_save_and_load(layers, false);
    split_by_save_and_load(true, true);
  }

  /// Panels leave no images on the host, which a checkpoint has to have.
  void a_split_of_panels_in_a_window_goes_on() {
    Problem p = busy_problem(2, {201, 19, 37}, true, true, false);
    p.energy_every = 17;
    p.device_memory = device_plan(p, 1, 1).in_core / 10 * 7;
    const auto cluster = single_rank();
    Team team(parse_workers("emulated", 2).value());
    const auto rest_of = [&](March& march) {
      March::Recorder recorder;
      march.advance(team, *cluster, 17, &recorder);
      Everything out;
      for (const auto& parts : recorder.samples) out.traces.insert(out.traces.end(), parts.begin(), parts.end());
      out.energy = march.energy(team, *cluster);
      March::Cut all;
      all.count = p.grid.points;
      march.read(all, out.field);
      return out;
    };
    const auto whole = make_march(p, this_machine(), *cluster);
    whole->start(team, *cluster);
    QVERIFY2(whole->tiling().find("panels") != std::string::npos, whole->tiling().c_str());
    whole->advance(team, *cluster, 17);
    MemoryCheckpoint checkpoint;
    whole->save(checkpoint);
    const Energy then = whole->energy(team, *cluster);  // summed by the device
    const Everything rest = rest_of(*whole);
    const auto second = make_march(p, this_machine(), *cluster);
    second->start(team, *cluster);
    second->load(checkpoint, *cluster);
    const Energy again = second->energy(team, *cluster);  // by the host
    QVERIFY(again.kinetic == then.kinetic && again.potential == then.potential && then.total() > 0);
    QVERIFY(rest_of(*second) == rest);
  }

  /// A case through the solver's face: traces, energies and a frame of a device are those of the processors.
  void a_case_on_a_device_is_the_case_on_the_processors() {
    std::vector<std::vector<double>> tables[3];
    std::shared_ptr<const Frame> frames[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const Case input = device_case(i == 2 ? "2600000" : "100000000", "-", "-");
      const std::string told = words(input);
      QCOMPARE(told.find("streamed from the host") != std::string::npos, i == 2);
      MemoryResults results;
      frames[i] = run_case(input, i == 0 ? "cpu" : "emulated", results);
      for (const char* id : {"receivers", "energy"})  // which is begun first hangs on the length of bundles
        for (const auto& table : results.tables)
          if (table->info.id == id) tables[i].insert(tables[i].end(), table->rows.begin(), table->rows.end());
    }
    QVERIFY(frames[0] && frames[1] && frames[2]);
    QCOMPARE(frames[0]->parts.size(), std::size_t{4});
    for (std::size_t i = 1; i < 3; ++i) {
      QVERIFY(tables[i].size() == tables[0].size() && tables[i].size() > 31);
      // The host flushes subnormal numbers, which sets off other roundings of slightly larger ones, and so on.
      const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(b), 1e-3); };
      for (std::size_t row = 0; row < tables[0].size(); ++row)
        for (std::size_t column = 0; column < tables[0][row].size(); ++column)
          QVERIFY2(close(tables[i][row][column], tables[0][row][column]),
                   qPrintable(QString("run %1, row %2, column %3: %4, not %5")
                                  .arg(i)
                                  .arg(row)
                                  .arg(column)
                                  .arg(tables[i][row][column])
                                  .arg(tables[0][row][column])));
      for (std::size_t part = 0; part < 4; ++part) {
        const auto &got = *frames[i]->parts[part].fields[0].values, &want = *frames[0]->parts[part].fields[0].values;
        QCOMPARE(got.size(), want.size());
        for (std::size_t n = 0; n < want.size(); ++n)
          QVERIFY2(close(static_cast<double>(got[n]), static_cast<double>(want[n])),
                   qPrintable(QString("run %1, part %2, value %3 of %4: %5, not %6")
                                  .arg(i)
                                  .arg(part)
                                  .arg(n)
                                  .arg(want.size())
                                  .arg(got[n])
                                  .arg(want[n])));
      }
    }
  }

  void check_and_estimate_tell_how_a_device_goes() {
    QVERIFY(words(device_case("1100000", "-", "-")).find("even streamed") != std::string::npos);
    QVERIFY(words(device_case("2600000", "-", "-")).find("at a time, one by one;") != std::string::npos);
    const auto told = [&](const Case& input, std::string_view of) {
      const Estimate estimate = *solver_info().make()->estimate(input, nullptr, make_offer(input).value());
      for (const auto& [name, value] : estimate.details)
        if (name == of) return value;
      return std::string("nothing");
    };
    const auto steps_on_device = [&](const Case& input) { return told(input, "steps on the device"); };
    QVERIFY(told(device_case("100000000", "-", "-"), "processors beside it").find("take no steps") == 0);
    QCOMPARE(told(device_case("100000000", "\"emulated\"", "\"cpu\""), "processors beside it"), std::string("nothing"));
    const char* const speeds = "\"medium\": {";
    const std::string dense =
        std::string(speeds) +
        R"("density": {"kind": "layers", "layers": [{"density": 1000}, {"top": 30, "density": 1900}]}, )";
    QCOMPARE(steps_on_device(device_case("100000000", "-", "-")), std::string("in panels of 4"));
    QCOMPARE(steps_on_device(device_case("100000000", "\"spacing\": 2", "\"spacings\": [2, 2.2, 1.9]")),
             std::string("in panels of 4"));
    QCOMPARE(steps_on_device(device_case("100000000", speeds, dense.c_str())), std::string("in panels of 3"));
    QCOMPARE(steps_on_device(device_case("100000000", "\"single\"", "\"double\"")),
             std::string("in towers, or one by one"));
    QVERIFY(words(device_case("100000000", "\"single\"", "\"double\"")).find("left alone") == std::string::npos);
    QVERIFY(words(device_case("2600000", "\"single\"", "\"double\"")).find("streamed from the host") !=
            std::string::npos);
  }

  /// Where nobody says how often, rows of energy lie between two bands of what is streamed.
  void rows_of_energy_lie_between_bands() {
    const auto unsaid_with = [&](const std::string& memory) {
      return device_case(
          memory.c_str(),
          "\"steps\": 30}, \"output\": {\"receivers\": [{\"position\": [69.5, 41, 33]}], \"energy_every\": 15}",
          "\"steps\": 150, \"tiling\": \"stepwise 8\"}");
    };
    const auto device = Device::open("emulated");
    const auto band_of = [&](const Problem& p) {
      const DevicePlan plan = device_plan(p, p.device_memory, 1, &device->info());
      return plan.streamed && plan.possible ? plan.steps * plan.sweeps : 1;
    };
    int memory = 1'600'000;
    std::vector<Diagnostic> said;
    Problem streamed;
    do {
      streamed = read_setup(unsaid_with(std::to_string(memory += 10'000)), said).problem;
      streamed.device_memory = static_cast<Bytes>(memory);
    } while (32 % band_of(streamed) == 0 && memory < 4'500'000);
    const Case unsaid = unsaid_with(std::to_string(memory));
    const Index band = band_of(streamed), apart = (32 + band - 1) / band * band;
    QVERIFY2(said.empty() && apart != 32 && apart < 75, qPrintable(QString("%1 steps").arg(band)));
    MemoryResults results;
    QVERIFY(run_case(unsaid, "emulated", results));
    for (const auto& table : results.tables) {
      if (table->info.id != "energy") continue;
      QCOMPARE(table->rows.size(), static_cast<std::size_t>((150 + apart - 1) / apart));
      QVERIFY(std::abs((table->rows[1][0] - table->rows[0][0]) / streamed.dt - static_cast<double>(apart)) < 1e-6);
      return;
    }
    QFAIL("there is a table of the energy");
  }
};

QTEST_APPLESS_MAIN(TestDeviceField)
#include "test_device_field.moc"
