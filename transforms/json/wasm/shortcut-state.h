// State of the shortcut: the rows of messages, and the other tables. All of it is static, because a thread has one instance of the
// module and reads one session at a time.
#pragma once
#define NO_CARRIAGE_RETURNS
#include "shortcut-text.h"

#define HOST(name) __attribute__((import_module("host"), import_name(#name)))
HOST(judge_row) u32 judge_row(u32 at, u32 length);  // sign of a message << 16, and flags; REPLACED: the host called message()
HOST(read_tools) u32 read_tools(u32 at, u32 end);   // a number for these definitions; calls tools_end(); 0: odd
HOST(read_time) i64 read_time(u32 at, u32 end);     // nanoseconds since 1970; NO_TIME: unreadable

#define NO_TIME INT64_MIN
#define MAX_ROWS 32768
#define MAX_CALLS 32768
#define MAX_ENTRIES 65536
#define MAX_FOUND 4096
#define MAX_LEAVES 64
#define MAX_RUNS 4096
#define MAX_KNOWN_TOOLS 32
#define MAX_NAMED 1024
#define MAX_MEMBERS 64
#define TOOLS_BYTES (512 * 1024)
#define MAX_LINE (8 * 1024 * 1024)
#define MIN_SOFT_BYTES (1024 * 1024)
#define SLACK 64
#define MAX_ID 4096
#define MAX_MODEL 256  // bytes of a name, as in ../../dialects/shared/logged-meta.ts
#define LOOK_AHEAD 8
#define MESSAGE_DEPTH 3  // of a message in a line
#define IN_ALL 10
#define MAX_MASKED 160  // bytes of a content that is only a mark, as in ../../model/cut-texts.ts
#define MAX_REST 256  // bytes after a thought, as in ../../model/reply.ts

enum { SYSTEM = 1, DEVELOPER, USER, ASSISTANT, TOOL, FUNCTION };
static const char *const ROLES[] = {"", "\"system\"", "\"developer\"", "\"user\"", "\"assistant\"", "\"tool\"", "\"function\""};
enum {  // flags of a row
  ASK = 1,       // cleanup depends on its text: the host decides
  DOUBTFUL = 2,  // a check may report it
  NULLS = 4,     // it may have members that are null
  TAGS = 8,      // its text may hold calls
  KEPT = 16,     // compact() must not free its text
  DROPPED = 32, EMPTY = 64, REPLACED = 128, ODD = 256,  // answers of the host
  UNTAUGHT = 512,  // the text may be cut by a logger, or only a thought
  THOUGHTS = 1024,  // it may have reasoning
  REASONED = 2048,  // it has reasoning, under a name that records have
};
// The host has to: run the checks on the conversation; count its use of tools; report that it does not end in an answer.
enum { DOUBT_CHECKS = 1, DOUBT_USAGE = 2, DOUBT_OPEN = 4 };
enum { OTHER_SESSION = 2 };  // result of packed_line()
enum { FOUND_NO_REPLY = 1, FOUND_PARTED, FOUND_ENDED, FOUND_NOT_PREFIX, FOUND_NOTES };
enum { ROLE, CONTENT, TOOL_CALLS, FUNCTION_CALL, CALL_ID, MESSAGE_SPANS, OTHER_SPANS = MESSAGE_SPANS + 30 };
enum { NAME, ARGUMENTS, ID_OF_CALL, FUNCTION_OF_CALL, CALL_SPANS };
enum { TIME, ID, REQUEST, RESPONSE, MODEL, MESSAGES, TOOLS, REQUESTED_MODEL, FUNCTIONS, CHOICES, BODY, ERROR, ANSWERING_MODEL, REPLY, FINISH, LINE_SPANS };
enum { CUT = 1, FILTERED = 2, FAILED = 4, OTHERS = 8, LEFT_OUT = 16 };  // findings about an answer; LEFT_OUT if a later entry repeats it without its reasoning

