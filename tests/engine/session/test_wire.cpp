// SPDX-License-Identifier: BSD-3-Clause
// The wire of a session in another program: what goes in comes out, and nothing that arrives does harm.
// labels: unit
#include <QTest>

#include <cstring>
#include <limits>
#include <random>

#include <unistd.h>

#include "engine/core/codec.hpp"
#include "engine/session/process/wire.hpp"
#include "engine/session/process/wire_events.hpp"
#include "engine/session/process/wire_frames.hpp"
#include "tests/engine/session/rod.hpp"

using namespace conoid;
using namespace conoid::process;

class TestWire : public QObject {
  Q_OBJECT
 private slots:
  void events_come_out_as_they_went_in();
  void options_wishes_and_commands();
  void frames_send_a_fixed_mesh_once();
  void unsound_frames_are_refused();
  void greetings_are_found_behind_other_text();
  void messages_in_pieces_and_packed();
  void claims_take_no_memory();
  void damage_never_crashes();
};

namespace {

/// Bytes from memory, `step` at a time.
ByteSource from(std::string bytes, std::size_t step = 1 << 20) {
  return [bytes = std::move(bytes), step, at = std::size_t{0}](std::span<char> into) mutable {
    const std::size_t n = std::min({into.size(), bytes.size() - at, step});
    std::memcpy(into.data(), bytes.data() + at, n);
    at += n;
    return n;
  };
}

/// What a writer sends.
std::string sent(const std::function<void(MessageWriter&)>& speak, bool pack = false) {
  char name[] = "/tmp/conoid-wire-XXXXXX";
  const int fd = ::mkstemp(name);
  MessageWriter writer(fd);
  writer.set_packing(pack);
  speak(writer);
  const std::string out = rod::text_of(name);
  ::close(fd);
  ::unlink(name);
  return out;
}

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Failure& failure) {
    return failure.error().code == ErrorCode::remote ? failure.error().text : "wrong code: " + failure.error().text;
  }
  return "no error";
}

std::vector<SessionEvent> sample_events() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TableInfo info{"rows",           "Rows",         {{"t", "s", ""}, {"p", "Pa", "Pressure"}},
                 ChartForm::polar, AxisScale::log, AxisScale::linear,
                 "what it is",     {"p"}};
  ProgressEvent progress{{"march", 3, 10, "steps", 0.5, 1e-6, 2e9, "Gcells"}, 3, 10, 0.25, 1.5, 12.0};
  return {
      StateEvent{SessionState::failed, make_error(ErrorCode::not_converged, "text", "hint", {"case.json", 7, "/a/b"})},
      StateEvent{SessionState::running, {}},
      progress,
      TableEvent{info, 5, {{1.0, nan}, {2.0, -std::numeric_limits<double>::infinity()}}},
      BalanceEvent{{{"cpu", 2, 1.5}, {"cuda:0", 1, 1}},
                   {{9, 1, {3, 8}, 0.1, 0.2, 0.3, "march", {4e9, 5e8}, 1234}},
                   {1e10, 2e10, 4e10, 3},
                   {{}, {1e12, 2e13, 4e13, 0}}},
      DiagnosticEvent{make_warning("careful", "do this")},
      NumberEvent{"error", 1e-300, "1"},
      CatalogEvent{{{"volume", {"pressure", "Pa", FieldKind::phase, Association::cell, 3, true, "Pressure"}}}}};
}

Frame mesh_frame() {
  MeshGeometry mesh;
  mesh.points = std::make_shared<const std::vector<double>>(std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
  mesh.connectivity = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 1, 2, 1, 3, 2});
  mesh.offsets = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 3, 6});
  mesh.types = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{5, 5});
  Frame frame;
  frame.number = 1;
  frame.step = 17;
  frame.value = 0.5;
  frame.axis = FrameAxis::frequency;
  frame.parts.push_back(
      {"surface",
       mesh,
       {make_field({"p", "Pa", FieldKind::signed_value, Association::point, 1, true, "p"}, {1, 2, 3, 4, 5, 6, 7, 8})}});
  frame.parts.push_back(
      {"plane",
       ImageGeometry{{2, 3, 1}, {1, 2, 3}, {.1, .2, .3}},
       {make_field({"v", "m/s", FieldKind::magnitude, Association::cell, 3, false, "v"}, {1, 2, 3, 4, 5, 6})}});
  return frame;
}

}  // namespace

void TestWire::events_come_out_as_they_went_in() {
  for (const SessionEvent& event : sample_events()) {
    const std::string body = encode(event);
    const SessionEvent back = decode_event(body);
    QCOMPARE(back.index(), event.index());
    QVERIFY(encode(back) == body);  // bit for bit, not-a-number included
  }
  const auto state = std::get<StateEvent>(decode_event(encode(sample_events()[0])));
  QCOMPARE(state.error->place.line, 7L);
  QCOMPARE(state.error->code, ErrorCode::not_converged);
}

