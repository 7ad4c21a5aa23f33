/** Logs of one line with any number of tiny elements, in each array and object that a dialect reads. */

export interface CrowdedLog {
  /** File extension. */
  readonly type: 'jsonl' | 'json' | 'toml';
  /** The line or document with this many elements. */
  readonly make: (count: number) => string;
  /** How the rejection names the array or object that is too long. */
  readonly names: string;
}

const user = '{"role":"user","content":"hello"}';
const call = '{"id":"a","function":{"name":"f","arguments":{"x":@}}}';
const quoted = (text: string): string => JSON.stringify(text);

type Element = string | ((index: number) => string);
const joined = (element: Element, count: number): string =>
  Array.from({ length: count }, (_, i) => (typeof element === 'string' ? element : element(i))).join(',');
const array = (element: Element) => (count: number) => `[${joined(element, count)}]`;
const keys = (count: number): string => joined((i) => `"k${i}":1`, count);
const object = (count: number): string => `{${keys(count)}}`;

interface Exchange {
  readonly messages?: string;
  readonly tools?: string;
  readonly reply?: string;
  readonly choices?: string;
  readonly more?: string;
}

export function exchangeLine({
  messages = `[${user}]`,
  tools = '[]',
  reply = '{"role":"assistant","content":"hi"}',
  choices = `[{"message":${reply}}]`,
  more = '',
}: Exchange = {}): string {
  const request = `{"messages":${messages},"tools":${tools}}`;
  return `{"timestamp":"2026-01-13T08:00:01Z","session_id":"s","request":${request},"response":{"choices":${choices}}${more}}`;
}

const inRequest = (
  names: string,
  fill: (count: number) => string,
  place: (json: string) => Exchange,
): CrowdedLog => ({
  type: 'jsonl',
  names,
  make: (count) => exchangeLine(place(fill(count))),
});

const inLine = (names: string, fill: (count: number) => string, line: string): CrowdedLog => ({
  type: 'jsonl',
  names,
  make: (count) => line.replace('@', () => fill(count)),
});

const message = (json: string): Exchange => ({ messages: `[${json}]` });
const assistant = (member: string): Exchange =>
  message(`${user},{"role":"assistant","content":null,${member}}`);
const anthropic = (parts: string): string =>
  `{"session_id":"s","timestamp":"2026-01-13T08:00:01Z","request":{"model":"m",${parts}},"response":{"type":"message","role":"assistant","content":[{"type":"text","text":"hi"}]}}`;
const chat = (messages: string, meta = '"id":"a"'): string =>
  `{"meta":{${meta}},"settings":{},"state":"idle","messages":${messages}}`;
const toml = (make: CrowdedLog['make'], names: string): CrowdedLog => ({ type: 'toml', names, make });

