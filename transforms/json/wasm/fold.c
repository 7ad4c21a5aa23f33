// The session fold: reads the lines of a session of the dialect `exchange`, each in one pass, and keeps facts about every new
// message as a row of a table. Cleanup, the order of entries, the choice of the snapshot and the checks then work on rows.
//
//   begin()                      a session begins
//   line(p, end, number, offset) reads one log line (fold-read.h), then does what the stages do with an entry; 0: it is odd, and the
//                                session has to be read by the stages instead
//   lines(p, end)                the same with all lines of a source
//   packed_line(...)             as `line`, in a source of many sessions; OTHER_SESSION: the line was read and waits. After finish(),
//   turn()                       it begins a new session
//   finish()                     checks the conversation and writes its messages after the arena, as a record has them (fold-check.h)
//
// fold-state.h has the tables, fold-text.h the questions about texts, scan.h the grammar.
//
// Whatever is not plain is left to the stages: a line that is odd, and a conversation that a check may have something to say
// about (`doubts`). So a fact here may be too careful, but never too sure. Where a question needs Unicode or the text of a rule, the
// host answers it (`judge_row`, `read_tools`, `read_time`).
//
// Messages own their bytes in an arena; a message of the next line that has the same bytes is the same row, and is only
// compared. The arena is compacted between lines: only rows of the last line and of the snapshot stay.
#include "fold-check.h"
#include "fold-read.h"

// ---- what the stages do with an entry

// Room after the arena for a text that replaces a message: the host writes it there.
static u32 put_at, put_length;
EXPORT(put) u32 put(u32 length) {
  put_length = length;
  put_at = top + length + SLACK;
  return put_at + length + SLACK > arena_end ? 0 : put_at;
}

static u32 ask_host(u32 number) {
  Row *row = &rows[number];
  row->flags &= ~ASK;
  u32 judged = judge_row(row->at, row->length);
  if (judged & JUDGED_ODD) return 0;
  row->sign = judged & 0xff;
  if (judged & JUDGED_DROPPED) row->flags |= DROPPED;
  if (judged & JUDGED_EMPTY) row->flags |= EMPTY;
  if (!(judged & JUDGED_REPLACED)) return 1;
  if (read_message(put_at, put_at + put_length, MESSAGE_DEPTH) == 0) return 0;
  rows[number].cleaned = row_count;
  return rows[row_count - 1].flags & ASK ? ask_host(row_count - 1) : 1;
}

static u32 clean_up(void) {
  now_info = now_bootstrap = now_empty = clean_count = 0;
  for (u32 i = 0; i < raw_count; i++) {
    u32 at = raw[i];
    if (rows[at].flags & ASK && !ask_host(at)) return 0;
    if (rows[at].flags & DROPPED) {
      now_info++;
      continue;
    }
    if (rows[at].cleaned) now_bootstrap++, at = rows[at].cleaned - 1;
    clean[clean_count++] = at;
  }
  u32 kept = 0;
  for (u32 i = 0; i < clean_count; i++) {
    if (rows[clean[i]].flags & EMPTY && i + 1 < clean_count && rows[clean[i + 1]].role == ASSISTANT) now_empty++;
    else clean[kept++] = clean[i];
  }
  clean_count = kept;
  if (clean_count < 2 || !reply || rows[reply - 1].role != ASSISTANT) return 1;
  Row *one = &rows[clean[0]], *two = &rows[clean[1]];  // may it be a request for a title?
  return !(one->role == SYSTEM && two->role == USER && (one->first == 'R' || one->flags & LIST) && (two->first == 'H' || two->flags & LIST));
}

static u32 report(u32 kind, u32 earlier, u32 later, u8 had, u8 there) {
  if (state.founds >= MAX_FOUND) return 0;
  founds[state.founds++] = (Found){kind, state.entries, state.entries - 1, earlier, later, had, there};
  return 1;
}

// Does the role trace of the entry before go on in this one?
static u32 compare_traces(void) {
  for (u32 i = 0, j = 0; i < before_count; i++, j++) {
    u8 had = rows[before[i]].sign;
    if (j >= clean_count) return report(FOUND_ENDED, i, j, had, 0);
    u8 there = rows[clean[j]].sign;
    if (before[i] == clean[j] || had == there) continue;
    if (had != 1 || there != 3 || i + 1 >= before_count || rows[before[i + 1]].sign != 2) return report(FOUND_PARTED, i, j, had, there);
    i++;
  }
  return 1;
}

