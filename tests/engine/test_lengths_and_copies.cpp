// SPDX-License-Identifier: BSD-3-Clause
// No function has a hundred lines, bodies of kernels aside, and no ten lines stand twice.
// labels: unit
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fs = std::filesystem;

namespace lengths {
namespace {

const fs::path root = CONOID_SOURCE_DIR;
constexpr int longest = 99, least_copy = 10;

/// Copies that stay, with their reasons in CONTRIBUTING.md: pairs of files.
const std::set<std::set<std::string>> allowed_copies = {{"engine/io/run_folder.hpp", "render/chart/chart_spec.hpp"}};

std::vector<std::string> sources() {
  static const std::set<std::string> endings = {".hpp", ".cpp", ".inl", ".cu"};
  std::vector<std::string> out;
  for (const char* folder : {"engine", "app", "render"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && endings.contains(entry.path().extension().string()))
        out.push_back(fs::relative(entry.path(), root).generic_string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string text_of(const std::string& file) {
  std::ostringstream out;
  out << std::ifstream(root / file, std::ios::binary).rdbuf();
  return out.str();
}

/// Without comments, directives and what stands in quotes, which become "" or nothing; lines stay.
std::string code_of(const std::string& s) {
  std::string out;
  const auto skip_to = [&](std::size_t from, std::size_t to) {
    out.append(static_cast<std::size_t>(std::count(s.begin() + static_cast<std::ptrdiff_t>(from),
                                                   s.begin() + static_cast<std::ptrdiff_t>(to), '\n')),
               '\n');
    return to;
  };
  const auto find = [&](std::string_view what, std::size_t from) { return std::min(s.find(what, from), s.size()); };
  const auto is_word = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(s[i])) != 0; };
  for (std::size_t i = 0; i < s.size();) {
    const bool begins_line = i == 0 || s[i - 1] == '\n';
    if (s.compare(i, 2, "//") == 0) {
      i = find("\n", i);
    } else if (s.compare(i, 2, "/*") == 0) {
      i = skip_to(i, std::min(find("*/", i) + 2, s.size()));
    } else if (s.compare(i, 2, "R\"") == 0 && (i == 0 || !is_word(i - 1))) {
      const std::string end = ")" + s.substr(i + 2, find("(", i) - i - 2) + "\"";
      out += "\"\"";
      i = skip_to(i, std::min(find(end, i) + end.size(), s.size()));
    } else if (s[i] == '"' || (s[i] == '\'' && (i == 0 || !is_word(i - 1)))) {
      std::size_t j = i + 1;
      while (j < s.size() && s[j] != s[i]) j += s[j] == '\\' ? 2 : 1;
      out += "\"\"";
      i = j + 1;
    } else if (s[i] == '#' && begins_line) {
      std::size_t j = find("\n", i);
      while (j < s.size() && s[j - 1] == '\\') j = find("\n", j + 1);
      i = skip_to(i, j);
    } else {
      out += s[i++];
    }
  }
  return out;
}

/// What stands before a brace that opens a scope of declarations.
bool opens_declarations(const std::string& head) {
  const std::string tail = head.substr(head.find_last_of("()") == std::string::npos ? 0 : head.find_last_of("()") + 1);
  std::istringstream words(tail);
  for (std::string word; words >> word;)
    if (word == "namespace" || word == "class" || word == "struct" || word == "enum" || word == "union" ||
        word == "extern")
      return true;
  return false;
}

struct Function {
  int line, lines;
};
std::vector<Function> functions_of(const std::string& code) {
  struct Scope {
    bool function, declarations;
    int line;
  };
  std::vector<Function> out;
  std::vector<Scope> open;
  std::string head;
  int line = 1;
  for (const char c : code) {
    if (c == '\n') ++line;
    if (c == '{') {
      const bool outermost = std::all_of(open.begin(), open.end(), [](const Scope& s) { return s.declarations; });
      const bool declarations = opens_declarations(head);
      open.push_back({outermost && !declarations && head.find(')') != std::string::npos, declarations, line});
      head.clear();
    } else if (c == '}') {
      if (!open.empty() && open.back().function) out.push_back({open.back().line, line - open.back().line + 1});
      if (!open.empty()) open.pop_back();
      head.clear();
    } else if (c == ';') {
      head.clear();
    } else {
      head += c;
    }
  }
  return out;
}

struct Line {
  int number;
  std::string text;  ///< without blanks
};
/// Lines that say something: no blank ones, comments, includes or braces alone.
std::vector<Line> lines_of(const std::string& text) {
  static const std::set<std::string> nothing = {
      "", "{", "}", "};", "public:", "private:", "}else{", ")", ");", "})", "});"};
  std::vector<Line> out;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = line.substr(0, line.find("//"));
    std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
    if (!nothing.contains(line) && !line.starts_with("#include")) out.push_back({number, line});
  }
  return out;
}

}  // namespace
}  // namespace lengths

