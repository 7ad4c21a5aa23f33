// The shortcut: reads the lines of a session of the dialect `exchange`, each in one pass, and stores the facts about every new
// message in a row of a table. Cleanup, the order of the entries, the choice of the snapshot and the checks then work on rows.
//
//   begin()                       begins a session
//   line(p, end, number, offset)  reads one log line (shortcut-read.h) and processes its entry like the stages; 0: the line is odd, and the
//                                 session has to be read by the stages instead
//   lines(p, end)                 does this for all lines of a source
//   packed_line(...)              does the same as line() in a source of many sessions; OTHER_SESSION: the line was read, but belongs
//                                 to the next session
//   turn()                        begins that session with that line, after finish()
//   finish()                      checks the conversation and writes its messages after the arena, as in a record (shortcut-end.h)
//   leaf(i)                       does this for each conversation of a session that has several (shortcut-leaves.h), after finish()
//
// shortcut-state.h has the tables, shortcut-text.h searches texts, shortcut-path.h and shortcut-leaves.h compare entries, scan.h validates JSON.
//
// Leaves everything unusual to the stages: odd lines, and conversations that a check may report (`doubts`). Tests here may be true when
// the stages would say false, but never the reverse. If a result depends on the text of a rule, the host decides (`judge_row`).
//
// The bytes of messages are copied into an arena. A message with the same bytes as one of the previous line shares its row. A row keeps
// its number; the arena is compacted between lines, and keeps only the texts of the last line and of what may be written.
#include "shortcut-leaves.h"

// Called by the host within judge_row(): reads the message that replaces the judged one.
EXPORT(message) u32 message(u32 p, u32 end) { return read_message(p, end, 3); }

static u32 ask_host(u32 number) {
  Row *one = &rows[number];
  u32 answer = judge_row(one->at, one->length);
  one->flags = (one->flags & ~ASK) | (answer & (DROPPED | EMPTY));
  one->sign = answer >> 16;
  if (!(answer & REPLACED)) return !(answer & ODD);
  one->cleaned = row_count;
  return !(rows[row_count - 1].flags & ASK) || ask_host(row_count - 1);
}

static u32 clean_up(void) {
  for (clean = lists; clean == before || clean == best;) clean++;
  u32 count = clean->count = clean->info = clean->bootstrap = clean->empty = 0, *list = clean->rows;
  clean->reply = raw->reply;
  for (u32 i = 0; i < raw->count; i++) {
    Row *one = &rows[raw->rows[i]];
    if (one->flags & ASK && !ask_host(raw->rows[i])) return 0;
    if (one->flags & DROPPED) clean->info++;
    else list[count++] = one->cleaned ? one->cleaned - 1 : raw->rows[i];
    clean->bootstrap += one->cleaned > 0;
  }
  for (u32 i = 0; i < count; i++) {
    if (rows[list[i]].flags & EMPTY && i + 1 < count && rows[list[i + 1]].role == ASSISTANT) clean->empty++;
    else list[clean->count++] = list[i];
  }
  if (clean->count < 2 || !clean->reply || rows[clean->reply - 1].role != ASSISTANT) return 1;
  const Row *one = &rows[list[0]], *two = &rows[list[1]];  // 0 if it may be a request for a title
  return one->role != SYSTEM || two->role != USER || (one->first && one->first != 'R') || (two->first && two->first != 'H');
}

static u32 report(u32 kind, u32 earlier, u32 later, u8 had, u8 there) {
  if (state.founds == MAX_FOUND) return 0;
  founds[state.founds++] = (Found){kind, state.entries, state.entries - 1, earlier, later, had, there};
  return 1;
}

