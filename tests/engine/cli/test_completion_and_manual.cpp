// SPDX-License-Identifier: BSD-3-Clause
// What the program says of itself: version and parts, manual pages that lack no option and no key, completion by three shells.
// labels: cli timeout300
// links: conoid_core
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include "engine/core/json.hpp"

namespace {

using conoid::Json;

struct Told {
  int exit = -1;
  QString out, err;
};

Told tell(const QString& program, const QStringList& words, const QProcessEnvironment& environment) {
  QProcess process;
  process.setProcessEnvironment(environment);
  process.setWorkingDirectory(CONOID_SOURCE_DIR);
  process.start(program, words);
  Told told;
  if (!process.waitForFinished(100000)) process.kill();
  told.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
  told.out = QString::fromUtf8(process.readAllStandardOutput());
  told.err = QString::fromUtf8(process.readAllStandardError());
  return told;
}

QProcessEnvironment with_programs() {
  auto out = QProcessEnvironment::systemEnvironment();
  out.insert("PATH", QString(CONOID_BIN_DIR ":") + out.value("PATH"));
  out.insert("TERM", "dumb");
  return out;
}

Told conoid_says(const QStringList& words) {
  return tell(CONOID_BIN_DIR "/conoid", words, with_programs());
}

Json json_of(const Told& told) {
  return conoid::read_json(told.out.toStdString());
}

bool program_is_there(const QString& name) {
  return std::filesystem::exists((QString(CONOID_BIN_DIR "/") + name).toStdString());
}

QStringList verbs_in_help() {
  QStringList out;
  const QString help = conoid_says({"help"}).out;
  static const QRegularExpression line("^  ([a-z]+) {2,}", QRegularExpression::MultilineOption);
  for (auto it = line.globalMatch(help.mid(help.indexOf("Subcommands:"))); it.hasNext();) out << it.next().captured(1);
  return out;
}

/// A page as it is read, without the formatter's signs.
QString page_named(const QString& name) {
  QString text = conoid_says({"manual", name}).out;
  return text.replace("\\-", "-").replace("\\(aq", "'").replace("\\fB", "").replace("\\fR", "");
}

struct Line {
  const char* typed;
  QStringList expected;  ///< among what is offered
  QStringList absent;
};

/// The same for every shell: verbs, choices, solvers, samples, files of cases, keys of the case named.
std::vector<Line> lines() {
  return {
      {"conoid r", {"run", "resume", "render", "resample"}, {"check"}},
      {"conoid ch", {"check", "chart"}, {"compare"}},
      {"conoid run --progress ", {"auto", "plain", "json", "none"}, {}},
      {"conoid run --work", {"--workers"}, {"--threads"}},
      {"conoid new sal", {"salt-dome"}, {"room"}},
      {"conoid verify ", {"acoustic-fd", "maxwell-fem"}, {"--quick"}},
      {"conoid help ma", {"manual", "maxwell-fem"}, {"run"}},
      {"conoid check resources/cases/salt-dome/c",
       {"resources/cases/salt-dome/case.json"},
       {"resources/cases/salt-dome/density.f32"}},
      {"conoid run resources/cases/salt-dome/case.json --set parameters.o", {"parameters.order="}, {"grid.points="}}};
}

void compare(const Line& line, const QString& answer) {
  QStringList offered;
  for (const QString& row : answer.split('\n', Qt::SkipEmptyParts)) offered << row.section('\t', 0, 0).trimmed();
  for (const QString& word : line.expected)
    QVERIFY2(offered.contains(word), qPrintable(QString(line.typed) + " lacks " + word + " in\n" + answer));
  for (const QString& word : line.absent)
    QVERIFY2(!offered.contains(word), qPrintable(QString(line.typed) + " offers " + word));
}

}  // namespace

class TestCompletionAndManual : public QObject {
  Q_OBJECT
 private slots:
  void the_version_is_the_project_s() {
    QFile file(CONOID_SOURCE_DIR "/CMakeLists.txt");
    QVERIFY(file.open(QIODevice::ReadOnly));
    static const QRegularExpression project("project\\(Conoid VERSION ([0-9.]+)");
    const QString version = project.match(QString::fromUtf8(file.readAll())).captured(1);
    QVERIFY(!version.isEmpty());
    QCOMPARE(conoid_says({"--version"}).out, "conoid " + version + "\n");
    for (const char* name : {"conoid-render", "conoid-gui"})
      if (program_is_there(name))
        QVERIFY(tell(QString(CONOID_BIN_DIR "/") + name, {"--version"}, with_programs()).out.contains(version));
    const Json parts = json_of(conoid_says({"--version", "--json"}));
    QCOMPARE(QString::fromStdString(parts["version"].get<std::string>()), version);
  }

