// Takes screenshots of the report and the viewer, showing the logs in examples/: npm run shots
//
// Writes docs/shots/ (WebP, for the documentation) and test/view/baselines/ (lossless, compared by test/view/pictures.test.ts). With
// --to FOLDER, writes only the baselines, as PNG into that folder. Needs Debian's chromium, fonts-inter, fonts-jetbrains-mono and
// fonts-ipafont-gothic, and webp unless --to is set.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = join(root, 'dist/package/bin.js');
const logs = join(root, 'examples/logs');
const followed = join(logs, '2026-01-13/market-brief-1768342443120394000.jsonl');
/** Its user changed the first question; if that were unchanged, the last two entries would go on differently after it. */
const branched = join(logs, '2026-01-14/recipe-planner-1768414260551000000.jsonl');
const MAX_BYTES = 1_000_000;
const BASELINES = [
  ...['report-light', 'record-light', 'record-open-dark', 'sessions-light', 'rejected-dark', 'live-light'],
];
/** Those of the documentation. */
const SHOWN = [
  ...[
    'overview-light',
    'record-light',
    'record-open-dark',
    'sessions-light',
    'rejected-light',
    'search-light',
  ],
  ...['live-light', 'copies-light', 'report-light', 'report-dark', 'report-whole-light'],
];
const CHROMIUM_ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** Name, hash of the address, and a selector that matches when the page is ready. */
const PAGES = [
  ['overview', '#/overview', '#problems'],
  ['record', '#/records/3', '.diff section'],
  ['record-open', '#/records/0?open=1', '.call[open]'],
  ['sessions', '#/sessions/6', '.about'],
  ['rejected', '#/rejected/4', '.hex'],
  ['search', '#/records/7?q=flight', '.row.on'],
];

/** Starts the viewer; the pages show a dataset under its path below the working folder. @returns the child process and the address of the page */
function view(...args) {
  const child = spawn(process.execPath, [command, 'view', ...args], { cwd: work });
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const [url] = /http:\S+/.exec(text) ?? [];
      if (url !== undefined) resolve({ child, url });
    });
    child.on('close', () => reject(new Error(text)));
  });
}

/** @param take called with each page when it is ready, and with the name of its picture */
async function eachPage(browser, out, take) {
  const dataset = await view('dataset');
  const live = await view(followed);
  for (const colorScheme of ['light', 'dark']) {
    const open = async (viewport) =>
      (await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })).newPage();
    const page = await open({ width: 1440, height: 900 });
    await page.goto(pathToFileURL(join(out, 'reports/index.html')).href);
    await take(page, `report-${colorScheme}`);
    await page.goto(dataset.url);
    for (const [name, hash, ready] of PAGES) {
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
      await page.waitForSelector(ready);
      if (name !== 'overview') await page.waitForSelector('.row .ttl');
      if (hash.startsWith('#/records')) await page.waitForSelector('.diff > p');
      await take(page, `${name}-${colorScheme}`);
    }
    await page.goto(live.url);
    await page.waitForSelector('.entry:nth-of-type(6)');
    await take(page, `live-${colorScheme}`);
    await page.context().close();
    const tall = await open({ width: 1180, height: 2200 });
    await tall.goto(pathToFileURL(join(out, 'reports/index.html')).href);
    await take(tall, `report-whole-${colorScheme}`);
    await tall.context().close();
  }
  for (const { child } of [dataset, live]) child.kill('SIGINT');
}

/** The fork of a session, as a record and in the tree of docs/copies.md. */
async function pageOfCopies(browser, work, take) {
  const lines = readFileSync(branched, 'utf8')
    .replaceAll(' tonight, on the hob only, ', ' tonight ')
    .split('\n');
  const write = (name, numbers) =>
    writeFileSync(join(work, 'copies', name), numbers.map((n) => `${lines[n - 1]}\n`).join(''));
  mkdirSync(join(work, 'copies'));
  write('1-session.jsonl', [1, 2, 3, 4]);
  write('2-checkpoint.jsonl', [1, 2, 3]);
  write('3-fork.jsonl', [1, 5, 6]);
  const out = join(work, 'marked');
  spawnSync(process.execPath, [command, 'build', join(work, 'copies'), '--copies', 'mark', '--out', out]);
  const { child, url } = await view('marked');
  const page = await browser.newPage({
    viewport: { width: 1240, height: 620 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await page.goto(url);
  await page.evaluate(() => {
    location.hash = '#/records/1';
  });
  await page.waitForSelector('.tree');
  await page.waitForSelector('.context');
  await take(page, 'copies-light');
  await page.context().close();
  child.kill('SIGINT');
}

/** Waits until all fonts are loaded and the page is painted. */
async function settled(page) {
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  });
}

const toWebp = (png, webp, ...options) =>
  execFileSync('cwebp', ['-quiet', '-m', '6', ...options, png, '-o', webp]);

const { values } = parseArgs({ options: { to: { type: 'string' } } });
const work = mkdtempSync(join(tmpdir(), 'turnmill-shots-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: CHROMIUM_ARGS,
});
try {
  const out = join(work, 'dataset');
  spawnSync(process.execPath, [command, 'build', logs, '--out', out]);
  const pictures = values.to ?? join(work, 'pictures');
  mkdirSync(pictures, { recursive: true });
  const take = async (page, name) => {
    if (values.to !== undefined && !BASELINES.includes(name)) return;
    await settled(page);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  };
  await eachPage(browser, out, take);
  if (values.to === undefined) await pageOfCopies(browser, work, take);
  if (values.to === undefined) writeAll(pictures, browser.version());
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}

function writeAll(pictures, version) {
  const shots = join(root, 'docs/shots');
  const baselines = join(root, 'test/view/baselines');
  for (const folder of [shots, baselines]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  for (const file of readdirSync(pictures)) {
    const name = file.slice(0, -'.png'.length);
    if (SHOWN.includes(name))
      toWebp(join(pictures, file), join(shots, `${name}.webp`), '-near_lossless', '40');
    if (BASELINES.includes(name))
      toWebp(join(pictures, file), join(baselines, `${name}.webp`), '-lossless', '-exact');
  }
  writeFileSync(join(baselines, 'chromium-version'), `${version}\n`);
  const bytes = readdirSync(shots).reduce((sum, file) => sum + statSync(join(shots, file)).size, 0);
  console.log(`${readdirSync(shots).length} pictures in docs/shots, ${bytes} bytes`);
  if (bytes > MAX_BYTES) throw new Error(`docs/shots is larger than ${MAX_BYTES} bytes`);
}