class TestLengthsAndCopies : public QObject {
  Q_OBJECT
 private slots:
  void the_rules_themselves_bite() {
    std::string body = "#define A {\nnamespace n {\nstruct S {\n  int f(int a) const {  // {\n";
    for (int i = 0; i < lengths::longest; ++i) body += "    if (a) { g(\"}\"); }\n";
    const std::vector<lengths::Function> found = lengths::functions_of(lengths::code_of(body + "  }\n};\n}\n"));
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].line, 4);
    QCOMPARE(found[0].lines, lengths::longest + 2);
    QCOMPARE(lengths::lines_of("\n  a = 1;  // one\n}\n#include <b>\nc();\n").size(), std::size_t{2});
  }

  void functions_are_short() {
    std::size_t seen = 0;
    std::string wrong;
    for (const std::string& file : lengths::sources()) {
      if (file.find("/kernels/") != std::string::npos || file.find("/cuda/") != std::string::npos) continue;
      for (const lengths::Function& f : lengths::functions_of(lengths::code_of(lengths::text_of(file)))) {
        ++seen;
        if (f.lines > lengths::longest)
          wrong += file + ":" + std::to_string(f.line) + " has " + std::to_string(f.lines) + " lines\n";
      }
    }
    QVERIFY2(seen > 5000, std::to_string(seen).c_str());
    QVERIFY2(wrong.empty(), ("functions of a hundred lines and more:\n" + wrong).c_str());
  }

  void nothing_stands_twice() {
    struct Place {
      std::size_t file, at;
      int line;
    };
    const std::vector<std::string> files = lengths::sources();
    std::unordered_map<std::string, Place> first;
    std::string wrong;
    for (std::size_t f = 0; f < files.size(); ++f) {
      const std::vector<lengths::Line> lines = lengths::lines_of(lengths::text_of(files[f]));
      for (std::size_t i = 0; i + lengths::least_copy <= lines.size(); ++i) {
        std::string key;
        for (std::size_t k = i; k < i + lengths::least_copy; ++k) key += lines[k].text + "\n";
        const auto [found, fresh] = first.try_emplace(std::move(key), Place{f, i, lines[i].number});
        const Place& other = found->second;
        if (fresh || lengths::allowed_copies.contains({files[f], files[other.file]}) ||
            (other.file == f && i < other.at + lengths::least_copy))
          continue;
        wrong += files[other.file] + ":" + std::to_string(other.line) + " and " + files[f] + ":" +
                 std::to_string(lines[i].number) + "\n";
        i += lengths::least_copy - 1;
      }
    }
    QVERIFY2(first.size() > 50000, std::to_string(first.size()).c_str());
    QVERIFY2(wrong.empty(), ("the same ten lines:\n" + wrong).c_str());
  }
};

QTEST_APPLESS_MAIN(TestLengthsAndCopies)
#include "test_lengths_and_copies.moc"
