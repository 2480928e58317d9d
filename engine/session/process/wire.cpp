// SPDX-License-Identifier: BSD-3-Clause
// Framing and packing.
#include "engine/session/process/wire.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "conoid/config.hpp"
#include "engine/core/codec.hpp"
#if CONOID_HAVE_ZSTD
#include <zstd.h>
#endif

namespace conoid::process {
namespace {

constexpr std::string_view magic = "CONOID-WIRE ";
constexpr std::size_t longest_greeting = 512;
constexpr std::size_t longest_noise = 64 << 10;
constexpr std::size_t header_bytes = 2 + 2 + 4 + 8 + 8;
constexpr std::size_t smallest_packed = 16 << 10;
constexpr std::size_t piece = 1 << 20;
constexpr int window_log = 23;  ///< 8 MiB: what a block may ask for to be unpacked

[[noreturn]] void broken(std::string text) {
  throw Failure(make_error(ErrorCode::remote, std::move(text), "Use the same version of Conoid at both ends."));
}

bool is_known(std::uint16_t kind) {
  return (kind >= 1 && kind <= 4) || (kind >= 16 && kind <= 21);
}

#if CONOID_HAVE_ZSTD
std::string pack(std::string_view plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t n = ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 1);
  if (ZSTD_isError(n)) return {};
  out.resize(n);
  return out;
}
#endif

}  // namespace

bool can_pack() {
  return CONOID_HAVE_ZSTD != 0;
}

std::string to_line(const Greeting& greeting) {
  std::string out = fmt::format("{}{}", magic, greeting.version);
  for (const auto& [key, value] : greeting.facts) {
    out += fmt::format(" {}=", key);
    for (const char c : value) out += c > ' ' && c < 127 ? c : '_';
  }
  return out.substr(0, longest_greeting - 1) + "\n";
}

std::optional<Greeting> parse_greeting(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (!line.starts_with(magic) || line.size() > longest_greeting) return std::nullopt;
  line.remove_prefix(magic.size());
  Greeting out;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0 || digits > 6) return std::nullopt;
  for (const char c : line.substr(0, digits)) out.version = 10 * out.version + (c - '0');
  line.remove_prefix(digits);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' ', 1), line.size());
    const std::string_view fact = line.substr(1, end - 1);
    line.remove_prefix(end);
    const auto equals = fact.find('=');
    if (equals != std::string_view::npos) out.facts[std::string(fact.substr(0, equals))] = fact.substr(equals + 1);
  }
  return out;
}

std::string unpack(std::string_view packed, Bytes unpacked, Bytes limit) {
  if (unpacked > limit) broken(fmt::format("a message claims {} bytes, more than the {} allowed", unpacked, limit));
#if CONOID_HAVE_ZSTD
  struct Freed {
    ZSTD_DCtx* context = ZSTD_createDCtx();
    ~Freed() { ZSTD_freeDCtx(context); }
  } stream;
  if (stream.context == nullptr) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(stream.context, ZSTD_d_windowLogMax, window_log);
  std::string out;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  for (;;) {
    // Grows with what comes out; the claimed length alone takes no memory.
    const std::size_t before = out.size();
    const std::size_t room = std::min<std::size_t>(std::max(before, piece), unpacked - before + 1);
    out.resize(before + room);
    ZSTD_outBuffer to{out.data() + before, room, 0};
    const std::size_t left = ZSTD_decompressStream(stream.context, &to, &in);
    out.resize(before + to.pos);
    if (ZSTD_isError(left)) broken(fmt::format("a packed message is damaged ({})", ZSTD_getErrorName(left)));
    if (out.size() > unpacked) broken("a packed message holds more than it claims");
    if (left == 0) break;
    if (in.pos == in.size && to.pos < to.size) broken("a packed message is cut off");
  }
  if (out.size() != unpacked || in.pos != in.size) broken("a packed message holds something else than it claims");
  return out;
#else
  (void)packed;
  broken("a message is packed by zstd, which this build does not have");
#endif
}

