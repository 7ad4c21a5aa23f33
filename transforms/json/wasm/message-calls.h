// Writes the head of a key: the role and the calls of a message as equalityKey() of ../../model/equality-key.ts does, in UTF-16. Functions
// set `odd` for what is left to it: numbers that are not short integers, keys that are not plain ASCII, and what is deep or crowded.
#pragma once
#include "scan.h"

#define MAX_HEAD 32768     // code units
#define MAX_LEVELS 32
#define MAX_MEMBERS 1024   // of all open objects
#define MAX_DIGITS 15      // of a number that JavaScript writes as it is
#define SLACK 64           // vectors may reach beyond the end
#define MAX_BYTES (1024 * 1024)  // of a message

typedef struct { Span key; u32 value; } Member;
static u16 head[MAX_HEAD + SLACK];
static u32 head_length, odd;
static u8 flat[MAX_BYTES + SLACK];  // the text of the last arguments
static Member members[MAX_MEMBERS];
static u32 member_count;

// Returns a bit for each of the 16 bytes at p that is this one.
static inline u32 bytes_like(u32 p, u8 byte) { return wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load((const void *)p), wasm_i8x16_splat(byte))); }

// Is the byte at p escaped, in a string that begins at `start`?
static inline int is_escaped(u32 p, u32 start) {
  u32 first = p;
  while (first > start && byte_at(first - 1) == '\\') first--;
  return (p - first) & 1;
}

// Returns the address after the string whose first character is at p.
static u32 string_end(u32 p, u32 end) {
  for (u32 start = p; p < end; p += 16)
    for (u32 quotes = bytes_like(p, '"'); quotes; quotes &= quotes - 1) {
      const u32 at = p + __builtin_ctz(quotes);
      if (!is_escaped(at, start)) return at + 1;
    }
  return end;
}

static u32 value_end(u32 p, u32 end) {
  if (byte_at(p) == '"') return string_end(p + 1, end);
  for (u32 open = 0; p < end; p++) {
    const u8 c = byte_at(p);
    if (c == '"') p = string_end(p + 1, end) - 1;
    else if (c == '{' || c == '[') open++;
    else if (open == 0 && (c == ',' || c == '}' || c == ']' || is_blank(c))) return p;
    else if ((c == '}' || c == ']') && --open == 0) return p + 1;
  }
  return end;
}

static int is_plain(Span text) {
  for (u32 p = text.at; p < text.end; p++) if (byte_at(p) == '\\' || byte_at(p) >= 0x80) return 0;
  return 1;
}

// Returns the code unit of the escape at p.
static u32 unit_at(u32 p) {
  u32 unit = 0;
  for (u32 i = 2; i < 6; i++) unit = unit << 4 | ((byte_at(p + i) & 15) + (byte_at(p + i) > '9' ? 9 : 0));
  return unit;
}

// Reads the escape at *p, and moves *p after it. A half of a surrogate pair is returned as it is.
static u32 read_escape(u32 *p) {
  static const char LETTERS[] = "b\bf\fn\nr\rt\t";
  const u8 letter = byte_at(*p + 1);
  if (letter != 'u') {
    *p += 2;
    for (u32 i = 0; i < sizeof(LETTERS) - 1; i += 2) if (letter == (u8)LETTERS[i]) return LETTERS[i + 1];
    return letter;
  }
  const u32 c = unit_at(*p);
  *p += 6;
  if (c < 0xd800 || c >= 0xdc00 || byte_at(*p) != '\\' || byte_at(*p + 1) != 'u') return c;
  const u32 low = unit_at(*p);
  if (low < 0xdc00 || low >= 0xe000) return c;
  *p += 6;
  return 0x10000 + ((c - 0xd800) << 10) + low - 0xdc00;
}

// Writes a character in UTF-8; returns the address after it.
static u32 put_utf8(u32 to, u32 c) {
  u8 *out = (u8 *)to;
  if (c < 0x80) return *out = c, to + 1;
  if (c < 0x800) return out[0] = 0xc0 | c >> 6, out[1] = 0x80 | (c & 0x3f), to + 2;
  if (c < 0x10000) return out[0] = 0xe0 | c >> 12, out[1] = 0x80 | (c >> 6 & 0x3f), out[2] = 0x80 | (c & 0x3f), to + 3;
  out[0] = 0xf0 | c >> 18, out[1] = 0x80 | (c >> 12 & 0x3f), out[2] = 0x80 | (c >> 6 & 0x3f), out[3] = 0x80 | (c & 0x3f);
  return to + 4;
}

// Decodes the JSON string without its quotes to `flat`. A surrogate without its pair is odd: UTF-8 has none.
static Span flatten(Span text) {
  u32 to = (u32)flat;
  for (u32 p = text.at; p < text.end;) {
    wasm_v128_store((void *)to, wasm_v128_load((const void *)p));
    const u32 marks = bytes_like(p, '\\'), left = text.end - p, clean = marks ? __builtin_ctz(marks) : 16, step = clean < left ? clean : left;
    p += step, to += step;
    if (step == 16 || step == left) continue;
    const u32 c = read_escape(&p);
    if (c >= 0xd800 && c < 0xe000) odd = 1;
    to = put_utf8(to, c);
  }
  return (Span){(u32)flat, to};
}

static void put_unit(u32 unit) { head[head_length < MAX_HEAD ? head_length++ : (odd = 1, MAX_HEAD)] = unit; }

