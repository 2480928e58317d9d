// SPDX-License-Identifier: BSD-3-Clause
// Shots that are marched at the same time, one a device, are those of one after the other.
// labels: unit emulated
#include "engine/team/device.hpp"
#include "tests/engine/solvers/acoustic_fd/shots.hpp"

#include <QTest>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestShots : public QObject {
  Q_OBJECT
  std::unique_ptr<Communicator> alone_ = single_rank();
  static constexpr const char* three = "emulated:0,emulated:1,emulated:2";

 private slots:
  void initTestCase() { configure_emulated({.devices = 3}); }
  void cleanupTestCase() { configure_emulated({}); }

  void shots_on_devices_of_their_own_are_those_of_one() {
    Survey one(survey(), *alone_, "emulated:0"), many(survey(), *alone_, three),
        two(survey(R"(, "shots_at_once": 2)"), *alone_, three);
    one.go();
    QCOMPARE(one.number("shots_at_once"), -1.0);
    QVERIFY(one.results.find("receivers_shot9") && one.results.find("receivers_shot9")->rows.size() == 151);
    for (Survey* other : {&many, &two}) {
      other->go();
      QCOMPARE(other->number("shots_at_once"), other == &many ? 3.0 : 2.0);
      QCOMPARE(other->number("shots"), 5.0);
      QCOMPARE(other->number("time_steps"), 750.0);
      const std::string differs = difference(other->results, one.results) + difference(one.results, other->results);
      QVERIFY2(differs.empty(), differs.c_str());
    }
  }

  /// Cut in the second round, when two parts of three have a shot under way; gone on with on devices, and by processors alone.
  void checkpoints_of_shots_under_way_go_on_anywhere() {
    Survey whole(survey(), *alone_, three), begun(survey(), *alone_, three);
    whole.go();
    begun.go(151);
    MemoryCheckpoint kept;
    begun.solver->save(kept);
    for (const char* workers : {three, "emulated:0", "cpu"}) {
      Survey rest(survey(), *alone_, workers);
      rest.solver->load(kept);
      rest.go();
      QCOMPARE(rest.number("shots_at_once"), 3.0);
      QVERIFY(rest.results.find("receivers_shot9") && !rest.results.find("receivers_shot2"));
      const std::string differs = difference(rest.results, whole.results, true);
      QVERIFY2(differs.empty(), (std::string(workers) + ": " + differs).c_str());
    }
    // And one after the other, by a team that could have had several.
    Survey single(survey(), *alone_, "emulated:0"), rest(survey(), *alone_, three);
    single.go(301);
    MemoryCheckpoint of_one;
    single.solver->save(of_one);
    rest.solver->load(of_one);
    rest.go();
    QCOMPARE(rest.number("shots_at_once"), -1.0);
    const std::string differs = difference(rest.results, whole.results, true);
    QVERIFY2(differs.empty(), differs.c_str());
  }

  /// Products and misfits are added in the order of the shots, by whatever marches them.
  void images_of_shots_at_the_same_time_are_those_of_one_after_the_other() {
    const std::string image = imaged("migration"), at_once = image + R"(, "shots_at_once": 3)";
    Survey one(survey(image), *alone_, "cpu"), many(survey(at_once), *alone_, three);
    for (Survey* s : {&one, &many}) s->go();
    QVERIFY(one.number("shots_at_once") == -1 && many.number("shots_at_once") == 3);
    QCOMPARE(many.number("time_steps"), 5 * 3 * 150.0);
    QCOMPARE(one.results.find("misfit")->rows.size(), std::size_t{5});
    QVERIFY(one.number("misfit") > 0);
    const std::string differs = difference(many.results, one.results) + difference(one.results, many.results);
    QVERIFY2(differs.empty(), differs.c_str());
    const std::vector<float> picture = one.field("image"), light = one.field("illumination");
    QVERIFY(*std::max_element(picture.begin(), picture.end()) > 0 && *std::max_element(light.begin(), light.end()) > 0);
    QVERIFY(many.field("image") == picture && many.field("illumination") == light);
    // Cut in a march forwards of the second round, and in one backwards; gone on with by devices and by processors.
    for (const auto& [cut, workers] :
         {std::pair{Index{3 * 150 + 160}, three}, std::pair{Index{3 * 150 + 320}, "cpu"}}) {
      Survey begun(survey(at_once), *alone_, three), rest(survey(image), *alone_, workers);
      begun.go(cut);
      MemoryCheckpoint kept;
      begun.solver->save(kept);
      rest.solver->load(kept);
      rest.go();
      QCOMPARE(rest.number("shots_at_once"), 3.0);
      QCOMPARE(rest.number("misfit"), one.number("misfit"));
      QVERIFY(rest.field("image") == picture && rest.field("illumination") == light);
    }
  }

  /// Not at the ends of bundles, which hang on the clock, and not at steps of each shot.
  void frames_lie_where_the_steps_of_the_run_put_them() {
    for (const char* workers : {"cpu", three}) {
      Survey run(survey(), *alone_, workers);
      std::vector<Index> kept, expected;
      for (Index s = 100; s <= 700; s += 100) expected.push_back(s);
      Cadence::Moment before;
      for (Advanced at; !at.finished;) {
        run.context.marks = FrameMarks({100, 0, 0}, before);
        at = run.solver->advance(run.context).value();
        if (!run.context.marks.due(at)) continue;
        before = Cadence::moment(at);
        kept.push_back(at.step);
      }
      QVERIFY(kept == expected);
    }
  }

  /// They show the image, to which all shots come: at every end of a round what one after the other shows after as many shots.
  void frames_of_an_image_do_not_keep_shots_from_marching_together() {
    const std::string text = survey(imaged("gradient"), R"(, "frames": {"count": 2})");
    Survey one(text, *alone_, "emulated:0"), many(text, *alone_, three);
    constexpr Index shot = 3 * 150;
    one.go(3 * shot);
    many.go(shot);
    const std::vector<float> three_shots = one.field("gradient");
    QVERIFY(*std::max_element(three_shots.begin(), three_shots.end()) > 0);
    QVERIFY(many.field("gradient") == three_shots);
    one.go();
    many.go();
    QCOMPARE(one.number("shots_at_once"), -1.0);
    QCOMPARE(many.number("shots_at_once"), 3.0);
    QVERIFY(many.field("gradient") == one.field("gradient") && many.field("gradient") != three_shots);
  }

  void the_check_tells_how_many_and_what_they_take() {
    const auto schema = Schema::for_solver("acoustic-fd", solver_info().schema);
    const auto solver = solver_info().make();
    const auto resolved = [&](const std::string& text) {
      return Case::resolve(CaseDocument::parse(text, "case.json").value(), schema.value()).value();
    };
    const auto offered = [](const Case& input, Bytes host) {
      OfferSources sources;
      sources.flags.workers = three;
      sources.flags.host = host;
      return make_offer(input, sources).value();
    };
    constexpr Bytes plenty = Bytes{1} << 30;
    const Case plain = resolved(survey()), four = resolved(survey(R"(, "shots_at_once": 4)")),
               framed = resolved(survey("", R"(, "frames": {"count": 3})")),
               one = resolved(survey(R"(, "shots_at_once": 1)"));
    const auto line = [&](const Case& input, Bytes host) {
      const auto e = solver->estimate(input, nullptr, offered(input, host));
      if (!e) throw Failure(e.error());
      for (const auto& [name, text] : e->details)
        if (name == "shots") return text;
      return std::string();
    };
    QVERIFY2(line(plain, plenty).find("3 of 5 at the same time") == 0, line(plain, plenty).c_str());
    QVERIFY2(line(framed, plenty).find("3 of 5 at the same time") == 0 &&
                 line(framed, plenty).find("frames show all, shot after shot") != std::string::npos,
             line(framed, plenty).c_str());
    QCOMPARE(line(one, plenty), std::string());
    const Case framed_image = resolved(survey(imaged("migration"), R"(, "frames": {"count": 3})"));
    QVERIFY2(line(framed_image, plenty).find("3 of 5 at the same time") == 0 &&
                 line(framed_image, plenty).find("frames show the image of all") != std::string::npos,
             line(framed_image, plenty).c_str());
    const Bytes single = solver->estimate(one, nullptr, offered(one, plenty))->host_memory,
                several = solver->estimate(plain, nullptr, offered(plain, plenty))->host_memory;
    QVERIFY(several > single);
    const Bytes grid = (several - single) / 2;
    QVERIFY2(line(plain, 2 * grid + grid / 2).find("2 of 5 at the same time") == 0,
             line(plain, 2 * grid + grid / 2).c_str());
    QVERIFY(line(plain, 2 * grid + grid / 2).find("of the host's memory") != std::string::npos);
    const auto told = [&](const Case& input, Bytes host) {
      for (const Diagnostic& d : solver->check(input, nullptr, offered(input, host)))
        if (d.text.find("at the same time") != std::string::npos) return d.text;
      return std::string();
    };
    QCOMPARE(told(plain, plenty), std::string());
    QVERIFY2(told(four, plenty).find("3 of 5 shots can be marched at the same time, not 4") == 0,
             told(four, plenty).c_str());

    // What an image keeps of each shot counts, too: rather fewer at a time in memory than all by the disk, unless the case says so.
    const Case image = resolved(survey(imaged("migration"))),
               alone = resolved(survey(imaged("migration") + R"(, "shots_at_once": 1)")),
               all = resolved(survey(imaged("migration") + R"(, "shots_at_once": 3)"));
    QVERIFY2(line(image, plenty).find("3 of 5 at the same time") == 0, line(image, plenty).c_str());
    const Bytes lone = solver->estimate(alone, nullptr, offered(alone, plenty))->host_memory,
                triple = solver->estimate(image, nullptr, offered(image, plenty))->host_memory;
    const Bytes shot = (triple - lone) / 2, kept = Bytes{150 / 3} * 33 * 31 * 35 * 2;  // fields at 16 bits
    QVERIFY(shot > kept + grid);
    const Bytes for_two = 2 * shot + shot / 2;
    QVERIFY2(line(image, for_two).find("2 of 5 at the same time") == 0, line(image, for_two).c_str());
    QVERIFY(line(image, for_two).find("of the host's memory") != std::string::npos);
    QVERIFY2(line(all, for_two).find("3 of 5 at the same time") == 0, line(all, for_two).c_str());
    const auto by_disk = solver->estimate(all, nullptr, offered(all, for_two)),
               in_memory = solver->estimate(image, nullptr, offered(image, for_two));
    QVERIFY(by_disk->disk > in_memory->disk + 2 * kept);
  }

  /// By count, steps and seconds that end with the shots or not; one after the other they are the same moments however long the bundles are.
  void frames_are_those_of_one_after_the_other() {
    for (const auto& [text, cadence] :
         {std::pair{R"(, "frames": {"count": 7})", Cadence{0, 0, 7}},
          std::pair{R"(, "frames": {"every": 40})", Cadence{40, 0, 0}},
          std::pair{R"(, "frames": {"interval": "0.021 s"}, "peak_pressure": true)", Cadence{0, 0.021, 0}}}) {
      Survey one(survey(R"(, "shots_at_once": 1)", text), *alone_, "emulated:0"),
          many(survey("", text), *alone_, three), again(survey(R"(, "shots_at_once": 1)", text), *alone_, "cpu");
      const auto truth = frames_of(one, cadence), got = frames_of(many, cadence);
      QCOMPARE(many.number("shots_at_once"), 3.0);
      QVERIFY(truth.size() >= 8 && truth.back()->step == 750);
      if (cadence.every > 0)
        for (std::size_t n = 0; n + 1 < truth.size(); ++n) QCOMPARE(truth[n]->step, static_cast<Index>(40 * n));
      const std::string differs = difference_of(got, truth), rows = difference(many.results, one.results);
      QVERIFY2(differs.empty(), (text + (": " + differs)).c_str());
      QVERIFY2(rows.empty(), rows.c_str());
      QVERIFY2(difference_of(frames_of(again, cadence), truth).empty(), text);
      if (cadence.every == 0) continue;
      // Cut while a frame of the second part is shown, and in the march of the second round.
      for (const Index cut : {Index{170}, Index{460}}) {
        Survey begun(survey("", text), *alone_, three), rest(survey("", text), *alone_, three);
        Cadence::Moment at;
        auto both = frames_of(begun, cadence, cut, nullptr);
        at = {both.back()->step, both.back()->value, static_cast<double>(both.back()->step) / 750};
        MemoryCheckpoint kept;
        begun.solver->save(kept);
        rest.solver->load(kept);
        const auto after = frames_of(rest, cadence, 1'000'000, &at);
        both.insert(both.end(), after.begin(), after.end());
        const std::string cut_differs = difference_of(both, truth);
        QVERIFY2(cut_differs.empty(), fmt::format("{}, cut at {}: {}", text, cut, cut_differs).c_str());
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestShots)
#include "test_shots.moc"
