// Compares and searches bytes and the text of JSON strings: words in any case, the first visible character, and a digest of arguments
// that does not depend on the order of their keys.
#pragma once
#include "scan.h"

static inline int same(u32 a, u32 b, u32 length) {
  u32 i = 0;
  for (; i + 64 <= length; i += 64) {
    v128_t d0 = wasm_v128_xor(wasm_v128_load((void *)(a + i)), wasm_v128_load((void *)(b + i)));
    v128_t d1 = wasm_v128_xor(wasm_v128_load((void *)(a + i + 16)), wasm_v128_load((void *)(b + i + 16)));
    v128_t d2 = wasm_v128_xor(wasm_v128_load((void *)(a + i + 32)), wasm_v128_load((void *)(b + i + 32)));
    v128_t d3 = wasm_v128_xor(wasm_v128_load((void *)(a + i + 48)), wasm_v128_load((void *)(b + i + 48)));
    if (wasm_v128_any_true(wasm_v128_or(wasm_v128_or(d0, d1), wasm_v128_or(d2, d3)))) return 0;
  }
  for (; i < length; i++) if (byte_at(a + i) != byte_at(b + i)) return 0;
  return 1;
}

// How many bytes at p and q are the same, and ASCII without a backslash?
static inline u32 same_plain(u32 p, u32 q, u32 length) {
  for (u32 i = 0; i < length; i += 16) {
    const v128_t bytes = wasm_v128_load((void *)(p + i)), plain = wasm_i8x16_eq(bytes, wasm_v128_load((void *)(q + i)));
    const v128_t odd = wasm_v128_or(wasm_i8x16_eq(bytes, wasm_i8x16_splat('\\')), wasm_i8x16_lt(bytes, wasm_i8x16_splat(0)));
    u32 found = wasm_i8x16_bitmask(wasm_v128_andnot(plain, odd)) ^ 0xffff;
    if (found == 0) continue;
    i += __builtin_ctz(found);
    return i < length ? i : length;
  }
  return length;
}

static inline u32 find_byte(u32 p, u32 end, u8 byte) {  // returns `end` if there is none
  const v128_t wanted = wasm_i8x16_splat(byte);
  for (; p < end; p += 16) {
    u32 found = wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load((void *)p), wanted));
    if (found == 0) continue;
    p += __builtin_ctz(found);
    return p < end ? p : end;
  }
  return end;
}

static inline int has_escape(Span text) { return find_byte(text.at, text.end, '\\') < text.end; }

// Does the text contain one of the words, in any case? All words of a list begin with the same character.
static const char *const PURPOSE[] = {"-purpose", 0}, *const CALL_TAG[] = {"_call", 0};
static const char *const THOUGHT_END[] = {"</think>", 0};
// The first visible words of each mark that is a whole content, or its last bracket and what follows (cut-texts.ts).
static const char *const CUT_TEXTS[][2] = {
  {"redacted-by-litellm", 0}, {"[redacted", 0}, {"<redacted", 0}, {"{redacted", 0}, {"*redacted", 0}, {"_redacted", 0},
  {"[scrubbed due to", 0}, {"[this value has been dropped", 0}, {"<truncated due", 0}, {"[system: empty message content", 0},
};
static const char *const ERRORS[] = {"\\\"error\\\"", "\\\"timeout\\\"", "\\\"missing\\\"", "\\\"incomplete\\\"", 0};
static inline int begins(u32 p, const char *word) {
  while (*word && (byte_at(p) | 0x20) == (*word | 0x20)) p++, word++;
  return *word == 0;
}
static int holds(Span text, const char *const *words) {
  for (u32 p = find_byte(text.at, text.end, **words); p < text.end; p = find_byte(p + 1, text.end, **words))
    for (const char *const *word = words; *word; word++) if (begins(p + 1, *word + 1)) return 1;
  return 0;
}

// Does the text have an escape of an ASCII character, which could be part of a word?
static int may_spell(Span text) {
  for (u32 p = find_byte(text.at, text.end, '\\'); p < text.end; p = find_byte(p + 1, text.end, '\\'))
    if (byte_at(p + 1) == 'u' && byte_at(p + 2) == '0' && byte_at(p + 3) == '0' && byte_at(p + 4) < '8') return 1;
  return 0;
}

enum { MAY_BE_CUT = 1, SPELLED = 2 };

