/** Makes rejections of lines, records and sessions; their reasons are in reasons.ts. */
import type { Line, Origin, Rejection } from './element.ts';
import type { LineReason, SessionReason } from './reasons.ts';

/** Rejects a line. @param index of the error in the line, if known */
export function rejectLine(
  stage: string,
  line: Line,
  reason: LineReason,
  detail: string,
  index?: number,
): Rejection {
  const at = line.created === undefined ? index : undefined; // bytes that were created are not those of the source
  const where =
    at === undefined ? '' : ` at byte ${at} of the line (${line.origin.offset + at} of the source)`;
  return {
    kind: 'rejection',
    scope: 'line',
    stage,
    reason,
    detail: `${detail}${where}`,
    ...(at !== undefined && { at }),
    origin: line.origin,
    bytes: line.created?.raw ?? line.bytes,
  };
}

/** Rejects a session because of the entry at `origin`. */
export function rejectSession(
  stage: string,
  origin: Origin,
  sessionId: string,
  reason: SessionReason | LineReason,
  detail: string,
): Rejection {
  return { kind: 'rejection', scope: 'session', stage, reason, detail, origin, sessionId };
}
