/**
 * The clock of a session and the many ways to write a time: zones, fractions, epoch numbers, and two ways to break the order. Steps exceed
 * two seconds unless the notation keeps nanoseconds.
 */
import type { Dice } from './dice.ts';
import { num, type Odd } from './json-text.ts';

const NS = 1_000_000_000n;

function digits(value: bigint, length: number): string {
  return value.toString().padStart(length, '0');
}

function iso(ns: bigint, offsetMinutes: number): string {
  const seconds = Number(ns / NS) + offsetMinutes * 60;
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

function notation(dice: Dice, ns: bigint, fine: boolean): Odd {
  const fraction = digits(ns % NS, 9);
  const text = iso(ns, 0);
  if (fine) return `${text}.${fraction}${dice.pick(['Z', '+00:00', '', '123Z'])}`;
  return dice.variant<Odd>('stamp', {
    microseconds: () => `${text}.${fraction.slice(0, 6)}+00:00`,
    zulu: () => `${text}Z`,
    'lower case': () => `${text.replace('T', 't')}.${fraction.slice(0, 3)}z`,
    'space and no zone': () => text.replace('T', ' '),
    'no zone': () => `${text}.${fraction.slice(0, 1)}`,
    'long fraction': () => `${text}.${fraction}999999999999Z`,
    east: () => `${iso(ns, 330)}.${fraction}+05:30`,
    west: () => `${iso(ns, -720)}-12:00`,
    'minus zero zone': () => `${text}-00:00`,
    'zone without a colon': () => `${iso(ns, 120)}.${fraction}+0200`,
    comma: () => `${text.replace('T', ' ')},${fraction.slice(0, 3)}`,
    'seconds as text': () => String(ns / NS),
    'milliseconds as text': () => String(ns / 1_000_000n),
    'seconds with a fraction as text': () => `${ns / NS}.${fraction.slice(0, 3)}`,
    'epoch seconds': () => num(String(ns / NS)),
    'epoch with fraction': () => num(`${ns / NS}.${fraction}`),
    'epoch milliseconds': () => num(String(ns / 1_000_000n)),
    'epoch exponent': () => num(`${digits(ns, 19).slice(0, 1)}.${digits(ns, 19).slice(1)}e9`),
    'milliseconds exponent': () => num(`${ns / 1_000_000n}0.0E-1`),
  });
}

export type Clock = { readonly next: () => Odd; readonly startNs: bigint };

export function createClock(dice: Dice): Clock {
  const startNs = 1_768_342_443_000_000_000n + BigInt(dice.int(90 * 86_400)) * NS;
  const fine = dice.odd('nanosecond steps', 0.15);
  const fixed = !dice.odd('mixed stamps', 0.3);
  let now = startNs + BigInt(dice.int(1_000_000_000));
  let last: Odd = '';
  const step = (): bigint => {
    if (fine) return BigInt(1 + dice.int(999));
    return 2n * NS + BigInt(dice.int(600)) * NS + BigInt(dice.int(1_000_000_000));
  };
  const next = (): Odd => {
    if (last !== '' && dice.odd('equal stamp', 0.006)) return last;
    now += last !== '' && dice.odd('decreasing stamp', 0.006) ? -3600n * NS : step();
    last =
      fixed && !fine ? `${iso(now, 0)}.${digits(now % NS, 9).slice(0, 6)}+00:00` : notation(dice, now, fine);
    return last;
  };
  return { next, startNs };
}
