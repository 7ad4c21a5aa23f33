/**
 * Tool definitions for the `fresh` corpus: the names of the set, with descriptions that were never
 * seen before, so that neither messages nor tools can be recognised.
 */
import { appendAscii, type ByteTape } from './byte-tape.ts';
import type { Voice } from './messages.ts';
import { appendFreshText } from './text-pool.ts';
import { toolName } from './tool-sets.ts';

const descriptionBytes = 900;

/** Appends a JSON array of definitions. */
export const appendFreshTools = (line: ByteTape, voice: Voice): void => {
  const { comma, colon } = voice.style;
  for (let index = 0; index < voice.shape.toolsPerSet; index++) {
    const name = toolName(voice.toolSet, index);
    appendAscii(
      line,
      `${index === 0 ? '[' : comma}{"type"${colon}"function"${comma}"function"${colon}` +
        `{"name"${colon}"${name}"${comma}"description"${colon}"`,
    );
    appendFreshText(line, voice.pools.prose, voice.random, descriptionBytes);
    appendAscii(
      line,
      `"${comma}"parameters"${colon}{"type"${colon}"object"${comma}"properties"${colon}{}}}}`,
    );
  }
  appendAscii(line, ']');
};