void TestWire::options_wishes_and_commands() {
  SessionOptions o = rod::options(rod::json(5), "/tmp/somewhere/run");
  o.flags = {.workers = "cpu:2", .threads = 3, .host = 12345, .device = {}, .deterministic = true};
  o.settings = {.workers = "cuda:0", .threads = 0, .host = {}, .device = 678, .deterministic = false};
  o.courtesy = 5;
  o.start_paused = true;
  o.keep_results = false;
  o.resume = "runs/x";
  const SessionOptions back = decode_options(encode(o));
  QVERIFY(encode(back) == encode(o));
  QVERIFY(back.document.json() == o.document.json());
  QVERIFY(back.flags == o.flags && back.settings == o.settings);
  QCOMPARE(back.courtesy, 5);
  const FrameWish wish{{{"a", "b"}, {"p"}, 1000}, 12.5};
  const FrameWish again = decode_wish(encode(wish));
  QVERIFY(again.request.parts == wish.request.parts && again.request.fields == wish.request.fields);
  QCOMPARE(again.per_second, 12.5);
  for (const Command c : {Command::pause, Command::resume, Command::step, Command::checkpoint, Command::stop})
    QCOMPARE(decode_command(encode(c)), c);
  QVERIFY(failure_of([] { (void)decode_command("\x09"); }).find("enumeration") != std::string::npos);
}

void TestWire::frames_send_a_fixed_mesh_once() {
  FrameEncoder out;
  FrameDecoder in;
  const Frame first = mesh_frame();
  const std::string whole = out.encode(first);
  const auto one = in.decode(whole);
  QCOMPARE(one->parts.size(), std::size_t{2});
  QCOMPARE(*one->parts[0].fields[0].values, *first.parts[0].fields[0].values);
  QCOMPARE(*std::get<MeshGeometry>(one->parts[0].geometry).points,
           *std::get<MeshGeometry>(first.parts[0].geometry).points);
  QCOMPARE(std::get<ImageGeometry>(one->parts[1].geometry).points, (std::array<Index, 3>{2, 3, 1}));
  QCOMPARE(one->axis, FrameAxis::frequency);

  Frame second = first;  // the same arrays but one
  second.parts[0].fields[0] = make_field(first.parts[0].fields[0].info, {8, 7, 6, 5, 4, 3, 2, 1});
  const std::string rest = out.encode(second);
  QVERIFY2(rest.size() + 150 < whole.size(), qPrintable(QString("%1 %2").arg(rest.size()).arg(whole.size())));
  const auto two = in.decode(rest);
  QCOMPARE(std::get<MeshGeometry>(two->parts[0].geometry).points,
           std::get<MeshGeometry>(one->parts[0].geometry).points);
  QCOMPARE(two->parts[0].fields[0].values->front(), 8.0f);
  // A frame that refers to what was never sent.
  FrameDecoder stranger;
  QVERIFY(failure_of([&] { (void)stranger.decode(rest); }).find("sent before") != std::string::npos);
}

void TestWire::unsound_frames_are_refused() {
  const auto wrong = [](const std::function<void(Frame&, MeshGeometry&)>& change) {
    Frame frame = mesh_frame();
    auto mesh = std::get<MeshGeometry>(frame.parts[0].geometry);
    change(frame, mesh);
    frame.parts[0].geometry = mesh;
    FrameEncoder out;
    FrameDecoder in;
    const std::string body = out.encode(frame);
    return failure_of([&] { (void)in.decode(body); });
  };
  const auto indices = [](std::vector<Index> v) { return std::make_shared<const std::vector<Index>>(std::move(v)); };
  QCOMPARE(wrong([](Frame&, MeshGeometry&) {}), std::string("no error"));
  QVERIFY(wrong([&](Frame&, MeshGeometry& m) {
            m.connectivity = indices({0, 1, 2, 1, 4, 2});
          }).find("a node that is a point") != std::string::npos);
  QVERIFY(wrong([&](Frame&, MeshGeometry& m) {
            m.connectivity = indices({0, 1, 2, 1, -1, 2});
          }).find("a node that is a point") != std::string::npos);
  QVERIFY(wrong([&](Frame&, MeshGeometry& m) {
            m.offsets = indices({0, 2, 6});
          }).find("nodes of a cell") != std::string::npos);
  QVERIFY(wrong([&](Frame&, MeshGeometry& m) { m.offsets = indices({0, 3}); }).find("offsets") != std::string::npos);
  QVERIFY(wrong([&](Frame&, MeshGeometry& m) { m.offsets = indices({}); }).find("offsets") != std::string::npos);
  QVERIFY(wrong([](Frame& f, MeshGeometry&) {
            f.parts[0].fields[0] = make_field(f.parts[0].fields[0].info, {1, 2});
          }).find("a value for every") != std::string::npos);
  QVERIFY(wrong([](Frame& f, MeshGeometry&) {
            f.parts[1].geometry = ImageGeometry{{Index{1} << 30, Index{1} << 30, 1}, {}, {}};
          }).find("points of a grid") != std::string::npos);
  QVERIFY(wrong([](Frame& f, MeshGeometry&) { f.parts[0].fields[0].info.components = 2; }).find("components") !=
          std::string::npos);
}

