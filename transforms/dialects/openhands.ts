/**
 * Dialect `openhands`: events of OpenHands, of its first version (`action`, `observation`) and of its SDK (`kind`), one
 * object each; and the output of its benchmarks, where an object holds the events of a whole run.
 */
import type { JsonView } from '../json/json-view.ts';
import type { Fate, Rejection } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { metaOf } from './logged-meta.ts';
import { OpenHandsRun } from './openhands-run.ts';

const EVENT = /(?:Event|^Condensation\w*)$/;

function detect(first: FirstObject): boolean {
  const text = (key: string): string | undefined => first.get(key)?.text();
  const is = (key: string, type: JsonView['type']): boolean => first.get(key)?.type === type;
  if (text('source') !== undefined) {
    if (text('action') !== undefined) return is('args', 'object');
    if (text('observation') !== undefined) return is('extras', 'object') || is('content', 'string');
  }
  if (EVENT.test(text('kind') ?? '')) return true;
  return text('instance_id') !== undefined && is('history', 'array');
}

/** State of `read` for a source. */
class Memory {
  readonly run = new OpenHandsRun('main');
  /** Number of whole runs so far. */
  runs = 0;
}

function read(json: JsonView, context: ReadContext, memory: Memory): Fate | Rejection | undefined {
  const history = json.get('history');
  if (history?.type !== 'array') return memory.run.read(json, context, context.origin.source) ?? undefined;
  const run = new OpenHandsRun(`run ${memory.runs++}`);
  const session = `${context.origin.source}/${json.get('instance_id')?.text() ?? memory.runs}`;
  for (const event of history.elements().flatMap(eventsOf)) {
    const result = run.read(event, context, session);
    if (result?.kind !== 'rejection') continue;
    run.close(context);
    return result;
  }
  run.describe(metaOfRun(json), context);
  run.close(context);
  return run.isEmpty ? context.drop('client-event') : undefined;
}

function metaOfRun(json: JsonView): Meta {
  const report = json.get('report') ?? json.get('test_result')?.get('report');
  return metaOf({
    source_id: json.get('instance_id'),
    model: json.get('metadata')?.get('llm_config')?.get('model'),
    cost: json.get('metrics')?.get('accumulated_cost'),
    reward: report?.get('resolved'),
  });
}

/** A step of the first benchmarks is a pair of an action and an observation. */
function eventsOf(step: JsonView): readonly JsonView[] {
  return step.type === 'array' ? step.elements() : [step];
}

const openhands: Dialect = defineDialect({
  name: 'openhands',
  summary: 'Events of OpenHands and of its SDK, and the outputs of its benchmarks.',
  keys: ['action', 'observation', 'kind', 'source', 'args', 'extras', 'content', 'instance_id', 'history'],
  folds: true,
  memory: () => new Memory(),
  knownBy: 'source with action or observation; kind that ends in Event; or instance_id and history',
  marks: ['source', 'action', 'args'],
  detect,
  read,
});

export default openhands;