// Compares the role trace with that of the previous entry. 0: too many findings.
static u32 compare_traces(void) {
  for (u32 i = 0, j = 0; i < before->count; i++, j++) {
    u8 had = rows[before->rows[i]].sign;
    if (j >= clean->count) return report(FOUND_ENDED, i, j, had, 0);
    u8 there = rows[clean->rows[j]].sign;
    if (had == there) continue;
    if (had != 1 || there != 3 || i + 1 >= before->count || rows[before->rows[i + 1]].sign != 2) return report(FOUND_PARTED, i, j, had, there);
    i++;
  }
  return 1;
}

// Counts the entry in the current run of entries with the same definitions (number 0: without any), or begins a run.
static u32 count_tools(void) {
  if (run_count == 0 || runs[run_count - 1].tools != tools) {
    if (run_count == MAX_RUNS) return 0;
    runs[run_count++] = (Run){tools, 0};
  }
  runs[run_count - 1].entries++;
  return 1;
}

static void take_snapshot(void) {
  best = clean;
  state.superseded += state.truncated + (state.entries > 0), state.truncated = 0;
  state.snapshot = state.entries, state.notes = notes;
  state.info = best->info, state.bootstrap = best->bootstrap, state.empty_assistant = best->empty;
  state.best_runs = run_count, state.best_run_entries = runs[run_count - 1].entries;
  const Span model = model_of_entry();
  state.model = (u32)model_text, state.model_end = put_bytes(state.model, model.at, model.end);
}

// ---- the arena

static void keep(const List *list) {
  for (u32 i = 0; i < list->count; i++) rows[list->rows[i]].flags |= KEPT;
  if (list->reply) rows[list->reply - 1].flags |= KEPT;
}

static void compact(void) {
  keep(known), keep(raw), keep(before), keep(best), keep_awaited();
  for (u32 i = 0; i < leaf_count; i++) keep(&leaves[i].list);
  u32 end = arena;
  for (Row *one = rows; one < rows + row_count; end += one->length, one->flags &= ~KEPT, one++) {
    if (!(one->flags & KEPT)) one->length = 0;
    else if (one->cleaned) rows[one->cleaned - 1].flags |= KEPT;  // it comes later in the table
    __builtin_memmove((void *)end, (void *)one->at, one->length);
    one->at = end;
  }
  state.top = end;
  soft = end + (end - arena > MIN_SOFT_BYTES ? end - arena : MIN_SOFT_BYTES);
}

// ---- lines

static int is_same_id(void) {
  u32 length = spans[ID].end - spans[ID].at;
  return state.id_end - state.id == length && same(spans[ID].at, state.id, length);
}

// Reads a line of any session. 0: it is odd. An unreadable time makes it odd here, before it could end a session.
static u32 read_entry(u32 p, u32 end, u32 number, double offset) {
  if (state.top + (end - p) > soft) compact();
  if (end - p > MAX_LINE || state.entries == MAX_ENTRIES || state.top + (end - p) * 2 + 4 * SLACK > arena_end) return 0;
  entries[state.entries] = (Entry){number, end - p, offset};
  return read_line(p, end) && (entry_time = time_of(spans[TIME])) != NO_TIME;
}

// Processes the entry that was read, like the stages. 0: it is odd.
static u32 take_entry(void) {
  if (state.entries == 0) {
    state.id = (u32)id_text, state.id_end = put_bytes(state.id, spans[ID].at, spans[ID].end);
    state.started_at = entry_time;
  } else if (entry_time < latest + strict_time) return 0;
  latest = entry_time;
  if (!clean_up() || may_repeat(clean) || !count_tools() || (!raw->reply && !report(FOUND_NO_REPLY, 0, 0, 0, 0))) return 0;
  u32 is_snapshot = state.entries == 0 || clean->count >= best->count;
  if (max_leaves_bytes > 0 ? !take_leaf() : !(compare_traces() && compare_paths(is_snapshot))) return 0;
  if (!take_notes(is_snapshot)) return 0;
  if (is_snapshot) take_snapshot();
  else state.truncated++;
  List *spare = known;
  known = raw, raw = spare, before = clean;
  raw->count = raw->reply = 0;
  state.entries++;
  return 1;
}

