/** The commands, in the order that the help shows them. */
import { build } from './build.ts';
import { calibrate } from './calibrate.ts';
import { check } from './check.ts';
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { dialects } from './dialects.ts';
import { explain } from './explain.ts';
import { formats } from './formats.ts';
import { inspect } from './inspect.ts';
import { list } from './list.ts';
import { loop } from './loop.ts';
import { merge } from './merge.ts';
import { quarantine } from './quarantine.ts';
import { report } from './report.ts';
import { verify } from './verify.ts';
import { view } from './view.ts';

export const commands: readonly Command[] = [
  build,
  check,
  merge,
  explain,
  report,
  view,
  loop,
  calibrate,
  verify,
  quarantine,
  inspect,
  list,
  dialects,
  formats,
  completion,
];