bool MessageReader::fill(std::size_t bytes) {
  if (used_ > piece) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  while (buffer_.size() - used_ < bytes) {
    const std::size_t before = buffer_.size();
    const std::size_t wanted = std::min(piece, bytes - (before - used_));
    buffer_.resize(before + std::max<std::size_t>(wanted, 4096));
    const std::size_t n = source_(std::span(buffer_).subspan(before));
    buffer_.resize(before + n);
    if (n == 0) return false;
  }
  return true;
}

std::optional<Greeting> MessageReader::greeting(std::string& other) {
  for (;;) {
    std::size_t length = 0;
    while ((length = buffer_.find('\n', used_)) == std::string::npos)
      if (buffer_.size() - used_ > longest_noise || !fill(buffer_.size() - used_ + 1)) {
        other += buffer_.substr(used_);
        return std::nullopt;
      }
    const std::string line = buffer_.substr(used_, length + 1 - used_);
    used_ = length + 1;
    if (auto found = parse_greeting(line)) return found;
    other += line;
    if (other.size() > longest_noise) return std::nullopt;
  }
}

void MessageReader::ended_inside() {
  cut_off_ = true;
  throw Failure(make_error(ErrorCode::remote, "the connection ended inside a message",
                           "The program at its other end died, or the network failed; what it kept can be resumed."));
}

std::optional<Message> MessageReader::next() {
  if (!fill(header_bytes)) {
    if (buffer_.size() == used_) return std::nullopt;
    ended_inside();
  }
  Decoder header(std::string_view(buffer_).substr(used_, header_bytes));
  const auto kind = header.number<std::uint16_t>();
  const auto packing = header.number<std::uint16_t>();
  (void)header.number<std::uint32_t>();
  const auto sent = header.number<std::uint64_t>();
  const auto plain = header.number<std::uint64_t>();
  if (!is_known(kind)) broken(fmt::format("a message of the unknown kind {} arrived", kind));
  Message out;
  out.kind = static_cast<MessageKind>(kind);
  const Bytes limit = std::min(limit_of(out.kind), largest_);
  if (packing > 1 || sent > limit || plain > limit || (packing == 0 && sent != plain))
    broken(fmt::format("a message of kind {} claims {} bytes ({} allowed)", kind, std::max(sent, plain), limit));
  used_ += header_bytes;
  if (!fill(static_cast<std::size_t>(sent))) ended_inside();
  const std::string_view body = std::string_view(buffer_).substr(used_, static_cast<std::size_t>(sent));
  out.body = packing == 0 ? std::string(body) : unpack(body, plain, limit);
  used_ += static_cast<std::size_t>(sent);
  return out;
}

bool MessageWriter::all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool MessageWriter::write_line(std::string_view line) {
  const std::lock_guard lock(mutex_);
  return all(line);
}

bool MessageWriter::write(MessageKind kind, std::string_view body) {
  verify(body.size() <= limit_of(kind), "a message below its limit");
  std::string packed;
#if CONOID_HAVE_ZSTD
  if (pack_ && body.size() >= smallest_packed) packed = pack(body);
  if (packed.size() >= body.size()) packed.clear();
#endif
  const std::string_view sent = packed.empty() ? body : packed;
  Encoder header;
  header.number(kind);
  header.number(static_cast<std::uint16_t>(packed.empty() ? 0 : 1));
  header.number(std::uint32_t{0});
  header.number(static_cast<std::uint64_t>(sent.size()));
  header.number(static_cast<std::uint64_t>(body.size()));
  const std::string head = header.take();
  const std::lock_guard lock(mutex_);
  return all(head) && all(sent);
}

ByteSource read_from(int fd, std::function<bool()> give_up) {
  return [fd, give_up = std::move(give_up)](std::span<char> into) -> std::size_t {
    for (;;) {
      if (give_up()) return 0;
      pollfd wait{fd, POLLIN, 0};
      const int ready = ::poll(&wait, 1, 100);
      if (ready < 0 && errno != EINTR) return 0;
      if (ready <= 0) continue;
      const ssize_t n = ::read(fd, into.data(), into.size());
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
  };
}

void ignore_broken_pipes_on_this_thread() {
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

}  // namespace conoid::process
