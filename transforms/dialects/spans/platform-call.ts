/** Reads a model call as Langfuse and LangSmith store it: with one value for the input and one for the output. */

import type { JsonView } from '../../json/json-view.ts';
import { errorsIn, withoutError } from '../shared/failed-answer.ts';
import { addAnswer } from '../shared/logged-answer.ts';
import {
  addRequest,
  addSystem,
  addWithSystem,
  type LoggedCall,
  readTools,
  refuseOtherSystem,
  toolPlaces,
} from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, unpacked } from '../shared/logged-values.ts';
import { IN_METADATA, SYSTEMS } from '../shared/said-texts.ts';
import { Transcript } from '../shared/transcript.ts';
import { holdsWords, says } from '../shared/unread-text.ts';
import { answerIn, LANGFUSE_OUTPUT } from './no-answer.ts';
import { compareMembers } from './second-values.ts';

/** Reads an observation of Langfuse. */
export function readObservation(observation: JsonView, transcript: Transcript): LoggedCall {
  const input = unpacked(observation.get('input'));
  const output = unpacked(observation.get('output'));
  const metadata = unpacked(observation.get('metadata'));
  const logged = answerIn(LANGFUSE_OUTPUT, observation.get('output'));
  const attributes = unpacked(metadata?.get('attributes'));
  const system = systemBeside(input, attributes, IN_METADATA);
  const isAnswered = addCall(transcript, observation.get('input'), logged, system);
  compareMembers(transcript, observation);
  const isError = observation.get('level')?.text() === 'ERROR';
  const errors = isError ? [firstOf(observation, 'statusMessage', 'status_message')] : undefined;
  const hasReply = withoutError(transcript, isAnswered, errors);
  const parameters = unpacked(firstOf(observation, 'modelParameters', 'model_parameters'));
  refuseOtherSystem(transcript, parameters);
  for (const place of [metadata, attributes]) refuseOtherSystem(transcript, place, IN_METADATA);
  return {
    hasReply,
    tools: readTools(
      transcript,
      ...toolPlaces(observation),
      ...toolPlaces(input),
      output?.get('tools'),
      ...toolsOfMetadata(metadata),
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
  const outputs = firstOf(patch, 'outputs') ?? firstOf(run, 'outputs');
  addInstructions(transcript, inputs, unpacked(outputs));
  addRequest(transcript, inputs);
  const errors = errorsIn(run.get('error'), patch?.get('error'));
  const hasReply = withoutError(transcript, addAnswer(transcript, outputs), errors);
  compareMembers(transcript, run);
  const extra = unpacked(firstOf(run, 'extra') ?? firstOf(patch, 'extra'));
  const metadata = unpacked(extra?.get('metadata'));
  const sent = unpacked(extra?.get('invocation_params'));
  refuseOtherSystem(transcript, sent);
  refuseOtherSystem(transcript, metadata, IN_METADATA);
  return {
    hasReply,
    tools: readTools(
      transcript,
      ...[sent, inputs, extra, metadata].flatMap(toolPlaces),
      unpacked(outputs)?.get('tools'),
    ),
    session: firstOf(metadata, 'session_id', 'thread_id', 'conversation_id')?.text() || undefined,
    meta: metaOf({
      model: firstOf(metadata, 'ls_model_name') ?? firstOf(sent, 'model', 'model_name'),
      usage: usageIn(unpacked(outputs)),
      cost: dollarsIn(firstOf(run, 'total_cost') ?? firstOf(patch, 'total_cost')),
      tags: firstOf(run, 'tags'),
    }),
  };
}

/**
 * The system text among the parameters of a request that has none itself.
 * @param names of the parameters that hold it
 */
export function systemBeside(
  request: JsonView | undefined,
  parameters: JsonView | undefined,
  names: readonly string[] = SYSTEMS,
): JsonView | undefined {
  const list = request?.type === 'array' ? request : firstOf(request, 'messages', 'input', 'contents');
  const isThere =
    firstOf(request, ...SYSTEMS) !== undefined ||
    list?.elements().some((message) => SYSTEM_ROLES.has(message.textOf('role') ?? '')) === true;
  if (isThere) return undefined;
  return names
    .map((key) => unpacked(parameters?.get(key)))
    .find((system) => system !== undefined && says(system) && holdsWords(system));
}

/**
 * Adds the request and the answer of a call. @returns whether it has an answer
 * @param system the system text, if it was logged beside the request
 */
export function addCall(
  transcript: Transcript,
  input: JsonView | undefined,
  output: JsonView | undefined,
  system?: JsonView | undefined,
): boolean {
  if (system === undefined) addInstructions(transcript, unpacked(input), unpacked(output));
  addWithSystem(transcript, system, input);
  return addLogged(transcript, input, output);
}

/** Adds the system text that a response of the Responses API repeats, if the request was logged without it. */
function addInstructions(
  transcript: Transcript,
  input: JsonView | undefined,
  output: JsonView | undefined,
): void {
  if (output?.get('object')?.text() !== 'response' || input?.get('instructions') !== undefined) return;
  const instructions = unpacked(output.get('instructions'));
  const text = instructions?.type === 'string' ? instructions.text() : undefined;
  const first = (input?.type === 'array' ? input : firstOf(input, 'input', 'messages'))?.elements()[0];
  const isLogged =
    SYSTEM_ROLES.has(first?.get('role')?.text() ?? '') && first?.get('content')?.text() === text;
  if (text !== undefined && !isLogged) addSystem(transcript, instructions);
}

const SYSTEM_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/** Places in the metadata of a call that integrations write the tools to. */
export function toolsOfMetadata(metadata: JsonView | undefined): readonly (JsonView | undefined)[] {
  const attributes = unpacked(metadata?.get('attributes'));
  const parameters = unpacked(attributes?.get('model_request_parameters'));
  return [
    ...toolPlaces(metadata),
    ...toolPlaces(attributes),
    attributes?.get('ai.prompt.tools'),
    attributes?.get('llm.tools'),
    parameters?.get('function_tools'),
  ];
}

/**
 * Adds the answer of an observation. A text of the model that looks like JSON stays a text, if the values of the
 * observation are not logged as texts of JSON.
 */
function addLogged(
  transcript: Transcript,
  input: JsonView | undefined,
  output: JsonView | undefined,
): boolean {
  const isJsonText = output?.type === 'string' && unpacked(output) !== output;
  if (!isJsonText || input?.type === 'string') return addAnswer(transcript, output);
  const answer = new Transcript(false);
  addAnswer(answer, output);
  if (answer.refusal === undefined) return addAnswer(transcript, output);
  transcript.addBlocks('assistant', [{ kind: 'text', text: output.bytes }]);
  return true;
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
