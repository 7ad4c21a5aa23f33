// Reads one log line of the dialect `exchange`: validates it, recognises the messages of the previous line, and adds a row for each new
// one. Readers return the address after the value at p, or 0 if the line is odd: not valid, or not plain enough for the shortcut.
#pragma once
#include "shortcut-state.h"

typedef u32 Reader(u32 p, u32 end, u32 depth);
typedef struct { const char *key; u32 length; Reader *read; } Member;
#define MEMBER(key, read) {key, sizeof(key) - 1, read}

static Span spans[LINE_SPANS];       // of the line
static u32 tools, definition_bytes;  // number that the host gave to the definitions of the line, and their length
static u32 nulls, choices, notes, next_known, fresh, strange;
static u32 spoken;                   // has the message a member that is not known, with a text, a list or an object?
static u32 elsewhere;                // has the message a channel, as in the harmony format, a refusal, speech or a reason for its end?
static u32 reasoned;                 // has the message reasoning under a name that records have?
static u32 thoughts;                 // members of the message with reasoning: 1, and 2 if one has another name than in a record
typedef struct { Span key; u32 value, end; } Listed;
static Listed members[MAX_MEMBERS];
static u32 member_count, is_listing;

static __attribute__((noinline)) u32 any_value(u32 p, u32 end, u32 depth) { return scan_value(p, end, max_depth - depth, &crowd); }

// Keys with escapes, and those that are not ASCII, are odd.
static inline u32 key_end_at(u32 p, u32 end) {
  for (; p < end; p++) {
    u8 c = byte_at(p);
    if (c == '"') return p;
    if (c < 0x20 || c > 0x7e || c == '\\') return 0;
  }
  return 0;
}

// Skips the comma after an element or a member that ended at p. Sets `over` after the last one, and skips the closer.
static inline u32 go_on(u32 p, u32 end, u8 closer, u32 *over) {
  p = skip_blanks(p, end);
  crowd.total++;
  if ((*over = peek(p, end) == closer)) return p + 1;
  return peek(p, end) == ',' ? skip_blanks(p + 1, end) : 0;
}

// May an unknown member of a line, a request or a response be messages, an answer, a system text or tools in a second place, or say that the call failed? The
// stages then look, with the names in ../../dialects/pairs/second-places.ts.
static u32 is_second_place(u32 key, u32 key_end, u32 value, u32 end) {
  static const Member NAMES[] = {
    MEMBER("messages", 0), MEMBER("input", 0), MEMBER("prompt", 0), MEMBER("contents", 0), MEMBER("choices", 0), MEMBER("output", 0),
    MEMBER("content", 0), MEMBER("completion", 0), MEMBER("output_text", 0), MEMBER("text", 0), MEMBER("system", 0),
    MEMBER("instructions", 0), MEMBER("systemInstruction", 0), MEMBER("system_instruction", 0), MEMBER("system_prompt", 0), MEMBER("systemPrompt", 0),
    MEMBER("system_message", 0), MEMBER("systemMessage", 0), MEMBER("system_content", 0), MEMBER("preamble", 0),
    MEMBER("developer", 0), MEMBER("instruction", 0), MEMBER("tools", 0), MEMBER("functions", 0), MEMBER("available_tools", 0),
    MEMBER("gen_ai.request.tools", 0), MEMBER("gen_ai.tool.definitions", 0), MEMBER("toolDefinitions", 0), MEMBER("tool_definitions", 0),
    MEMBER("model_parameters", 0), MEMBER("modelParameters", 0), MEMBER("optional_params", 0), MEMBER("invocation_params", 0),
    MEMBER("parameters", 0), MEMBER("params", 0), MEMBER("extra_body", 0), MEMBER("generation_config", 0), MEMBER("kwargs", 0), MEMBER("config", 0),
    MEMBER("toolConfig", 0), MEMBER("tool_config", 0),
    MEMBER("error", 0), MEMBER("error_str", 0), MEMBER("error_message", 0), MEMBER("errorMessage", 0), MEMBER("error_information", 0), MEMBER("exception", 0),
    {0},
  };
  u8 first = peek(value, end);
  if (first != '{' && first != '[' && first != '"') return 0;
  for (const Member *one = NAMES; one->key; one++)
    if (one->length == key_end - key && same(key, (u32)one->key, key_end - key)) return 1;
  return 0;
}

