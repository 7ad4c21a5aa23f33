// State of the shortcut: the rows of messages and the tables beside them. All is static: a thread has one module, and reads one
// session at a time.
#pragma once
#define NO_CARRIAGE_RETURNS
#include "shortcut-text.h"

#define HOST(name) __attribute__((import_module("host"), import_name(#name)))
HOST(judge_row) u32 judge_row(u32 at, u32 length);  // the sign of a message << 16, and flags; REPLACED: message() has read another one
HOST(read_tools) u32 read_tools(u32 at, u32 end);   // a number for these definitions, and tools_end(); 0: odd
HOST(read_time) i64 read_time(u32 at, u32 end);     // nanoseconds since 1970; NO_TIME: unreadable

#define NO_TIME INT64_MIN
#define MAX_ROWS 32768
#define MAX_CALLS 32768
#define MAX_ENTRIES 65536
#define MAX_FOUND 4096
#define MAX_RUNS 4096
#define MAX_KNOWN_TOOLS 32
#define MAX_NAMED 1024
#define MAX_MEMBERS 64
#define TOOLS_BYTES (512 * 1024)
#define LONGEST_LINE (8 * 1024 * 1024)
#define LEAST_SOFT_BYTES (1024 * 1024)
#define SLACK 64
#define MAX_ID 4096
#define LOOK_AHEAD 8
#define IN_ALL 10

enum { SYSTEM = 1, DEVELOPER, USER, ASSISTANT, TOOL, FUNCTION };
static const char *const ROLES[] = {"", "\"system\"", "\"developer\"", "\"user\"", "\"assistant\"", "\"tool\"", "\"function\""};
enum {  // flags of a row
  ASK = 1,       // what cleanup does with it depends on its text: the host decides
  DOUBTFUL = 2,  // a check may report it
  NULLS = 4,     // it may have members that are null
  TAGS = 8,      // its text may hold calls
  KEPT = 16,     // compact() must not free its text
  DROPPED = 32, EMPTY = 64, REPLACED = 128, ODD = 256,  // answers of the host
};
enum { DOUBT_CHECKS = 1, DOUBT_USAGE = 2, DOUBT_OPEN = 4 };  // the stages are asked; so is the report on tools; the end is not an answer
enum { OTHER_SESSION = 2 };                                  // the line belongs to another session than the one before
enum { FOUND_NO_REPLY = 1, FOUND_PARTED, FOUND_ENDED };
enum { ROLE, CONTENT, TOOL_CALLS, FUNCTION_CALL, CALL_ID, MESSAGE_SPANS };
enum { NAME, ARGUMENTS, ID_OF_CALL, FUNCTION_OF_CALL, CALL_SPANS };
enum { TIME, ID, REQUEST, RESPONSE, MESSAGES, TOOLS, CHOICES, BODY, ERROR, REPLY, FINISH, LINE_SPANS };
enum { CUT = 1, FILTERED = 2, FAILED = 4, OTHERS = 8 };  // what is reported about an answer

typedef struct {
  u32 at, length;            // its text in the arena; spans count from `at`
  u32 role, flags, cleaned;  // cleaned: the row + 1 that cleanup put in its place
  u32 sign;                  // of the role trace: a letter, or for an assistant 1 with text + 2 with calls
  u32 first;                 // the first visible code unit of a content that is a string; 0: none
  u32 call, calls;           // in the table of calls
  u32 elements;
  Span spans[MESSAGE_SPANS];
} Row;
typedef struct { Span spans[CALL_SPANS]; u32 digest; } Call;
typedef struct { u32 count, reply, info, bootstrap, empty, rows[MAX_ROWS + 1]; } List;  // messages of an entry; the reply + 1; changes
typedef struct { u32 line, length; double offset; } Entry;
typedef struct { u32 kind, entry, before, earlier, later; u8 had, there; } Found;
typedef struct { u32 tools, entries; } Run;  // entries with the same definitions
typedef struct { u32 at, length, number; } KnownTools;

static Row rows[MAX_ROWS], *row;  // `row` is being read
static Call calls[MAX_CALLS];
static Entry entries[MAX_ENTRIES];
static Found founds[MAX_FOUND];
static Run runs[MAX_RUNS];
static KnownTools known_tools[MAX_KNOWN_TOOLS];                  // their texts are in tools_text
static struct { u32 start, end, role; } written[MAX_ROWS + 1];   // messages of the record
static Span named[MAX_NAMED];                                    // names of the tools that the conversation calls, JSON strings
static u8 tools_text[TOOLS_BYTES + SLACK], id_text[MAX_ID + SLACK];

static struct {  // words that the host reads, in this order (shortcut-words.ts)
  u32 entries, superseded, truncated, snapshot;            // snapshot: the number of its entry
  u32 info, bootstrap, empty_assistant, developer, nulls;  // changes of the snapshot, by rule
  u32 best_runs, best_run_entries;                         // definitions up to the snapshot
  u32 founds, doubts;
  u32 tool_calls, client_turns, assistant_turns, assistant_turns_with_tools;
  u32 messages, out, out_end;                              // of the conversation
  u32 id, id_end;                                          // of the session, a JSON string
  u32 others;                                              // has the first entry members that the dialect does not read?
  u32 line_feeds;                                          // of a source that was read whole
  u32 named;                                               // calls in `named`
  u32 top;                                                 // the end of the arena
  u32 notes;                                               // on the answer of the snapshot
  i64 started_at;
} state;

static List lists[5], *known, *raw, *before, *clean, *best;  // of the line before, and of this one; after cleanup: of both, and the snapshot
static u32 max_depth, max_elements, arena, arena_end, soft;  // beyond `soft` the arena is compacted
static u32 row_count, call_count, run_count, known_tools_count, tools_top, tools_end_at;
static i64 latest;
static Crowd crowd;

