// SPDX-License-Identifier: BSD-3-Clause
// Rendering and making of errors.
#include "engine/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

namespace conoid {

std::string Diagnostic::render() const {
  std::string out;
  if (!place.file.empty()) {
    out += place.file;
    if (place.line > 0) out += ":" + std::to_string(place.line);
    out += ": ";
  } else if (place.line > 0) {
    out += "line " + std::to_string(place.line) + ": ";
  }
  if (!place.pointer.empty()) out += place.pointer + ": ";
  if (severity == Severity::warning) out += "warning: ";
  if (severity == Severity::note) out += "note: ";
  out += text;
  if (!hint.empty()) out += "\n  " + hint;
  return out;
}

Error make_error(ErrorCode code, std::string text, std::string hint, Place place) {
  return {Severity::error, code, std::move(place), std::move(text), std::move(hint)};
}

Diagnostic make_warning(std::string text, std::string hint, Place place) {
  return {Severity::warning, ErrorCode::invalid_input, std::move(place), std::move(text), std::move(hint)};
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  for (const auto& d : diagnostics)
    if (d.severity == Severity::error) return true;
  return false;
}

Error system_error(std::string_view what, const std::string& path, int errno_value) {
  std::string hint;
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT: hint = "The disk is full. Free some space or choose another folder with --out."; break;
    case EACCES:
    case EPERM:
    case EROFS: hint = "Check the permissions, or choose another folder."; break;
    case ENOENT: hint = "Check the spelling of the path."; break;
    case ENOMEM:
      return make_error(ErrorCode::resources, "not enough memory to " + std::string(what) + " '" + path + "'", {});
    default: break;
  }
  return make_error(ErrorCode::file, "cannot " + std::string(what) + " '" + path + "': " + std::strerror(errno_value),
                    hint);
}

// Not inline: hundreds of files see them.
Failure::Failure(Error error) : error_(std::move(error)), rendered_(error_.render()) {}
Failure::Failure(const Failure& other) = default;
Failure::Failure(Failure&& other) noexcept = default;
Failure& Failure::operator=(const Failure& other) = default;
Failure& Failure::operator=(Failure&& other) noexcept = default;
Failure::~Failure() = default;
const char* Failure::what() const noexcept {
  return rendered_.c_str();
}

Error current_exception_as_error() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::resources, "out of memory",
                      "Use a smaller problem, a coarser mesh, or a machine with more memory; `conoid check` prints "
                      "what a case needs.");
  } catch (const std::system_error& e) {
    // What std::thread throws when the system has no room for its stack.
    if (e.code() == std::errc::resource_unavailable_try_again || e.code() == std::errc::not_enough_memory)
      return make_error(
          ErrorCode::resources, "out of memory: the system gives no room for another thread",
          "Use a smaller problem, fewer threads, or raise the limits of this shell (ulimit -v, ulimit -u).");
    return make_error(ErrorCode::internal, e.what(), "This is a bug in Conoid; please report it with the case file.");
  } catch (const std::exception& e) {
    return make_error(ErrorCode::internal, e.what(), "This is a bug in Conoid; please report it with the case file.");
  } catch (...) {
    return make_error(ErrorCode::internal, "unknown exception", "This is a bug in Conoid; please report it.");
  }
}

void verify(bool condition, std::string_view what) {
  if (!condition)
    throw Failure(make_error(ErrorCode::internal, "internal check failed: " + std::string(what),
                             "This is a bug in Conoid; please report it with the case file."));
}

}  // namespace conoid