  void all_parts_are_told() {
    const Json parts = json_of(conoid_says({"--version", "--json"}));
    QVERIFY(!parts["compiler"]["name"].get<std::string>().empty());
    QVERIFY(!parts["compiler"]["version"].get<std::string>().empty());
    QStringList names;
    for (const Json& library : parts["libraries"]) {
      names << QString::fromStdString(library["name"].get<std::string>());
      QVERIFY2(!library["compiled"].is_null() || !library["running"].is_null(), qPrintable(names.back()));
    }
    for (const char* name : {"GNU C library", "Eigen", "fmt", "spdlog", "nlohmann-json", "CLI11"})
      QVERIFY2(names.contains(name), name);
    QCOMPARE(names.contains("Qt"), program_is_there("conoid-gui"));
    QCOMPARE(names.contains("VTK"), program_is_there("conoid-render"));
    QCOMPARE(parts["programs"]["conoid-gui"].is_string(), program_is_there("conoid-gui"));
    QVERIFY(parts["mpi"].is_null() || parts["mpi"]["library"].get<std::string>().size() > 3);
    QCOMPARE(parts["modules"].size(), std::size_t{3});
    QVERIFY(!parts["instruction_sets"]["built"].empty());
    const Json here = json_of(conoid_says({"list", "--json"}));
    QCOMPARE(parts["solvers"].size(), here["solvers"].size());
  }

  void what_follows_the_version_is_checked() { QCOMPARE(conoid_says({"--version", "--jsn"}).exit, 2); }

  void every_option_stands_in_its_page() {
    const QStringList verbs = verbs_in_help();
    QVERIFY(verbs.size() > 12);
    static const QRegularExpression option("^  (?:-\\w,)?(--[a-z-]+)", QRegularExpression::MultilineOption);
    int seen = 0;
    for (const QString& verb : verbs) {
      const QString help = conoid_says({"help", verb}).out, page = page_named(verb);
      QVERIFY2(page.startsWith(".\\\""), qPrintable(verb));
      for (auto it = option.globalMatch(help); it.hasNext(); ++seen) {
        const QString name = it.next().captured(1);
        QVERIFY2(page.contains(name), qPrintable(verb + ": " + name));
      }
      QVERIFY2(page_named("conoid").contains(verb), qPrintable(verb));
    }
    QVERIFY(seen > 50);
    if (program_is_there("conoid-render")) {
      const QString page = page_named("conoid-render");
      for (const char* name :
           {"--field TEXT", "--background white|theme|transparent", "-o, --out, --output TEXT", "--thumbnail"})
        QVERIFY2(page.contains(name), name);
    }
  }

  void every_key_of_every_solver_stands_in_the_page_of_cases() {
    const QString page = page_named("case");
    const Json all = json_of(conoid_says({"list", "--json"}));
    for (const Json& solver : all["solvers"]) {
      const QString id = QString::fromStdString(solver["id"].get<std::string>());
      QVERIFY2(page.contains("KEYS OF " + id), qPrintable(id));
      const Json keys = json_of(conoid_says({"list", id, "--json"}))["keys"];
      QVERIFY(keys.size() > 20);
      for (const Json& key : keys) {
        const QString name = QString::fromStdString(key["key"].get<std::string>());
        QVERIFY2(page.contains("\n" + name + "\n"), qPrintable(id + ": " + name));
      }
    }
  }

