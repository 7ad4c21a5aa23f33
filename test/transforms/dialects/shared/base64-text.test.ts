import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bodyInBase64, decoded, textOfBase64 } from '../../../../transforms/dialects/shared/base64-text.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';

const viewOf = (text: string) => new JsonView(Buffer.from(JSON.stringify(text)));
const base64 = (text: string) => Buffer.from(text).toString('base64');
const ANSWER = '{"role":"assistant","content":"It is frozen."}';
const bodyOf = (text: string) => {
  const body = bodyInBase64(viewOf(text));
  return body instanceof JsonView ? body.parsed() : body;
};

describe('a text in base64', () => {
  it.each([
    ['padded', base64(ANSWER)],
    ['without padding', base64(ANSWER).replaceAll('=', '')],
    ['in the alphabet of URLs', Buffer.from(`${ANSWER} `).toString('base64url')],
    ['with line breaks', base64(ANSWER).replaceAll(/.{20}/g, '$&\r\n')],
    ['indented JSON', base64(JSON.stringify(JSON.parse(ANSWER), undefined, 1))],
  ])('is a body if it holds JSON: %s', (_how, text) => {
    expect(bodyOf(text)).toEqual(JSON.parse(ANSWER));
  });

  it('is a body if it holds a stream', () => {
    expect(bodyOf(base64('data: {"a":1}\n\n'))).toBe('data: {"a":1}\n\n');
  });

  it('is a body if it holds JSON that was compressed', () => {
    expect(bodyOf(gzipSync(ANSWER).toString('base64'))).toEqual(JSON.parse(ANSWER));
  });

  it('is packed if a compressed body was cut', () => {
    expect(bodyOf(gzipSync(ANSWER).subarray(0, 30).toString('base64'))).toBe('packed');
  });

  it.each([gzipSync, deflateSync, brotliCompressSync])(
    'holds text that was compressed, or nothing',
    (pack) => {
      const bytes = pack(ANSWER);
      const chunks = [bytes.subarray(0, 20), bytes.subarray(20)].map((chunk) => chunk.toString('base64'));
      expect(textOfBase64(bytes.toString('base64'))?.text()).toBe(ANSWER);
      expect(textOfBase64(JSON.stringify(chunks))?.text()).toBe(ANSWER);
      expect(textOfBase64(JSON.stringify(chunks.slice(0, 1)))).toBeUndefined();
    },
  );

  it.each([
    ['eyJ'],
    ['eyJ and so on'],
    ['Where is the well?'],
    ['H4sharpInTheKeyOfC'],
    [base64('The well is frozen.')],
    [`${base64(ANSWER)} is what you asked for`],
  ])('is no body: %s', (text) => {
    expect(bodyOf(text)).toBeUndefined();
  });

  it('is decoded whatever it holds, if it is text', () => {
    expect(decoded(viewOf(base64('The well is frozen.')))?.text()).toBe('The well is frozen.');
    expect(decoded(viewOf('AAECA/8AAECA/8AAECA/8A=='))).toBeUndefined();
    expect(decoded(viewOf('The well is frozen.'))).toBeUndefined();
  });
});
