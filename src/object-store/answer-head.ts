/** Parses the head of an HTTP response: its status and its headers. */
import { StoreFault } from './fault.ts';

/** Name of a header. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

export interface AnswerHead {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Length of the body in bytes; undefined if the head does not state it. */
  readonly length: number | undefined;
  /** Whether the server closes the connection after the response. */
  readonly closes: boolean;
  readonly hasNoBody: boolean;
}

/** Parses a head. @param text without its final empty line. @throws StoreFault */
export function parseHead(text: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, version, status] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(first) ?? [];
  if (status === undefined) throw new StoreFault('NotHttp');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!TOKEN.test(name)) throw new StoreFault('NotHttp');
    const value = line.slice(colon + 1).trim();
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  const { 'content-length': length = '', 'transfer-encoding': encoding, connection = '' } = headers;
  const isStated = encoding === undefined && /^\d{1,15}$/.test(length);
  return {
    status: Number(status),
    headers,
    length: isStated ? Number(length) : undefined,
    closes: version === '0' || /\bclose\b/i.test(connection),
    hasNoBody: status === '304' || status === '204',
  };
}
