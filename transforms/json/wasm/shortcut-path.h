// Is an entry the beginning of the conversation that is written? Its path, the messages and the reply, is compared with that of the
// longest entry so far. As in path-hashes.ts, reasoning and the ids of calls do not count.
#pragma once
#include "shortcut-end.h"

enum { DIFFERENT, EQUAL, UNSURE };

static u32 ids_differ;  // in calls that are equal otherwise

static u32 path_length(const List *list) { return list->count + (list->reply > 0); }

static Row *in_path(const List *list, u32 i) { return &rows[i < list->count ? list->rows[i] : list->reply - 1]; }

static Span in_row(const Row *one, Span span) { return span.at ? (Span){one->at + span.at, one->at + span.end} : span; }

static u32 kin_of(const Row *one) { return one->role == DEVELOPER ? SYSTEM : one->role == FUNCTION ? TOOL : one->role; }

// Compares two JSON strings as texts.
static u32 compare_texts(Span a, Span b) {
  if (a.end - a.at == b.end - b.at && same(a.at, b.at, a.end - a.at)) return EQUAL;
  u32 p = a.at + 1, q = b.at + 1;
  while (p < a.end - 1 && q < b.end - 1) {
    u32 plain = same_plain(p, q, a.end - p < b.end - q ? a.end - p - 1 : b.end - q - 1);
    if (plain > 0) {
      p += plain, q += plain;
      continue;
    }
    text_at = p;
    u32 c = next_unit();
    p = text_at, text_at = q;
    u32 d = next_unit();
    q = text_at;
    if (c != d) return c >= 0xd800 && d >= 0xd800 ? UNSURE : DIFFERENT;  // one may be spelled as two surrogates
  }
  return p >= a.end - 1 && q >= b.end - 1 ? EQUAL : DIFFERENT;
}

// A content that is null or absent is an empty text.
static u32 compare_contents(Span a, Span b) {
  static const char NO_TEXT[] = "\"\"";
  const Span nothing = {(u32)NO_TEXT, (u32)NO_TEXT + 2};
  if (first_byte(a) == 'n') a = nothing;
  if (first_byte(b) == 'n') b = nothing;
  if (first_byte(a) == '"' && first_byte(b) == '"') return compare_texts(a, b);
  return a.end - a.at == b.end - b.at && same(a.at, b.at, a.end - a.at) ? EQUAL : UNSURE;
}

static u32 compare_calls(const Row *one, const Row *other) {
  if (one->calls != other->calls) return DIFFERENT;
  for (u32 i = 0; i < one->calls; i++) {
    Call *a = &calls[one->call + i], *b = &calls[other->call + i];
    ids_differ |= !is_same_text(one, a->spans[ID_OF_CALL], other, b->spans[ID_OF_CALL]);
    u32 names = compare_texts(in_row(one, a->spans[NAME]), in_row(other, b->spans[NAME]));
    if (names != EQUAL) return names;
    if (is_same_text(one, a->spans[ARGUMENTS], other, b->spans[ARGUMENTS])) continue;
    u32 digest = digest_of_call(one, a), other_digest = digest_of_call(other, b);
    return digest == other_digest || digest == 1 || other_digest == 1 ? UNSURE : DIFFERENT;
  }
  return EQUAL;
}

static u32 compare_messages(const Row *one, const Row *other) {
  if (one == other) return EQUAL;
  if (kin_of(one) != kin_of(other)) return DIFFERENT;
  if ((one->flags | other->flags) & DOUBTFUL) return UNSURE;
  u32 found = compare_contents(in_row(one, one->spans[CONTENT]), in_row(other, other->spans[CONTENT]));
  if (found == EQUAL) found = compare_calls(one, other);
  return found == EQUAL && !is_same_text(one, one->spans[CALL_ID], other, other->spans[CALL_ID]) ? UNSURE : found;
}

// May the answer be the last message of the request too? The stages then leave it out, or report it.
static u32 may_repeat(const List *list) {
  return list->count && list->reply && compare_messages(&rows[list->rows[list->count - 1]], in_path(list, list->count)) != DIFFERENT;
}

