/**
 * Creates a dialect from a function that turns one object into an entry. Handles lines, validation, limits, positions
 * and the cache of repeated messages. A dialect for which that is too slow implements `Dialect` itself (exchange.ts).
 */
import { JsonView } from '../json/json-view.ts';
import type { Dialect } from './dialect.ts';
import { type DialectSpec, traitsOf } from './dialect-spec.ts';
import { type ReportMistake, throwMistake } from './shared/read-mistakes.ts';
import { SpecReader } from './spec-reader.ts';

/** Creates a dialect from its description. */
export function defineDialect<Memory = undefined>(spec: DialectSpec<Memory>): Dialect {
  return dialectFrom(spec, throwMistake);
}

/** Does the same; calls `mistake` with a text if `read` returns or rejects what it must not. */
export function dialectFrom<Memory>(spec: DialectSpec<Memory>, mistake: ReportMistake): Dialect {
  const { name, summary, knownBy, marks, inside } = spec;
  return {
    name,
    summary,
    ...traitsOf(spec),
    ...(knownBy !== undefined && { knownBy }),
    ...(marks && { marks }),
    ...(inside !== undefined && { inside }),
    detect: (first) =>
      spec.detect({
        get(key) {
          const bytes = first.get(key);
          return bytes && new JsonView(bytes);
        },
      }),
    create: (scanner, options) => new SpecReader(spec, mistake, scanner, options),
  };
}
