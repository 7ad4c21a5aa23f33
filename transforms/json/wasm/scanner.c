// Validates one JSON value strictly, with the same results and positions of errors as createPlainScanner() in
// ../plain-scanner.ts. Built by scripts/build-wasm.sh together with shortcut.c and its headers.
#include "scan.h"

EXPORT(value) u32 value(u32 p, u32 end, u32 room) { return scan_value(p, end, room, 0); }
EXPORT(failed_at) u32 failed_at(void) { return failed_position; }
EXPORT(too_deep) u32 too_deep(void) { return failed_depth; }
