// docs/files.md: every module of transforms/ and src/ with the first sentence of its header.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { code, page, table } from './markdown.mjs';

const HEADER = /^(?:#!.*\n)?(?:\/\/ (Generated.*)\n|\/\*\*([\s\S]*?)\*\/)/;
const SENTENCE = /^.*?[.?!](?=\s|$)/;

export function filesPage(root) {
  const files = ['transforms', 'src'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${room}/${file}`),
  );
  const folders = [...new Set(files.map((file) => dirname(file)))].sort();
  return page('The files', [
    'The first sentence of each file. The folders and the way through them: [architecture.md](architecture.md).',
    ...folders.flatMap((folder) => {
      const here = files.filter((file) => dirname(file) === folder).sort();
      const rows = here.map((file) => [code(file.slice(folder.length + 1)), purpose(root, file)]);
      return [`## ${folder}`, table(['file', ''], rows)];
    }),
  ]);
}

function purpose(root, file) {
  const [, generated, comment] = HEADER.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  const text = (generated ?? comment ?? '')
    .replace(/^\s*\*\s?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = SENTENCE.exec(text)?.[0];
  if (sentence === undefined) throw new Error(`${file} has no header comment`);
  return sentence;
}
