/** Facts about all formats, from what each says about its rules and records: no other place lists their names. */
import { SESSION_REASONS } from '../model/reasons.ts';
import type { Format, OwnRule } from './format.ts';
import { formats } from './index.ts';

const ownRules: readonly (readonly [string, OwnRule])[] = formats.flatMap((format) =>
  Object.entries(format.ownRules ?? {}),
);

/** The closed list of reasons to reject a session, with those of single formats. */
export const sessionReasons: Readonly<Record<string, string>> = {
  ...SESSION_REASONS,
  ...Object.fromEntries(ownRules.map(([rule, { meaning }]) => [rule, meaning])),
};

/** Names of the formats for which a test returns true. */
export function formatsThat(test: (format: Format) => boolean | undefined): ReadonlySet<string> {
  return new Set(formats.filter(test).map(({ name }) => name));
}

/** Formats whose records have `messages` as they were passed on in `written`. */
export const messageFormats: ReadonlySet<string> = formatsThat(({ listsMessages }) => listsMessages);