static void put_word(const char *word) { while (*word) put_unit((u8)*word++); }

static void put_count(u8 kind, u32 count) {
  char digits[12], *digit = digits + sizeof(digits);
  *--digit = 0, *--digit = ':';
  do *--digit = '0' + count % 10; while (count /= 10);
  put_unit(kind), put_word(digit);
}

// Writes a text after its length. `escaped`: it is a JSON string, without its quotes.
static void put_string(Span text, int escaped) {
  const u32 start = head_length, room = 12;
  if (start + room + (text.end - text.at) + SLACK > MAX_HEAD) odd = 1;
  if (odd) return;
  u16 *to = head + start + room, *const first = to;
  for (u32 p = text.at; p < text.end;) {
    const v128_t bytes = wasm_v128_load((const void *)p);
    wasm_v128_store(to, wasm_u16x8_extend_low_u8x16(bytes)), wasm_v128_store(to + 8, wasm_u16x8_extend_high_u8x16(bytes));
    const u32 special = special_bytes(p), left = text.end - p, clean = special ? __builtin_ctz(special) : 16, step = clean < left ? clean : left;
    p += step, to += step;
    if (step == 16 || step == left) continue;
    u32 c = byte_at(p);
    if (c == '\\' && escaped) c = read_escape(&p);
    else if (c < 0x80) p++;
    else {
      const u32 more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
      c &= 0x3f >> more;
      for (u32 i = 1; i <= more; i++) c = c << 6 | (byte_at(p + i) & 0x3f);
      p += 1 + more;
    }
    if (c >= 0x10000) *to++ = 0xd7c0 + (c >> 10), c = 0xdc00 + (c & 0x3ff);
    *to++ = c;
  }
  const u32 units = to - first;
  put_count('"', units);
  __builtin_memmove(head + head_length, first, units * 2);
  head_length += units;
}

static void put_scalar(Span text) {
  const u32 first = text.at + (byte_at(text.at) == '-'), digits = text.end - first;
  if (is_digit(byte_at(first))) {
    if (digits > MAX_DIGITS || (byte_at(first) == '0' && first > text.at)) odd = 1;
    for (u32 p = first; p < text.end; p++) if (!is_digit(byte_at(p))) odd = 1;
  }
  for (u32 p = text.at; p < text.end && !odd; p++) put_unit(byte_at(p));
  put_unit(';');
}

// Orders the members from `from` by their keys; equal keys are odd.
static void sort_members(u32 from) {
  for (u32 i = from + 1; i < member_count; i++) {
    const Member one = members[i];
    u32 at = i;
    for (; at > from; at--) {
      const Span a = members[at - 1].key, b = one.key;
      u32 p = a.at, q = b.at;
      while (p < a.end && q < b.end && byte_at(p) == byte_at(q)) p++, q++;
      if (p == a.end && q == b.end) odd = 1;
      if (p == a.end || (q < b.end && byte_at(p) < byte_at(q))) break;
      members[at] = members[at - 1];
    }
    members[at] = one;
  }
}

static void put_value(u32 p, u32 end, u32 level);

static void put_object(u32 p, u32 end, u32 level) {
  const u32 from = member_count;
  for (p = skip_blanks(p + 1, end); peek(p, end) == '"' && !odd;) {
    const Span key = {p + 1, string_end(p + 1, end) - 1};
    const u32 value = skip_blanks(skip_blanks(key.end + 1, end) + 1, end);
    if (!is_plain(key) || member_count == MAX_MEMBERS) odd = 1;
    else members[member_count++] = (Member){key, value};
    p = skip_blanks(skip_blanks(value_end(value, end), end) + 1, end);
  }
  sort_members(from);
  const u32 to = member_count;
  put_count('{', to - from);
  for (u32 i = from; i < to && !odd; i++) put_string(members[i].key, 0), put_value(members[i].value, end, level + 1);
  member_count = from;
}

static void put_array(u32 p, u32 end, u32 level) {
  u32 count = 0, first = skip_blanks(p + 1, end);
  for (p = first; peek(p, end) != ']' && p < end; count++) {
    p = skip_blanks(value_end(p, end), end);
    if (peek(p, end) == ',') p = skip_blanks(p + 1, end);
  }
  put_count('[', count);
  for (p = first; count > 0 && !odd; count--) {
    put_value(p, end, level + 1);
    p = skip_blanks(skip_blanks(value_end(p, end), end) + 1, end);
  }
}

static void put_value(u32 p, u32 end, u32 level) {
  const u8 c = peek(p, end);
  if (level == MAX_LEVELS) odd = 1;
  else if (c == '{') put_object(p, end, level);
  else if (c == '[') put_array(p, end, level);
  else if (c == '"') put_string((Span){p + 1, string_end(p + 1, end) - 1}, 1);
  else put_scalar((Span){p, value_end(p, end)});
}

// Writes the arguments of a call, a JSON string without its quotes: the value that it holds, or itself if it holds none.
static void put_arguments(Span text) {
  const Span all = flatten(text);
  const u32 value = skip_blanks(all.at, all.end), after = value < all.end ? scan_value(value, all.end, MAX_LEVELS, 0) : 0;
  if (after == 0 && failed_depth) odd = 1;
  if (odd) return;
  if (after != 0 && skip_blanks(after, all.end) == all.end) put_value(value, all.end, 0);
  else put_string(all, 0);
}
