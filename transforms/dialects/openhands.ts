/**
 * Dialect `openhands`: events of OpenHands, one object each, from its first version (`action`, `observation`) or its
 * SDK (`kind`); and the output of its benchmarks and exports, where one object has all events of a run; and pages of its API.
 */

import type { JsonView } from '../json/json-view.ts';
import type { LineFate } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { words } from '../model/words.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { isRecalled } from './openhands/action.ts';
import { OpenHandsRun } from './openhands/run.ts';
import { firstRejection } from './shared/line-objects.ts';
import { metaOf } from './shared/logged-meta.ts';
import { firstOf, present } from './shared/logged-values.ts';

const EVENT = /(?:Event|^Condensation\w*)$/;

/** Members with the events of a run, of a trajectory, and of a page of the REST API. */
const LISTS = ['history', 'trajectory', 'items'] as const;

function detect(first: FirstObject): boolean {
  const text = (key: string): string | undefined => first.get(key)?.text();
  const is = (key: string, type: JsonView['type']): boolean => first.get(key)?.type === type;
  if (text('source') !== undefined) {
    if (text('action') !== undefined) return is('args', 'object');
    if (text('observation') !== undefined) return is('extras', 'object') || is('content', 'string');
  }
  if (EVENT.test(text('kind') ?? '')) return true;
  const isFailed = is('history', 'null') && is('metadata', 'object');
  if (text('instance_id') !== undefined && (is('history', 'array') || isFailed)) return true;
  return LISTS.some((key) => isEvent(listIn(first.get(key))?.[0]));
}

const listIn = (list: JsonView | undefined): readonly JsonView[] | undefined =>
  list?.type === 'array' ? list.elements() : undefined;

/** Whether the first step of a trajectory is an event of OpenHands; other programs write trajectories too. */
function isEvent(event: JsonView | undefined): boolean {
  if (EVENT.test(event?.get('kind')?.text() ?? '')) return true;
  const isNamed = ['action', 'observation'].some((key) => event?.get(key)?.type === 'string');
  return isNamed && event?.get('source')?.type === 'string';
}

class Memory {
  readonly run = new OpenHandsRun('main');
  /** Number of whole runs so far. */
  runs = 0;
}

function read(json: JsonView, context: ReadContext, memory: Memory): LineFate {
  const page = listIn(json.get('items'));
  if (page !== undefined && json.get('kind') === undefined) return readPage(page, context, memory.run);
  const history = listIn(json.get('history')) ?? listIn(json.get('trajectory'));
  if (history === undefined && isFailed(json)) return context.drop('client-event');
  if (history === undefined) return memory.run.read(json, context, context.origin.source) ?? undefined;
  const run = new OpenHandsRun(`run ${memory.runs++}`);
  const id = json.get('instance_id')?.text();
  const session = id === undefined && memory.runs === 1 ? '' : `/${id ?? memory.runs}`;
  // the first benchmarks have a pair of an action and an observation as a step
  const events = history.flatMap((step) => (step.type === 'array' ? step.elements() : [step]));
  const told = json.get('metadata')?.get('agent_config')?.get('enable_prompt_extensions');
  const isTold = told?.parsed() !== false;
  const seen = isTold ? events : events.filter((event) => !isRecalled(event));
  const lost = firstRejection(seen, (event) =>
    run.read(event, context, `${context.origin.source}${session}`),
  );
  if (lost === undefined) run.describe(metaOfRun(json), context);
  run.close(context);
  if (lost !== undefined) return lost;
  return run.isEmpty ? context.drop('client-event') : undefined;
}

/** Reads a page of events; the next page continues it. The API can list the newest event first. */
function readPage(page: readonly JsonView[], context: ReadContext, run: OpenHandsRun): LineFate {
  const timeOf = (event: JsonView | undefined): string => event?.get('timestamp')?.text() ?? '';
  const isReversed = timeOf(page[0]) > timeOf(page.at(-1));
  const events = isReversed ? page.toReversed() : page;
  const lost = firstRejection(events, (event) => run.read(event, context, context.origin.source));
  return lost ?? (run.isEmpty ? context.drop('client-event') : undefined);
}

/** Whether a run failed before its first event. */
const isFailed = (run: JsonView): boolean =>
  run.get('instance_id') !== undefined && !present(run.get('history')) && run.get('source') === undefined;

function metaOfRun(json: JsonView): Meta {
  const tests = json.get('test_result');
  const reports = [json.get('report'), tests?.get('report'), tests?.get('result'), tests];
  const metadata = json.get('metadata');
  const metrics = json.get('metrics');
  return metaOf({
    source_id: json.get('instance_id'),
    model: (firstOf(metadata, 'llm_config', 'llm') ?? metadata)?.get('model') ?? metrics?.get('model_name'),
    usage: metrics?.get('accumulated_token_usage'),
    cost: metrics?.get('accumulated_cost'),
    reward: reports.map((report) => report?.get('resolved')).find(present),
  });
}

const openhands: Dialect = defineDialect({
  name: 'openhands',
  summary: 'Events of OpenHands and of its SDK, the outputs of its benchmarks, and pages of its API.',
  keys: words('action observation kind source args extras content instance_id history trajectory items'),
  folds: true,
  memory: () => new Memory(),
  knownBy:
    'source with action or observation; a kind that ends in Event; instance_id and history; or history, trajectory or items with events',
  marks: ['source', 'action', 'args'],
  detect,
  read,
});

export default openhands;
