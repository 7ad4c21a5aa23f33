/** Combines the metadata of a conversation and of its answers. */
import { decode, encode } from '../../json/utf8.ts';
import type { Meta, MetaName } from '../../model/meta.ts';
import type { Item } from './path.ts';

/** Fields whose value is that of the last answer that has them. */
const LAST_ANSWER_FIELDS = ['model', 'finish'] as const;

/** Undefined if the log has none. */
export function metaOfPath(whole: Meta | undefined, items: readonly Item[]): Meta | undefined {
  const meta = metaOfAnswers(whole, metasOf(items));
  const copied = countCopied(items);
  if (copied > 0) meta.set('copied', encode(String(copied)));
  return meta.size === 0 ? undefined : meta;
}

/** The metadata of the answers, in order; the same object only once where it follows itself: the name of a model. */
function metasOf(items: readonly Item[]): readonly Meta[] {
  const metas: Meta[] = [];
  for (const { meta } of items) if (meta !== undefined && meta !== metas.at(-1)) metas.push(meta);
  return metas;
}

/** The conversation's metadata, with the last model and finish reason and the sums of tokens and cost. */
export function metaOfAnswers(whole: Meta | undefined, answers: readonly Meta[]): Map<MetaName, Uint8Array> {
  const meta = new Map<MetaName, Uint8Array>(whole);
  const all = (name: MetaName): readonly Uint8Array[] => answers.flatMap((one) => one.get(name) ?? []);
  for (const name of LAST_ANSWER_FIELDS) {
    const last = all(name).at(-1);
    if (last !== undefined) meta.set(name, last);
  }
  const usage = usageOfAll(all('usage'));
  if (usage !== undefined) meta.set('usage', usage);
  const costs = all('cost');
  if (costs.length > 0) meta.set('cost', costOfAll(costs));
  return meta;
}

/**
 * Number of leading messages copied from an earlier conversation, with their results and the system text before them.
 */
function countCopied(items: readonly Item[]): number {
  let count = 0;
  let systems = 0;
  for (const { content, calls, isCopied } of items) {
    const isSystem = content !== undefined && 'role' in content && content.role === 'system';
    if (isCopied !== true && (!isSystem || count > 0)) break;
    if (isCopied !== true) systems++;
    else if (content !== undefined) count += 1 + calls.filter(({ result }) => result !== undefined).length;
  }
  return count === 0 ? 0 : systems + count;
}

type Usage = Map<string, number | Usage>;
type LoggedUsage = { readonly [name: string]: number | LoggedUsage };

/** Sums usage by name. A single usage keeps its bytes. */
function usageOfAll(logged: readonly Uint8Array[]): Uint8Array | undefined {
  if (logged.length < 2) return logged[0];
  const sum: Usage = new Map();
  for (const one of logged) addTo(sum, JSON.parse(decode(one)) as LoggedUsage);
  return encode(
    JSON.stringify(sum, (_key, value) => (value instanceof Map ? Object.fromEntries(value) : value)),
  );
}

function addTo(sum: Usage, usage: LoggedUsage): void {
  for (const [name, value] of Object.entries(usage)) {
    const before = sum.get(name);
    if (typeof value === 'number') sum.set(name, value + (typeof before === 'number' ? before : 0));
    else {
      const inner: Usage = before instanceof Map ? before : new Map();
      sum.set(name, inner);
      addTo(inner, value);
    }
  }
}

/** Adding prices as doubles leaves errors in the last digits; no price has more digits than this. */
const COST_DIGITS = 12;

function costOfAll(costs: readonly Uint8Array[]): Uint8Array {
  if (costs.length === 1) return costs[0] as Uint8Array;
  const sum = costs.reduce((all, one) => all + Number(decode(one)), 0);
  return encode(String(Number(sum.toPrecision(COST_DIGITS))));
}
