// State of the session fold: the rows of messages, the tables beside them and the state that the host reads. All is static: a
// thread has one module, and folds one session at a time.
#pragma once
#include "scan.h"

#define HOST(name) __attribute__((import_module("host"), import_name(#name)))
HOST(judge_row) u32 judge_row(u32 at, u32 length);  // the sign of a message, and JUDGED_ bits
HOST(read_tools) u32 read_tools(u32 at, u32 end);                      // a number for these definitions, and tools_end(); 0: odd
HOST(read_time) i64 read_time(u32 at, u32 end);                        // nanoseconds since 1970; NO_TIME: unreadable

enum { JUDGED_DROPPED = 1 << 8, JUDGED_EMPTY = 1 << 9, JUDGED_REPLACED = 1 << 10, JUDGED_ODD = 1 << 11 };
enum { SYSTEM = 1, DEVELOPER, USER, ASSISTANT, TOOL, FUNCTION };
enum {  // what is known of a row
  TEXT = 1, LIST = 2, ODD_CONTENT = 4, HAS_NULL = 8, FUNCTION_CALL = 16, CALLS_ODD = 32, ASK = 64, DROPPED = 128,
  EMPTY = 256, HAS_CALL_ID = 512,
};
enum { CALL_PLAIN = 1 };  // an object with a name and an id without escapes
enum {  // checks and reports that may have something to say: the stages are asked
  DOUBT_LEGACY = 1, DOUBT_CALLS = 2, DOUBT_RESULTS = 4, DOUBT_REPEATED = 8, DOUBT_TRUNCATED = 16, DOUBT_CONTENT = 32,
  DOUBT_USAGE = 64, DOUBT_EMPTY = 128, DOUBT_OPEN = 256,
};
enum { OTHER_SESSION = 2 };  // the line belongs to another session than the one before
enum { FOUND_NO_REPLY = 1, FOUND_PARTED = 2, FOUND_ENDED = 3 };

#define NO_TIME INT64_MIN
#define MAX_ROWS 32768
#define MAX_CALLS 32768
#define MAX_ENTRIES 65536
#define MAX_FOUND 4096
#define MAX_RUNS 4096
#define TOOLS_BYTES (512 * 1024)
#define MAX_KNOWN_TOOLS 32
#define LONGEST_LINE (8 * 1024 * 1024)
#define LEAST_SOFT_BYTES (1024 * 1024)
#define SLACK 64
#define MAX_ID 4096
#define IN_ALL 10
#define MESSAGE_DEPTH 3
#define REPLY_DEPTH 4

typedef struct {
  u32 at, length;  // its text in the arena
  u32 role_at, role_end;
  u32 content, content_end;  // 0: it has none
  u32 id, id_end;            // tool_call_id, a string; 0: it has none
  u32 call, calls;           // in the table of calls
  u32 elements;
  u32 first;      // the first visible code unit of a content that is a string; 0: none
  u32 cleaned;    // the row that cleanup put in its place
  u32 flags;
  u8 role, sign;  // the sign of the role trace: a letter, or for an assistant 1 with text + 2 with calls
} Row;
typedef struct { u32 id, id_end, name, name_end, arguments, arguments_end, digest, flags; } Call;
typedef struct { u32 line, length; double offset; } Entry;
typedef struct { u32 kind, entry, before, earlier, later; u8 had, there; } Found;
typedef struct { u32 tools, entries; } Run;
typedef struct { u32 at, length, number; } KnownTools;

static Row rows[MAX_ROWS];
static Call calls[MAX_CALLS];
static Entry entries[MAX_ENTRIES];
static Found founds[MAX_FOUND];
static Run runs[MAX_RUNS];
static u32 lists[5][MAX_ROWS + 1];
static struct { u32 start, end, role; } written[MAX_ROWS + 1];
static u8 tools_text[TOOLS_BYTES + SLACK], id_text[MAX_ID + SLACK];

// Read by the host, field by field, in this order (session-fold.ts).
static struct {
  u32 entries, superseded, truncated, snapshot;              // snapshot: the number of its entry
  u32 info, bootstrap, empty_assistant, developer, nulls;    // changes of the snapshot, by rule
  u32 best_runs, best_run_entries;                           // tools up to the snapshot
  u32 founds, doubts;
  u32 tool_calls, client_turns, assistant_turns, assistant_turns_with_tools;
  u32 messages, out, out_end;                                // of the conversation
  u32 id, id_end;                                            // of the session, a JSON string
  u32 other_members;                                         // the first entry has members that this dialect does not read
  u32 line_feeds;                                            // of a source that was read whole
  u32 named;                                                 // calls in `named`
  i64 started_at;
} state;

static u32 max_depth, max_elements;
static u32 arena, arena_end, top, soft;  // the arena; rows are compacted beyond `soft`
static u32 row_count, call_count, run_count;
static u32 *known, *raw, *before, *clean, *best;  // rows: of the last line, of this one; cleaned: of both, and of the snapshot
static u32 known_count, raw_count, before_count, clean_count, best_count;
static u32 known_reply, reply, best_reply;        // a row + 1
static KnownTools known_tools[MAX_KNOWN_TOOLS];    // their texts are in tools_text
static u32 known_tools_count, last_tools, tools_top;
static u32 tools, tools_span;                      // of this entry, with the length of its text
static i64 latest;
static u32 now_info, now_bootstrap, now_empty;
static Crowd crowd;
