/**
 * Counts what the consumer of a format refuses, for the summary of every build: the rules of `check --target` whose
 * effect is `refuses`. Rules of roles need only the roles of a record, which are counted anyway.
 */
import { readMessages } from '../formats/record-shape.ts';
import type { RecordShape } from '../formats/shape-counter.ts';
import type { WrittenRecord } from '../model/element.ts';
import { type ConsumedRecord, type ConsumerRule, USUAL_CONSUMERS } from './consumer-rule.ts';
import { consumerRules, isKnownRole, UNKNOWN_ROLE } from './consumer-rules.ts';
import { quickRefusals } from './openai-quick.ts';

const NONE: readonly string[] = [];
const BY_ROLE: readonly string[] = [UNKNOWN_ROLE];

/** The rules of each format that refuse a record, except that of its roles. */
const rulesOf: ReadonlyMap<string, readonly ConsumerRule[]> = new Map(
  Object.keys(USUAL_CONSUMERS).map((format) => [
    format,
    consumerRules.filter(
      ({ name, effect, formats }) =>
        effect === 'refuses' && formats.includes(format) && name !== UNKNOWN_ROLE,
    ),
  ]),
);

/** Names of the rules by which the usual consumer of its format refuses a record that was just written. */
export function refusalsOf(record: WrittenRecord): readonly string[] {
  const quick = record.format === 'openai' ? quickRefusals(record) : undefined;
  return quick === undefined || !record.written.every(({ role }) => isKnownRole(role))
    ? refusalsBy(record, record.format)
    : quick;
}

/** Names of the rules by which the usual consumer of its format refuses a record. */
function refusalsBy(record: ConsumedRecord, format: string): readonly string[] {
  const rules = rulesOf.get(format);
  if (rules === undefined) return NONE;
  const broken = rules.filter((rule) => rule.broken(record).length > 0).map(({ name }) => name);
  const isKnown = record.written.every(({ role }) => isKnownRole(role));
  if (isKnown) return broken.length === 0 ? NONE : broken;
  return [UNKNOWN_ROLE, ...broken];
}

/**
 * The same for a record of which only the bytes are at hand.
 * @param shape if it is known: roles are all that some consumers refuse
 */
export function refusalsIn(bytes: Uint8Array, format: string, shape?: RecordShape): readonly string[] {
  const rules = rulesOf.get(format);
  if (rules === undefined) return NONE;
  if (rules.length === 0 && shape !== undefined) return refusalsOfRoles(shape.roles);
  return refusalsBy({ bytes, written: readMessages(bytes, format) ?? [] }, format);
}

/** The same for a record in `chat`, by its roles. */
export function refusalsOfRoles(roles: Readonly<Record<string, number>>): readonly string[] {
  for (const role in roles) if (!isKnownRole(role)) return BY_ROLE;
  return NONE;
}