// Counts the tools of this entry. An entry without any is a separate run too: number 0.
static u32 count_tools(void) {
  if (run_count == 0 || runs[run_count - 1].tools != tools) {
    if (run_count >= MAX_RUNS) return 0;
    runs[run_count++] = (Run){tools, 0};
  }
  runs[run_count - 1].entries++;
  return 1;
}

static void take_snapshot(void) {
  state.snapshot = state.entries;
  state.info = now_info, state.bootstrap = now_bootstrap, state.empty_assistant = now_empty;
  state.best_runs = run_count, state.best_run_entries = runs[run_count - 1].entries;
  best_reply = reply, best_count = clean_count;
  __builtin_memcpy(best, clean, clean_count * sizeof(u32));
}

// ---- the arena

static u32 renumbered[MAX_ROWS];
static void mark(const u32 *list, u32 count) { for (u32 i = 0; i < count; i++) renumbered[list[i]] = 1; }
static void renumber(u32 *list, u32 count) { for (u32 i = 0; i < count; i++) list[i] = renumbered[list[i]] - 1; }

// Keeps only the rows of the last line, of the snapshot and of a line that waits.
static void compact(void) {
  __builtin_memset(renumbered, 0, row_count * sizeof(u32));
  mark(known, known_count), mark(before, before_count), mark(best, best_count), mark(raw, raw_count);
  if (known_reply) renumbered[known_reply - 1] = 1;
  if (reply) renumbered[reply - 1] = 1;
  if (best_reply) renumbered[best_reply - 1] = 1;
  for (u32 i = 0; i < row_count; i++) if (renumbered[i] && rows[i].cleaned) renumbered[rows[i].cleaned - 1] = 1;
  u32 kept = 0, kept_calls = 0, end = arena;
  for (u32 i = 0; i < row_count; i++) {
    if (!renumbered[i]) continue;
    Row row = rows[i];
    __builtin_memmove((void *)end, (void *)row.at, row.length);
    __builtin_memmove(&calls[kept_calls], &calls[row.call], row.calls * sizeof(Call));
    row.call = kept_calls;
    kept_calls += row.calls;
    move_row(&row, end - row.at);
    end += row.length;
    rows[kept] = row;
    renumbered[i] = ++kept;
  }
  for (u32 i = 0; i < kept; i++) if (rows[i].cleaned) rows[i].cleaned = renumbered[rows[i].cleaned - 1];
  renumber(known, known_count), renumber(before, before_count), renumber(best, best_count), renumber(raw, raw_count);
  if (reply) reply = renumbered[reply - 1];
  if (known_reply) known_reply = renumbered[known_reply - 1];
  if (best_reply) best_reply = renumbered[best_reply - 1];
  row_count = kept, call_count = kept_calls, top = end;
  soft = (end - arena) * 2 > LEAST_SOFT_BYTES ? (end - arena) * 2 : LEAST_SOFT_BYTES;
}

static u32 make_room(u32 length) {
  if (top - arena + length > soft || row_count > MAX_ROWS / 2 || call_count > MAX_CALLS / 2) compact();
  return top + length * 2 + 4 * SLACK <= arena_end;
}

static int has_id(void) {
  u32 length = id_end - id_at;
  return byte_at(id_at) == '"' && length >= 3 && length <= MAX_ID;
}

static int is_same_id(void) {
  u32 length = id_end - id_at;
  return state.id_end - state.id == length && same(id_at, state.id, length);
}

// May all messages and tools of the entry together hold too many elements?
static u32 is_crowded(u32 length) {
  if (length / 2 <= max_elements * IN_ALL) return 0;
  u32 elements = tools_span / 2 + (reply ? rows[reply - 1].elements : 0);
  for (u32 i = 0; i < raw_count; i++) elements += rows[raw[i]].elements;
  return elements > max_elements * IN_ALL;
}

// The line that was read last.
static struct { u32 number, length; double offset; i64 time; } now;

// Reads a line; whose it is shows later. 0: it is odd.
static u32 read_line(u32 p, u32 end, u32 number, double offset) {
  u32 length = end - p, needed = SEEN_TIME | SEEN_ID | SEEN_REQUEST | SEEN_MESSAGES | SEEN_CHOICES;
  seen = reply = tools = tools_span = raw_count = crowd.total = 0;
  if (length > LONGEST_LINE || state.entries >= MAX_ENTRIES || !make_room(length)) return 0;
  p = skip_blanks(p, end);
  if (peek(p, end) != '{' || (p = read_entry(p, end)) == 0 || skip_blanks(p, end) != end) return 0;
  if ((seen & needed) != needed || !has_id() || is_crowded(length)) return 0;
  if (reply && rows[reply - 1].first == 0 && rows[reply - 1].calls == 0) return 0;  // it may say nothing
  now.number = number, now.length = length, now.offset = offset, now.time = time_of(time_at, time_end);
  return now.time != NO_TIME;
}

