import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IdTable } from '../../../transforms/model/id-table.ts';
import { NumberColumn } from '../../../transforms/model/number-column.ts';

/** A UUID of version 4 for each number below 2^48. */
const uuid = (n: number): string => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-${'0'.repeat(12)}`;
/** Writes the 16 bytes of a key as a UUID. */
const asUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

describe('IdTable', () => {
  it.each([
    ['UUIDs', uuid],
    ['short ids', (n: number) => `line ${n}`],
    ['long ids', (n: number) => `${n}${'x'.repeat(200)}`],
  ])('numbers 20,000 %s in order and finds each while it grows', (_, id) => {
    const table = new IdTable();
    const all = Array.from({ length: 20_000 }, (_, n) => n);
    // one assertion for all: 20,000 take seconds
    expect(all.filter((n) => table.numberOf(id(n)) !== -1 || table.add(id(n)) !== n)).toEqual([]);
    expect(all.filter((n) => table.numberOf(id(n)) !== n)).toEqual([]);
    expect(table.numberOf(id(20_000))).toBe(-1);
    expect(table.size).toBe(20_000);
  });

  it('returns the same number for a repeated id', () => {
    const table = new IdTable();
    for (const id of [uuid(7), 'a', '', uuid(7), 'a', '']) table.add(id);
    expect(table.size).toBe(3);
    expect([uuid(7), 'a', ''].map((id) => table.numberOf(id))).toEqual([0, 1, 2]);
  });

  it('distinguishes ids that differ in one place', () => {
    const table = new IdTable();
    const one = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
    table.add(one);
    for (let i = 0; i < one.length; i++) {
      if (one[i] === '-') continue;
      const other = `${one.slice(0, i)}${one[i] === '1' ? '2' : '1'}${one.slice(i + 1)}`;
      if (other !== one) expect(table.numberOf(other), `digit ${i}`).toBe(-1);
    }
    for (const other of [one.toUpperCase(), one.replaceAll('-', ''), `${one} `, one.replace('-', '_')])
      expect(table.numberOf(other), other).toBe(-1);
  });

  it('distinguishes short texts by characters and length', () => {
    const texts = [
      '',
      '\0',
      '\0\0',
      'a',
      'a\0',
      '\0a',
      'abcdef',
      'abcdefg',
      'é',
      'e',
      'ĩ',
      ')',
      'x'.repeat(15),
      'x'.repeat(16),
    ];
    const table = new IdTable();
    for (const [number, text] of texts.entries()) expect(table.add(text)).toBe(number);
    for (const [number, text] of texts.entries()) expect(table.numberOf(text)).toBe(number);
  });

  it('never confuses a UUID with another text of the same key', () => {
    const texts = Array.from({ length: 2000 }, (_, n) => `a text of many characters ${n}`);
    const table = new IdTable();
    for (const text of texts) table.add(text);
    for (const text of texts) {
      const hash = createHash('sha256').update(text, 'utf16le').digest().subarray(0, 16);
      expect(table.numberOf(asUuid(hash)), text).toBe(-1);
      hash[6] = (hash[6] as number) & 0x0f;
      const known = table.size;
      table.add(asUuid(hash));
      expect(table.size, 'not a UUID: it is hashed, and new').toBe(known + 1);
    }
  });

  it('is empty after clear and numbers from 0 again', () => {
    const table = new IdTable();
    for (let n = 0; n < 500; n++) table.add(uuid(n));
    table.clear();
    expect([table.size, table.numberOf(uuid(3))]).toEqual([0, -1]);
    expect(table.add(uuid(3))).toBe(0);
    expect(table.numberOf(uuid(4))).toBe(-1);
  });
});

describe('NumberColumn', () => {
  it('keeps its values while it grows and is 0 elsewhere', () => {
    const column = new NumberColumn();
    const indexes = [0, 1, 63, 64, 1000, 16_383, 16_384, 40_000];
    for (const index of indexes) column.set(index, index * 3 + 1);
    for (const index of indexes) expect(column.at(index)).toBe(index * 3 + 1);
    expect([2, 16_385, 40_001, 1_000_000].map((index) => column.at(index))).toEqual([0, 0, 0, 0]);
    column.set(40_000, 2 ** 32 - 1);
    expect(column.at(40_000)).toBe(2 ** 32 - 1);
    column.clear();
    expect(indexes.map((index) => column.at(index))).toEqual(indexes.map(() => 0));
  });
});
