/** Metadata of a run and of its answers, under the names of each benchmark, findings about answers, and the test for a submission. */

import { JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { copiesOf, objectOf } from '../shared/build-messages.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, present, structured } from '../shared/logged-values.ts';
import { cutNotes } from '../shared/reading-notes.ts';

/** Metadata of a run. @param model of all runs of the log, used if the run has none */
export function metaOfRun(run: JsonView, model: string | undefined): Meta {
  const info = run.get('info');
  const first = (...views: readonly (JsonView | undefined)[]): JsonView | undefined => views.find(present);
  const inConfig = structured(run.get('replay_config'))?.get('agent')?.get('model')?.get('name');
  return metaOf({
    source_id: firstOf(run, 'trajectory_id', 'instance_id', 'id', 'task_id'),
    model:
      first(info?.get('config')?.get('model')?.get('model_name'), inConfig, run.get('model_name')) ?? model,
    usage: usageOf(info?.get('model_stats')),
    cost: first(info?.get('model_stats')?.get('instance_cost'), run.get('agent_cost')),
    reward: first(
      run.get('reward'),
      run.get('reward_info')?.get('reward'),
      run.get('resolved'),
      run.get('target'),
    ),
    finish: first(info?.get('exit_status'), run.get('termination_reason'), run.get('exit_status')),
  });
}

/** The tokens of a run of SWE-agent, which logs them among the costs. */
function usageOf(stats: JsonView | undefined): JsonView | undefined {
  const tokens = (stats?.members() ?? []).filter(([key]) => key.startsWith('tokens_'));
  return tokens.length === 0 ? undefined : new JsonView(objectOf(copiesOf(tokens)));
}

/** Model and tokens of an answer, from its own members or the response that the client logged with it. */
export function metaOfAnswer(message: JsonView): Meta {
  const response = message.get('extra')?.get('response');
  return metaOf({
    model:
      firstOf(response, 'model') ?? firstOf(message.get('raw_data'), 'model') ?? firstOf(message, 'model'),
    usage: firstOf(response, 'usage') ?? firstOf(message, 'usage'),
  });
}

/** The findings about an answer that ended early, by the reason that its message or the logged response gives. */
export function notesOfAnswer(message: JsonView): readonly ReadingNote[] {
  const choice = message.get('extra')?.get('response')?.get('choices')?.elements()[0];
  const places = [choice, message.get('raw_data'), message];
  const reasons = places.map((place) => firstOf(place, 'finish_reason', 'stop_reason'));
  return cutNotes(reasons.find(present)?.text());
}

/**
 * Whether the message is the last one of a run of an early mini-swe-agent, which appends the submission as a user
 * message after the model has finished.
 */
export function isSubmission(message: JsonView, run: JsonView): boolean {
  if (run.get('trajectory_format') === undefined || message.get('role')?.text() !== 'user') return false;
  const submission = run.get('info')?.get('submission')?.text();
  return submission !== undefined && message.get('content')?.text() === submission;
}