// Reads an object and puts the spans of the wanted members into `found`; one that occurs twice is odd. Only scans other values.
static u32 read_object(u32 p, u32 end, u32 depth, const Member *wanted, Span *found) {
  if (peek(p, end) != '{') return any_value(p, end, depth);
  p = skip_blanks(p + 1, end);
  if (peek(p, end) == '}') return p + 1;
  for (u32 left = max_elements, over = 0; left > 0; left--) {
    u32 key = p + 1, key_end = peek(p, end) == '"' ? key_end_at(key, end) : 0;
    if (key_end == 0) return 0;
    p = skip_blanks(key_end + 1, end);
    if (peek(p, end) != ':') return 0;
    u32 value = p = skip_blanks(p + 1, end);
    nulls |= peek(p, end) == 'n';
    u32 i = 0;
    while (wanted[i].key && (wanted[i].length != key_end - key || !same(key, (u32)wanted[i].key, key_end - key))) i++;
    if (wanted[i].key) {
      if (found[i].at) return 0;
      found[i].at = p;
      p = found[i].end = wanted[i].read(p, end, depth + 1);
    } else {
      if (depth == 0 && state.entries == 0) state.others = 1;
      if (depth < 2 && is_second_place(key, key_end, p, end)) return 0;
      strange |= peek(p, end) == '{' || peek(p, end) == '[' || peek(p, end) == '"';
      p = any_value(p, end, depth + 1);
      spoken |= p - value > 2 && (byte_at(value) == '{' || byte_at(value) == '[' || byte_at(value) == '"');
    }
    if (is_listing && member_count < MAX_MEMBERS) members[member_count++] = (Listed){{key, key_end}, value, p};
    if (p == 0 || (p = go_on(p, end, '}', &over)) == 0 || over) return p;
  }
  return 0;
}

static u32 read_elements(u32 p, u32 end, u32 depth, Reader *read) {
  if (peek(p, end) != '[') return any_value(p, end, depth);
  p = skip_blanks(p + 1, end);
  if (peek(p, end) == ']') return p + 1;
  for (u32 left = max_elements, over = 0; left > 0; left--)
    if ((p = read(p, end, depth + 1)) == 0 || (p = go_on(p, end, ']', &over)) == 0 || over) return p;
  return 0;
}

static u32 read_function(u32 p, u32 end, u32 depth) {
  static const Member MEMBERS[] = {MEMBER("name", any_value), MEMBER("arguments", any_value), {0}};
  return read_object(p, end, depth, MEMBERS, calls[call_count].spans + NAME);
}

// Encrypted reasoning in a message or a call (transforms/model/thought-signatures.ts).
static u32 read_signed(u32 p, u32 end, u32 depth) {
  static const char *const NAME_OF_ONE[] = {"thought_signature", 0};
  u32 value = p;
  p = any_value(p, end, depth);
  if (p && holds((Span){value, p}, NAME_OF_ONE)) thoughts |= 2;
  return p;
}

static u32 read_signature(u32 p, u32 end, u32 depth) {
  thoughts |= 2;
  return any_value(p, end, depth);
}

static u32 read_call(u32 p, u32 end, u32 depth) {
  static const Member MEMBERS[] = {
    MEMBER("id", any_value), MEMBER("function", read_function), MEMBER("extra_content", read_signed), MEMBER("provider_specific_fields", read_signed),
    MEMBER("thought_signature", read_signature), {0},
  };
  if (call_count == MAX_CALLS - 1) return 0;
  calls[call_count] = (Call){0};
  u32 before = spoken;
  Span found[sizeof(MEMBERS) / sizeof(*MEMBERS)] = {0};
  p = read_object(p, end, depth, MEMBERS, found);
  calls[call_count].spans[ID_OF_CALL] = found[0], calls[call_count].spans[FUNCTION_OF_CALL] = found[1];
  spoken = before;
  call_count++;
  return p;
}

static u32 read_thought(u32 p, u32 end, u32 depth) {
  const u32 is_text = peek(p, end) == '"', value = p;
  thoughts |= 1;
  p = any_value(p, end, depth);
  reasoned |= is_text && p - value > 2;
  return p;
}

static u32 read_named_thought(u32 p, u32 end, u32 depth) {
  thoughts |= 3;
  return any_value(p, end, depth);
}

// Members that LangChain writes apart may be reasoning (transforms/model/reasoning-names.ts).
static u32 read_apart(u32 p, u32 end, u32 depth) {
  u32 value = p;
  p = any_value(p, end, depth);
  if (p - value > 2) thoughts |= 3;
  return p;
}

