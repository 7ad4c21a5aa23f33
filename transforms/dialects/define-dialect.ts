/**
 * Creates a dialect from a function that turns one object into an entry. Handles lines, validation, limits, positions
 * and the cache of repeated messages. A dialect for which that is too slow implements `Dialect` itself (exchange.ts).
 */
import { JsonView } from '../json/json-view.ts';
import type { Dialect, ObjectMembers } from './dialect.ts';
import { type DialectSpec, type FirstObject, traitsOf } from './dialect-spec.ts';
import { ReadMistakes, type ReportMistake, throwMistake } from './shared/read-mistakes.ts';
import { SpecReader } from './spec-reader.ts';

/** The views of the object that was looked at last: all dialects are asked about one object before the next one. */
let seen: { readonly members: ObjectMembers; readonly views: FirstObject } | undefined;

function viewsOf(members: ObjectMembers): FirstObject {
  if (seen?.members !== members) seen = { members, views: createViews(members) };
  return seen.views;
}

function createViews(members: ObjectMembers): FirstObject {
  const views = new Map<string, JsonView>();
  return {
    get(key) {
      const bytes = members.get(key);
      if (bytes === undefined) return undefined;
      const view = views.get(key) ?? new JsonView(bytes);
      views.set(key, view);
      return view;
    },
  };
}

/** Creates a dialect from its description. */
export function defineDialect<Memory = undefined>(spec: DialectSpec<Memory>): Dialect {
  return dialectFrom(spec, throwMistake);
}

/** Does the same; calls `mistake` with a text if `detect` or `read` returns or rejects what it must not. */
export function dialectFrom<Memory>(spec: DialectSpec<Memory>, mistake: ReportMistake): Dialect {
  const { name, summary, knownBy, marks, inside, alone } = spec;
  const mistakes = new ReadMistakes(name, mistake);
  return {
    name,
    summary,
    ...traitsOf(spec),
    ...(knownBy !== undefined && { knownBy }),
    ...(marks && { marks }),
    ...(inside !== undefined && { inside }),
    ...(alone && { alone }),
    detect(first) {
      const answer = spec.detect(viewsOf(first));
      mistakes.checkDetected(answer);
      return answer;
    },
    create: (scanner, options) => new SpecReader(spec, mistake, scanner, options),
  };
}
