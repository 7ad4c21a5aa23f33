/**
 * Decides which requests the viewer's server answers: only those of the viewer page, on this machine, with the key that
 * the terminal has shown.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Refusal {
  readonly status: number;
  readonly why: string;
}

/** The port and the key that a request must have. */
export interface Access {
  readonly port: number;
  readonly key: string;
  /** Further origins, for forwarded ports. */
  readonly origins: readonly string[];
}

export interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

const OWN_SITE: ReadonlySet<unknown> = new Set([undefined, 'none', 'same-origin']);

/**
 * Returns why a request is refused; call it for every request. The host header reveals a page with another name that
 * resolves to this machine.
 */
export function refusalOf({ method, headers }: RequestHead, { port, origins }: Access): Refusal | undefined {
  const own = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, ...origins];
  const hosts = own.map((origin) => origin.slice(origin.indexOf('//') + 2));
  if (!hosts.includes(headers.host ?? '')) return { status: 421, why: 'this server has another name' };
  if (headers.origin !== undefined && !own.includes(headers.origin))
    return { status: 403, why: 'requests from other pages are refused' };
  if (!OWN_SITE.has(headers['sec-fetch-site']) && !isNavigation(headers))
    return { status: 403, why: 'requests from other sites are refused' };
  if (method !== 'GET') return { status: 405, why: 'this server only reads' };
  return undefined;
}

/** Whether a tab opens the page, as from the file that `view --open` writes. The page alone has no data. */
const isNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/** Returns why a request lacks the key; call it for every request for data. */
export function keyRefusal(headers: IncomingHttpHeaders, { key }: Access): Refusal | undefined {
  const [, token] = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  if (token !== undefined && timingSafeEqual(digest(token), digest(key))) return undefined;
  return { status: 401, why: 'the key is missing: open the URL that turnmill view has printed' };
}

/** Hashes a text, so that texts of different lengths are compared in constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};