void TestWire::greetings_are_found_behind_other_text() {
  const Greeting mine{wire_version, {{"conoid", "1.2"}, {"host", "a b\n"}}};
  MessageReader in(from("Welcome to the machine\nmotd\n" + to_line(mine), 7));
  std::string other;
  const auto found = in.greeting(other);
  QVERIFY(found.has_value());
  QCOMPARE(found->version, wire_version);
  QCOMPARE(found->facts.at("host"), std::string("a_b_"));
  QCOMPARE(other, std::string("Welcome to the machine\nmotd\n"));
  MessageReader noise(from(std::string(1 << 20, 'x')));
  other.clear();
  QVERIFY(!noise.greeting(other));
  QVERIFY(other.size() < 128 << 10);
  QVERIFY(!parse_greeting("CONOID-WIRE x\n") && !parse_greeting("CONOID-WIRE 99999999\n") &&
          !parse_greeting("hello\n"));
}

void TestWire::messages_in_pieces_and_packed() {
  std::string large;
  for (int i = 0; i < 300000; ++i) large += static_cast<char>('a' + i % 7);
  const auto speak = [&](MessageWriter& w) {
    QVERIFY(w.write(MessageKind::log, "small"));
    QVERIFY(w.write(MessageKind::frame, large));
    QVERIFY(w.write(MessageKind::done, {}));
  };
  for (const bool pack : {false, true}) {
    const std::string bytes = sent(speak, pack);
    if (pack && can_pack()) QVERIFY(bytes.size() < 10000);
    for (const std::size_t step : {std::size_t{1} << 20, std::size_t{1000}, std::size_t{13}}) {
      MessageReader in(from(bytes, step));
      QCOMPARE(in.next()->body, std::string("small"));
      QVERIFY(in.next()->body == large);
      QCOMPARE(in.next()->kind, MessageKind::done);
      QVERIFY(!in.next().has_value());
    }
  }
}

void TestWire::claims_take_no_memory() {
  const auto header = [](std::uint16_t kind, std::uint16_t packing, std::uint64_t bytes, std::uint64_t plain) {
    Encoder e;
    e.number(kind);
    e.number(packing);
    e.number(std::uint32_t{0});
    e.number(bytes);
    e.number(plain);
    return e.take();
  };
  const auto read = [](const std::string& bytes) {
    return failure_of([&] {
      MessageReader in(from(bytes));
      while (in.next()) {
      }
    });
  };
  QVERIFY(read(header(16, 0, std::uint64_t{1} << 62, std::uint64_t{1} << 62)).find("claims") != std::string::npos);
  QVERIFY(read(header(99, 0, 0, 0)).find("unknown kind 99") != std::string::npos);
  QVERIFY(read(header(18, 0, 1 << 30, 1 << 30) + "abc").find("ended inside a message") != std::string::npos);
  QVERIFY(read(header(18, 7, 3, 3) + "abc").find("claims") != std::string::npos);
  QVERIFY(read("abc").find("ended inside a message") != std::string::npos);
  if (can_pack()) {
    QVERIFY(read(header(18, 1, 3, 1 << 30) + "abc").find("damaged") != std::string::npos);
    // A block that unpacks to more than it says.
    const std::string zeros(1 << 20, '\0');
    std::string bomb = sent([&](MessageWriter& w) { QVERIFY(w.write(MessageKind::frame, zeros)); }, true);
    const std::uint64_t less = 1000;
    std::memcpy(bomb.data() + 16, &less, 8);
    QVERIFY(read(bomb).find("more than it claims") != std::string::npos);
  }
  QVERIFY(failure_of([] { (void)decode_event(std::string("\x02", 1)); }).find("damaged") != std::string::npos);
}

void TestWire::damage_never_crashes() {
  std::mt19937 random(7);
  std::vector<std::string> bodies;
  for (const SessionEvent& event : sample_events()) bodies.push_back(encode(event));
  FrameEncoder encoder;
  bodies.push_back(encoder.encode(mesh_frame()));
  bodies.push_back(encode(rod::options(rod::json(5), "/tmp/somewhere/run")));
  int refused = 0;
  for (const std::string& body : bodies)
    for (int trial = 0; trial < 2000; ++trial) {
      std::string b = body;
      if (trial % 4 == 0) b.resize(random() % b.size());
      for (int k = 0; k < 1 + trial % 3 && !b.empty(); ++k)
        b[random() % b.size()] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
      const auto attempt = [&](const std::function<void()>& work) {
        refused += failure_of(work) != "no error" ? 1 : 0;
      };
      attempt([&] { (void)decode_event(b); });
      attempt([&] {
        FrameDecoder in;
        (void)in.decode(b);
      });
      attempt([&] { (void)decode_options(b); });
      attempt([&] { (void)decode_wish(b); });
    }
  QVERIFY(refused > 1000);
}

QTEST_GUILESS_MAIN(TestWire)
#include "test_wire.moc"
