// SPDX-License-Identifier: BSD-3-Clause
// conoid render RUN …, conoid chart RUN CHART …: hands the line to the sibling program conoid-render, so that this program loads no VTK.
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/resources.hpp"

namespace conoid::cli {
namespace {

void render(const std::vector<std::string>& words, Context& context) {
  const std::string program = (program_folder() / "conoid-render").string();
  if (::access(program.c_str(), X_OK) != 0)
    return context.fail(
        make_error(ErrorCode::resources, fmt::format("pictures need the program '{}'", program),
                   "It is part of builds with VTK (CONOID_WITH_VTK). `conoid export RUN --to vti` writes "
                   "files for ParaView without it."));
  std::vector<std::string> line = {program};
  line.insert(line.end(), words.begin(), words.end());
  std::vector<char*> raw;
  for (std::string& word : line) raw.push_back(word.data());
  raw.push_back(nullptr);
  ::execv(program.c_str(), raw.data());
  context.fail(system_error("start", program, errno));
}

void add_render(OptionSet verb, Context& context) {
  verb.take_all_words();  // everything after the verb belongs to conoid-render
  verb.on_use([verb, &context] { render(verb.words(), context); });
}

/// RUN CHART … is RUN --chart CHART …; a run alone is asked for what it has.
std::vector<std::string> words_of_chart(std::vector<std::string> words) {
  const auto is_name = [&](std::size_t at) { return at < words.size() && !words[at].starts_with('-'); };
  if (is_name(0) && is_name(1))
    words.insert(words.begin() + 1, "--chart");
  else if (is_name(0) && words.size() == 1)
    words.emplace_back("--list");
  return words;
}

void add_chart(OptionSet verb, Context& context) {
  verb.take_all_words();
  verb.on_use([verb, &context] { render(words_of_chart(verb.words()), context); });
}

}  // namespace

Verb chart_verb() {
  return {"chart", "Draw a chart of a run or of a sweep, or write its numbers",
          "  conoid chart latest\n"
          "  conoid chart latest receivers -o receivers.svg\n"
          "  conoid chart latest receivers --x-range 0:20ms --over measured.csv -o both.pdf\n"
          "  conoid chart latest receivers --fit decay --fit-window 0.2s:\n"
          "  conoid chart latest receivers --spectrogram --window 20ms -o spectrogram.png\n"
          "  conoid chart latest receivers --fit delay --fit-curve north --fit-curve south\n"
          "  conoid chart runs/orders sweep --x order --y error -o error.csv\n"
          "  conoid-render --help shows all options\n",
          add_chart};
}

Verb render_verb() {
  return {"render", "Draw a field of a run as a picture, without a display",
          "  conoid render latest --field pressure -o pressure.png\n"
          "  conoid render runs/short --field pressure --frame 12 -o frame12.png\n"
          "  conoid render latest --field pressure --cut z=-300m --camera top --range -20mPa:20mPa -o plane.png\n"
          "  conoid render latest --field pressure --frames all -o film.gif\n"
          "  conoid render latest --field pressure --frames 0.1s:0.3s -o film.mp4\n"
          "  conoid render latest --field pressure --volume 0.5 --annotate \"0,0,0=source\" -o volume.png\n"
          "  conoid render latest --chart receivers --x-range 0:20ms --over measured.csv -o receivers.svg\n"
          "  conoid render runs/orders --chart sweep --x order --y error -o orders.pdf\n"
          "  conoid-render --help shows all options\n",
          add_render};
}

}  // namespace conoid::cli