// Members that LiteLLM repeats may be reasoning, or a signature.
static u32 read_repeated(u32 p, u32 end, u32 depth) {
  static const char *const NAMES[] = {"thought_signature", "thinking_blocks", 0};
  static const char *const REASONING[] = {"reasoning", 0};
  u32 value = p;
  p = any_value(p, end, depth);
  if (p && (holds((Span){value, p}, NAMES) || holds((Span){value, p}, REASONING))) thoughts |= 3;
  return p;
}

static u32 read_channel(u32 p, u32 end, u32 depth) {
  elsewhere = 1;
  return any_value(p, end, depth);
}

static u32 read_other_answer(u32 p, u32 end, u32 depth) {
  elsewhere |= peek(p, end) != 'n';
  return any_value(p, end, depth);
}

static u32 read_calls(u32 p, u32 end, u32 depth) { return read_elements(p, end, depth, read_call); }

static inline u8 first_byte(Span span) { return span.at ? byte_at(span.at) : 'n'; }  // an absent value counts as null
static int is_plain_string(Span span) { return first_byte(span) == '"' && span.end - span.at > 2 && !has_escape(span); }

static u32 marks;  // of the message (marks_in)
static int spells(Span text) { return marks & SPELLED && may_spell(text); }

// May a text that begins with a bracket be a list of blocks as Python prints it, or as JSON?
static u32 may_be_printed(Span text) {
  u32 p = find_byte(text.at, text.end, '[') + 1;
  p += peek(p, text.end) == ' ';
  u8 c = peek(p, text.end), lower = c | 0x20;
  return (lower >= 'a' && lower <= 'z') || c == '_' || c == '{' || c == ' ' || c == '\\';
}

// May a check report the message, or its calls?
static u32 is_doubtful(void) {
  const Span content = row->spans[CONTENT];
  u8 kind = first_byte(content);
  if (elsewhere || (kind != '"' && kind != '[' && kind != 'n')) return 1;
  if (kind == '[' && (row->role == DEVELOPER || row->role == FUNCTION)) return 1;  // the host judges the lists of the others
  if (kind != '[' && row->first == 0 && (row->role != ASSISTANT || spoken)) return 1;  // its words may be in another member
  if (row->role == TOOL) {
    if (kind != '"' || row->first == 0 || !is_plain_string(row->spans[CALL_ID])) return 1;
    return (row->first == '{' || row->first == '[') && (holds(content, ERRORS) || spells(content));
  }
  if (row->role != ASSISTANT) return 0;
  if (row->first == '[' && may_be_printed(content)) return 1;
  u8 list = first_byte(row->spans[TOOL_CALLS]);
  if ((list != '[' && list != 'n') || first_byte(row->spans[FUNCTION_CALL]) != 'n') return 1;
  for (u32 i = row->call; i < call_count; i++)
    if (!is_plain_string(calls[i].spans[ID_OF_CALL]) || !is_plain_string(calls[i].spans[NAME])) return 1;
  return 0;
}

// May the text be cut by a logger, or only a thought? Such a message is not taught.
static u32 is_untaught(void) {
  const Span content = row->spans[CONTENT];
  if (marks & MAY_BE_CUT) return 1;
  if (content.at && content.end - content.at <= MAX_MASKED) {
    if (spells(content)) return 1;
    for (u32 i = 0; i < sizeof(CUT_TEXTS) / sizeof(*CUT_TEXTS); i++)
      if (row->first == (u8)**CUT_TEXTS[i] && holds(content, CUT_TEXTS[i])) return 1;
  }
  if (row->role != ASSISTANT || row->calls || first_byte(row->spans[FUNCTION_CALL]) != 'n') return 0;
  if (row->first == 0) return thoughts || first_byte(content) == '[';
  return row->first == '<' && holds((Span){content.end - content.at > MAX_REST ? content.end - MAX_REST : content.at, content.end}, THOUGHT_END);
}

