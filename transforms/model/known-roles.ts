/**
 * The names that clients use for who speaks. A name that is not listed here says nothing about who wrote a message, so
 * a dialect that builds messages must know it itself or reject it (`unknown-speaker`).
 */

/** The roles that a message may have, in the words of the chat completions API. */
export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

export type Role = (typeof ROLES)[number];

const KNOWN: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...ROLES.map((role) => [role, role] as const),
  ['human', 'user'],
  ['ai', 'assistant'],
  ['model', 'assistant'], // Gemini
  ['chatbot', 'assistant'], // Cohere
  // LangChain
  ['HumanMessage', 'user'],
  ['HumanMessageChunk', 'user'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['SystemMessage', 'system'],
  ['SystemMessageChunk', 'system'],
  ['ToolMessage', 'tool'],
  ['ToolMessageChunk', 'tool'],
  ['FunctionMessage', 'function'],
  ['FunctionMessageChunk', 'function'],
]);

/** The role of a speaker with this name; enumerations of Java and Go are in capitals. Undefined for any other name. */
export const roleNamed = (name: string): Role | undefined =>
  KNOWN.get(name) ?? (name === name.toUpperCase() ? KNOWN.get(name.toLowerCase()) : undefined);

const WRITTEN: ReadonlySet<string> = new Set(ROLES);

/** Whether a message may be written with this role as it is. */
export const isRole = (role: string): role is Role => WRITTEN.has(role);

/** The known roles, for messages of errors. */
export const ROLE_LIST: string = `${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}`;

/** Why a message is rejected. @param where names the message, never its speaker: that is a text of the log */
export const unknownSpeaker = (where: string): string => `${where} is not from ${ROLE_LIST}`;

/** Why an answer is rejected that names another speaker. */
export const OTHER_ROLE = 'the answer has another role than that of the model';

/** Why a line of a client is rejected whose type names another speaker than the role of its message. */
export const OTHER_ROLE_THAN_TYPE = 'type and message.role name different speakers';

/** Members besides the role by which clients name the speaker of a message. */
export const SPEAKER_MEMBERS = ['type', 'kind', 'sender', 'author', 'message_type'] as const;

/**
 * Is it the name of a speaker other than the model, beside the role of the model, or the reverse? A name that is not known
 * says nothing about the speaker.
 */
export function isOtherSpeaker(role: string, name: string | undefined): boolean {
  const named = name === undefined ? undefined : roleNamed(name);
  return named !== undefined && (named === 'assistant') !== (role === 'assistant');
}

/** Why a message is rejected whose members name different speakers. @param where names the message */
export const differentSpeakers = (where: string): string => `the members of ${where} name different speakers`;