EXPORT(line) u32 line(u32 p, u32 end, u32 number, double offset) {
  return read_entry(p, end, number, offset) && (state.entries == 0 || is_same_id()) && take_entry();
}

// Here an id with an escape is odd, because the same id could be written without it.
EXPORT(packed_line) u32 packed_line(u32 p, u32 end, u32 number, double offset) {
  if (!read_entry(p, end, number, offset) || has_escape(spans[ID])) return 0;
  return state.entries > 0 && !is_same_id() ? OTHER_SESSION : take_entry();
}

static void begin_session(void) {
  u32 others = state.others, top = state.top;
  __builtin_memset(&state, 0, sizeof(state));
  state.others = others, state.top = top;
  run_count = leaf_count = 0;
  forget_notes();
  before = best = &lists[0];
  best->count = best->reply = 0;
}

// Begins a session with the line for which packed_line() returned OTHER_SESSION. Messages of the source before it are still recognised.
EXPORT(turn) u32 turn(void) {
  entries[0] = entries[state.entries];
  begin_session();
  return row_count < MAX_ROWS / 2 && call_count < MAX_CALLS / 2 && take_entry();
}

// Reads all lines of a source that is in memory as a whole; returns their number; 0: one is odd, or blank, or ends in CR LF.
EXPORT(lines) u32 lines(u32 p, u32 end) {
  u32 start = p, number = 0;
  while (p < end) {
    u32 feed = find_byte(p, end, '\n');
    if (!line(p, feed, ++number, p - start)) return 0;
    state.line_feeds += feed < end;
    p = feed + 1;
  }
  return number;
}

static u32 room_to_write(void) { return state.top * 2 - arena + MAX_ROWS + 4 * SLACK <= arena_end; }

// Ends the session. 0: it has to be read by the stages.
EXPORT(finish) u32 finish(void) {
  if (!room_to_write()) compact();
  if (state.entries == 0 || !room_to_write() || !report_parted()) return 0;
  return leaf_count == 0 || is_one_leaf() ? report_notes() && describe(best) : end_leaves();
}

// Writes the keys of the conversation's messages from this one on, as read_chain() in message.c does.
EXPORT(key_chain) u32 key_chain(u32 from) {
  static const char *const KEY_ROLES[] = {"", "system", "system", "user", "assistant", "tool", "tool"};
  if (best->count > MAX_LINKS) return 0;
  begin_keys(from);
  for (u32 i = from; i < best->count; i++) {
    const Row *one = &rows[best->rows[i]];
    const Span content = in_row(one, one->spans[CONTENT]);
    if ((first_byte(content) != '"' && first_byte(content) != 'n') || first_byte(in_row(one, one->spans[FUNCTION_CALL])) != 'n') return 0;
    if (!has_room(content.end - content.at)) return i == from ? 0 : i;
    begin_key(KEY_ROLES[one->role], one->calls);
    for (const Call *call = calls + one->call; call < calls + one->call + one->calls; call++)
      put_call(in_row(one, call->spans[ID_OF_CALL]), in_row(one, call->spans[NAME]), in_row(one, call->spans[ARGUMENTS]));
    if (!add_key(i, content, in_row(one, one->spans[CALL_ID]))) return 0;
  }
  return best->count;
}

EXPORT(begin) void begin(u32 depth, u32 most, u32 most_messages, u32 strict, u32 most_leaves_bytes, u32 end_of_arena) {
  extern u8 __heap_base;
  arena = ((u32)&__heap_base + 15) & ~15u, arena_end = end_of_arena, soft = arena + MIN_SOFT_BYTES;
  max_depth = depth, max_elements = crowd.most = most, max_messages = most_messages, strict_time = strict, max_leaves_bytes = most_leaves_bytes;
  row_count = call_count = 0;
  known = &lists[3], raw = &lists[4];
  known->count = known->reply = raw->count = raw->reply = 0;
  begin_session();
  state.others = 0, state.top = arena;
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
