/** The import rules in the tables of docs/contributing/architecture.md, and the imports found in a module's text. */
import { posix } from 'node:path';

/** A row of the layer table. */
export interface Layer {
  readonly rank: number;
  /** Folders (with a final slash) and files. */
  readonly rooms: readonly string[];
  /** Rooms and files that its modules may import, besides their own room; `node:*` for Node's modules. */
  readonly mayImport: readonly string[];
}

/** A row of the table of doors: the only places that import a package. */
export interface Door {
  readonly name: string;
  readonly places: readonly string[];
}

export interface House {
  readonly layers: readonly Layer[];
  readonly doors: readonly Door[];
}

const CODE = /`([^`]+)`/g;
const RANKS = /\branks? (\d+)(?: to (\d+))?/g;
const STATIC = /^[ \t]*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*(?:['"`]([^'"`$]+)['"`])?/g;
const WORKER = /\bnew URL\(\s*['"`]([^'"`]+)['"`]\s*,\s*import\.meta\.url/g;
const REQUIRE = /\b(?:createRequire|require)\(/g;
const MODULE = /\.[cm]?[jt]sx?$/;
const COMPUTED = '(computed)';

/** Parses the tables of the page. */
export function readHouse(markdown: string): House {
  const rows = rowsUnder(markdown, 'rank');
  const ranked = rows.map(([rank, rooms, may]) => ({
    rank: Number(rank),
    rooms: codesIn(rooms),
    may: may ?? '',
  }));
  const layers = ranked.map(({ rank, rooms, may }) => {
    const ranks = [...may.matchAll(RANKS)].flatMap(([, from, to]) => span(Number(from), Number(to ?? from)));
    const below = ranked.filter((other) => ranks.includes(other.rank)).flatMap((other) => other.rooms);
    return { rank, rooms, mayImport: [...below, ...codesIn(may)] };
  });
  const doors = rowsUnder(markdown, 'package').flatMap(([names, places]) =>
    codesIn(names).map((name) => ({ name, places: codesIn(places) })),
  );
  return { layers, doors };
}

/** The cells of the rows of the table whose first header is `head`. */
function rowsUnder(markdown: string, head: string): string[][] {
  const lines = markdown.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^\\| ${head} +\\|`).test(line));
  if (at < 0) return [];
  const end = lines.findIndex((line, i) => i > at && !line.startsWith('|'));
  return lines.slice(at + 2, end < 0 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const codesIn = (cell = ''): string[] => [...cell.matchAll(CODE)].map((match) => match[1] as string);
const span = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Everything that a module imports, in any form. */
export function importsOf(text: string): readonly string[] {
  const named = [STATIC, DYNAMIC, WORKER].flatMap((form) =>
    [...text.matchAll(form)].map((match) => match[1] ?? COMPUTED),
  );
  const urls = new Set([...text.matchAll(WORKER)].map((match) => match[1]));
  const required = [...text.matchAll(REQUIRE)].map(() => COMPUTED);
  return [...named.filter((name) => !urls.has(name) || MODULE.test(name)), ...required];
}

/** Violations in a module's imports, one sentence each. */
export function violationsOf(house: House, file: string, text: string): readonly string[] {
  const layer = house.layers.find(({ rooms }) => rooms.some((room) => lies(file, room)));
  if (layer === undefined) return [`${file} is in no room of the table`];
  const own = layer.rooms.find((room) => lies(file, room)) as string;
  return importsOf(text)
    .filter((name) => !allowed(house, layer, own, file, name))
    .map((name) => `${file} imports ${name}`);
}

function allowed({ doors }: House, layer: Layer, own: string, file: string, name: string): boolean {
  if (name.startsWith('.')) {
    const target = posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts');
    return [own, ...layer.mayImport].some((room) => lies(target, room));
  }
  const door = doors.find((other) => name === other.name || name.startsWith(`${other.name}/`));
  if (door !== undefined) return door.places.some((place) => lies(file, place));
  return name.startsWith('node:') && layer.mayImport.includes('node:*');
}

function lies(file: string, room: string): boolean {
  return room.endsWith('/') ? file.startsWith(room) : file === room;
}

/** The modules that each module imports, in any form. */
function graphOf(files: readonly string[], textOf: (file: string) => string): Map<string, string[]> {
  const known = new Set(files);
  const target = (file: string, name: string): string =>
    posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts');
  return new Map(
    files.map((file) => [
      file,
      importsOf(textOf(file))
        .filter((name) => name.startsWith('.'))
        .map((name) => target(file, name))
        .filter((other) => known.has(other) && other !== file),
    ]),
  );
}

/** Modules that import each other, directly or through others: one list per circle (Tarjan's strongly connected components). */
export function circlesOf(
  files: readonly string[],
  textOf: (file: string) => string,
): readonly (readonly string[])[] {
  const graph = graphOf(files, textOf);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  function visit(file: string): number {
    order.set(file, order.size);
    low.set(file, order.get(file) as number);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) low.set(file, Math.min(low.get(file) as number, visit(next)));
      else if (open.includes(next))
        low.set(file, Math.min(low.get(file) as number, order.get(next) as number));
    }
    const mine = low.get(file) as number;
    if (mine === order.get(file)) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle);
    }
    return mine;
  }

  for (const file of files) if (!order.has(file)) visit(file);
  return circles;
}

/** `src/job` of `src/job/build.ts`. */
const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/**
 * Counts imports between rooms, by `room -> room`. Files directly in src/ are the room `src`, except its door `src/index.ts`; transforms/
 * is one room.
 */
export function roomArrows(
  files: readonly string[],
  textOf: (file: string) => string,
): ReadonlyMap<string, number> {
  const room = (file: string): string => {
    if (file === 'src/index.ts') return file;
    if (file.startsWith('transforms/')) return 'transforms';
    return roomOf(file).endsWith('.ts') ? 'src' : roomOf(file);
  };
  const arrows = new Map<string, number>();
  for (const [file, imported] of graphOf(files, textOf)) {
    for (const other of imported) {
      if (room(file) === room(other)) continue;
      const arrow = `${room(file)} -> ${room(other)}`;
      arrows.set(arrow, (arrows.get(arrow) ?? 0) + 1);
    }
  }
  return new Map([...arrows].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Counts files, lines and floors (longest import chain inside the room) of each room of src/. */
export function roomSizes(
  files: readonly string[],
  textOf: (file: string) => string,
): readonly {
  readonly room: string;
  readonly files: number;
  readonly lines: number;
  readonly floors: number;
}[] {
  const graph = graphOf(files, textOf);
  const depths = new Map<string, number>();
  const depth = (file: string): number => {
    const known = depths.get(file);
    if (known !== undefined) return known;
    depths.set(file, 1); // breaks circles
    const below = (graph.get(file) ?? []).filter((other) => roomOf(other) === roomOf(file)).map(depth);
    const own = 1 + Math.max(0, ...below);
    depths.set(file, own);
    return own;
  };
  const rooms = [...new Set(files.map(roomOf))].filter(
    (room) => room.startsWith('src/') && !room.endsWith('.ts'),
  );
  return rooms.map((room) => {
    const own = files.filter((file) => roomOf(file) === room);
    const lines = own.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
    return { room, files: own.length, lines, floors: Math.max(...own.map(depth)) };
  });
}
