// Questions about bytes and about the text of JSON strings: comparing, searching, white space, what a text begins with, and a digest
// of arguments that does not depend on the order of their keys.
#pragma once
#include "scan.h"

// ---- bytes

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

// Copies, and tells whether there was a carriage return: only white space can be one.
static int copy_checked(u32 to, u32 from, u32 length) {
  const v128_t carriage = wasm_i8x16_splat('\r');
  v128_t found = wasm_i8x16_splat(0);
  u32 i = 0;
  for (; i + 16 <= length; i += 16) {
    v128_t bytes = wasm_v128_load((void *)(from + i));
    wasm_v128_store((void *)(to + i), bytes);
    found = wasm_v128_or(found, wasm_i8x16_eq(bytes, carriage));
  }
  int odd = wasm_v128_any_true(found);
  for (; i < length; i++) {
    u8 c = byte_at(from + i);
    *(u8 *)(to + i) = c;
    odd |= c == '\r';
  }
  return odd;
}

static inline u32 find_byte(u32 p, u32 end, u8 byte) {  // end: there is none
  const v128_t wanted = wasm_i8x16_splat(byte);
  for (; p < end; p += 16) {
    u32 found = wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load((void *)p), wanted));
    if (found == 0) continue;
    p += __builtin_ctz(found);
    return p < end ? p : end;
  }
  return end;
}

static inline int is_word(u32 p, u32 end, const char *word, u32 length) {
  if (end < p || end - p != length) return 0;
  for (u32 i = 0; i < length; i++) if (byte_at(p + i) != (u8)word[i]) return 0;
  return 1;
}
#define IS(start, end, word) is_word(start, end, word, sizeof(word) - 1)

// Does the text hold the word, which begins with a sign, in any case?
static int holds(u32 p, u32 end, const char *word, u32 length) {
  for (p = find_byte(p, end, word[0]); p + length <= end; p = find_byte(p + 1, end, word[0])) {
    u32 i = 1;
    while (i < length && (byte_at(p + i) | 0x20) == ((u8)word[i] | 0x20)) i++;
    if (i == length) return 1;
  }
  return 0;
}

// ---- texts

static int may_spell(u32 p, u32 end, u8 low, u8 high) {  // an escape \u00Xx with X from low to high
  for (p = find_byte(p, end, '\\'); p + 6 <= end; p = find_byte(p + 1, end, '\\'))
    if (byte_at(p + 1) == 'u' && byte_at(p + 2) == '0' && byte_at(p + 3) == '0' && byte_at(p + 4) >= low && byte_at(p + 4) <= high) return 1;
  return 0;
}

static u32 text_at;  // where code_unit() goes on
static inline u32 hex4(u32 p) {
  u32 code = 0;
  for (u32 i = 0; i < 4; i++) {
    u8 c = byte_at(p + i);
    code = code << 4 | (is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return code;
}

// The next character of a valid JSON string; of an escape its code unit.
static inline u32 code_unit(void) {
  u32 c = byte_at(text_at++);
  if (c == '\\') {
    c = byte_at(text_at++);
    switch (c) {
      case 'b': return 8;
      case 'f': return 12;
      case 'n': return 10;
      case 'r': return 13;
      case 't': return 9;
      case 'u': text_at += 4; return hex4(text_at - 4);
      default: return c;
    }
  }
  if (c < 0x80) return c;
  u32 length = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
  for (c &= 0x3f >> length; length > 0; length--) c = c << 6 | (byte_at(text_at++) & 0x3f);
  return c;
}

static inline int is_space(u32 c) {  // as white-space.ts has it
  if (c <= 0x20) return c == 0x20 || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f);
  if (c < 0x85) return 0;
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

// Is a text that begins with `<` nothing but complete blocks of <info-msg>? 2: it has escapes that may spell a tag.
static u32 is_info(u32 quote, u32 end) {
  text_at = quote + 1, end--;
  if (may_spell(text_at, end, '2', '7') || holds(text_at, end, "\\/", 2)) return 2;
  for (;;) {
    u32 p = text_at;
    while (text_at < end && is_space(code_unit())) p = text_at;
    if (p == end) return 1;
    if (!IS(p, p + 10 < end ? p + 10 : end, "<info-msg>")) return 0;
    for (p = find_byte(p + 10, end, '<'); !IS(p, p + 11 < end ? p + 11 : end, "</info-msg>"); p = find_byte(p + 1, end, '<'))
      if (p == end) return 0;
    text_at = p + 11;
  }
}

static u32 first_visible(u32 quote, u32 end) {
  for (text_at = quote + 1; text_at < end - 1;) {
    u32 c = code_unit();
    if (!is_space(c)) return c == 0 ? 1 : c;
  }
  return 0;
}

// Equal arguments have equal digests. Strings and numbers are counted in any order, so that the order of keys does not matter; 1 where
// it cannot be told: arguments that are not a string, or a key that comes twice (the last one would count).
#define MAX_KEYS 256
static u32 key_hashes[MAX_KEYS];
static u32 digest_of(u32 p, u32 end) {
  if (byte_at(p) != '"') return 1;
  u32 digest = 5, in_number = 0, keys = 0, last = 0;
  end--;
  for (text_at = p + 1; text_at < end;) {
    u32 c = code_unit();
    if (c == '"') {
      last = 7;
      for (;;) {
        if (text_at >= end) return 1;
        c = code_unit();
        if (c == '"') break;
        if (c == '\\') {
          if (text_at >= end) return 1;
          c = code_unit();
          switch (c) {
            case 'b': c = 8; break;
            case 'f': c = 12; break;
            case 'n': c = 10; break;
            case 'r': c = 13; break;
            case 't': c = 9; break;
            case 'u': {
              u32 code = 0;
              for (u32 i = 0; i < 4; i++) {
                if (text_at >= end) return 1;
                u32 h = code_unit();
                if (h > 0x7f || !is_hex(h)) return 1;
                code = code << 4 | (is_digit(h) ? h - '0' : (h | 0x20) - 'a' + 10);
              }
              c = code;
            }
          }
        }
        if (c >= 0x10000) last = last * 31 + 0xd7c0 + (c >> 10), c = 0xdc00 + (c & 0x3ff);
        last = last * 31 + c;
      }
      digest += last | 1;
      in_number = 0;
    } else if (c == ':') {
      for (u32 i = 0; i < keys; i++) if (key_hashes[i] == last) return 1;
      if (keys == MAX_KEYS) return 1;
      key_hashes[keys++] = last;
    } else if (is_digit(c) || c == '-' || c == '+' || c == '.' || (in_number && (c | 0x20) == 'e')) {
      if (!in_number) digest++;
      in_number = 1;
    } else in_number = 0;
  }
  return digest < 2 ? 2 : digest;
}
