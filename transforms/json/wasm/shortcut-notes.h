// Findings about answers stay with them when later entries repeat them (../../dialects/shared/answer-notes.ts).
#pragma once
#include "shortcut-path.h"

#define MAX_AWAITED 64

// Answers with findings that no snapshot has repeated so far: their rows, and their index in an entry that repeats them.
static struct { u32 row, at, notes; } awaited[MAX_AWAITED];
static u32 awaited_count;

static u32 noted_at(const Row *one, u32 i) { return one->noted && one->noted_at == i ? one->noted : 0; }

// Adds findings to a row. Returns 0 if an equal answer gave it others: the order in which the stages report them is not known here.
static u32 note(Row *one, u32 i, u32 bits) {
  const u32 had = noted_at(one, i);
  one->noted = bits, one->noted_at = i;
  return had == 0 || had == bits;
}

// Gives the snapshot's rows the findings about the awaited answers that they repeat. 0: it cannot be told which these are.
static u32 note_repeated(const List *list) {
  u32 left = 0;
  for (u32 i = 0; i < awaited_count; i++) {
    const u32 at = awaited[i].at, found = at < list->count ? compare_messages(&rows[awaited[i].row], in_path(list, at)) : DIFFERENT;
    if (found == UNSURE || (found == EQUAL && !note(in_path(list, at), at, awaited[i].notes))) return 0;
    if (found == DIFFERENT) awaited[left++] = awaited[i];
  }
  awaited_count = left;
  return 1;
}

// Passes the findings in the snapshot so far on to the next one. 0: a message that has one is not in the next one.
static u32 pass_notes(const List *from, const List *to) {
  for (u32 i = 0; i < from->count; i++) {
    Row *one = in_path(from, i), *next = i < to->count ? in_path(to, i) : 0;
    if (one == next || !noted_at(one, i)) continue;
    if (!next || compare_messages(one, next) != EQUAL || !note(next, i, one->noted)) return 0;
  }
  return 1;
}

// Takes the findings about the answer of the entry that was read, after those that it repeats. 0: the stages have to read the session.
static u32 take_notes(u32 is_snapshot) {
  Row *answer = clean->reply ? in_path(clean, clean->count) : 0;
  const u32 bits = notes | (answer && answer->flags & REASONED ? LEFT_OUT : 0);
  if (any_noted && is_snapshot && !(pass_notes(best, clean) && note_repeated(clean))) return 0;
  if (bits == 0 || !answer) return 1;
  any_noted = 1;
  if (awaited_count == MAX_AWAITED) return 0;
  awaited[awaited_count].row = clean->reply - 1, awaited[awaited_count].at = clean->count, awaited[awaited_count].notes = bits;
  awaited_count++;
  return 1;
}

static void keep_awaited(void) {
  for (u32 i = 0; i < awaited_count; i++) rows[awaited[i].row].flags |= KEPT;
}

static void forget_notes(void) {
  for (u32 i = 0; any_noted && i < row_count; i++) rows[i].noted = 0;
  any_noted = awaited_count = 0;
}

// Reports the findings about the snapshot's earlier answers. 0: the stages have to read the session.
static u32 report_notes(void) {
  if (!any_noted) return 1;
  if (!note_repeated(best)) return 0;
  for (u32 i = 0; i < best->count; i++) {
    const Row *one = in_path(best, i);
    const u32 bits = noted_at(one, i) & ~(one->flags & REASONED ? LEFT_OUT : 0);
    if (bits == 0) continue;
    if (state.founds == MAX_FOUND) return 0;
    founds[state.founds++] = (Found){FOUND_NOTES, 0, 0, i, bits, 0, 0};
  }
  return 1;
}
