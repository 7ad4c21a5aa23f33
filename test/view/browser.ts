/** Opens the viewer and the report in the installed Chromium. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { start, turnmill } from '../support/command.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** A missing browser fails the tests where one is required, and skips them elsewhere. */
export const hasNoBrowser: boolean = !existsSync(CHROMIUM) && process.env.CI !== 'true';
/** Such as `156.0.8078.79`. */
export function chromiumVersion(): string {
  return (
    /[\d.]{4,}/.exec(execFileSync(CHROMIUM, ['--version', '--no-sandbox'], { encoding: 'utf8' }))?.[0] ?? ''
  );
}
export const examples: string = resolve(import.meta.dirname, '../../examples');

/** Its last line is cut. */
const CUT_LOG = '2026-01-13/invoice-export-1768302018250700000.jsonl';

export interface Opened {
  readonly page: Page;
  /** URLs that the page requested. */
  readonly requests: readonly string[];
  /** Console messages and page errors. */
  readonly messages: readonly string[];
}

export interface Viewer {
  readonly url: string;
  readonly origin: string;
  readonly key: string;
  readonly port: number;
  readonly process: ChildProcess;
}

/** Gives the tests of a file a browser and a folder. */
export function useBrowser() {
  let browser: Browser | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'turnmill-browser-'));
  const viewers: ChildProcess[] = [];
  beforeAll(async () => {
    if (!hasNoBrowser) browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  });
  afterAll(async () => {
    await browser?.close();
    for (const viewer of viewers) viewer.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const tools = {
    folder,
    async open(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
      const context = await (browser as Browser).newContext({
        viewport: { width: 1440, height: 900 },
        ...options,
      });
      context.setDefaultTimeout(120_000);
      const page = await context.newPage();
      const requests: string[] = [];
      const messages: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => messages.push(message.text()));
      page.on('pageerror', (error) => messages.push(`error: ${error.message}`));
      await page.goto(url);
      return { page, requests, messages };
    },
    /** Opens a dataset, and goes from the overview to its first record. */
    async openRecords(url: string, options?: BrowserContextOptions): Promise<Opened> {
      const opened = await tools.open(url, options);
      await goTo(opened.page, '#/records/0');
      await opened.page.waitForSelector('.row .ttl');
      return opened;
    },
    async view(...args: readonly string[]): Promise<Viewer> {
      return tools.viewIn(process.env, ...args);
    },
    /** Builds the example logs, with a cut line that is rejected, and views them. */
    async viewDemo(): Promise<Viewer> {
      const logs = join(folder, 'demo-logs');
      cpSync(join(examples, 'logs'), logs, { recursive: true });
      appendFileSync(join(logs, CUT_LOG), '\n'); // with it, the cut line is rejected
      return tools.view(await built(logs, join(folder, 'demo')), '--logs', logs);
    },
    async viewIn(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Viewer> {
      const child = start(['view', ...args], 'ignore', env);
      viewers.push(child);
      const url = await new Promise<string>((done, failed) => {
        let text = '';
        child.stderr?.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          const [found] = /http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]+/.exec(text) ?? [];
          if (found !== undefined) done(found);
        });
        child.on('close', () => failed(new Error(text)));
      });
      const { origin, port, hash } = new URL(url);
      return { url, origin, port: Number(port), key: hash.slice('#key='.length), process: child };
    },
  };
  return tools;
}

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Violations that axe finds in a page. Its script is injected past the page's content security policy. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
  });
}

/** Waits until an expression is true in the page. The page's content security policy blocks `waitForFunction`. */
export async function until(page: Page, expression: string): Promise<void> {
  await expect.poll(() => page.evaluate(expression), { timeout: 60_000 }).toBe(true);
}

/** Returns the expression for `until` that the page shows this record, session or line. */
export const headingIs = (text: string): string =>
  `document.querySelector('.bar h1')?.textContent === ${JSON.stringify(text)}`;

/** Changes the page's fragment, as a link does. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

export async function built(logs: string, out: string, ...args: readonly string[]): Promise<string> {
  const { status, stderr } = await turnmill(['build', logs, '--out', out, ...args]);
  if (status !== 0 && status !== 3) throw new Error(stderr);
  return out;
}

/** Texts that would run, load or break out if the page treated them as more than text. */
export const PAYLOADS: readonly string[] = [
  '<script>window.pwned=1</script>',
  '</script><img src=x onerror=window.pwned=1>',
  '"><svg onload=window.pwned=1>',
  'javascript:window.pwned=1',
  '</style><script>window.pwned=1</script>',
  '<!--',
  ']]>',
  '\u202egnp.exe\u202c \u0007\u001b[31mred',
  '{{constructor.constructor("window.pwned=1")()}}',
  '<a href="javascript:window.pwned=1">x</a>',
  '![x](javascript:window.pwned=1)',
  '</title><script>window.pwned=1</script>',
  '</pre></template><iframe srcdoc="<script>parent.pwned=1</script>">',
];

/** Logs with the payloads in names, roles, tools, ids, images, errors and texts. */
export function writeHostileLogs(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [i, text] of PAYLOADS.entries()) {
    const picture = { type: 'image_url', image_url: { url: `http://127.0.0.1:9/leak?${i}` } };
    const svg = {
      url: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"/>',
    };
    const call = {
      id: `a${text}`,
      type: 'function',
      function: { name: text, arguments: JSON.stringify({ [text]: text }) },
    };
    const messages = [
      { role: 'system', content: text },
      { role: text, content: text },
      { role: 'user', content: [{ type: 'text', text }, picture, { type: 'image_url', image_url: svg }] },
      {
        role: 'assistant',
        content: `<think>${text}</think>STATE: acting\nNEEDS_CONFIRMATION: true\nFINAL: ${text}`,
        reasoning_content: text,
        tool_calls: [call],
      },
      { role: 'tool', tool_call_id: `a${text}`, content: text },
    ];
    const tools = [{ name: text, description: text, parameters: {} }];
    const response = { choices: [{ message: { role: 'assistant', content: text } }] };
    const line = {
      timestamp: 1_768_300_000_000 + i,
      session_id: text,
      request: { messages, tools },
      response,
    };
    const name = `${String(i).padStart(2, '0')}${text.replaceAll('/', '∕').slice(0, 60)}.jsonl`;
    writeFileSync(join(folder, name), `${JSON.stringify(line)}\n{"bad ${text.replaceAll('"', '')}\n`);
  }
  return folder;
}