typedef struct {
  u32 at, length;            // its text in the arena; spans are relative to `at`
  u32 role, flags, cleaned;  // cleaned: 1 + the row that replaces it after cleanup; 0: none
  u32 sign;                  // for the role trace: a letter, or for an assistant 1 if it has text + 2 if it has calls
  u32 first;                 // the first visible code unit of a content that is a string; 0: none
  u32 call, calls;           // in the table of calls
  u32 elements;
  u32 noted, noted_at;       // findings about an earlier answer that it repeats, and its index there
  u64 digest;                // of its text; 0: not computed yet
  Span spans[MESSAGE_SPANS];
} Row;
typedef struct { Span spans[CALL_SPANS]; u32 digest; } Call;
// The messages of an entry. reply: 1 + its row; info, bootstrap, empty: changes by each rule.
typedef struct { u32 count, reply, info, bootstrap, empty, rows[MAX_ROWS + 1]; } List;
typedef struct {
  u32 line, length;
  double offset;
  u32 path, has_reply;      // the number of its messages, with its reply
  u32 parted, other, mark;  // if it is not the beginning of entry `other`: 1 + where they part, and the mark of its message there
  u32 leaf;                 // with --select leaves, its conversation
  u64 digest;               // of its path, if it is parted
} Entry;
// A conversation that no entry has continued so far (shortcut-leaves.h). snapshot: the entry that has its messages; weight: the most bytes
// that it held.
typedef struct { List list; u32 entries, snapshot, tools, notes, weight, model_length; i64 started_at; u8 model[MAX_MODEL]; } Leaf;
typedef struct { u32 kind, entry, before, earlier, later; u8 had, there; } Found;
typedef struct { u32 tools, entries; } Run;  // entries with the same definitions
typedef struct { u32 at, length, number; } KnownTools;

static Row rows[MAX_ROWS], *row;  // row: the one being read
static Call calls[MAX_CALLS];
static Entry entries[MAX_ENTRIES];
static Found founds[MAX_FOUND];
static Leaf leaves[MAX_LEAVES];
static Run runs[MAX_RUNS];
static KnownTools known_tools[MAX_KNOWN_TOOLS];                  // their texts are in tools_text
static struct { u32 start, end, role; } written[MAX_ROWS + 1];   // messages of the record
static Span named[MAX_NAMED];                                    // names of the tools that the conversation calls, JSON strings
static u8 tools_text[TOOLS_BYTES + SLACK], id_text[MAX_ID + SLACK], model_text[MAX_MODEL + SLACK];

static struct {  // 32-bit words that the host reads, in this order (../../shortcut/shortcut-words.ts)
  u32 entries, superseded, truncated, snapshot;            // snapshot: the number of its entry
  u32 info, bootstrap, empty_assistant, developer, nulls;  // changes of the snapshot, by rule
  u32 best_runs, best_run_entries;                         // runs up to the snapshot, entries of the last one
  u32 founds, doubts;
  u32 tool_calls, client_turns, assistant_turns, assistant_turns_with_tools;
  u32 messages, out, out_end;                              // written messages: their number, start and end
  u32 id, id_end;                                          // id of the session, a JSON string
  u32 others;                                              // has the first entry members that the dialect does not read?
  u32 line_feeds;                                          // number of them in a source that was read whole
  u32 named;                                               // number of names in `named`
  u32 top;                                                 // the end of the arena
  u32 notes;                                               // findings about the answer of the snapshot
  u32 model, model_end;                                    // its model, JSON text; empty if the log has none
  u32 leaves, leaf, leaf_entries;                          // number of conversations, if they are not one; the one that `leaf` chose, and its entries
  i64 started_at;
} state;

static List lists[5], *known, *raw;     // as logged: the previous line, this line
static List *before, *clean, *best;     // after cleanup: the previous line, this line, the snapshot
static u32 max_depth, max_elements, max_messages, arena, arena_end, soft;  // soft: the arena is compacted when it grows beyond
static u32 row_count, call_count, run_count, known_tools_count, tools_top, tools_end_at;
static i64 latest, entry_time;  // entry_time: of the last entry that was read
static u32 leaf_count, max_leaves_bytes;  // max_leaves_bytes: 0 with --select last
static u32 any_noted;    // has an entry a finding about its answer, or reasoning? An entry that continues it may lack that
static u32 strict_time;  // 1: an entry must be later than the one before it
static Crowd crowd;

