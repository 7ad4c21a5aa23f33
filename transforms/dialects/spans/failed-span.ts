/** Tells whether a span failed, and collects the values in it that describe the error. */
import type { JsonView } from '../../json/json-view.ts';
import { errorsIn, type LoggedErrors } from '../shared/failed-answer.ts';
import { firstOf } from '../shared/logged-values.ts';
import type { SpanAttributes } from './span-attributes.ts';
import { exceptionsOf } from './span-events.ts';

const ERROR_CODES: ReadonlySet<string> = new Set(['ERROR', 'Error', 'error', 'STATUS_CODE_ERROR']);
const LEVEL = 'langfuse.observation.level';
const ERROR_NUMBER = 2;

/** The values in a span that describe its error; undefined if it did not fail. */
export function errorsOfSpan(span: JsonView, attributes: SpanAttributes): LoggedErrors | undefined {
  const status = span.get('status');
  const [error, exception] = [attributes.at('error').json(), attributes.at('exception').json()];
  const isFailed =
    isError(firstOf(status, 'code', 'status_code') ?? status) ||
    isError(span.get('status_code')) ||
    isError(attributes.at('otel.status_code').value) ||
    isError(attributes.at(LEVEL).value);
  const own = errorsIn(error, exception);
  if (!isFailed && own === undefined) return undefined;
  return [
    ...['message', 'description', 'status_message'].map((key) => status?.get(key)),
    ...['status_message', 'statusMessage', 'status_description', 'error'].map((key) => span.get(key)),
    ...['langfuse.observation.status_message', 'otel.status_description'].map(
      (path) => attributes.at(path).value,
    ),
    ...(own ?? []),
    ...exceptionsOf(span, attributes),
  ];
}

function isError(code: JsonView | undefined): boolean {
  if (code?.type === 'number') return code.parsed() === ERROR_NUMBER;
  return code?.type === 'string' && ERROR_CODES.has(code.text() ?? '');
}
