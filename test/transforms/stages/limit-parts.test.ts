import { createHash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import type { Conversation, Message } from '../../../transforms/model/element.ts';
import { apply } from '../../../transforms/stage.ts';
import limitParts from '../../../transforms/stages/limit-parts.ts';
import { asArray, asBuffer, text } from '../bytes.ts';
import { conversationOf } from '../checks/samples.ts';

const IMAGE = Buffer.from('\xff\xfe?>image!'.repeat(3), 'latin1');
const BASE64 = IMAGE.toString('base64');
const URI = `data:image/png;base64,${BASE64}`;
const sum = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const partOf = (mediaType: string, bytes: string | Uint8Array): string =>
  `{"type":"text","text":"[part-too-big: ${mediaType}, ${Buffer.byteLength(bytes)} bytes, SHA-256 ${sum(bytes)}]"}`;
const PNG = partOf('image/png', IMAGE);

function limited(conversation: Conversation, maxPart = 16): Conversation {
  return [...apply(limitParts.create({ maxPart }), [conversation])][0] as Conversation;
}
const messageOf = (json: string, role = 'user'): Message => ({ role, bytes: asArray(json) });
/** The message after the stage, if it was changed. */
function replaced(json: string, maxPart?: number): string | undefined {
  const conversation = conversationOf([messageOf(json)]);
  const after = limited(conversation, maxPart);
  if (after === conversation) return undefined;
  expect([...after.changes]).toEqual([['part-too-big', 1]]);
  return text(after.messages[0]?.bytes as Uint8Array);
}
const withPart = (part: string): string => `{"role":"user","content":[${part}]}`;

describe('the limit', () => {
  const json = withPart(`{"type":"image_url","image_url":{"url":"${URI}"}}`);

  it('is the length of the URI', () => {
    expect(replaced(json, URI.length)).toBeUndefined();
    expect(replaced(json, URI.length - 1)).toBe(withPart(PNG));
  });

  it('is the length as logged, with its escapes', () => {
    const escaped = URI.replaceAll('/', '\\/');
    const logged = json.replace(URI, () => escaped);
    expect(escaped.length).toBeGreaterThan(URI.length + 1);
    expect(replaced(logged, escaped.length)).toBeUndefined();
    expect(replaced(logged, escaped.length - 1)).toBe(withPart(PNG));
  });

  it('is turned off by 0', () => {
    expect(limitParts.create({ maxPart: 0 })).toEqual({});
  });

  it('is that of the data, not that of the part', () => {
    const long = withPart(`{"type":"image_url","image_url":{"url":"${URI}","detail":"${'x'.repeat(500)}"}}`);
    expect(replaced(long, URI.length)).toBeUndefined();
  });
});

describe('parts with data', () => {
  test.each([
    ['chat completions', `{"type":"image_url","image_url":{"detail":"low","url":"${URI}"}}`, PNG],
    ['a URI without an object', `{"type":"input_image","image_url":"${URI}"}`, PNG],
    [
      'a recording',
      `{"type":"input_audio","input_audio":{"data":"${BASE64}","format":"wav"}}`,
      partOf('audio/wav', IMAGE),
    ],
    ['a file', `{"type":"file","file":{"filename":"a.png","file_data":"${URI}"}}`, PNG],
    ['an item of the Responses API', `{"type":"input_file","file_data":"${URI}"}`, PNG],
    [
      'a block of the Messages API',
      `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"${BASE64}"}}`,
      partOf('application/pdf', IMAGE),
    ],
    ['Gemini', `{"inlineData":{"mimeType":"image/png","data":"${IMAGE.toString('base64url')}"}}`, PNG],
    [
      'Model Context Protocol',
      `{"type":"audio","data":"${BASE64}","mimeType":"audio/mp3"}`,
      partOf('audio/mp3', IMAGE),
    ],
    [
      'an embedded resource',
      `{"type":"resource","resource":{"uri":"file:///a","blob":"${BASE64}"}}`,
      partOf('unknown type', IMAGE),
    ],
    ['an address of any part', `{"type":"image","image":"${URI}"}`, PNG],
  ])('%s', (_name, part, expected) => {
    expect(replaced(withPart(part))).toBe(withPart(expected));
  });

  it('inside the result of a tool', () => {
    const inner = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${BASE64}"}}`;
    const json = (part: string) =>
      withPart(`{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a"}, ${part}]}`);
    expect(replaced(json(inner))).toBe(json(PNG));
  });

  it('in the list of images of an answer', () => {
    const json = (part: string) => `{"role":"assistant","content":"here","images":[${part}]}`;
    expect(replaced(json(`{"type":"image_url","image_url":{"url":"${URI}"}}`))).toBe(json(PNG));
  });
});

describe('the text', () => {
  const urlPart = (url: string): string => withPart(`{"type":"image_url","image_url":{"url":"${url}"}}`);

  it('has the sum of the text if the data is not base64', () => {
    const cut = `${BASE64.slice(0, 20)}[...]`;
    expect(replaced(urlPart(`data:image/png;base64,${cut}`))).toBe(withPart(partOf('image/png', cut)));
    expect(replaced(withPart(`{"type":"input_audio","input_audio":{"data":"${cut}\\u00e9\\n"}}`))).toBe(
      withPart(partOf('unknown type', `${cut}é\n`)),
    );
  });

  it('has the sum of the text of a URI without base64', () => {
    const svg = '%3Csvg%20width=%221%22/%3E, and more';
    expect(replaced(urlPart(`data:image/svg+xml;charset=utf-8,${svg}`))).toBe(
      withPart(partOf('image/svg+xml', svg)),
    );
    expect(replaced(urlPart(`data:,AAAABBBBCCCCDDDD`))).toBe(
      withPart(partOf('unknown type', 'AAAABBBBCCCCDDDD')),
    );
  });

  it('shows no text of a URI other than a media type', () => {
    const url = `DATA:my \\"secret\\";BASE64,${BASE64}`;
    expect(replaced(urlPart(url))).toBe(withPart(partOf('unknown type', IMAGE)));
  });
});

describe('unchanged', () => {
  const long = 'AAAA'.repeat(20);
  test.each([
    ['a text', `{"role":"user","content":"${URI}"}`],
    ['a text part', withPart(`{"type":"text","text":"${URI}"}`)],
    ['text beside the type text', withPart(`{"type":"document","source":{"type":"text","data":"${long}"}}`)],
    ['encrypted reasoning', withPart(`{"type":"redacted_thinking","data":"${long}"}`)],
    ['arguments', `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"${URI}"}}]}`],
    ['arguments of a block', withPart(`{"type":"tool_use","input":{"url":"${URI}","data":"${long}"}}`)],
    ['an address', withPart(`{"type":"image_url","image_url":{"url":"https://example.com/${long},a"}}`)],
    ['a list of other values', `{"role":"user","content":["${URI}",null,[["${URI}"]],{}]}`],
    ['an object', `{"role":"user","content":{"type":"image_url","image_url":{"url":"${URI}"}}}`],
  ])('%s', (_name, json) => {
    expect(replaced(json)).toBeUndefined();
  });
});

it('replaces several parts, notes their places and keeps all other bytes', () => {
  const json = (first: string, second: string) =>
    `{ "role":"tool" ,"n":1.0,"content" : [ {"type":"text","text":"\\u0041"} ,${first}, {"type":"x","content":[${second} ]}\t],"k":"\\/","k":2}`;
  const image = `{"type":"image_url", "image_url":{"url":"${URI}"} }`;
  const note = { rule: 'interrupted', severity: 'WARNING', message: 'x' } as const;
  const message = { ...messageOf(json(image, image), 'tool'), notes: [note] };
  const small = messageOf('{"role":"user","content":"a"}');
  const changes = new Map([['null-fields', 2]]);
  const after = limited(conversationOf([small, message, message], { changes }), 40);
  expect(after.messages[0]).toBe(small);
  for (const one of after.messages.slice(1)) {
    expect(text(one.bytes)).toBe(json(PNG, PNG));
    expect(one.notes?.map(({ rule }) => rule)).toEqual(['interrupted', 'part-too-big', 'part-too-big']);
    expect(one.notes?.slice(1).map(({ message }) => message)).toEqual([
      'content[1]: 30 bytes of data (image/png) are replaced by their SHA-256 (--max-part)',
      'content[2].content[0]: 30 bytes of data (image/png) are replaced by their SHA-256 (--max-part)',
    ]);
  }
  expect([...after.changes]).toEqual([...changes, ['part-too-big', 2]]);
});

it('does not look at messages up to the limit', () => {
  const broken = { role: 'user', bytes: asBuffer('{not json') };
  const conversation = conversationOf([broken]);
  expect(limited(conversation, broken.bytes.length)).toBe(conversation);
});
