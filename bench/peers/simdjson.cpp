// Peer: C++ simdjson, one thread, the reference; On-Demand, or DOM with -DUSE_DOM.
//   simdjson-ondemand DIR   (or simdjson-dom DIR)
// Per line: stage 1 (structure, UTF-8) over all bytes; On-Demand then parses timestamp and session_id,
// counts request.messages and skips the rest (skipped parts are NOT validated), DOM parses everything.
// Per file it keeps the place of the last entry with the most messages. It writes no records, merges no
// tools, checks no order, keeps no ledger. It reads blocks of 256 KB into one padded buffer.
// Prints {"sessions":..,"entries":..,"longestHistories":..} so that the benchmark can check its counts.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simdjson.h"

namespace {

struct Entry {
  uint64_t messages = 0;
  size_t stamp_bytes = 0;
  size_t id_bytes = 0;
};

#ifdef USE_DOM
simdjson::dom::parser parser;

Entry read_entry(const char *line, size_t length, size_t) {
  simdjson::dom::element document = parser.parse(line, length, false);
  Entry entry;
  entry.stamp_bytes = std::string_view(document["timestamp"]).size();
  entry.id_bytes = std::string_view(document["session_id"]).size();
  for (auto message : simdjson::dom::array(document["request"]["messages"])) {
    (void)message;
    entry.messages++;
  }
  return entry;
}
#else
simdjson::ondemand::parser parser;

// Reads fields in the order in which they occur, so that nothing is walked twice.
Entry read_entry(const char *line, size_t length, size_t capacity) {
  simdjson::ondemand::document document = parser.iterate(line, length, capacity);
  Entry entry;
  for (auto field : document.get_object()) {
    std::string_view key = field.unescaped_key();
    if (key == "timestamp") {
      entry.stamp_bytes = std::string_view(field.value()).size();
    } else if (key == "session_id") {
      entry.id_bytes = std::string_view(field.value()).size();
    } else if (key == "request") {
      for (auto inner : field.value().get_object()) {
        if (std::string_view(inner.unescaped_key()) != "messages") continue;
        for (auto message : inner.value().get_array()) {
          if (message.error()) throw std::runtime_error("bad message");
          entry.messages++;
        }
      }
    }
  }
  return entry;
}
#endif

struct Totals {
  uint64_t sessions = 0, entries = 0, longest_histories = 0, touched = 0;
};

constexpr size_t block_bytes = 256 * 1024;
std::vector<char> buffer(4 * block_bytes);

void read_session(const std::string &path, Totals &totals) {
  int fd = open(path.c_str(), O_RDONLY);
  if (fd < 0) throw std::runtime_error("cannot open " + path);
  uint64_t most = 0, best_offset = 0, offset = 0;
  size_t begin = 0, end = 0, scanned = 0;
  auto take = [&](size_t length) {
    if (length > 0) {
      Entry entry = read_entry(buffer.data() + begin, length, buffer.size() - begin);
      totals.entries++;
      totals.touched += entry.stamp_bytes + entry.id_bytes;
      if (entry.messages >= most) most = entry.messages, best_offset = offset;
    }
    offset += length + 1;
    begin += length + 1;
  };
  for (;;) {
    if (buffer.size() - end < block_bytes + simdjson::SIMDJSON_PADDING) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin, scanned -= begin, begin = 0;
      if (buffer.size() - end < block_bytes + simdjson::SIMDJSON_PADDING) {
        buffer.resize(buffer.size() * 2);
      }
    }
    ssize_t got = read(fd, buffer.data() + end, block_bytes);
    if (got < 0) throw std::runtime_error("cannot read " + path);
    if (got == 0) break;
    end += got;
    while (const void *hit = std::memchr(buffer.data() + scanned, '\n', end - scanned)) {
      scanned = static_cast<const char *>(hit) - buffer.data() + 1;
      take(scanned - 1 - begin);
    }
    scanned = end;
  }
  if (begin < end) take(end - begin);
  close(fd);
  totals.sessions++;
  totals.longest_histories += most;
  totals.touched += best_offset & 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  std::vector<std::string> paths;
  for (const auto &item : std::filesystem::recursive_directory_iterator(argv[1])) {
    if (item.path().extension() == ".jsonl") paths.push_back(item.path());
  }
  std::sort(paths.begin(), paths.end());
  Totals totals;
  try {
    for (const auto &path : paths) read_session(path, totals);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("{\"sessions\":%llu,\"entries\":%llu,\"longestHistories\":%llu}\n",
              (unsigned long long)totals.sessions, (unsigned long long)totals.entries,
              (unsigned long long)totals.longest_histories);
}
