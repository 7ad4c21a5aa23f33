/**
 * The section "The aim" of RESULTS.md: every performance aim with what was measured, and a note from
 * bench/notes.json on what is missing and why.
 */
import { readFileSync } from 'node:fs';
import { figuresOf } from './aim-figures.ts';
import { aims } from './aims.ts';
import { markdownTable } from './markdown-table.ts';
import { atRoot } from './repository.ts';
import type { Result } from './results.ts';

const notesFile = 'bench/notes.json';

/** Notes by the ids of the aims; an id that is none is an error. */
const readNotes = (): Readonly<Record<string, string>> => {
  const notes = JSON.parse(readFileSync(atRoot(notesFile), 'utf8')) as Record<string, string>;
  const stranger = Object.keys(notes).find((id) => !aims.some((aim) => aim.id === id));
  if (stranger !== undefined) throw new Error(`${notesFile}: there is no aim '${stranger}'`);
  return notes;
};

/** The section as Markdown. */
export const renderAims = (results: readonly Result[]): string => {
  const notes = readNotes();
  const figures = figuresOf(results);
  const rows = aims.map(({ id, work, aim, answer }) => {
    const answered = answer(figures);
    const met = answered === undefined ? '' : answered.met ? 'yes' : 'no';
    return [work, aim, answered?.measured ?? 'not measured', met, notes[id] ?? ''];
  });
  return [
    '## The aim',
    '',
    'Each line from the largest run below that answers it; ratios are paired, with the lowest and the highest of the',
    'rounds. "times as fast" is wall time, "CPU" is user and system time.',
    '',
    ...markdownTable(['work', 'aim', 'measured', 'met', 'note'], rows),
    '',
  ].join('\n');
};