// Computes the facts about the row, whose text is from p to `end`, that rules and checks need.
static void judge(u32 p, u32 end) {
  marks = marks_in((Span){p, end});
  const Span content = row->spans[CONTENT];
  u32 text = first_byte(content) == '"', list = first_byte(content) == '[', role = row->role, ask = 0;
  u32 calling = row->calls || first_byte(row->spans[FUNCTION_CALL]) != 'n';
  row->first = text ? first_visible(content) : 0;
  row->sign = role <= DEVELOPER ? 'S' : role == USER ? 'U' : role != ASSISTANT ? 'T' : (row->first ? 1 : 0) | (calling ? 2 : 0);
  if (role <= DEVELOPER && max_leaves_bytes > 0) ask = 1;  // it may have a time, which does not count
  else if (role == SYSTEM) ask = list || (text && (row->first == 'x' || holds(content, PURPOSE) || spells(content)));  // x-anthropic-billing-header
  if (role == USER) ask = list || row->first == '<';
  if (role == ASSISTANT) ask = list || (text && row->first == 0 && row->calls == 0);
  row->flags = (ask ? ASK : 0) | (nulls ? NULLS : 0) | (thoughts ? THOUGHTS : 0) | (reasoned ? REASONED : 0);
  if (is_untaught()) row->flags |= UNTAUGHT;
  if (row->flags & UNTAUGHT || (role == ASSISTANT && thoughts & 2) || is_doubtful()) row->flags |= DOUBTFUL;
  if (role == ASSISTANT && !calling && content.at && (holds(content, CALL_TAG) || spells(content))) row->flags |= TAGS;
}

static void make_relative(u32 at, Span *list, u32 count) {
  for (u32 i = 0; i < count; i++) if (list[i].at) list[i].at -= at, list[i].end -= at;
}

// Reads the message at p into a new row.
static u32 read_message(u32 p, u32 end, u32 depth) {
  static const Member MEMBERS[] = {
    MEMBER("role", any_value), MEMBER("content", any_value), MEMBER("tool_calls", read_calls), MEMBER("function_call", any_value), MEMBER("tool_call_id", any_value),
    MEMBER("reasoning_content", read_thought), MEMBER("thinking", read_thought), MEMBER("reasoning", read_named_thought), MEMBER("reasoning_text", read_named_thought),
    MEMBER("reasoning_details", read_named_thought), MEMBER("reasoning_opaque", read_named_thought), MEMBER("thinking_blocks", read_named_thought),
    MEMBER("tool_plan", read_named_thought), MEMBER("additional_kwargs", read_apart), MEMBER("channel", read_channel), MEMBER("refusal", read_other_answer), MEMBER("audio", read_other_answer), MEMBER("extra_content", read_signed), MEMBER("provider_specific_fields", read_repeated),
    MEMBER("thought_signature", read_signature), MEMBER("thought_signatures", read_signature), MEMBER("encrypted_content", read_signature),
    // calls under names that are not read, as in unread-content.ts
    MEMBER("toolInvocations", read_other_answer), MEMBER("tool_invocations", read_other_answer), MEMBER("toolCalls", read_other_answer),
    MEMBER("toolUses", read_other_answer), MEMBER("tool_uses", read_other_answer), MEMBER("functionCalls", read_other_answer),
    MEMBER("function_calls", read_other_answer), MEMBER("toolResults", read_other_answer), MEMBER("tool_results", read_other_answer),
    // why the answer ended, as in ../../checks/as-read.ts
    MEMBER("finish_reason", read_other_answer), MEMBER("stop_reason", read_other_answer), MEMBER("finishReason", read_other_answer),
    MEMBER("stopReason", read_other_answer), {0},
  };
  Span found[OTHER_SPANS] = {0};
  if (row_count == MAX_ROWS || peek(p, end) != '{') return 0;
  u32 elements = crowd.total;
  row = &rows[row_count];
  *row = (Row){.call = call_count, .at = state.top};
  nulls = thoughts = reasoned = spoken = elsewhere = crowd.total = 0;
  u32 after = read_object(p, end, depth, MEMBERS, found);
  if (after == 0 || state.top + (after - p) + SLACK > arena_end) return 0;
  __builtin_memcpy(row->spans, found, sizeof(row->spans));
  row->length = after - p, row->elements = crowd.total + 1, row->calls = call_count - row->call;
  crowd.total = elements;
  for (row->role = FUNCTION; row->role > 0 && !is_word(row->spans[ROLE], ROLES[row->role]);) row->role--;
  if (row->role == 0) return 0;
  judge(p, after);
  make_relative(p, row->spans, MESSAGE_SPANS);
  for (u32 i = row->call; i < call_count; i++) make_relative(p, calls[i].spans, CALL_SPANS);
  __builtin_memcpy((void *)row->at, (void *)p, row->length);
  state.top += row->length, row_count++;
  return after;
}

