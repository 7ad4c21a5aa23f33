// Writes the key of a valid message, which is equal for messages that say the same: the role, the calls, and the text as JSON.stringify
// writes it. The same bytes as ../../model/message-key.ts, which reads the messages that are odd for it. Also chains the hashes of the keys
// of a conversation, as ../../model/path-hashes.ts does. Built by scripts/build-wasm.sh; called by ../../model/message-reader.ts, and by the
// shortcut, which has read the messages (message.h).
#include "message-calls.h"
#include "message-chain.h"
#include "message.h"

#define MAX_CALLS 256
#define HEAD_BYTES (2 * MAX_HEAD)

enum { ROLE, CONTENT, CALLS, ANSWERED, OTHERS, MEMBERS = OTHERS + 3 };
enum { ID, FUNCTION, NAME = 0, ARGUMENTS };
static u8 in[MAX_BYTES + SLACK], out[HEAD_BYTES + MAX_BYTES + SLACK];
static struct {  // 32-bit words that the host reads
  Span key;
  u32 is_result;
  Span answered;        // the id of the call that it answers, without its quotes
  u32 calls;
  Span ids[MAX_CALLS];  // of its calls
} facts;

EXPORT(in_at) u32 in_at(void) { return (u32)in; }
EXPORT(facts_at) u32 facts_at(void) { return (u32)&facts; }

static u32 put(u32 to, u8 byte) {
  *(u8 *)to = byte;
  return to + 1;
}

// Writes a character as JSON.stringify does.
static u32 put_character(u32 to, u32 c) {
  static const char ESCAPES[] = "\"\"\\\\\bb\ff\nn\rr\tt", DIGITS[] = "0123456789abcdef";
  for (u32 i = 0; i < sizeof(ESCAPES) - 1; i += 2) if (c == (u8)ESCAPES[i]) return put(put(to, '\\'), ESCAPES[i + 1]);
  if (c >= 0x20 && (c < 0xd800 || c >= 0xe000)) return put_utf8(to, c);
  to = put(put(to, '\\'), 'u');
  for (int shift = 12; shift >= 0; shift -= 4) to = put(to, DIGITS[c >> shift & 15]);
  return to;
}

// Writes a JSON string to `to`; returns the address after it. Only two escapes do not stay as they are.
static u32 write_text(Span text, u32 to) {
  const v128_t backslash = wasm_i8x16_splat('\\'), u = wasm_i8x16_splat('u'), slash = wasm_i8x16_splat('/');
  for (u32 p = text.at; p < text.end;) {
    const v128_t bytes = wasm_v128_load((const void *)p), next = wasm_v128_load((const void *)(p + 1));
    wasm_v128_store((void *)to, bytes);
    const v128_t changed = wasm_v128_or(wasm_i8x16_eq(next, u), wasm_i8x16_eq(next, slash));
    u32 marks = wasm_i8x16_bitmask(wasm_v128_and(wasm_i8x16_eq(bytes, backslash), changed));
    while (marks && is_escaped(p + __builtin_ctz(marks), text.at)) marks &= marks - 1;
    const u32 left = text.end - p, clean = marks ? __builtin_ctz(marks) : 16, step = clean < left ? clean : left;
    p += step, to += step;
    if (marks && clean < left) to = put_character(to, read_escape(&p));
  }
  return to;
}

// Finds the values of an object's members; one that occurs twice, and a key with an escape, are odd.
static void find(Span object, const char *const *keys, Span *found) {
  if (byte_at(object.at) != '{') odd = 1;
  for (u32 p = skip_blanks(object.at + 1, object.end); peek(p, object.end) == '"' && !odd;) {
    const Span key = {p + 1, string_end(p + 1, object.end) - 1};
    const u32 value = skip_blanks(skip_blanks(key.end + 1, object.end) + 1, object.end), after = value_end(value, object.end);
    u32 i = 0;
    while (keys[i] && !is_word(key, keys[i])) i++;
    if (!is_plain(key) || (keys[i] && found[i].at)) odd = 1;
    if (keys[i]) found[i] = (Span){value, after};
    p = skip_blanks(skip_blanks(after, object.end) + 1, object.end);
  }
}

static u8 kind_of(Span value) { return value.at ? byte_at(value.at) : 'n'; }  // an absent value counts as null

static Span inside(Span string) { return (Span){string.at + 1, string.end - 1}; }

// Returns the id in a JSON string; other ids are odd.
static Span id_in(Span value) {
  if (kind_of(value) != '"' || !is_plain(value)) odd = 1;
  return odd ? (Span){0} : inside(value);
}

// Begins the key of a message with its role and the number of its calls, of which each is then put.
void begin_key(const char *role, u32 calls) {
  head_length = odd = member_count = facts.calls = 0;
  put_word("[3:"), put_count('"', *role == 'u' || *role == 't' ? 4 : *role == 's' ? 6 : 9), put_word(role), put_word("[0:"), put_count('[', calls);
  facts.is_result = *role == 't';
}

