import fs from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLineFile } from '../../../src/dataset/line-file.ts';
import { faultOf, temporaryFolder } from './temporary.ts';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const seam = { ...real };
  return {
    ...seam,
    default: seam,
    writeSync: (...args: never[]) => (seam.writeSync as (...a: never[]) => number)(...args),
    fsyncSync: (fd: number) => seam.fsyncSync(fd),
  };
});

const folder = temporaryFolder();
const bytes = (text: string) => new TextEncoder().encode(text);
afterEach(() => vi.restoreAllMocks());

describe('a line file', () => {
  test('appends lines and counts them', () => {
    const file = createLineFile(folder.in('a.jsonl'));
    file.write(bytes('{"a":1}'));
    file.write(bytes(''));
    expect([file.lines, file.bytes]).toEqual([2, 9]);
    expect(fs.readFileSync(folder.in('a.jsonl'), 'utf8')).toBe('');
    file.sync();
    file.close();
    expect(fs.readFileSync(folder.in('a.jsonl'), 'utf8')).toBe('{"a":1}\n\n');
  });

  test('keeps order over lines smaller and larger than its buffer', () => {
    const lines = [10, 300_000, 262_143, 262_144, 262_145, 0, 5, 200_000, 200_000].map((n, i) =>
      String(i).repeat(n),
    );
    const file = createLineFile(folder.in('a'));
    for (const line of lines) file.write(bytes(line));
    file.close();
    const text = lines.map((line) => `${line}\n`).join('');
    expect(fs.readFileSync(folder.in('a'), 'utf8') === text).toBe(true);
    expect(file.bytes).toBe(text.length);
  });

  test('keeps order, counts and UTF-8 when texts and bytes alternate', () => {
    const lines = [3, 9000, 8192, 8191, 1, 300_000, 40, 4000, 4000, 4000, 0].map((n, i) =>
      (i % 3 === 1 ? 'é\u2028😀' : String(i % 10)).repeat(n),
    );
    const file = createLineFile(folder.in('a'));
    let size = 0;
    lines.forEach((line, i) => {
      if (i % 4 === 3) file.write(bytes(line));
      else file.writeText(line);
      size += bytes(line).length + 1;
      if (i % 4 === 0) expect([file.bytes, file.lines]).toEqual([size, i + 1]);
    });
    file.checkpoint();
    const text = lines.map((line) => `${line}\n`).join('');
    expect(fs.readFileSync(folder.in('a'), 'utf8') === text).toBe(true);
    file.writeText('not flushed');
    file.park();
    expect(fs.readFileSync(folder.in('a'), 'utf8').endsWith('\nnot flushed\n')).toBe(true);
    file.writeText('given up');
    file.abandon();
    expect(file.bytes).toBe(size + 'not flushed\n'.length);
  });

  test('refuses a path where a file or link exists', () => {
    fs.writeFileSync(folder.in('a'), 'x');
    fs.symlinkSync(folder.in('elsewhere'), folder.in('b'));
    expect(faultOf(() => createLineFile(folder.in('a'))).code).toBe('io');
    expect(faultOf(() => createLineFile(folder.in('b'))).code).toBe('io');
    expect(folder.names()).toEqual(['a', 'b']);
  });

  test('has the requested mode', () => {
    createLineFile(folder.in('a'), 0o600).close();
    expect(fs.statSync(folder.in('a')).mode & 0o777).toBe(0o600);
  });

  test('continues after parking', () => {
    const file = createLineFile(folder.in('a'));
    for (const line of ['1', '2', '3']) {
      file.write(bytes(line));
      file.park();
      file.park();
    }
    file.sync();
    file.close();
    expect(fs.readFileSync(folder.in('a'), 'utf8')).toBe('1\n2\n3\n');
  });

  test.each([
    ['grew', () => fs.appendFileSync(folder.in('a'), 'x')],
    [
      'was replaced',
      () => {
        fs.renameSync(folder.in('a'), folder.in('b'));
        fs.copyFileSync(folder.in('b'), folder.in('a'));
      },
    ],
    [
      'became a link (F102)',
      () => {
        fs.renameSync(folder.in('a'), folder.in('b'));
        fs.symlinkSync('b', folder.in('a'));
      },
    ],
  ])('does not continue a file that %s while it was parked', (_, tamper) => {
    const file = createLineFile(folder.in('a'));
    file.write(bytes('1'));
    file.park();
    tamper();
    file.write(bytes('2'));
    expect(faultOf(() => file.flush()).code).toBe('io');
  });

  test('F025 continues after short writes and EAGAIN', () => {
    const real = fs.writeSync as (fd: number, b: Uint8Array, at: number, length: number) => number;
    let calls = 0;
    vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, b: Uint8Array, at: number) => {
      calls += 1;
      if (calls % 3 === 0) throw Object.assign(new Error('again'), { code: 'EAGAIN' });
      return real(fd, b, at, Math.min(3, b.length - at));
    }) as never);
    const file = createLineFile(folder.in('a'));
    file.write(bytes('0123456789'));
    file.close();
    expect(calls).toBeGreaterThan(4);
    expect(fs.readFileSync(folder.in('a'), 'utf8')).toBe('0123456789\n');
  });

  test('F020 reports a full disk as an io fault that names the file, again at every later call', () => {
    vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    });
    const file = createLineFile(folder.in('a'));
    file.write(bytes('x'));
    const first = faultOf(() => file.flush());
    expect(first).toMatchObject({ code: 'io', subject: folder.in('a') });
    expect(first.message).toContain('ENOSPC');
    expect(faultOf(() => file.close())).toBe(first);
    file.abandon();
  });

  test('F023 never calls fsync again after it has failed', () => {
    const sync = vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw Object.assign(new Error('bad'), { code: 'EIO' });
    });
    const file = createLineFile(folder.in('a'));
    file.write(bytes('x'));
    expect(faultOf(() => file.sync()).code).toBe('io');
    expect(faultOf(() => file.sync()).code).toBe('io');
    expect(sync).toHaveBeenCalledTimes(1);
    file.abandon();
  });

  test('accepts nothing after close', () => {
    const file = createLineFile(folder.in('a'));
    file.close();
    file.write(bytes('x'));
    expect(() => file.flush()).toThrow('closed');
  });
});
