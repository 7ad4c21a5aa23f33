// Ends a session: finds out whether a check may report the conversation (`doubts`), counts its use of tools, and writes its messages as
// in a record.
#pragma once
#include "shortcut-read.h"
#include "message.h"

static int is_same_text(const Row *one, Span a, const Row *other, Span b) {
  return a.end - a.at == b.end - b.at && same(one->at + a.at, other->at + b.at, a.end - a.at);
}

static u32 digest_of_call(const Row *one, Call *call) {
  Span arguments = call->spans[ARGUMENTS];
  if (call->digest == 0) call->digest = digest_of((Span){one->at + arguments.at, one->at + arguments.end});
  return call->digest;
}

// Adds a call to `named`. May it repeat an earlier one: the same tool, with the same arguments?
static u32 add_call(const Row *one, Call *call) {
  static struct { const Row *row; Call *call; } all[MAX_NAMED];
  if (state.named == MAX_NAMED) return 1;
  for (u32 i = 0; i < state.named; i++) {
    if (!is_same_text(one, call->spans[NAME], all[i].row, all[i].call->spans[NAME])) continue;
    u32 digest = digest_of_call(one, call), other = digest_of_call(all[i].row, all[i].call);
    if (digest == 1 || other == 1 || digest == other) return 1;
  }
  all[state.named].row = one, all[state.named].call = call;
  named[state.named++] = (Span){one->at + call->spans[NAME].at, one->at + call->spans[NAME].end};
  return 0;
}

// The index of the caller's call that the result answers; `caller->calls` if there is none.
static u32 answered_by(const Row *caller, const Row *result, const u8 *answered) {
  u32 i = 0;
  while (i < caller->calls && (answered[i] ||
         !is_same_text(caller, calls[caller->call + i].spans[ID_OF_CALL], result, result->spans[CALL_ID]))) i++;
  return i;
}

// Every call must have its result, every result its call, and no call may repeat another. Calls in the last message, the one to be
// learned, have no results: they only leave the conversation open.
static u32 doubts_about(const List *list) {
  static u8 answered[MAX_NAMED];
  static const Row nothing;
  const Row *caller = &nothing, *last = &nothing;
  u32 open = 0, answers = 0;
  for (u32 i = 0; i < list->count; i++) {
    const Row *one = last = &rows[list->rows[i]];
    if (one->flags & DOUBTFUL) return DOUBT_CHECKS;
    if (one->role == ASSISTANT) {
      answers += one->first || one->calls;
      if (open > 0 || one->calls > MAX_NAMED) return DOUBT_CHECKS;
      caller = one, open = one->calls;
      __builtin_memset(answered, 0, open);
      for (u32 c = 0; c < one->calls; c++) if (add_call(one, &calls[one->call + c])) return DOUBT_CHECKS;
    } else if (one->role == TOOL) {
      u32 answers = answered_by(caller, one, answered);
      if (answers == caller->calls) return DOUBT_CHECKS;
      answered[answers] = 1, open--;
    }
  }
  if (answers == 0 || (open > 0 && last != caller)) return DOUBT_CHECKS;
  return last->role != ASSISTANT || last->calls > 0 ? DOUBT_OPEN : 0;
}

// Counts turns and calls, for the report on the use of tools.
static void count_usage(const List *list) {
  u32 speaker = 0, counted = 0;
  for (u32 i = 0; i < list->count; i++) {
    const Row *one = &rows[list->rows[i]];
    if (one->flags & TAGS) state.doubts |= DOUBT_USAGE;
    if (one->role == TOOL || one->role == FUNCTION) continue;
    u32 speaks = one->role == ASSISTANT ? ASSISTANT : USER;
    if (speaks == USER) state.client_turns += speaker != USER;
    else if (speaker != ASSISTANT) state.assistant_turns++, counted = 0;
    speaker = speaks;
    if (speaks != ASSISTANT || one->calls == 0) continue;
    state.tool_calls += one->calls;
    state.assistant_turns_with_tools += !counted;
    counted = 1;
  }
}

static u32 put_bytes(u32 out, u32 from, u32 to) {
  __builtin_memcpy((void *)out, (void *)from, to - from);
  return out + to - from;
}

// Writes a message as in a record: `developer` becomes `system`, members that are null are left out. 0: it is odd.
static u32 write_message(const Row *one, u32 out) {
  static const char SYSTEM_ROLE[] = "\"system\"";
  static const Member NONE[] = {{0}};
  u32 end = one->at + one->length, kept = 0, role = one->role == DEVELOPER ? one->at + one->spans[ROLE].at : 0;
  if (role == 0 && !(one->flags & NULLS)) return put_bytes(out, one->at, end);
  member_count = 0, is_listing = 1;
  read_object(one->at, end, MESSAGE_DEPTH, NONE, 0);
  is_listing = 0;
  if (member_count == MAX_MEMBERS) return 0;
  out = put_bytes(out, one->at, members[0].key.at - 1);
  for (Listed *member = members; member < members + member_count; member++) {
    u32 start = member->key.at - 1, length = member->key.end - member->key.at;
    for (Listed *other = members; other < member; other++)
      if (other->key.end - other->key.at == length && same(other->key.at, member->key.at, length)) return 0;  // the last of equal keys counts
    if (byte_at(member->value) == 'n') continue;
    if (kept++ > 0) out = put_bytes(out, member[-1].end, start);
    out = put_bytes(out, start, member->value == role ? role : member->end);
    if (member->value == role) out = put_bytes(out, (u32)SYSTEM_ROLE, (u32)SYSTEM_ROLE + sizeof(SYSTEM_ROLE) - 1);
  }
  state.developer += role != 0;
  state.nulls += kept < member_count;
  return put_bytes(out, members[member_count - 1].end, end);
}

// Writes the messages of the conversation, with commas between them, from `out` to `out_end`.
static u32 write_messages(const List *list) {
  u32 out = state.out = state.top + SLACK;
  for (u32 i = 0; i < list->count; i++) {
    if (i > 0) *(u8 *)out++ = ',';
    written[i].start = out, written[i].role = rows[list->rows[i]].role;
    if ((out = write_message(&rows[list->rows[i]], out)) == 0) return 0;
    written[i].end = out;
  }
  state.messages = list->count, state.out_end = out;
  return 1;
}

// Ends a conversation with its answer, finds the facts about it, and writes it.
static u32 describe(List *list) {
  if (list->reply) list->rows[list->count++] = list->reply - 1;
  list->reply = 0;
  state.named = state.tool_calls = state.client_turns = state.assistant_turns = state.assistant_turns_with_tools = state.developer = state.nulls = 0;
  state.doubts = doubts_about(list);
  count_usage(list);
  return write_messages(list);
}
