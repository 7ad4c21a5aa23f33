/** Runs the viewer until a signal comes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { TurnmillError } from '../errors.ts';
import { openView, serveView } from '../job/view.ts';
import { SIGNALS, type StopSignal } from './exit-code.ts';
import type { Values } from './options/option.ts';
import { keepYoungSpaceSmall } from './v8.ts';

const ORIGIN = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/;
/** What opens an address, by the system. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' };

export async function view(target: string, values: Values, signal: AbortSignal): Promise<number> {
  const { logs, port, origin: origins = [], open } = values;
  const odd = origins.find((origin) => !ORIGIN.test(origin));
  if (odd !== undefined)
    throw new TurnmillError('usage', `--origin: '${odd}' is not an origin such as http://localhost:18080`);
  const request = { target, logs, port, origins, signal };
  keepYoungSpaceSmall();
  const opened = await openView(request);
  try {
    const serving = await serveView(opened, request);
    process.stderr.write(`${serving.url}\n`);
    if (open === true) openBrowser(serving.url);
    if (!signal.aborted) await once(signal, 'abort');
    await serving.close();
  } finally {
    opened.close();
  }
  return statusOf(signal.reason);
}

/** The viewer is ended by a signal, and by nothing else. */
function statusOf(reason: unknown): number {
  const [name] = /SIG\w+$/.exec((reason as Error).message) ?? [];
  return SIGNALS[name as StopSignal] ?? SIGNALS.SIGINT;
}

/** The address is on the terminal too: a browser that does not come up is no failure. */
function openBrowser(url: string): void {
  const child = spawn(OPENERS[process.platform] ?? 'xdg-open', [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
