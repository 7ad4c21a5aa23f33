/** Reads a model call as Langfuse and LangSmith store it: with one value for the input and one for the output. */

import type { JsonView } from '../../json/json-view.ts';
import { addAnswer } from '../shared/logged-answer.ts';
import { addRequest, type LoggedCall, toolsIn } from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, unpacked } from '../shared/logged-values.ts';
import { RESPONSE_ERROR } from '../shared/reading-notes.ts';
import type { Transcript } from '../shared/transcript.ts';

/** Reads an observation of Langfuse. */
export function readObservation(observation: JsonView, transcript: Transcript): LoggedCall {
  const input = unpacked(observation.get('input'));
  addRequest(transcript, input);
  const hasReply = addAnswer(transcript, observation.get('output'));
  if (!hasReply && observation.get('level')?.text() === 'ERROR') transcript.note(RESPONSE_ERROR);
  const parameters = unpacked(firstOf(observation, 'modelParameters', 'model_parameters'));
  return {
    hasReply,
    tools: toolsIn(
      firstOf(observation, 'toolDefinitions', 'tool_definitions'),
      input?.get('tools'),
      unpacked(input?.get('config'))?.get('tools'),
      parameters?.get('tools'),
    ),
    session: firstOf(observation, 'sessionId', 'session_id')?.text() || undefined,
    meta: metaOf({
      model: firstOf(observation, 'model', 'providedModelName', 'provided_model_name', 'internalModelId'),
      usage: unpacked(firstOf(observation, 'usageDetails', 'usage_details', 'usage')),
      cost:
        firstOf(observation, 'totalCost', 'calculatedTotalCost', 'total_cost') ??
        firstOf(unpacked(observation.get('cost_details')), 'total'),
      tags: firstOf(observation, 'tags'),
    }),
  };
}

/**
 * Reads a run of LangSmith, whose member `session_id` is the id of the project, not of a session.
 * @param patch what was logged at the end of the run
 */
export function readRun(run: JsonView, transcript: Transcript, patch: JsonView | undefined): LoggedCall {
  const inputs = unpacked(run.get('inputs'));
  addRequest(transcript, inputs);
  const outputs = firstOf(run, 'outputs') ?? firstOf(patch, 'outputs');
  const hasReply = addAnswer(transcript, outputs);
  if (!hasReply && (firstOf(run, 'error') ?? firstOf(patch, 'error')) !== undefined)
    transcript.note(RESPONSE_ERROR);
  const extra = unpacked(firstOf(run, 'extra') ?? firstOf(patch, 'extra'));
  const metadata = unpacked(extra?.get('metadata'));
  const sent = unpacked(extra?.get('invocation_params'));
  return {
    hasReply,
    tools: toolsIn(sent?.get('tools'), inputs?.get('tools'), sent?.get('functions')),
    session: firstOf(metadata, 'session_id', 'thread_id', 'conversation_id')?.text() || undefined,
    meta: metaOf({
      model: firstOf(metadata, 'ls_model_name') ?? firstOf(sent, 'model', 'model_name'),
      usage: usageIn(unpacked(outputs)),
      cost: dollarsIn(firstOf(run, 'total_cost') ?? firstOf(patch, 'total_cost')),
      tags: firstOf(run, 'tags'),
    }),
  };
}

/** Tokens beside the answer, or in the message that LangChain made of it. */
function usageIn(outputs: JsonView | undefined): JsonView | undefined {
  const [first] = outputs?.get('generations')?.elements() ?? [];
  const message = (first?.type === 'array' ? first.elements()[0] : first)?.get('message');
  const ofMessage = firstOf(message?.get('kwargs') ?? message?.get('data') ?? message, 'usage_metadata');
  return (
    firstOf(outputs, 'usage_metadata', 'usage') ?? ofMessage ?? outputs?.get('llm_output')?.get('token_usage')
  );
}

/** A decimal number is logged as a text. */
function dollarsIn(cost: JsonView | undefined): JsonView | number | undefined {
  const text = cost?.text() ?? '';
  return DECIMAL.test(text) ? Number(text) : cost;
}

const DECIMAL = /^\d{1,10}(?:\.\d{1,30})?(?:[eE]-?\d{1,3})?$/;