// Recognises a message of the previous line, or its reply, at p; 0: it is another one. Only objects: the start of 12 is not a known 1.
static u32 known_message(u32 p, u32 end) {
  u32 count = known->count + (known->reply > 0), ahead = 2 + fresh < LOOK_AHEAD ? 2 + fresh : LOOK_AHEAD;
  for (u32 i = next_known; i < count && i < next_known + ahead && byte_at(p) == '{'; i++) {
    u32 number = i < known->count ? known->rows[i] : known->reply - 1, at = rows[number].at, length = rows[number].length;
    if (length > end - p || byte_at(p + length - 1) != '}' || byte_at(p + length / 2) != byte_at(at + length / 2)) continue;
    if (!same(p, at, length)) continue;
    raw->rows[raw->count++] = number;
    next_known = i + 1, fresh = 0;
    return p + length;
  }
  return 0;
}

static u32 known_or_new(u32 p, u32 end, u32 depth) {
  if (raw->count == MAX_ROWS) return 0;
  u32 after = known_message(p, end);
  if (after != 0 || (after = read_message(p, end, depth)) == 0) return after;
  raw->rows[raw->count++] = row_count - 1;
  fresh++;
  return after;
}

static u32 read_messages(u32 p, u32 end, u32 depth) {
  next_known = fresh = 0;
  return peek(p, end) == '[' ? read_elements(p, end, depth, known_or_new) : 0;
}

EXPORT(forget_tools) void forget_tools(void) { known_tools_count = tools_top = 0; }  // another host has other numbers
EXPORT(tools_end) void tools_end(u32 end) { tools_end_at = end; }

// Reads definitions of tools. Calls the host only for those that are not among the known ones.
static u32 read_definitions(u32 p, u32 end, u32 depth) {
  KnownTools *one = known_tools, found = {0};
  for (; one < known_tools + known_tools_count; one++)
    if (one->length <= end - p && byte_at(p + one->length / 2) == byte_at(one->at + one->length / 2) && same(p, one->at, one->length)) {
      found = *one, *one = known_tools[0], known_tools[0] = found;  // move it to the front: the next entry most likely has the same
      break;
    }
  if (found.number == 0) {
    found.number = read_tools(p, end), found.length = tools_end_at - p;
    if (found.number == 0) return 0;
    if (byte_at(p) == '[' && found.length <= TOOLS_BYTES) {  // other values are not recognised, as in known_message()
      if (known_tools_count == MAX_KNOWN_TOOLS || tools_top + found.length > TOOLS_BYTES) forget_tools();
      found.at = (u32)tools_text + tools_top, tools_top += found.length;
      __builtin_memcpy((void *)found.at, (void *)p, found.length);
      known_tools[known_tools_count++] = found;
    }
  }
  tools = found.number, definition_bytes = found.length;
  return p + found.length;
}

// Definitions in the old form, which the stages read.
static u32 read_functions(u32 p, u32 end, u32 depth) { return peek(p, end) == 'n' ? any_value(p, end, depth) : 0; }

static u32 read_request(u32 p, u32 end, u32 depth) {
  static const Member MEMBERS[] = {MEMBER("messages", read_messages), MEMBER("tools", read_definitions), MEMBER("model", any_value), MEMBER("functions", read_functions), {0}};
  return read_object(p, end, depth, MEMBERS, spans + MESSAGES);
}

static u32 read_reply(u32 p, u32 end, u32 depth) {
  if (peek(p, end) != '{') return any_value(p, end, depth);
  p = read_message(p, end, depth);
  if (p != 0) raw->reply = row_count;
  return p;
}

static u32 read_choice(u32 p, u32 end, u32 depth) {
  static const Member MEMBERS[] = {MEMBER("message", read_reply), MEMBER("finish_reason", any_value), {0}};
  if (choices++) return any_value(p, end, depth);
  strange = 0;
  p = read_object(p, end, depth, MEMBERS, spans + REPLY);
  return raw->reply || !strange ? p : 0;  // a choice without a message may have it under another name
}

static u32 read_choices(u32 p, u32 end, u32 depth) { return peek(p, end) == '[' ? read_elements(p, end, depth, read_choice) : 0; }

// Only an answer with choices certainly belongs to this API.
static u32 read_response(u32 p, u32 end, u32 depth) {
  static const Member MEMBERS[] = {MEMBER("choices", read_choices), MEMBER("body", any_value), MEMBER("error", any_value), MEMBER("model", any_value), {0}};
  return read_object(p, end, depth, MEMBERS, spans + CHOICES);
}

