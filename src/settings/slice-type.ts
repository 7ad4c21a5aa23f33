/** The value of `--slice`: I/N, or /N with the number of the slice from the scheduler's variable. */
import type { Slice } from '../input/sources/slice.ts';
import type { Refuse, ValueType } from './option.ts';

/** Variables with the number of a task, and the number of the first task; the first one that is set is used. */
const VARIABLES: readonly (readonly [name: string, first: 0 | 1])[] = [
  ['TURNMILL_SLICE', 1],
  ['SLURM_ARRAY_TASK_ID', 1],
  ['JOB_COMPLETION_INDEX', 0],
  ['AWS_BATCH_JOB_ARRAY_INDEX', 0],
];
const WRITTEN = /^(\d{1,7})?\/(\d{1,7})$/;
const NUMBER = /^\d{1,7}$/;

export const sliceType: ValueType<Slice> = {
  placeholder: 'I/N',
  fromTexts: ([word = ''], refuse) => sliceIn(word, refuse),
  fromJson: (value, refuse) =>
    typeof value === 'string' ? sliceIn(value, refuse) : refuse('must be a string'),
  check: (value, refuse) => checked((value ?? {}) as Slice, refuse),
};

function sliceIn(word: string, refuse: Refuse): Slice {
  const [, own, count] = WRITTEN.exec(word) ?? refuse(`'${word}' is not I/N or /N, such as 2/8`);
  const of = Number(count);
  return checked({ index: own === undefined ? indexInEnvironment(of, refuse) : Number(own), of }, refuse);
}

function indexInEnvironment(of: number, refuse: Refuse): number {
  const [name, first] =
    VARIABLES.find(([variable]) => (process.env[variable] ?? '') !== '') ??
    refuse(`/${of} needs the number of the slice in one of ${VARIABLES.map(([known]) => known).join(', ')}`);
  const text = process.env[name] ?? '';
  const last = of - 1 + first;
  if (!NUMBER.test(text) || Number(text) < first || Number(text) > last)
    refuse(`${name} is '${text}', but the tasks of ${of} slices are numbered from ${first} to ${last}`);
  return Number(text) + 1 - first;
}

function checked(slice: Slice, refuse: Refuse): Slice {
  const { index, of } = slice;
  const isValid = Number.isSafeInteger(of) && Number.isSafeInteger(index) && index >= 1 && index <= of;
  return isValid ? slice : refuse(`${index}/${of} does not name a slice: I is a number from 1 to N`);
}
