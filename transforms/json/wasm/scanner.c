// Validates one JSON value strictly, with the same results and positions of errors as createPlainScanner() in
// ../plain-scanner.ts. Built by scripts/build-wasm.sh together with shortcut.c and its headers.
#include "scan.h"

EXPORT(value) u32 value(u32 p, u32 end, u32 room) { return scan_value(p, end, room, 0); }
EXPORT(failed_at) u32 failed_at(void) { return failed_position; }
EXPORT(too_deep) u32 too_deep(void) { return failed_depth; }

// A tape: the values of the outer levels as rows of five numbers, for ValueTape in ../value-tape.ts, which explains them.
#define TAPE_LEVELS 7
#define MAX_TAPE_ROWS 16384
typedef struct {
  int key, key_end, start, end, next;
} Row;
static Row tape_rows[MAX_TAPE_ROWS + 1];  // the last one takes what has no room
static u32 tape_count;
static u32 tape_escapes;
EXPORT(tape_at) u32 tape_at(void) { return (u32)tape_rows; }
EXPORT(tape_length) u32 tape_length(void) { return tape_count; }  // more than MAX_TAPE_ROWS: some had no room
EXPORT(tape_has_escapes) u32 tape_has_escapes(void) { return tape_escapes; }

static inline Row *add_row(int key, int key_end, int start) {
  Row *row = tape_rows + (tape_count < MAX_TAPE_ROWS ? tape_count : MAX_TAPE_ROWS);
  if (tape_count <= MAX_TAPE_ROWS) tape_count++;
  row->key = key, row->key_end = key_end, row->start = start;
  return row;
}

// Adds the row of the member or element at p; returns the address of its value.
static inline u32 scan_row(u32 p, u32 end, u32 base, int is_member, Row **row) {
  if (!is_member) {
    *row = add_row(-1, -1, p - base);
    return p;
  }
  if (peek(p, end) != '"') return fail(p);
  u32 key_end = scan_string(p + 1, end);
  if (key_end == 0) return 0;
  for (u32 q = p + 1; q < key_end; q++) tape_escapes |= byte_at(q) == '\\';
  u32 value = skip_blanks(key_end, end);
  if (peek(value, end) != ':') return fail(value);
  value = skip_blanks(value + 1, end);
  *row = add_row(p - base, key_end - base, value - base);
  return value;
}

// As scan_value, and writes the rows of the value. Their positions count from `base`.
EXPORT(tape) u32 tape(u32 p, u32 end, u32 room, u32 base) {
  Row *open_rows[TAPE_LEVELS + 1], *row;
  u32 open = 0;
  failed_depth = tape_count = tape_escapes = 0;
  row = add_row(-1, -1, p - base);
  for (;;) {
    u8 c = peek(p, end);
    if (c == '{' || c == '[') {
      if (open >= room) {
        failed_depth = 1;
        return fail(p);
      }
      u8 closer = c + 2;
      if (open <= TAPE_LEVELS) open_rows[open] = row;
      p = skip_blanks(p + 1, end);
      closers[open++] = closer;
      if (peek(p, end) != closer) {
        if (open <= TAPE_LEVELS) p = scan_row(p, end, base, closer == '}', &row);
        else if (closer == '}') p = scan_key(p, end);
        if (p == 0) return 0;
        continue;
      }
    } else {
      if ((p = scan_scalar(p, end)) == 0) return 0;
      if (open <= TAPE_LEVELS) row->end = p - base, row->next = tape_count;
    }
    for (;;) {  // a value has ended: close what ends with it, or continue with the next one
      if (open == 0) return p;
      p = skip_blanks(p, end);
      u8 closer = closers[open - 1], found = peek(p, end);
      if (found == closer) {
        open--, p++;
        if (open <= TAPE_LEVELS) {
          Row *own = open_rows[open];
          own->end = p - base, own->next = open < TAPE_LEVELS ? (int)tape_count : -(int)tape_count;
        }
        continue;
      }
      if (found != ',') return fail(p);
      p = skip_blanks(p + 1, end);
      if (open <= TAPE_LEVELS) p = scan_row(p, end, base, closer == '}', &row);
      else if (closer == '}') p = scan_key(p, end);
      if (p == 0) return 0;
      break;
    }
  }
}
