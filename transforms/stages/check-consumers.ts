/**
 * Stage of `turnmill check --target`: reports, before each record, what consumers of its format would drop, alter or
 * refuse. A build counts what they refuse (consumers/refusals.ts).
 */

import { consumerRules } from '../consumers/consumer-rules.ts';
import { SHOWS_WHERE } from '../consumers/openai.ts';
import type { Finding, StreamElement, WrittenRecord } from '../model/element.ts';
import type { Handlers, Stage } from '../stage.ts';

function* check(record: WrittenRecord): Generator<StreamElement> {
  const { origin, sessionId, format } = record;
  for (const { name: rule, effect, formats, problem, detail, broken, refusal } of consumerRules) {
    if (!formats.includes(format)) continue;
    const severity: Finding['severity'] = effect === 'refuses' ? 'ERROR' : 'WARNING';
    const remedy = refusal === undefined || refusal.remedy === SHOWS_WHERE ? '' : ` (${refusal.remedy})`;
    for (const at of broken(record)) {
      const more = detail === undefined ? '' : `: ${detail(record)}`;
      const message = `${format}: ${at < 0 ? 'the record' : `messages[${at}]`} ${problem}${more}${remedy}`;
      yield { kind: 'finding', severity, rule, sessionId, origin, message };
    }
  }
  yield record;
}

export const checkConsumers: Stage = {
  name: 'check-consumers',
  summary: 'Reports what consumers of a format would drop, alter or refuse (check --target).',
  options: {},
  create: (): Handlers => ({ record: check }),
};
