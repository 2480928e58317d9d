// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target without libFuzzer: every file of its corpus, then mutations of them for the seconds given. What crashes
// stands in the file named by the last argument.
//   replay_<target> SECONDS FINDINGS CORPUS…
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t longest = 1 << 16;
#if defined(__SANITIZE_ADDRESS__)
constexpr long most_memory = 1024;  // MiB, as for libFuzzer
#else
constexpr long most_memory = 384;
#endif

/// A file that always holds the input under test, so that a crash leaves it behind.
class Findings {
 public:
  explicit Findings(const char* file) : fd_(::open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (fd_ < 0 || ::ftruncate(fd_, longest) != 0) std::exit(4);
    bytes_ = static_cast<std::uint8_t*>(::mmap(nullptr, longest, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    if (bytes_ == MAP_FAILED) std::exit(4);
  }
  void run(const std::string& input) {
    const std::size_t size = std::min(input.size(), longest);
    std::copy_n(input.begin(), size, bytes_);
    if (::ftruncate(fd_, static_cast<off_t>(size == 0 ? 1 : size)) != 0) std::exit(4);
    // A copy of exactly its size, so that a sanitizer sees a step beyond the end.
    const std::vector<std::uint8_t> exact(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(size));
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    rusage used{};
    if (::getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss > most_memory * 1024) {
      std::fprintf(stderr, "%ld MiB of memory for an input of %zu bytes\n", used.ru_maxrss / 1024, size);
      std::abort();
    }
    if (::ftruncate(fd_, longest) != 0) std::exit(4);
  }

 private:
  int fd_;
  std::uint8_t* bytes_;
};

std::string mutated(std::string s, const std::vector<std::string>& all, std::mt19937_64& random) {
  const auto at = [&] { return s.empty() ? 0 : random() % s.size(); };
  for (std::uint64_t n = 1 + random() % 4; n > 0; --n) switch (random() % 6) {
      case 0:
        if (!s.empty()) s[at()] ^= static_cast<char>(1 << random() % 8);
        break;
      case 1:
        if (!s.empty()) s[at()] = static_cast<char>(random());
        break;
      case 2: s.resize(at()); break;
      case 3: {
        const std::string& other = all[random() % all.size()];
        if (!other.empty()) s.insert(at(), other, random() % other.size(), random() % 64);
        break;
      }
      case 4: {  // a number becomes absurd
        static const char* numbers[] = {"-1", "0", "4294967296", "18446744073709551615", "1e999", "nan"};
        s.insert(at(), numbers[random() % 6]);
        break;
      }
      default: {
        const std::size_t from = at();
        s.erase(from, random() % 32);
        for (std::size_t k = from; k < std::min(s.size(), from + 8) && random() % 2 == 0; ++k)
          s[k] = static_cast<char>(0xff);
      }
    }
  return s;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const double seconds = std::atof(words[1]);
  Findings findings(words[2]);
  std::vector<std::string> corpus;
  std::vector<std::filesystem::path> files;
  for (int i = 3; i < count; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(words[i])) files.push_back(entry.path());
  // By name, in whichever folder.
  std::ranges::sort(files, {}, [](const std::filesystem::path& file) { return file.filename(); });
  for (const auto& file : files) {
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    corpus.push_back(bytes.str());
  }
  if (corpus.empty()) return 3;
  for (const std::string& input : corpus) findings.run(input);
  // Always the same mutations: the gate judges a change, not the dice. CONOID_FUZZ_SEED=random takes
  // others; packaging/fuzz.sh searches with libFuzzer.
  const char* seed = std::getenv("CONOID_FUZZ_SEED");
  std::mt19937_64 random(seed == nullptr                 ? 20260101
                         : std::string(seed) == "random" ? std::random_device{}()
                                                         : std::strtoull(seed, nullptr, 10));
  const auto begin = std::chrono::steady_clock::now();
  long runs = 0;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) {
    findings.run(mutated(corpus[random() % corpus.size()], corpus, random));
    ++runs;
  }
  std::printf("%zu files, %ld mutations\n", corpus.size(), runs);
  std::filesystem::remove(words[2]);
  return 0;
}
