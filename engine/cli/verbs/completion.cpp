// SPDX-License-Identifier: BSD-3-Clause
// conoid completion bash|zsh|fish: a script for the shell, which asks the program what may follow; conoid completion words WORD…: the
// answer. Lines are "word<tab>help"; ":files .json", ":folders" and ":goes-on" tell the shell what else to offer.
#include <array>

#include "engine/cli/completion.hpp"
#include "engine/cli/verbs/verbs.hpp"

namespace conoid::cli {
namespace {

constexpr const char* bash_script = R"~(# bash completion of conoid; written by `conoid completion bash`
_conoid() {
  local line word rest typed cut answer file ending endings="" files=0 folders=0
  local -a words=()
  COMPREPLY=()
  # The line up to the cursor, cut at blanks only: bash's own words are cut at = and :, too.
  line=${COMP_LINE:0:COMP_POINT}
  read -r -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  typed=${words[-1]}
  # bash replaces what stands behind the last = or : only.
  cut=""
  [[ $typed == *=* && $COMP_WORDBREAKS == *=* ]] && cut=${typed%=*}=
  rest=${typed#"$cut"}
  [[ $rest == *:* && $COMP_WORDBREAKS == *:* ]] && cut=$cut${rest%:*}:
  while IFS= read -r answer; do
    case $answer in
      :files*) files=1 endings=${answer#:files} ;;
      :folders) folders=1 ;;
      :goes-on) compopt -o nospace 2> /dev/null ;;
      ?*) word=${answer%%$'\t'*}; COMPREPLY+=("${word#"$cut"}") ;;
    esac
  done < <("${words[0]/#\~/$HOME}" completion words "${words[@]:1}" 2> /dev/null)
  if ((files || folders)); then
    compopt -o filenames 2> /dev/null
    rest=${typed#"$cut"}
    while IFS= read -r file; do
      [[ -n $file ]] || continue
      if [[ -d $file ]]; then COMPREPLY+=("$file"); continue; fi
      ((files)) || continue
      if [[ -z ${endings// /} ]]; then COMPREPLY+=("$file"); continue; fi
      for ending in $endings; do [[ $file == *"$ending" ]] && COMPREPLY+=("$file"); done
    done < <(compgen -f -- "$rest")
  fi
}
complete -F _conoid conoid
)~";

constexpr const char* zsh_script = R"~(#compdef conoid
# zsh completion of conoid; written by `conoid completion zsh`
_conoid() {
  local answer word help endings files=0 folders=0
  local -a plain described open given
  given=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  while IFS= read -r answer; do
    case $answer in
      :files*) files=1; endings=${answer#:files} ;;
      :folders) folders=1 ;;
      :goes-on) open=(-S '') ;;
      ?*)
        word=${answer%%$'\t'*} help=""
        [[ $answer == *$'\t'* ]] && help=${answer#*$'\t'}
        plain+=("$word")
        described+=("$word${help:+  -- $help}") ;;
    esac
  done < <("${(Q)words[1]/#\~/$HOME}" completion words "${given[@]}" 2> /dev/null)
  (( $#plain )) && compadd -Q -l -d described "${open[@]}" -- "${plain[@]}"
  if (( files )); then
    if [[ -n ${endings// /} ]]; then _files -g "*(${(j:|:)${(s: :)endings}})"; else _files; fi
  elif (( folders )); then
    _files -/
  fi
  return 0
}
if [[ $funcstack[1] == _conoid ]]; then _conoid "$@"; else compdef _conoid conoid; fi
)~";

constexpr const char* fish_script = R"~(# fish completion of conoid; written by `conoid completion fish`
function __conoid_complete
    set -l words (commandline -opc) (commandline -ct)
    for answer in (command $words[1] completion words $words[2..-1] 2>/dev/null)
        switch $answer
            case ':files*'
                set -l endings (string split -n ' ' -- (string replace ':files' '' -- $answer))
                if test (count $endings) -eq 0
                    __fish_complete_path (commandline -ct)
                else
                    for ending in $endings
                        __fish_complete_suffix (commandline -ct) $ending
                    end
                end
            case ':folders'
                __fish_complete_directories (commandline -ct) ''
            case ':*'
            case '?*'
                echo $answer
        end
    end
end
complete -c conoid -f -a '(__conoid_complete)'
)~";

void completion(const std::vector<std::string>& words, Context& context) {
  if (!words.empty() && words[0] == "words") {
    const Candidates candidates = complete({words.begin() + 1, words.end()});
    for (const Candidate& c : candidates.words) context.write(c.help.empty() ? c.word : c.word + '\t' + c.help);
    if (candidates.files) {
      std::string line = ":files";
      for (const std::string& ending : candidates.endings) line += " " + ending;
      context.write(line);
    }
    if (candidates.folders) context.write(":folders");
    if (candidates.goes_on && !candidates.words.empty()) context.write(":goes-on");
    return;
  }
  struct Script {
    const char* shell;
    const char* text;
  };
  for (const Script& script : {Script{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}})
    if (words.size() == 1 && words[0] == script.shell) {
      std::string text = script.text;
      text.pop_back();  // write() ends the line
      return context.write(text);
    }
  context.fail(make_error(ErrorCode::command_line,
                          words.empty() ? std::string("completion: expected a shell, found nothing")
                                        : fmt::format("completion: expected bash, zsh or fish, found '{}'", words[0]),
                          "For example: source <(conoid completion bash)"));
}

void add_completion(OptionSet verb, Context& context) {
  verb.take_all_words();
  verb.on_use([verb, &context] { completion(verb.words(), context); });
}

}  // namespace

Verb completion_verb() {
  return {"completion", "Print a script that completes conoid's words in bash, zsh or fish",
          "  source <(conoid completion bash)\n"
          "  conoid completion zsh > ~/.zfunc/_conoid\n"
          "  conoid completion fish > ~/.config/fish/completions/conoid.fish\n",
          add_completion};
}

}  // namespace conoid::cli