static void begin_session(void) {
  u32 length = id_end - id_at;
  __builtin_memcpy(id_text, (void *)id_at, length);
  state.id = (u32)id_text, state.id_end = state.id + length;
  state.started_at = now.time;
}

// Does what the stages do with the entry that was read.
static u32 take_line(void) {
  if (state.entries == 0) begin_session();
  else if (now.time <= latest) return 0;
  latest = now.time;
  entries[state.entries] = (Entry){now.number, now.length, now.offset};
  if (!clean_up() || !count_tools()) return 0;
  if (!reply && !report(FOUND_NO_REPLY, 0, 0, 0, 0)) return 0;
  if (state.entries > 0 && !compare_traces()) return 0;
  if (state.entries == 0 || clean_count >= best_count) {
    state.superseded += state.truncated + (state.entries > 0);
    state.truncated = 0;
    take_snapshot();
  } else state.truncated++;
  u32 *spare = known;
  known = raw, known_count = raw_count, raw = spare;
  spare = before;
  before = clean, before_count = clean_count, clean = spare;
  known_reply = reply;
  raw_count = reply = 0;
  state.entries++;
  return 1;
}

EXPORT(line) u32 line(u32 p, u32 end, u32 number, double offset) {
  return read_line(p, end, number, offset) && (state.entries == 0 || is_same_id()) && take_line();
}

// In a source of many sessions an id with an escape is odd: the same id may be written in two ways.
EXPORT(packed_line) u32 packed_line(u32 p, u32 end, u32 number, double offset) {
  if (!read_line(p, end, number, offset) || has_escape(id_at, id_end)) return 0;
  if (state.entries > 0 && !is_same_id()) return OTHER_SESSION;
  return take_line();
}

// The line that waits begins a session. The messages before it in this source are still known.
EXPORT(turn) u32 turn(void) {
  u32 other_members = state.other_members;
  __builtin_memset(&state, 0, sizeof(state));
  state.other_members = other_members;
  run_count = before_count = best_count = best_reply = 0;
  return take_line();
}

// All lines of a source that was read whole; 0: one is odd, or blank, or ends in CR LF.
EXPORT(lines) u32 lines(u32 p, u32 end) {
  u32 start = p, number = 0;
  while (p < end) {
    u32 feed = find_byte(p, end, '\n');
    if (feed == p || byte_at(feed - 1) == '\r' || !line(p, feed, ++number, p - start)) return 0;
    state.line_feeds += feed < end;
    p = feed + 1;
  }
  return number;
}


// The session is over; 0: it has to be read by the stages.
EXPORT(finish) u32 finish(void) {
  if (state.entries == 0) return 0;
  if (top + out_length() > arena_end) compact();
  if (top + out_length() > arena_end) return 0;
  u32 count = best_count;
  if (best_reply) best[count++] = best_reply - 1;
  state.doubts = doubts_about(best, count);
  count_usage(best, count);
  return write_messages(best, count);
}

EXPORT(begin) void begin(u32 depth, u32 most, u32 end_of_arena) {
  extern u8 __heap_base;
  __builtin_memset(&state, 0, sizeof(state));
  arena = top = ((u32)&__heap_base + 15) & ~15u, arena_end = end_of_arena;
  soft = LEAST_SOFT_BYTES;
  max_depth = depth, max_elements = crowd.most = most;
  row_count = call_count = run_count = known_count = before_count = best_count = raw_count = 0;
  known_reply = best_reply = reply = 0;
  known = lists[0], raw = lists[1], before = lists[2], clean = lists[3], best = lists[4];
}

EXPORT(arena_at) u32 arena_at(void) {
  extern u8 __heap_base;
  return (u32)&__heap_base;
}
EXPORT(state_at) u32 state_at(void) { return (u32)&state; }
EXPORT(entries_at) u32 entries_at(void) { return (u32)entries; }
EXPORT(founds_at) u32 founds_at(void) { return (u32)founds; }
EXPORT(runs_at) u32 runs_at(void) { return (u32)runs; }
EXPORT(written_at) u32 written_at(void) { return (u32)written; }
EXPORT(named_at) u32 named_at(void) { return (u32)named; }