// Whether a text may be cut, having `_truncated` in any case or an escape of a letter or of `_`, and whether it has an escape of an ASCII
// character at all. One pass: every new message is searched.
static u32 marks_in(Span text) {
  const v128_t line = wasm_i8x16_splat('_'), t = wasm_i8x16_splat('t'), backslash = wasm_i8x16_splat('\\'), u = wasm_i8x16_splat('u');
  const v128_t lower = wasm_i8x16_splat(0x20);
  u32 marks = 0;
  for (u32 p = text.at; p < text.end; p += 16) {
    const v128_t bytes = wasm_v128_load((void *)p), next = wasm_v128_or(wasm_v128_load((void *)(p + 1)), lower);
    const v128_t mark = wasm_v128_and(wasm_i8x16_eq(bytes, line), wasm_i8x16_eq(next, t));
    u32 found = wasm_i8x16_bitmask(wasm_v128_or(mark, wasm_v128_and(wasm_i8x16_eq(bytes, backslash), wasm_i8x16_eq(next, u))));
    for (; found; found &= found - 1) {
      const u32 at = p + __builtin_ctz(found);
      if (at >= text.end) break;
      if (byte_at(at) == '_') marks |= begins(at + 1, "truncated") ? MAY_BE_CUT : 0;
      else if (begins(at + 1, "u00") && byte_at(at + 4) < '8') marks |= byte_at(at + 4) >= '4' ? MAY_BE_CUT | SPELLED : SPELLED;
    }
  }
  return marks;
}

static u64 mix(u64 digest, u64 more) { return (digest ^ digest >> 29 ^ more) * 0x9e3779b97f4a7c15; }

// A digest of bytes, which are assumed to be equal if their digests are. 128 at a time, in 8 independent lanes.
#define LANES 8
static u64 digest_of_bytes(u32 p, u32 length) {
  const v128_t factor = wasm_i32x4_splat(0x9e3779b1);
  v128_t lanes[LANES];
  u64 digest = length, parts[2 * LANES], last;
  u32 i = 0;
  for (u32 lane = 0; lane < LANES; lane++) lanes[lane] = wasm_i32x4_splat(lane + 1);
  for (; i + 16 * LANES <= length; i += 16 * LANES)
    for (u32 lane = 0; lane < LANES; lane++) {
      const v128_t shaken = wasm_i32x4_add(lanes[lane], wasm_u32x4_shr(lanes[lane], 15));
      lanes[lane] = wasm_i32x4_mul(wasm_v128_xor(shaken, wasm_v128_load((void *)(p + i + 16 * lane))), factor);
    }
  if (i > 0) __builtin_memcpy(parts, lanes, sizeof(parts));
  for (u32 part = 0; i > 0 && part < 2 * LANES; part++) digest = mix(digest, parts[part]);
  for (; i + 8 <= length; i += 8) {
    __builtin_memcpy(&last, (void *)(p + i), 8);
    digest = mix(digest, last);
  }
  for (; i < length; i++) digest = mix(digest, byte_at(p + i));
  return digest;
}

static u32 text_at;  // address of the next byte of the JSON string being read

static u32 next_byte(void) { return byte_at(text_at++); }

// Reads an escape after its backslash; returns its code unit.
static inline u32 unescape(u32 (*next)(void)) {
  static const char LETTERS[] = "b\bf\fn\nr\rt\t";
  u32 c = next(), code = 0;
  for (u32 i = 0; i < sizeof(LETTERS) - 1; i += 2) if (c == LETTERS[i]) return LETTERS[i + 1];
  if (c != 'u') return c;
  for (u32 i = 0; i < 4; i++, code = code << 4 | ((c & 15) + (c > '9' ? 9 : 0))) c = next();
  return code;
}

// Returns the next character of the string; for an escape, its code unit.
static u32 next_unit(void) {
  u32 c = next_byte();
  if (c == '\\') return unescape(next_byte);
  if (c < 0x80) return c;
  u32 more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
  for (c &= 0x3f >> more; more > 0; more--) c = c << 6 | (next_byte() & 0x3f);
  return c;
}

static inline int is_space(u32 c) {  // the same set as in ../../model/white-space.ts
  if (c <= 0x20) return c == 0x20 || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f);
  if (c < 0x85) return 0;
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

static u32 first_visible(Span text) {
  for (text_at = text.at + 1; text_at < text.end - 1;) {
    u32 c = next_unit();
    if (!is_space(c)) return c == 0 ? 1 : c;
  }
  return 0;
}

// Hashes the arguments of a call; equal arguments have equal digests. Adds up the hashes of all strings, so that the order of keys does
// not matter, and ignores all other values. Returns 1 if it cannot tell: the arguments are not a string, they have too many keys, or a
// key occurs twice (the last one would count).
#define MAX_KEYS 256
static u32 digest_of(Span text) {
  static u32 key_hashes[MAX_KEYS];
  if (byte_at(text.at) != '"') return 1;
  u32 digest = 5, keys = 0, last = 0;
  for (text_at = text.at + 1; text_at < text.end - 1;) {
    u32 c = next_unit();
    if (c == '"') {
      last = 7;
      while (text_at < text.end - 1 && (c = next_unit()) != '"') {
        if (c == '\\') c = unescape(next_unit);
        if (c >= 0x10000) last = last * 31 + 0xd7c0 + (c >> 10), c = 0xdc00 + (c & 0x3ff);
        last = last * 31 + c;
      }
      digest += last | 1;
    } else if (c == ':') {
      for (u32 i = 0; i < keys; i++) if (key_hashes[i] == last) return 1;
      if (keys == MAX_KEYS) return 1;
      key_hashes[keys++] = last;
    }
  }
  return text_at >= text.end ? 1 : digest < 2 ? 2 : digest;
}
