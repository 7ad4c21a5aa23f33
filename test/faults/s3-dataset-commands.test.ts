/** The commands that read a dataset, on one in an object store. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/job/build.ts';
import { report } from '../../src/job/report.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import { sessionLog } from '../support/build-logs.ts';
import { turnmill } from '../support/command.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { newStore, OUT } from '../support/s3-dataset.ts';
import { refuse, SECRET, SESSION_TOKEN } from '../support/s3-endpoint.ts';

describe('commands on a dataset in a store', () => {
  it('verify, quarantine and explain work', async () => {
    const store = await newStore();
    store.server.put('bucket/logs/2026-01-13/bad.jsonl', `${sessionLog('ok')}no json\n`);
    await store.build();
    const run = (...args: string[]) => turnmill(args, undefined, store.server.environment);
    const verified = await run('verify', OUT);
    expect([verified.status, verified.stdout.toString()]).toEqual([
      0,
      expect.stringContaining('no problems'),
    ]);
    const listed = await run('quarantine', 'list', OUT);
    expect([listed.status, listed.stdout.toString()]).toEqual([
      0,
      expect.stringContaining('2026-01-13/bad.jsonl:2'),
    ]);
    const where = '2026-01-13/b.jsonl:1';
    const explained = await run('explain', where, '--root', 's3://bucket/logs/', '--in', OUT);
    expect(explained.stdout.toString()).toContain('data/2026-01-13-00000.jsonl');
    const none = await run('verify', 's3://bucket/nothing/');
    expect(none.status).toBe(66);
    const [path = ''] = store.server.keys('bucket/ds/v-').filter((key) => key.includes('/data/'));
    store.server.put(path, store.server.text(path).replace('hello', 'HELLO'));
    expect((await run('verify', OUT)).status).toBe(65);
  });

  it('are named in the summary of a build', async () => {
    const store = await newStore();
    store.server.put('bucket/logs/2026-01-13/bad.jsonl', `${sessionLog('ok')}no json\n`);
    const run = (...args: string[]) => turnmill(args, undefined, store.server.environment);
    const args = ['build', 's3://bucket/logs/', '--update', OUT, '--s3-endpoint', store.server.endpoint];
    const { stderr } = await run(...args);
    const [, why = ''] = /^ {2}To see why: {2}turnmill (.+)$/m.exec(stderr) ?? [];
    expect(why).toContain(`--s3-endpoint ${store.server.endpoint} --in ${OUT}`);
    expect((await run(...why.split(' '))).stdout.toString()).toContain('rejected');
    expect(stderr).toContain(`  All rejections: turnmill quarantine list ${OUT}\n`);
    expect((await run(...args)).stderr).toContain(`rejections (turnmill quarantine list ${OUT})\n`);
  });

  it('that write it at the same time are told its URL', async () => {
    const store = await newStore();
    const both = await Promise.allSettled([store.build(), store.build()]);
    const lost = both.find(({ status }) => status === 'rejected');
    expect(lost).toMatchObject({ reason: { code: 'locked', message: `another run is writing ${OUT}` } });
    expect(both.filter((run) => run !== lost)).toMatchObject([{ status: 'fulfilled' }]);
  });

  it('report works as on a folder, also against an earlier dataset', async () => {
    const store = await newStore();
    await store.build();
    const here = join(temporaryFolder(), 'here');
    await store.build({ out: here });
    const run = async (...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await turnmill(
        ['report', ...args],
        undefined,
        store.server.environment,
      );
      expect([status, stderr]).toEqual([0, '']);
      return stdout.toString();
    };
    store.server.requests.length = 0;
    const page = await run(OUT);
    expect(page).toContain('</html>');
    expect(store.server.requests.filter(({ path }) => path.includes('/data/'))).toEqual([]); // the shards are not fetched
    // without the parts that differ from run to run
    const lasting = (html: string): string =>
      html.replaceAll(/<time[^>]*>[^<]*<\/time>|[0-9a-f]{16}|[\d.,]+/g, '');
    expect(lasting(page.replaceAll(OUT, ''))).toBe(lasting((await run(here)).replaceAll(here, '')));
    const drift = await run(here, '--against', OUT);
    expect(drift.length).toBeGreaterThan(page.length);
  });

  it('report counts from the files if the summary has no profile', async () => {
    const store = await newStore();
    await store.build();
    const [path = ''] = store.server
      .keys('bucket/ds/v-')
      .filter((key) => key.endsWith('reports/summary.json'));
    const page = await report({ dataset: OUT, s3: resolveS3Options(store.s3) });
    const { profile, ...rest } = JSON.parse(store.server.text(path));
    expect(profile).toBeDefined();
    store.server.put(path, JSON.stringify(rest));
    expect(await report({ dataset: OUT, s3: resolveS3Options(store.s3) })).toBe(page);
  });

  it('quarantine replay fetches lines and whole objects from the store', async () => {
    const store = await newStore();
    const bad = `${sessionLog('ok')}no json\n${sessionLog('ok2')}{"broken": \n`;
    const packed = gzipSync(bad);
    store.server.put('bucket/logs/2026-01-13/bad.jsonl', bad);
    store.server.put('bucket/logs/2026-01-13/packed.jsonl.gz', packed);
    store.server.put('bucket/logs/2026-01-13/nothing.jsonl', 'nothing of this\nis a log\n');
    store.server.put('bucket/logs/2026-01-13/cut.jsonl.gz', packed.subarray(0, 30));
    await store.build({ quarantineContent: 'ref' });
    const [here, there] = [join(temporaryFolder(), 'here'), join(temporaryFolder(), 'there')];
    const logs = join(temporaryFolder(), 'logs');
    for (const path of store.server.keys('bucket/logs/')) {
      const body = store.server.objects.get(path)?.body as Buffer;
      const file = join(logs, path.slice('bucket/logs/'.length));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, body);
    }
    const dataset = join(temporaryFolder(), 'dataset');
    await build({ inputs: [logs], out: dataset, workers: 1, sessionBy: 'id', quarantineContent: 'ref' });
    const run = (out: string, from: string, into: string) =>
      turnmill(
        ['quarantine', 'replay', out, '--logs', from, '--into', into],
        undefined,
        store.server.environment,
      );
    const [local, stored] = [await run(dataset, logs, here), await run(OUT, 's3://bucket/logs/', there)];
    expect([stored.status, stored.stderr]).toEqual([local.status, local.stderr]);
    expect(stored.stdout.toString().replace(there, '')).toBe(local.stdout.toString().replace(here, ''));
    expect(Object.keys(hashesOf(there)).length).toBeGreaterThan(2);
    expect(hashesOf(there)).toEqual(hashesOf(here));
    store.server.put('bucket/logs/2026-01-13/bad.jsonl', bad.replace('no json', 'no JSON'));
    store.server.objects.delete('bucket/logs/2026-01-13/packed.jsonl.gz');
    const later = await run(OUT, 's3://bucket/logs', join(temporaryFolder(), 'later'));
    expect([later.status, later.stdout.toString()]).toEqual([
      3,
      expect.stringMatching(
        /1 not replayed: the logs have changed at this place[\s\S]*2026-01-13\/bad\.jsonl:2/,
      ),
    ]);
    expect(later.stdout.toString()).toContain('not replayed: it is not in the logs');
  });

  it('S034 no credentials are in any message, object or local file', async () => {
    const store = await newStore();
    const tmp = temporaryFolder();
    const environment = { ...store.server.environment, TMPDIR: tmp };
    const args = ['build', 's3://bucket/logs/', '--session-by', 'id', '--out', OUT, '--log-level', 'debug'];
    const first = await turnmill(args, undefined, environment);
    const fault = store.server.fault('put', refuse(403, 'SignatureDoesNotMatch'), 99);
    const second = await turnmill([...args, '--replace'], undefined, environment);
    expect([first.status, second.status]).toEqual([0, 77]);
    expect(first.stderr).toContain(` in ${OUT} `);
    expect(fault.fired).toBeGreaterThan(0);
    const texts = [
      first.stderr,
      second.stderr,
      ...store.server.keys('bucket/ds/').map((path) => store.server.text(path)),
    ];
    for (const secret of [SECRET, SESSION_TOKEN])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    expect(Object.keys(hashesOf(tmp))).toEqual([]); // nothing local is left
  });
});
