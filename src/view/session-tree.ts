/**
 * The branches of a session and the sessions that begin as it does, as a tree: each record hangs on the one before it
 * that shares the most first messages, a contained session on the record that contains it (docs/copies.md).
 */
import type { SessionLine } from '../dataset/schema/ledger.ts';
import { sessionOfBranch } from '../ledger/branch-id.ts';
import { SessionNames } from '../ledger/session-names.ts';
import type { TreeAnswer, TreeMember } from './app/types.ts';
import type { PathIndex } from './path-index.ts';
import type { ViewedDataset } from './viewed-dataset.ts';

/** Most sessions in a tree. */
const MAX_MEMBERS = 40;
/** Branches are looked for among this many sessions before and after. */
const NEAR_SESSIONS = 200;
/** The session that others are branches of is looked for among this many before: the default of `--max-branches`. */
const MAX_BRANCHES = 1000;

interface Relative {
  readonly number: number;
  readonly line: SessionLine;
}

/** @param number of the session, from 0 */
export async function treeOf(dataset: ViewedDataset, number: number): Promise<TreeAnswer | undefined> {
  const [session] = number < 0 ? [] : dataset.sessionPage(number, 1);
  if (session === undefined) return undefined;
  const isLikeBranch = session.id !== null && sessionOfBranch(session.id) !== undefined;
  const from = Math.max(0, number - (isLikeBranch ? MAX_BRANCHES : NEAR_SESSIONS));
  const near = dataset.sessionPage(from, number - from + NEAR_SESSIONS + 1);
  const paths = await dataset.paths();
  const nearest = branchesOf(near, number - from)
    .map((i) => from + i)
    .sort((a, b) => Math.abs(a - number) - Math.abs(b - number));
  const chosen = new Set(nearest.slice(0, MAX_MEMBERS));
  let isCut = nearest.length > chosen.size;
  for (const other of paths?.relativesOf(number) ?? []) {
    if (chosen.has(other)) continue;
    isCut ||= chosen.size === MAX_MEMBERS;
    if (isCut) break;
    chosen.add(other);
  }
  const relatives = [...chosen].map((one): Relative => {
    const line = near[one - from] ?? (dataset.sessionPage(one, 1)[0] as SessionLine);
    return { number: one, line };
  });
  return {
    members: membersOf(dataset, inOrder(relatives), { number, line: session }, paths),
    isCut,
    isCompared: paths !== undefined,
  };
}

/** Returns the indices of a session and its branches. An id of the log may look like that of a branch (`owner/repo#7`). */
function branchesOf(near: readonly SessionLine[], at: number): readonly number[] {
  const session = near[at] as SessionLine;
  if (session.id === null) return [at];
  const ofSource = near.map((line) => isOfSource(line, session));
  const names = new SessionNames(() => near.filter((_, i) => ofSource[i]));
  const rootOf = ({ id }: SessionLine): string | null =>
    id === null || names.missingBaseOf(id) !== undefined ? id : (sessionOfBranch(id) ?? id);
  const root = rootOf(session);
  return near.flatMap((line, i) => (ofSource[i] && rootOf(line) === root ? [i] : []));
}

const isOfSource = (one: SessionLine, other: SessionLine): boolean =>
  one.source === other.source && one.input === other.input;

/** Sorts by the place in the ledger, the contained ones last, so that each one comes after its parent. */
function inOrder(relatives: readonly Relative[]): readonly Relative[] {
  const last = ({ line }: Relative): number => Number(line.fate === 'contained');
  return [...relatives].sort((a, b) => last(a) - last(b) || a.number - b.number);
}

function membersOf(
  dataset: ViewedDataset,
  relatives: readonly Relative[],
  shown: Relative,
  paths: PathIndex | undefined,
): readonly TreeMember[] {
  const records = relatives.map(({ line }) => dataset.recordOfSession(line));
  return relatives.map(({ number, line }, i): TreeMember => {
    const messages = paths?.messagesOf(number) ?? 0;
    const container = line.in === undefined ? undefined : records.indexOf(dataset.recordAt(line.in));
    const parent = paths && parentOf(paths, relatives.slice(0, i), number, container);
    return {
      ...{ i: number, record: records[i], id: line.id, fate: line.fate },
      ...(number === shown.number && { isShown: true }),
      ...(!isOfSource(line, shown.line) && { source: line.source }),
      ...(messages > 0 && { messages }),
      ...(line.context !== undefined && { context: line.context }),
      ...parent,
    };
  });
}

/** @param container index of the relative whose record contains this session */
function parentOf(
  paths: PathIndex,
  before: readonly Relative[],
  number: number,
  container = -1,
): Pick<TreeMember, 'parent' | 'shared'> {
  let best = { parent: -1, shared: 0 };
  for (const [i, { number: other, line }] of before.entries()) {
    if (line.fate !== 'written') continue;
    const shared = paths.shared(number, other);
    if (shared > best.shared || (shared === best.shared && i === container)) best = { parent: i, shared };
  }
  return best.shared === 0 ? {} : best;
}
