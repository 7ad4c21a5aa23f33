// How a moment is written: one function for each clock that the logs show. Moments are whole
// microseconds since 1970, which a double holds exactly.

const isoSeconds = (micros) => new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, 19);
const fraction = (micros) => String(micros % 1e6).padStart(6, '0');

/** The moment of an ISO text, plus microseconds (the engine's own dates stop at milliseconds). */
export const moment = (iso, micros = 0) => Date.parse(iso) * 1000 + micros;

/** 2026-01-13T22:14:03.120394+00:00, as Python's isoformat() writes it. */
export const utcMicros = (micros) => `${isoSeconds(micros)}.${fraction(micros)}+00:00`;

/** 2026-01-13T22:14:03.120Z, as JavaScript's toISOString() writes it. */
export const utcMillis = (micros) => new Date(Math.floor(micros / 1000)).toISOString();

/** 2026-01-14T07:14:03.120394000+09:00: nanoseconds, in Tokyo. */
export const tokyoNanos = (micros) => `${isoSeconds(micros + 9 * 3600e6)}.${fraction(micros)}000+09:00`;

/** 2026-01-13T22:14:03.120394: no zone, which means UTC. */
export const zoneless = (micros) => `${isoSeconds(micros)}.${fraction(micros)}`;

/** 1768342443120: milliseconds since 1970, as a number. */
export const epochMillis = (micros) => Math.floor(micros / 1000);

/** 2026-01-13 22:14:03, as an agent tells its model the time. */
export const wallClock = (micros) => isoSeconds(micros).replace('T', ' ');
