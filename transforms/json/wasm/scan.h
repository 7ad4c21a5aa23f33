// Validates JSON as bytes (the grammar of RFC 8259, UTF-8, depth): reads each byte once, with SIMD inside strings. Included by
// scanner.c, which reads one value at a time, and shortcut.c, which reads whole log lines.
//
// Addresses are offsets into the linear memory. Bytes at or after `end` are never used, but a vector load that begins before
// it may reach 15 bytes beyond: the owner of the memory leaves that much room after every line. Functions return the address
// after the part that they read, or 0 if it is not JSON.
#pragma once
#include <stdint.h>
#include <wasm_simd128.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;

#define EXPORT(name) __attribute__((export_name(#name)))
#define MAX_DEPTH 4096

static u8 closers[MAX_DEPTH];
static u32 failed_position;
static u32 failed_depth;

static inline u8 byte_at(u32 p) { return *(const u8 *)p; }
static inline u8 peek(u32 p, u32 end) { return p < end ? byte_at(p) : 0; }

static inline u32 fail(u32 p) {
  failed_position = p;
  return 0;
}

#ifdef NO_CARRIAGE_RETURNS
static inline int is_blank(u8 c) { return c == ' ' || c == '\n' || c == '\t'; }
#else
static inline int is_blank(u8 c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
#endif
static inline int is_digit(u8 c) { return c >= '0' && c <= '9'; }
static inline int is_hex(u8 c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }
static inline int is_continuation(u8 c) { return (c & 0xc0) == 0x80; }

typedef struct { u32 at, end; } Span;

static inline int is_word(Span text, const char *word) {
  u32 p = text.at;
  for (; *word && p < text.end; p++, word++) if (byte_at(p) != (u8)*word) return 0;
  return *word == 0 && p == text.end;
}

static inline u32 skip_blanks(u32 p, u32 end) {
  while (p < end && is_blank(byte_at(p))) p++;
  return p;
}

// The length of the UTF-8 sequence at p, or 0 if it is malformed.
static inline u32 sequence_length(u32 p, u32 end) {
  u8 lead = byte_at(p), second = peek(p + 1, end);
  if (lead < 0xc2 || lead > 0xf4 || !is_continuation(second)) return 0;
  if (lead < 0xe0) return 2;
  if (!is_continuation(peek(p + 2, end))) return 0;
  if (lead < 0xf0) return (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ? 0 : 3;
  if (!is_continuation(peek(p + 3, end))) return 0;
  return (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f) ? 0 : 4;
}

// The length of the escape whose backslash is at p, or 0 if it is malformed.
static inline u32 escape_length(u32 p, u32 end) {
  switch (peek(p + 1, end)) {
    case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': return 2;
    case 'u':
      return is_hex(peek(p + 2, end)) && is_hex(peek(p + 3, end)) && is_hex(peek(p + 4, end)) && is_hex(peek(p + 5, end)) ? 6 : 0;
    default: return 0;
  }
}

// Returns a bit for each of the 16 bytes at p: set for a quote, a backslash, a control character or a byte that is not ASCII.
static inline u32 special_bytes(u32 p) {
  const v128_t quote = wasm_i8x16_splat('"'), backslash = wasm_i8x16_splat('\\'), space = wasm_i8x16_splat(' ');
  v128_t bytes = wasm_v128_load((const void *)p);
  v128_t special = wasm_v128_or(wasm_i8x16_eq(bytes, quote), wasm_i8x16_eq(bytes, backslash));
  return wasm_i8x16_bitmask(wasm_v128_or(special, wasm_i8x16_lt(bytes, space)));  // signed: below ' ' and from 0x80
}

// Scans a string from the byte after its opening quote. A vector is loaded only once, even if it has many escapes.
static inline u32 scan_string(u32 p, u32 end) {
  for (;;) {
    if (p >= end) return fail(end);
    u32 next = 16;  // offset from p of the next byte to look at
    for (u32 special = special_bytes(p); special != 0; special &= ~0u << next) {
      u32 at = __builtin_ctz(special), q = p + at;
      if (q >= end) return fail(end);
      u8 c = byte_at(q);
      if (c == '"') return q + 1;
      u32 length = c == '\\' ? escape_length(q, end) : c >= 0x80 ? sequence_length(q, end) : 0;
      if (length == 0) return fail(q);
      next = at + length;
      if (next >= 16) break;
    }
    p += next < 16 ? 16 : next;
  }
}

static inline u32 skip_digits(u32 p, u32 end) {
  while (is_digit(peek(p, end))) p++;
  return p;
}

static inline u32 scan_number(u32 p, u32 end) {
  if (peek(p, end) == '-') p++;
  if (peek(p, end) == '0') p++;
  else if (is_digit(peek(p, end))) p = skip_digits(p, end);
  else return fail(p);
  if (peek(p, end) == '.') {
    if (!is_digit(peek(++p, end))) return fail(p);
    p = skip_digits(p, end);
  }
  if ((peek(p, end) | 0x20) == 'e') {
    u8 sign = peek(++p, end);
    if (sign == '+' || sign == '-') p++;
    if (!is_digit(peek(p, end))) return fail(p);
    p = skip_digits(p, end);
  }
  return p;
}

static inline u32 scan_word(u32 p, u32 end, const char *rest, u32 length) {
  for (u32 i = 0; i < length; i++)
    if (peek(p + 1 + i, end) != (u8)rest[i]) return fail(p + 1 + i);
  return p + 1 + length;
}

static inline u32 scan_scalar(u32 p, u32 end) {
  switch (peek(p, end)) {
    case '"': return scan_string(p + 1, end);
    case 't': return scan_word(p, end, "rue", 3);
    case 'f': return scan_word(p, end, "alse", 4);
    case 'n': return scan_word(p, end, "ull", 3);
    default: return scan_number(p, end);
  }
}

// Scans a key and its colon; returns the address of the value.
static inline u32 scan_key(u32 p, u32 end) {
  if (peek(p, end) != '"') return fail(p);
  p = scan_string(p + 1, end);
  if (p == 0) return 0;
  p = skip_blanks(p, end);
  return peek(p, end) == ':' ? skip_blanks(p + 1, end) : fail(p);
}

// Counts the elements and members of values, at all levels.
typedef struct {
  u32 total;
  u32 most;  // limit for each array or object; 0: none
} Crowd;
static u32 counts[MAX_DEPTH];

// Scans a value that may open `room` levels.
static inline __attribute__((always_inline)) u32 scan_value(u32 p, u32 end, u32 room, Crowd *crowd) {
  u32 open = 0;
  failed_depth = 0;
  for (;;) {
    u8 c = peek(p, end);
    if (c == '{' || c == '[') {
      if (open >= room) {
        failed_depth = 1;
        return fail(p);
      }
      u8 closer = c + 2;
      p = skip_blanks(p + 1, end);
      if (peek(p, end) == closer) p++;
      else {
        if (crowd) crowd->total++, counts[open] = crowd->most;
        closers[open++] = closer;
        if (closer == '}' && (p = scan_key(p, end)) == 0) return 0;
        continue;
      }
    } else if ((p = scan_scalar(p, end)) == 0) return 0;

    for (;;) {  // a value has ended: close what ends with it, or continue with the next one
      if (open == 0) return p;
      p = skip_blanks(p, end);
      u8 closer = closers[open - 1], found = peek(p, end);
      if (found == closer) {
        open--;
        p++;
        continue;
      }
      if (found != ',') return fail(p);
      if (crowd && (crowd->total++, --counts[open - 1] == 0)) return fail(p);
      p = skip_blanks(p + 1, end);
      if (closer == '}' && (p = scan_key(p, end)) == 0) return 0;
      break;
    }
  }
}