export const crowdedLogs: Readonly<Record<string, CrowdedLog>> = {
  'exchange: empty tools': inRequest('request.tools', array('{}'), (tools) => ({ tools })),
  'exchange: tools that are numbers': inRequest('request.tools', array('0'), (tools) => ({ tools })),
  'exchange: tools with one name': inRequest(
    'request.tools',
    array((i) => `{"name":"f${i}"}`),
    (tools) => ({ tools }),
  ),
  'exchange: members of a tool': inRequest('request.tools[0]', object, (json) => ({ tools: `[${json}]` })),
  'exchange: properties of a tool': inRequest('request.tools[0].parameters.properties', object, (json) => ({
    tools: `[{"name":"f","parameters":{"type":"object","properties":${json}}}]`,
  })),
  'exchange: empty messages': inRequest('request.messages', array('{}'), (messages) => ({ messages })),
  'exchange: messages with a role': inRequest('request.messages', array('{"role":"a"}'), (messages) => ({
    messages,
  })),
  'exchange: members of a message': inRequest('request.messages[0]', keys, (json) =>
    message(`{"role":"user",${json}}`),
  ),
  'exchange: members inside a message': inRequest('request.messages[0].*', object, (json) =>
    message(`{"role":"user","content":"x","more":${json}}`),
  ),
  'exchange: content parts': inRequest('request.messages[0].content', array('{}'), (json) =>
    message(`{"role":"user","content":${json}}`),
  ),
  'exchange: calls': inRequest('request.messages[1].tool_calls', array('{}'), (json) =>
    assistant(`"tool_calls":${json}`),
  ),
  'exchange: arguments of a call': inRequest(
    'request.messages[1].tool_calls[0].function.arguments.*',
    array('0'),
    (json) => assistant(`"tool_calls":[${call.replace('@', () => json)}]`),
  ),
  'exchange: members of a function call': inRequest('request.messages[1].function_call', keys, (json) =>
    assistant(`"function_call":{"name":"f",${json}}`),
  ),
  'exchange: choices': inRequest('response.choices', array('{}'), (choices) => ({ choices })),
  'exchange: members of a choice': inRequest('response.choices[0]', object, (json) => ({
    choices: `[${json}]`,
  })),
  'exchange: calls of the reply': inRequest(
    'response.choices[0].message.tool_calls',
    array('{}'),
    (json) => ({
      reply: `{"role":"assistant","tool_calls":${json}}`,
    }),
  ),
  'exchange: members of the entry': inRequest('the object of the line', keys, (json) => ({
    more: `,${json}`,
  })),
  'exchange: an array that is not read': inRequest('*', array('0'), (json) => ({
    more: `,"unread":${json}`,
  })),
  'objects of a line': {
    type: 'jsonl',
    names: 'objects on one line',
    make: (count) => '{"session_id":"s","timestamp":0,"request":{"messages":[]}}'.repeat(count),
  },
  'messages: messages': inLine('messages', array('{"role":"a"}'), '{"messages":@}'),
  'messages: tools': inLine('tools', array('{}'), `{"messages":[${user}],"tools":@}`),
  'messages: tools in a string': inLine(
    'the list in the string tools',
    (count) => quoted(array('{}')(count)),
    `{"messages":[${user}],"tools":@}`,
  ),
  'ShareGPT: turns': inLine('conversations', array('{"from":"human","value":"a"}'), '{"conversations":@}'),
  'samples: messages': inLine(
    'messages',
    array('{"role":"user","content":"a"}'),
    '{"expected":1,"messages":@}',
  ),
  'samples: expected': inLine('expected', array('{}'), `{"expected":@,"messages":[${user}]}`),
  'samples: tags': inLine('tags', array('"a"'), `{"expected":1,"tags":@,"messages":[${user}]}`),
  'a deck: samples': toml((count) => '[[samples]]\n'.repeat(count), 'tables'),
  'a deck: tables of a name': toml(
    (count) => Array.from({ length: count }, (_, i) => `[samples.a${i}]\n`).join(''),
    'tables',
  ),
  'a deck: an array': toml((count) => `[[samples]]\ntags=${array('0')(count)}\n`, 'an array'),
  'a deck: keys': toml(
    (count) => `[[samples]]\n${Array.from({ length: count }, (_, i) => `k${i}=1\n`).join('')}`,
    'a table',
  ),
  'anthropic: messages': inLine(
    'request.messages',
    array('{"role":"user","content":"a"}'),
    anthropic('"messages":@'),
  ),
  'anthropic: blocks': inLine(
    'request.messages[0].content',
    array('{"type":"tool_result"}'),
    anthropic('"messages":[{"role":"user","content":@}]'),
  ),
  'anthropic: system': inLine(
    'request.system',
    array('{"type":"text","text":"a"}'),
    anthropic(`"system":@,"messages":[${user}]`),
  ),
  'anthropic: tools': inLine('request.tools', array('{}'), anthropic(`"messages":[${user}],"tools":@`)),
  'anthropic: a bare response': inLine(
    'content',
    array('{"type":"text","text":"a"}'),
    '{"type":"message","role":"assistant","content":@}',
  ),
  'astracodex: messages': {
    type: 'json',
    names: 'messages',
    make: (count) => chat(array('{"role":"user","content":"a"}')(count)),
  },
  'astracodex: calls': {
    type: 'json',
    names: 'messages[0].toolCalls',
    make: (count) => chat(`[{"role":"assistant","content":"a","toolCalls":${array('{"name":"a"}')(count)}}]`),
  },
  'astracodex: members of meta': {
    type: 'json',
    names: 'meta',
    make: (count) => chat(`[${user}]`, keys(count)),
  },
  'a document: an element': {
    type: 'json',
    names: 'request.tools',
    make: (count) => `[${exchangeLine({ tools: array('{}')(count) })}]`,
  },
};