// How many messages do both paths begin with? `unsure` is set if that cannot be told.
static u32 shared_length(const List *one, const List *other, u32 *unsure) {
  u32 shared = 0, length = path_length(one) < path_length(other) ? path_length(one) : path_length(other);
  ids_differ = *unsure = 0;
  for (; shared < length; shared++) {
    if (ids_differ) break;  // results after it may answer other calls
    u32 found = compare_messages(in_path(one, shared), in_path(other, shared));
    if (found == DIFFERENT) return shared;
    if (found == UNSURE) break;
  }
  *unsure = shared < length;
  return shared;
}

// A digest that does not depend on how the JSON string is written.
static u32 digest_of_text(Span text) {
  u32 digest = 0;
  for (text_at = text.at + 1; text_at < text.end - 1;) {
    u32 c = byte_at(text_at);
    if (c < 0x80 && c != '\\') text_at++;
    else if ((c = next_unit()) >= 0x10000) digest = digest * 31 + 0xd7c0 + (c >> 10), c = 0xdc00 + (c & 0x3ff);
    digest = digest * 31 + c;
  }
  return digest;
}

// Messages with different marks differ; 0: it cannot be told.
static u32 mark_of(const Row *one) {
  Span content = in_row(one, one->spans[CONTENT]);
  if (one->flags & DOUBTFUL || (first_byte(content) != '"' && first_byte(content) != 'n')) return 0;
  u32 mark = kin_of(one) + (first_byte(content) == '"' ? digest_of_text(content) : 0);
  for (u32 i = 0; i < one->calls; i++) {
    u32 digest = digest_of_call(one, &calls[one->call + i]);
    if (digest == 1) return 0;
    mark = mark * 31 + digest;
  }
  return mark == 0 ? 1 : mark;
}

static u64 digests[MAX_ROWS + 2];  // of the beginnings of a path, by their length

static void digest_path(const List *list) {
  u32 length = path_length(list);
  for (u32 i = 0; i < length; i++) {
    Row *one = in_path(list, i);
    if (one->digest == 0) one->digest = digest_of_bytes(one->at, one->length);
    digests[i + 1] = mix(digests[i], one->digest);
  }
}

static void part(Entry *entry, u32 at, u32 other, u32 mark) {
  entry->parted = at + 1, entry->other = other, entry->mark = mark, entry->digest = digests[entry->path];
}

// Notes that the entries whose path goes beyond `at` are not the beginning of the new snapshot.
static void part_from(u32 at) {
  u32 mark = mark_of(in_path(best, at));
  digest_path(best);
  for (Entry *one = entries; one < entries + state.entries; one++)
    if (one->parted == 0 && one->path > at) part(one, at, state.entries, mark);
}

// Compares the entry that was read with the snapshot so far. 0: it cannot be told.
static u32 compare_paths(u32 is_snapshot) {
  Entry *entry = &entries[state.entries];
  u32 unsure, shared = shared_length(best, clean, &unsure);
  entry->path = path_length(clean), entry->has_reply = clean->reply > 0;
  if (unsure) return 0;
  if (is_snapshot && shared < path_length(best)) part_from(shared);
  if (!is_snapshot && shared < entry->path) {
    digest_path(clean);
    part(entry, shared, state.snapshot, mark_of(in_path(clean, shared)));
  }
  return 1;
}

// Is the parted entry the beginning of the snapshot all the same? `digests` has the snapshot's path, `mark` its message where they parted.
static u32 compare_parted(const Entry *one, u32 mark) {
  const u32 length = path_length(best);
  if (one->path <= length && digests[one->path] == one->digest) return EQUAL;
  if (one->parted > length) return DIFFERENT;
  return mark == 0 || one->mark == 0 || mark == one->mark ? UNSURE : DIFFERENT;
}

// Reports the entries that are not the beginning of the snapshot. 0: it cannot be told, or they are too many.
static u32 report_parted(void) {
  u32 parted = 0, mark = 0;  // of the entry before
  for (u32 i = 0; i < state.entries; i++) {
    const Entry *one = &entries[i];
    if (one->parted == 0) continue;
    if (parted == 0) digest_path(best);
    if (parted != one->parted && one->parted <= path_length(best)) mark = mark_of(in_path(best, one->parted - 1));
    parted = one->parted;
    u32 found = compare_parted(one, mark);
    if (found == UNSURE || state.founds == MAX_FOUND) return 0;
    if (found == DIFFERENT) founds[state.founds++] = (Found){FOUND_NOT_PREFIX, i, one->other, parted - 1, one->has_reply && parted == one->path, 0, 0};
  }
  return 1;
}