// Reads a time as most loggers write it (RFC 3339, in UTC); the host reads everything else.
static i64 time_of(Span time) {
  enum { YEAR = 1, MONTH, DAY, HOUR, MINUTE, SECOND };
  i64 n[SECOND + 1] = {0}, fraction = 0, unit = 1000000000;
  u32 p = time.at, part = 0;
  for (const char *shape = "\"0000-00-00T00:00:00"; *shape; shape++, p++) {
    if (*shape != '0' && byte_at(p) == *shape) part++;
    else if (*shape == '0' && is_digit(byte_at(p))) n[part] = n[part] * 10 + byte_at(p) - '0';
    else return read_time(time.at, time.end);
  }
  if (byte_at(p) == '.') for (p++; is_digit(byte_at(p)) && unit > 1; p++) fraction += (byte_at(p) - '0') * (unit /= 10);
  if (n[YEAR] < 1970 || n[YEAR] > 2200 || n[MONTH] < 1 || n[MONTH] > 12 || n[DAY] < 1 || n[DAY] > 28 || n[HOUR] > 23 || n[MINUTE] > 59 ||
      n[SECOND] > 59 || byte_at(p - 1) == '.' || !(is_word((Span){p, time.end}, "Z\"") || is_word((Span){p, time.end}, "+00:00\"")))
    return read_time(time.at, time.end);
  i64 year = n[YEAR] - (n[MONTH] <= 2), month = n[MONTH] + (n[MONTH] > 2 ? -3 : 9);
  i64 days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + n[DAY] - 719469;
  return (days * 86400 + n[HOUR] * 3600 + n[MINUTE] * 60 + n[SECOND]) * 1000000000 + fraction;
}

EXPORT(feed) u32 feed(u32 p, u32 end) { return find_byte(p, end, '\n'); }

// May the messages and definitions of the entry have too many elements in all?
static u32 is_crowded(u32 length) {
  u32 most = max_elements * IN_ALL, elements = definition_bytes / 2 + (raw->reply ? rows[raw->reply - 1].elements : 0);
  for (u32 i = 0; length / 2 > most && i < raw->count; i++) elements += rows[raw->rows[i]].elements;
  return length / 2 > most && elements > most;
}

// Is it absent, or a reason to end that needs no look by the stages, which know many more in any case of the letters?
static u32 is_known_end(Span finish) {
  static const char *const ENDS[] = {"null", "\"stop\"", "\"tool_calls\"", "\"function_call\"", "\"length\"", "\"content_filter\"", "\"error\"", 0};
  u32 i = 0;
  while (finish.at && ENDS[i] && !is_word(finish, ENDS[i])) i++;
  return !finish.at || ENDS[i];
}

// Reads a line of any session. 0: it is odd.
static u32 read_line(u32 p, u32 end) {
  static const Member MEMBERS[] = {MEMBER("timestamp", any_value), MEMBER("session_id", any_value), MEMBER("request", read_request), MEMBER("response", read_response), MEMBER("model", any_value), {0}};
  raw->count = raw->reply = tools = definition_bytes = choices = 0;
  __builtin_memset(spans, 0, sizeof(spans));
  u32 after = skip_blanks(p, end);
  if (peek(after, end) != '{' || (after = read_object(after, end, 0, MEMBERS, spans)) == 0 || skip_blanks(after, end) != end) return 0;
  state.others |= state.entries == 0 && spans[MODEL].at != 0;
  if (!spans[TIME].at || !spans[MESSAGES].at || !spans[CHOICES].at || spans[BODY].at || is_crowded(end - p)) return 0;
  if (raw->count + (raw->reply > 0) > max_messages) return 0;
  if (first_byte(spans[ID]) != '"' || spans[ID].end - spans[ID].at < 3 || spans[ID].end - spans[ID].at > MAX_ID) return 0;
  const Span finish = spans[FINISH];
  notes = is_word(finish, "\"length\"") * CUT + is_word(finish, "\"content_filter\"") * FILTERED + (choices > 1) * OTHERS +
          (first_byte(spans[ERROR]) != 'n' || is_word(finish, "\"error\"")) * FAILED;
  if (!is_known_end(finish)) return 0;
  const Row *reply = raw->reply ? &rows[raw->reply - 1] : 0;
  // the stages decide whether it is an answer, and whether a response or a choice without a message hides one
  if (!reply) return !notes && spans[REPLY].at && first_byte(spans[REPLY]) == 'n';
  return (reply->first || reply->calls) && reply->role == ASSISTANT && !(reply->flags & (UNTAUGHT | ASK));
}
