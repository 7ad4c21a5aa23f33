// With --select leaves: the conversations of a session that no entry has continued so far, as ../../stages/snapshot-select.ts keeps them.
// Entries of a conversation that differ in more than their messages are odd: their tools, models and findings would have to be combined.
#pragma once
#include "shortcut-notes.h"

// An estimate of memory in bytes, besides their texts, as in ../../dialects/shared/gathered-session.ts.
enum { ENTRY_BYTES = 256, MESSAGE_BYTES = 160 };

static u32 order[MAX_LEAVES];  // in which they are written

// The name that the answer gives, or else the line, or the request.
static Span model_of_entry(void) {
  static const Span NONE;
  const Span *one = &spans[ANSWERING_MODEL];
  if (first_byte(*one) == 'n') one = &spans[MODEL];
  if (first_byte(*one) == 'n') one = &spans[REQUESTED_MODEL];
  return first_byte(*one) != 'n' && one->end - one->at <= MAX_MODEL ? *one : NONE;
}

static void copy_list(List *to, const List *from) { __builtin_memcpy(to, from, sizeof(List) - sizeof(from->rows) + from->count * sizeof(u32)); }

static u32 weight_of(const List *list) {
  u32 bytes = definition_bytes;
  for (u32 i = 0; i < path_length(list); i++) bytes += in_path(list, i)->length + MESSAGE_BYTES;
  return bytes;
}

// Adds the entry that was read to a conversation. replaces: its messages become those of the conversation. 0: it is odd.
static u32 join_leaf(Leaf *leaf, u32 replaces) {
  const Span model = model_of_entry();
  const u32 length = model.end - model.at;
  if (leaf->entries == 0) {
    leaf->tools = tools, leaf->started_at = entry_time, leaf->model_length = length, leaf->weight = 0;
    put_bytes((u32)leaf->model, model.at, model.end);
  } else if (leaf->tools != tools || leaf->model_length != length || !same((u32)leaf->model, model.at, length)) return 0;
  leaf->entries++;
  entries[state.entries].leaf = leaf - leaves;
  if (replaces) {
    const u32 weight = weight_of(clean);
    copy_list(&leaf->list, clean), leaf->snapshot = state.entries, leaf->notes = notes;
    if (weight > leaf->weight) leaf->weight = weight;
  }
  return leaf_count == 1 || !any_noted;
}

// Finds the conversation that the entry continues, or is the beginning of, or begins one. 0: it is odd, or it cannot be told.
static u32 take_leaf(void) {
  const u32 length = path_length(clean);
  Leaf *found = 0;
  u32 replaces = 1;
  any_noted |= notes || (raw->reply && rows[raw->reply - 1].flags & THOUGHTS);
  for (Leaf *one = leaves; one < leaves + leaf_count; one++) {
    const u32 whole = path_length(&one->list);
    u32 unsure, shared = shared_length(&one->list, clean, &unsure);
    if (unsure) return 0;
    if (shared < length && shared < whole) continue;
    if (found) return 0;  // it is the beginning of several
    found = one;
    replaces = shared == whole && (whole < length || clean->reply || !one->list.reply);
  }
  if (found) return join_leaf(found, replaces);
  if (leaf_count == MAX_LEAVES) return 0;
  leaves[leaf_count].entries = 0;
  return join_leaf(&leaves[leaf_count++], 1);
}

// Is all that the session has in its snapshot? It is then written as with --select last.
static u32 is_one_leaf(void) { return leaf_count == 1 && path_length(best) == path_length(&leaves[0].list); }

// Were the conversations always small enough? The stages reject a session as soon as they hold too much.
static u32 are_small(void) {
  u32 bytes = state.entries * ENTRY_BYTES;
  for (const Leaf *one = leaves; one < leaves + leaf_count; one++)
    if ((bytes += one->weight) > max_leaves_bytes) return 0;
  return 1;
}

// Is conversation `a` written before `b`? The first entry of `a` was not read later than that of `b`.
static u32 is_before(const Leaf *a, const Leaf *b) {
  return a->started_at < b->started_at || entries[a->snapshot].offset < entries[b->snapshot].offset;
}

static void order_leaves(void) {
  for (u32 i = 0, at; i < leaf_count; order[at] = i, i++)
    for (at = i; at > 0 && !is_before(&leaves[order[at - 1]], &leaves[i]); at--) order[at] = order[at - 1];
}

// Makes a conversation the one that the state describes. 0: the stages have to read the session.
EXPORT(leaf) u32 leaf(u32 i) {
  Leaf *one = &leaves[order[i]];
  best = &one->list;
  state.leaf = order[i], state.leaf_entries = one->entries, state.snapshot = one->snapshot, state.notes = one->notes;
  state.superseded = one->entries - 1, state.truncated = 0, state.started_at = one->started_at;
  state.info = best->info, state.bootstrap = best->bootstrap, state.empty_assistant = best->empty;
  runs[0] = (Run){one->tools, 1}, state.best_runs = state.best_run_entries = 1;
  state.model = (u32)one->model, state.model_end = state.model + one->model_length;
  return describe(best);
}

// 0: the stages have to read the session.
static u32 end_leaves(void) {
  if (any_noted || !are_small()) return 0;
  order_leaves();
  state.leaves = leaf_count;
  for (u32 i = 0; i < leaf_count; i++) if (!leaf(i)) return 0;
  return 1;
}
