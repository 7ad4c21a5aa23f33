// Small shorthands for writing a session down: text of several lines, and tool definitions.

/** Lines joined to one text. */
export const text = (...lines) => lines.join('\n');

/** A parameter schema: `params({ city: [string, 'Name of the city'] }, ['city'])`. */
export function params(properties, required) {
  const described = Object.entries(properties).map(([name, [schema, description]]) => [
    name,
    { ...schema, description },
  ]);
  return { type: 'object', properties: Object.fromEntries(described), required };
}

/** A tool definition as the chat API takes it. */
export const tool = (name, description, parameters) => ({
  type: 'function',
  function: { name, description, parameters },
});

export const string = { type: 'string' };
export const integer = { type: 'integer' };
export const number = { type: 'number' };
export const boolean = { type: 'boolean' };
export const listOf = (items) => ({ type: 'array', items });
export const oneOf = (...values) => ({ type: 'string', enum: values });

/** Log lines to the text of a log file: each line ended. */
export const logFile = (lines, ending = '\n') => lines.map((line) => line + ending).join('');
