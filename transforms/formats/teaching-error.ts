/** The error of the teaching functions, with a code and a message for each kind of input that they cannot convert. */

export const TEACHING_FAULTS = {
  'response-not-object': 'Response must be a JSON object',
  'content-missing': "Missing 'content' field in response",
  'content-not-array': 'content field must be an array',
  'no-tool-use': 'No tool_use block found in content',
  'several-tool-uses': 'Multiple tool_use blocks found (expected exactly one)',
  'name-missing': "Missing 'name' in tool_use block",
  'input-missing': "Missing 'input' in tool_use block",
  'arguments-not-object': 'Tool args must be object',
  'nested-arguments': 'Nested objects not supported',
  'comment-end-in-reasoning': 'Reasoning contains the end of a comment',
  'control-token-in-content': 'Text contains a control token',
  'key-not-bare': 'A name or a key cannot be written bare',
  'number-out-of-range': 'A number is too long without its exponent',
} as const;

export type TeachingFault = keyof typeof TEACHING_FAULTS;

export class TeachingError extends Error {
  readonly code: TeachingFault;

  constructor(code: TeachingFault) {
    super(TEACHING_FAULTS[code]);
    this.name = 'TeachingError';
    this.code = code;
  }
}
