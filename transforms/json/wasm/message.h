// Writes the keys of the messages of a path, for the shortcut, which has read them already (message.c). Spans are those of JSON values; one
// that starts at 0 is absent.
#pragma once
#include "scan.h"

#define MAX_LINKS 4096

void begin_keys(u32 from);                                // from: the number of messages whose keys are hashed
u32 has_room(u32 length);                                 // for the key of a message with a content of this length
void begin_key(const char *role, u32 calls);              // then come its calls
void put_call(Span id, Span name, Span arguments);
u32 add_key(u32 index, Span content, Span answered);      // ends the key; 0: it is odd
