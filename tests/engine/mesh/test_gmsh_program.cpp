// SPDX-License-Identifier: BSD-3-Clause
// Geometry is meshed by calling gmsh: cache, messages, time limit, stop, and what is said when it is missing. A small script
// stands in for gmsh, so that the test runs without it; the real one is called where it is installed.
// labels: unit
#include "engine/core/confined_start.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/prepare.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/surface.hpp"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <thread>

using namespace conoid;

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

class TestGmshProgram : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string at(const char* name) const { return folder_.filePath(name).toStdString(); }

  /// A program that does what `body` says; $out is the mesh file wanted.
  std::filesystem::path stand_in(const char* name, const std::string& body) {
    const std::string path = at(name);
    write(path, "#!/bin/sh\nfor a in \"$@\"; do out=$a; done\n" + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  int meshes_kept() const {
    int n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(at("cache"))) n += entry.path().extension() == ".msh";
    return n;
  }
  /// gmsh as it is installed, with a cache of its own; sets `there` to whether it is.
  GmshOptions real(bool& there) const {
    const auto program = find_gmsh();
    there = program.ok();
    return options(there ? *program : std::filesystem::path());
  }
  GmshOptions options(const std::filesystem::path& program) const {
    GmshOptions o;
    o.program = program;
    o.cache_folder = at("cache");
    return o;
  }
  const std::string triangle_ =
      "cat > \"$out\" <<'X'\n$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 "
      "0\n$EndNodes\n"
      "$Elements\n1\n1 2 0 1 2 3\n$EndElements\nX\n";

 private slots:
  void cleanup() {
    std::error_code ignored;
    std::filesystem::remove_all(at("cache"), ignored);
  }

  void the_cache_answers_until_something_changes() {
    const auto program = stand_in("gmsh1", "echo working\n" + triangle_);
    write(at("a.geo"), "Include \"part.geo\";\n");
    write(at("part.geo"), "// one");
    auto o = options(program);
    o.script = ScriptUse::own;
    const auto first = run_gmsh(at("a.geo"), o);
    QVERIFY2(first.ok(), first ? "" : first.error().render().c_str());
    QVERIFY(!first->from_cache);
    QVERIFY(first->log.find("working") != std::string::npos);
    QVERIFY(run_gmsh(at("a.geo"), o)->from_cache);
    QCOMPARE(load_mesh(at("a.geo"), {}, o)->cell_count(), Index{1});
    QCOMPARE(meshes_kept(), 1);
    o.size = 0.1;
    QVERIFY(!run_gmsh(at("a.geo"), o)->from_cache);
    o.numbers["n"] = 3;
    QVERIFY(!run_gmsh(at("a.geo"), o)->from_cache);
    write(at("part.geo"), "// two");
    QVERIFY(!run_gmsh(at("a.geo"), o)->from_cache);
    write(at("a.geo"), "Include \"part.geo\"; // changed\n");
    QVERIFY(!run_gmsh(at("a.geo"), o)->from_cache);
    QCOMPARE(meshes_kept(), 5);
    // A damaged cache file is made again.
    const auto file = run_gmsh(at("a.geo"), o)->mesh_file;
    write(file, "$MeshFormat\nrubbish");
    QVERIFY(load_mesh(at("a.geo"), {}, o).ok());
    QCOMPARE(meshes_kept(), 5);
  }
  void its_error_names_file_and_line() {
    const auto program = stand_in(
        "gmsh2", "echo \"Info    : reading\"\necho \"Error   : 'b.geo', line 7: syntax error (Foo)\" >&2\nexit 1\n");
    write(at("b.geo"), "x");
    const auto r = run_gmsh(at("b.geo"), options(program));
    QVERIFY(!r.ok());
    QCOMPARE(r.error().code, ErrorCode::invalid_input);
    QCOMPARE(r.error().place.line, 7l);
    QVERIFY2(r.error().text.find("syntax error (Foo)") != std::string::npos, r.error().render().c_str());
    // Nothing half-made stays in the cache.
    const auto half = stand_in("gmsh3", triangle_ + "echo 'Error   : no elements in volume 1'\n");
    QVERIFY(!run_gmsh(at("b.geo"), options(half)).ok());
    QCOMPARE(meshes_kept(), 0);
  }
  void time_limit_and_stop_end_it() {
    write(at("c.geo"), "x");
    auto o = options(stand_in("gmsh4", "sleep 60\n"));
    o.time_limit = 0.2;
    QElapsedTimer timer;
    timer.start();
    const auto slow = run_gmsh(at("c.geo"), o);
    QCOMPARE(slow.error().code, ErrorCode::resources);
    std::stop_source source;
    o.time_limit = 60;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      source.request_stop();
    });
    QCOMPARE(run_gmsh(at("c.geo"), o, source.get_token()).error().code, ErrorCode::stopped);
    QVERIFY(timer.elapsed() < 20000);
  }
  void much_output_is_cut() {
    write(at("d.geo"), "x");
    const auto r = run_gmsh(at("d.geo"), options(stand_in("gmsh5",
                                                          "i=0; while [ $i -lt 5000 ]; do echo 'a line of fifty "
                                                          "characters, so that it adds up'; i=$((i+1)); done\n" +
                                                              triangle_)));
    QVERIFY2(r.ok(), r ? "" : r.error().render().c_str());
    QVERIFY(r->log.size() <= 64 * 1024 && r->log.size() > 32 * 1024);
  }
  void a_missing_program_is_explained() {
    write(at("e.geo"), "x");
    const auto r = run_gmsh(at("e.geo"), options("/no/such/gmsh"));
    QCOMPARE(r.error().code, ErrorCode::resources);
    QVERIFY(r.error().hint.find("apt install gmsh") != std::string::npos);
    const QByteArray path = qgetenv("PATH");
    const QByteArray named = qgetenv("CONOID_GMSH");
    qputenv("PATH", "/nowhere");
    qunsetenv("CONOID_GMSH");
    QVERIFY(find_gmsh().error().text.find("not found on PATH") != std::string::npos);
    qputenv("CONOID_GMSH", "/not/there");
    QVERIFY(find_gmsh().error().text.find("CONOID_GMSH") != std::string::npos);
    qputenv("PATH", path);
    if (named.isNull())
      qunsetenv("CONOID_GMSH");
    else
      qputenv("CONOID_GMSH", named);
    QCOMPARE(run_gmsh(at("missing.geo"), options("/bin/true")).error().code, ErrorCode::file);
  }
  void a_home_that_cannot_be_written_falls_back() {
    const QByteArray cache = qgetenv("XDG_CACHE_HOME");
    const QByteArray home = qgetenv("HOME");
    const QByteArray tmp = qgetenv("TMPDIR");
    qputenv("XDG_CACHE_HOME", "/proc/none");
    qputenv("HOME", "/proc/none");
    qputenv("TMPDIR", folder_.path().toUtf8());
    write(at("f.geo"), "x");
    auto o = options(stand_in("gmsh6", triangle_));
    o.cache_folder.clear();
    const auto r = run_gmsh(at("f.geo"), o);
    qputenv("XDG_CACHE_HOME", cache);
    qputenv("HOME", home);
    qputenv("TMPDIR", tmp);
    if (cache.isNull()) qunsetenv("XDG_CACHE_HOME");
    if (tmp.isNull()) qunsetenv("TMPDIR");
    QVERIFY2(r.ok(), r ? "" : r.error().render().c_str());
    QVERIFY(r->mesh_file.string().starts_with(folder_.path().toStdString()));
  }
  void a_script_that_reaches_out_needs_the_users_word() {
    const auto program = stand_in("gmsh7", triangle_);
    for (const char* text : {"SystemCall \"id\";", "a = 1;\nInclude \"other.geo\";", "Merge \"x.stl\";",
                             "Printf(\"a\") > \"out.txt\";", "Field[1] = ExternalProcess;", "Save \"x.msh\";",
                             "OnelabRun(\"x\", \"y\");", "NonBlockingSystemCall \"id\";", "Print \"x.png\";"}) {
      write(at("g.geo"), text);
      const auto r = run_gmsh(at("g.geo"), options(program));
      QVERIFY2(!r.ok(), text);
      QCOMPARE(r.error().code, ErrorCode::invalid_input);
      QVERIFY2(r.error().place.line > 0 && r.error().hint.find("--trust") != std::string::npos,
               r.error().render().c_str());
      QVERIFY2(needs_trust(at("g.geo"), at("cache")).has_value(), text);
    }
    for (const char* text : {"// SystemCall\nPoint(1) = {0, 0, 0};", "/* Merge */ Printf(\"Save it\");",
                             "Print.Background = 0; Save = 3;", "Physical Surface(\"Include\") = {1};"}) {
      write(at("g.geo"), text);
      QVERIFY2(run_gmsh(at("g.geo"), options(program)).ok(), text);
    }
    // The word is for the content: a change asks again.
    write(at("g.geo"), "Include \"part.geo\";");
    QVERIFY(trust_geometry(at("g.geo"), at("cache")).ok());
    QVERIFY(!needs_trust(at("g.geo"), at("cache")));
    QVERIFY(run_gmsh(at("g.geo"), options(program)).ok());
    write(at("part.geo"), "SystemCall \"id\";");
    QVERIFY(!run_gmsh(at("g.geo"), options(program)).ok());
  }
  void looking_calls_nothing() {
    write(at("h.geo"), "Point(1) = {0, 0, 0};");
    auto o = options(stand_in("gmsh8", triangle_));
    o.only_made_before = true;
    QVERIFY(!is_meshed(at("h.geo"), o));
    QVERIFY(run_gmsh(at("h.geo"), o).error().text.find("not been meshed") != std::string::npos);
    o.only_made_before = false;
    QVERIFY(run_gmsh(at("h.geo"), o).ok());
    o.only_made_before = true;
    QVERIFY(is_meshed(at("h.geo"), o) && run_gmsh(at("h.geo"), o)->from_cache);
  }
  void gmsh_works_alone_in_a_private_folder() {
    if (!can_lock_folders()) QSKIP("this kernel has no Landlock");
    const std::string outside = at("outside.txt"), home = at("home");
    const auto program =
        stand_in("gmsh9", "echo x > '" + outside + "'\necho x > inside.txt && echo \"home=$HOME\"\nls\n" + triangle_);
    write(at("i.geo"), "Point(1) = {0, 0, 0};");
    write(at("i.geo.opt"), "SystemCall \"id\";");
    const auto r = run_gmsh(at("i.geo"), options(program));
    QVERIFY2(r.ok(), r ? "" : r.error().render().c_str());
    QVERIFY(!std::filesystem::exists(outside));
    QVERIFY2(r->log.find("home=" + at("cache")) != std::string::npos, r->log.c_str());
    QVERIFY2(r->log.find(".opt") == std::string::npos, r->log.c_str());
    // Only the mesh is left of it.
    int left = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(at("cache"))) ++left;
    QCOMPARE(left, 1);
  }
  void options_beside_a_model_are_not_executed() {
    bool there = false;
    const auto o = real(there);
    if (!there) QSKIP("gmsh is not installed");
    std::filesystem::copy_file(CONOID_TEST_DATA "/safety/ball.step", at("ball.step"));
    const std::string mark = at("ran.txt");
    write(at("ball.step.opt"), "SystemCall \"id > '" + mark + "'\";\n");
    auto coarse = o;
    coarse.dimension = 2;
    coarse.size = 1;
    const auto r = run_gmsh(at("ball.step"), coarse);
    QVERIFY2(r.ok(), r ? "" : r.error().render().c_str());
    QVERIFY(!std::filesystem::exists(mark));
  }
  /// A solid says nothing of its elements, and gmsh's own size, 2.02 here, leaves four of them on this circle: a tenth less surface.
  void a_solid_without_a_size_is_round_where_it_is_round() {
    bool there = false;
    const auto o = real(there);
    if (!there) QSKIP("gmsh is not installed");
    write(at("make.geo"),
          "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0, 0, 0, 0, 0, 20000, 1000, 2*Pi};\nSave \"rod.step\";\n");
    QProcess make;
    make.setWorkingDirectory(folder_.path());
    make.start(QString::fromStdString(o.program.string()), {"-0", "make.geo"});
    QVERIFY(make.waitForFinished() && make.exitCode() == 0);
    MeshRequest request;
    request.file = at("rod.step");
    request.gmsh = o;
    request.gmsh.dimension = 2;
    const auto rod = prepare_mesh(request);
    QVERIFY2(rod.ok(), rod ? "" : rod.error().render().c_str());
    double area = 0;
    for (Index c = 0; c < rod->mesh.cell_count(); ++c)
      if (dimension_of(rod->mesh.shape(c)) == 2) area += cell_surface(rod->mesh, c).area;
    // Of 20 chords on a turn: sides sin(pi/20)/(pi/20) of the circle's, ends a polygon of 20 corners.
    const double turn = std::numbers::pi / elements_a_turn;
    const double chords = 40 * std::numbers::pi * std::sin(turn) / turn + 20 * std::sin(2 * turn);
    QVERIFY2(area > chords * (1 - 1e-9) && area < 42 * std::numbers::pi,
             qPrintable(QString::number(area / chords, 'g', 12)));
    QVERIFY(std::any_of(rod->notes.begin(), rod->notes.end(),
                        [](const Diagnostic& d) { return d.text.starts_with("no size of elements is given"); }));
    request.size = 30;
    const auto sized = prepare_mesh(request);
    QVERIFY(sized.ok() && std::none_of(sized->notes.begin(), sized->notes.end(),
                                       [](const Diagnostic& d) { return d.text.starts_with("no size of elements"); }));
  }
  void the_real_gmsh_meshes_a_script() {
    const auto program = find_gmsh();
    if (!program) QSKIP("gmsh is not installed");
    auto o = options(*program);
    o.order = 2;
    o.numbers["hexes"] = 1;
    const auto m = load_mesh(CONOID_TEST_DATA "/mesh/two_blocks.geo", {}, o);
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->group("all of it")->cells.size(), std::size_t{16});
    QCOMPARE(m->shape(m->group("left")->cells.front()), CellShape::hex27);
    write(at("bad.geo"), "Point(1) = {0, 0, 0};\nPoint(2) = {1, 0 0};\n");
    const auto bad = run_gmsh(at("bad.geo"), o);
    QVERIFY(!bad.ok());
    QCOMPARE(bad.error().place.line, 2l);
  }
};

QTEST_APPLESS_MAIN(TestGmshProgram)
#include "test_gmsh_program.moc"