  void pages_are_formatted_without_complaints() {
    if (QStandardPaths::findExecutable("man").isEmpty() && QStandardPaths::findExecutable("mandoc").isEmpty())
      QSKIP("neither man nor mandoc is installed");
    const QTemporaryDir folder;
    auto environment = with_programs();
    environment.insert("SOURCE_DATE_EPOCH", "1700000000");
    environment.insert("MAN_KEEP_FORMATTING", "1");
    QCOMPARE(tell(CONOID_BIN_DIR "/conoid", {"manual", "--to", folder.path()}, environment).exit, 0);
    int pages = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path().toStdString())) {
      if (!entry.is_regular_file()) continue;
      ++pages;
      const QString file = QString::fromStdString(entry.path().string());
      if (!QStandardPaths::findExecutable("man").isEmpty()) {
        const Told told = tell("man", {"--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file}, environment);
        QVERIFY2(told.exit == 0 && told.err.isEmpty(), qPrintable(file + ": " + told.err));
        QVERIFY(told.out.size() > 500);
      }
      if (!QStandardPaths::findExecutable("mandoc").isEmpty()) {
        const Told told = tell("mandoc", {"-Tlint", "-Wwarning", file}, environment);
        QVERIFY2(told.exit == 0, qPrintable(told.out));
      }
    }
    QVERIFY(pages > 15);
    QFile page(folder.path() + "/man1/conoid.1");
    QVERIFY(page.open(QIODevice::ReadOnly) && page.readAll().contains("2023-11-14"));
  }

  void an_unknown_page_or_shell_is_refused() {
    const Told page = conoid_says({"manual", "rnu"});
    QCOMPARE(page.exit, 2);
    const Told shell = conoid_says({"completion", "csh"});
    QVERIFY2(shell.exit == 2 && shell.err.contains("bash, zsh or fish"), qPrintable(shell.err));
  }

  void every_place_of_a_verb_offers_something() {
    for (const QString& verb : verbs_in_help()) {
      QVERIFY2(!conoid_says({"completion", "words", verb, ""}).out.isEmpty(), qPrintable(verb));
      if (verb == "render" || verb == "chart" || verb == "completion") continue;
      QVERIFY2(conoid_says({"completion", "words", verb, "--"}).out.contains("--help"), qPrintable(verb));
    }
  }

  void bash_completes() {
    if (QStandardPaths::findExecutable("bash").isEmpty()) QSKIP("bash is not installed");
    for (const Line& line : lines()) {
      const Told told = tell("bash",
                             {"--norc", "-c",
                              "source <(conoid completion bash) || exit 9; COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'; "
                              "COMP_LINE=$1; COMP_POINT=${#1}; _conoid; printf '%s\\n' \"${COMPREPLY[@]}\"",
                              "bash", line.typed},
                             with_programs());
      QCOMPARE(told.exit, 0);
      compare(line, told.out);
    }
    // Only what stands behind the sign = is put in its place by bash.
    const Told told =
        tell("bash",
             {"--norc", "-c",
              "source <(conoid completion bash); COMP_WORDBREAKS=' ='; COMP_LINE='conoid run --progress=p'; "
              "COMP_POINT=${#COMP_LINE}; _conoid; printf '%s' \"${COMPREPLY[@]}\""},
             with_programs());
    QCOMPARE(told.out, "plain");
  }

  void fish_completes() {
    if (QStandardPaths::findExecutable("fish").isEmpty()) QSKIP("fish is not installed");
    const QTemporaryDir home;
    auto environment = with_programs();
    environment.insert("HOME", home.path());
    for (const Line& line : lines()) {
      const Told told = tell(
          "fish", {"--no-config", "-c", QString("conoid completion fish | source; complete -C '%1'").arg(line.typed)},
          environment);
      QVERIFY2(told.exit == 0, qPrintable(told.err));
      if (QString(line.typed).contains("salt-dome/c")) continue;  // fish offers other files behind those of the ending
      compare(line, told.out);
    }
  }

  void zsh_completes() {
    if (QStandardPaths::findExecutable("zsh").isEmpty()) QSKIP("zsh is not installed");
    // On a terminal of zsh's own: one word that is offered is put into the line, which is then printed by it.
    const QByteArray script = R"(
zmodload zsh/zpty || exit 3
zpty z "zsh -f -i"
zpty -w z "autoload -Uz compinit; compinit -u -D; source <(conoid completion zsh); bindkey '^I' complete-word; PROMPT=; pr'int' READY"
out= ; for k in {1..100}; do zpty -rt z more && out+=$more; [[ $out == *READY* ]] && break; sleep 0.1; done
[[ $out == *READY* ]] || exit 4
for line in 'rend' 'run --progress pla' 'new salt' 'verify max' 'check resources/cases/salt-dome/ca' 'run resources/cases/salt-dome/case.json --set parameters.ord'; do
  zpty -w -n z "conoid $line"$'\t'
  sleep 0.1
  zpty -w -n z $'\x01'"print -r -- LINE: "$'\r'
  out= ; for k in {1..100}; do zpty -rt z more && out+=$more; [[ $out == *$'\n'LINE:* ]] && break; sleep 0.1; done
  print -r -- "${${out##*LINE: conoid}%%$'\r'*}"
done
)";
    QTemporaryDir home;
    QFile file(home.filePath("ask.zsh"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(script) == script.size());
    file.close();
    auto environment = with_programs();
    environment.insert("HOME", home.path());
    const Told told = tell("zsh", {"-f", file.fileName()}, environment);
    QVERIFY2(told.exit == 0, qPrintable(told.out + told.err));
    for (const char* line : {"render", "--progress plain", "new salt-dome", "verify maxwell-fem", "salt-dome/case.json",
                             "--set parameters.order="})
      QVERIFY2(told.out.contains(line), qPrintable(QString(line) + " is not in\n" + told.out));
  }
};

QTEST_GUILESS_MAIN(TestCompletionAndManual)
#include "test_completion_and_manual.moc"
