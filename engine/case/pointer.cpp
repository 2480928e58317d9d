// SPDX-License-Identifier: BSD-3-Clause
// Paths of values: JSON pointers (RFC 6901) and the dotted form of the command line.
#include "engine/case/document.hpp"
#include "engine/case/text.hpp"

namespace conoid {

Result<std::string> to_pointer(std::string_view path) {
  const auto fail = [&](std::string text) {
    return make_error(ErrorCode::command_line, std::move(text),
                      "Write the path of a value as excitation.frequency or /excitation/frequency.");
  };
  if (path.empty()) return fail("expected the path of a value, found nothing");
  if (path.size() > 4000)
    return fail("the path of a value has " + std::to_string(path.size()) + " characters; at most 4000");
  const char separator = path.front() == '/' ? '/' : '.';
  if (separator == '/') path.remove_prefix(1);
  std::string pointer;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(separator, begin), path.size());
    const std::string_view step = path.substr(begin, end - begin);
    if (step.empty()) return fail("the path " + text::shown(path) + " has an empty step");
    pointer += '/';
    if (separator == '/')
      pointer += step;  // already escaped
    else
      pointer = pointer_join(pointer.substr(0, pointer.size() - 1), step);
    begin = end + 1;
  }
  return pointer;
}

std::vector<std::string> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps;
  if (pointer.empty()) return steps;
  if (pointer.front() == '/') pointer.remove_prefix(1);
  std::string step;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.push_back(std::move(step));
      step.clear();
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
      step += pointer[++i] == '0' ? '~' : '/';
    } else {
      step += pointer[i];
    }
  }
  steps.push_back(std::move(step));
  return steps;
}

std::string pointer_join(std::string_view pointer, std::string_view step) {
  std::string out(pointer);
  out += '/';
  for (const char c : step) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace conoid
