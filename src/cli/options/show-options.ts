/** Options of the commands that show something: check, explain, inspect, quarantine, report and view. */

import { words } from '../../../transforms/model/words.ts';
import { FORMAT_NAMES } from '../../settings/conversion-settings.ts';
import type { Option } from '../../settings/option.ts';
import { choices, flag, list, text, texts, wholeNumber } from '../../settings/value-types.ts';

const MAX_PORT = 65_535;
const KINDS = words('line entry conversation record rejection fate repair finding session-end');

export const CHECK_OPTIONS = {
  target: {
    group: 'Conversion',
    help: 'Report for each record what the consumers of this format would drop, alter or refuse',
    type: choices(FORMAT_NAMES, 'NAME'),
  } as Option<readonly string[]>,
  redactRules: {
    group: 'Output',
    help: 'Count what looks like secrets by these rules, as build --redact would with them',
    type: text('TOML'),
  } as Option<string>,
};

export const VERIFY_OPTIONS = {
  redacted: {
    group: 'Input',
    help: 'Search all files for values that look like secrets, with other code than --redact of build, and exit with 65 if there are any',
    type: flag,
  } as Option<boolean>,
  redactRules: {
    group: 'Input',
    help: 'With --redacted: the rules of the build',
    type: text('TOML'),
  } as Option<string>,
};

export const EXPLAIN_OPTIONS = {
  root: {
    group: 'Input',
    help: 'Resolve FILE below this folder, which was the input of build',
    type: text('DIR'),
  } as Option<string>,
  in: {
    group: 'Output',
    help: 'Show where the record is in this dataset, and read the log with the options of its build',
    type: text('OUT'),
  } as Option<string>,
};

export const INSPECT_OPTIONS = {
  after: {
    group: 'Output',
    help: 'Show the elements that leave this stage; framing comes before the first stage',
    type: text('STAGE'),
  } as Option<string>,
  kind: {
    group: 'Output',
    help: 'Show only elements of these kinds, separated by commas',
    shown: 'all',
    type: list(KINDS, 'KINDS'),
  } as Option<readonly string[]>,
};

export const QUARANTINE_OPTIONS = {
  into: {
    group: 'Output',
    help: 'Write the logs to this new folder: one for each source with rejections',
    type: text('DIR'),
  } as Option<string>,
  logs: {
    group: 'Input',
    help: 'Read bytes that the quarantine does not keep from this input of build, a path or an s3:// URL; repeat it for each input, in the same order',
    type: texts('PATH'),
  } as Option<readonly string[]>,
};

export const REPORT_OPTIONS = {
  against: {
    group: 'Input',
    help: 'Compare with this earlier dataset',
    type: text('OLD'),
  } as Option<string>,
  out: {
    alias: 'o',
    group: 'Output',
    help: 'Write the page to this file',
    shown: 'standard output',
    type: text('PAGE'),
  } as Option<string>,
};

export const VIEW_OPTIONS = {
  logs: {
    group: 'Input',
    help: 'Show logged lines beside records, from this input of build; repeat it for each input, in the same order',
    shown: 'the inputs of build if they are still there; with --export, none',
    type: texts('PATH'),
  } as Option<readonly string[]>,
  export: {
    group: 'Output',
    help: 'Write the page and its data to this new folder, for a static host, and exit',
    type: text('DIR'),
  } as Option<string>,
  limit: {
    group: 'Output',
    help: 'With --export: write at most N records',
    shown: '2000',
    type: wholeNumber(1),
  } as Option<number>,
  port: {
    group: 'Run',
    help: 'Listen on this port of 127.0.0.1',
    shown: 'any free port',
    type: wholeNumber(1, MAX_PORT),
  } as Option<number>,
  origin: {
    group: 'Run',
    help: 'Also answer pages of this origin, such as http://localhost:18080 for a forwarded port',
    type: texts('ORIGIN'),
  } as Option<readonly string[]>,
  open: { group: 'Run', help: 'Open the page in the browser', type: flag } as Option<boolean>,
};
