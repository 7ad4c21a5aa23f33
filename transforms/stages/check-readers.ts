/**
 * Stage of `turnmill check --target`: what the reader of a row's format would drop, alter or refuse, as findings before the
 * row. It changes nothing, and a build has no such stage.
 */

import { readerRules } from '../consumers/consumer-rules.ts';
import type { Finding, Row, StreamElement } from '../model/element.ts';
import type { Handlers, Stage } from '../stage.ts';

function* check(row: Row): Generator<StreamElement> {
  const { origin, sessionId, format } = row;
  for (const { name: rule, effect, formats, says, broken } of readerRules) {
    if (!formats.includes(format)) continue;
    const severity: Finding['severity'] = effect === 'refuses' ? 'ERROR' : 'WARNING';
    for (const at of broken(row)) {
      const message = `${format}: ${at < 0 ? 'the record' : `messages[${at}]`} ${says}`;
      yield { kind: 'finding', severity, rule, sessionId, origin, message };
    }
  }
  yield row;
}

export const checkReaders: Stage = {
  name: 'check-readers',
  summary: 'Reports what consumers of a format would drop, alter or refuse (check --target).',
  options: {},
  create: (): Handlers => ({ row: check }),
};