void put_call(Span id, Span name, Span arguments) {
  if (kind_of(name) != '"' || kind_of(arguments) != '"' || facts.calls == MAX_CALLS || arguments.end - arguments.at > MAX_BYTES) odd = 1;
  if (odd) return;
  facts.ids[facts.calls++] = id_in(id);
  put_count('[', 2);
  put_string(inside(name), 1);
  put_arguments(inside(arguments));
}

// Writes the key to `to` in `out`, which has room for it. 0: it is odd.
static u32 end_key(Span content, Span answered, u32 to) {
  if (facts.is_result) facts.answered = id_in(answered);
  if (odd) return 0;
  __builtin_memcpy((u8 *)to, head, 2 * head_length);
  const u32 text = to + 2 * head_length, end = kind_of(content) == '"' ? write_text(content, text) : put(put(text, '"'), '"');
  facts.key = (Span){to, end};
  return 1;
}

static void read_call(Span call) {
  static const char *const CALL_KEYS[] = {"id", "function", 0}, *const FUNCTION_KEYS[] = {"name", "arguments", 0};
  Span of_call[2] = {0}, of_function[2] = {0};
  find(call, CALL_KEYS, of_call);
  if (odd || !of_call[FUNCTION].at) odd = 1;
  else find(of_call[FUNCTION], FUNCTION_KEYS, of_function);
  if (!odd) put_call(of_call[ID], of_function[NAME], of_function[ARGUMENTS]);
}

// Visits the objects of a list; returns their number.
static u32 each_call(Span list, void visit(Span)) {
  u32 count = 0, p = skip_blanks(list.at + 1, list.end);
  for (; peek(p, list.end) == '{' && !odd; count++) {
    const u32 after = value_end(p, list.end);
    if (visit) visit((Span){p, after});
    p = skip_blanks(after, list.end);
    if (peek(p, list.end) == ',') p = skip_blanks(p + 1, list.end);
  }
  if (peek(p, list.end) != ']') odd = 1;
  return count;
}

static const char *role_of(Span role) {
  static const char *const ROLES[][2] = {{"\"user\"", "user"}, {"\"assistant\"", "assistant"}, {"\"tool\"", "tool"},
                                         {"\"system\"", "system"}, {"\"developer\"", "system"}, {"\"function\"", "tool"}};
  for (u32 i = 0; i < sizeof(ROLES) / sizeof(*ROLES); i++) if (role.at && is_word(role, ROLES[i][0])) return ROLES[i][1];
  return 0;
}

// Reads a message in `in`, and writes its key to `to`; returns 0 if it is odd.
static u32 read_message(Span message, u32 to) {
  static const char *const KEYS[] = {"role", "content", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", 0};
  Span found[MEMBERS] = {0};
  odd = 0;
  find(message, KEYS, found);
  const char *role = odd ? 0 : role_of(found[ROLE]);
  if (!role || (kind_of(found[CONTENT]) != '"' && kind_of(found[CONTENT]) != 'n')) return 0;
  for (u32 i = OTHERS; i < MEMBERS; i++) if (kind_of(found[i]) != 'n') return 0;
  const u8 calls = kind_of(found[CALLS]);
  if (calls != 'n' && calls != '[') return 0;
  const u32 count = calls == '[' ? each_call(found[CALLS], 0) : 0;
  if (odd) return 0;
  begin_key(role, count);
  if (calls == '[') each_call(found[CALLS], read_call);
  return end_key(found[CONTENT], found[ANSWERED], to);
}

// Reads the message at the start of `in`; returns 0 if it is odd.
EXPORT(read) u32 read(u32 length) { return read_message((Span){(u32)in, (u32)in + length}, (u32)out); }

static u32 key_at;  // where the next key of a path is written

u32 has_room(u32 length) { return key_at + HEAD_BYTES + length <= (u32)out + sizeof(out) - SLACK; }

void begin_keys(u32 from) {
  key_at = (u32)out;
  if (from == 0) known_calls = 0;
}

// Adds the facts about a message to the path. 0: there is no room.
static u32 add_link(u32 index) {
  Link *link = links + index;
  if (!add_ids(facts.ids, facts.calls)) return 0;
  link->key = facts.key, link->calls = known_calls, link->is_result = facts.is_result, link->answered = facts.answered;
  key_at = facts.key.end;
  return 1;
}

// Writes the keys of the messages from this one on, as far as there is room; returns the number of the next one, or 0 if one is odd.
EXPORT(read_chain) u32 read_chain(u32 from, u32 count) {
  begin_keys(from);
  for (u32 i = from; i < count; i++) {
    const Span message = {(u32)in + links[i].message.at, (u32)in + links[i].message.end};
    if (!has_room(message.end - message.at)) return i == from ? 0 : i;
    if (!read_message(message, key_at) || !add_link(i)) return 0;
  }
  return count;
}

u32 add_key(u32 index, Span content, Span answered) { return end_key(content, answered, key_at) && add_link(index); }

// Replaces the hash of each key by the hash of its message and all before it.
EXPORT(chain) void chain(u32 count) {
  for (u32 i = 0; i < count; i++) put_link(i);
}
