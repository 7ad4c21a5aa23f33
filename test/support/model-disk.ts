/**
 * An in-memory disk that can lose power: the state that programs see, and the state on the platter. fsync of a file writes its bytes, fsync
 * of a folder its names; anything else gets there at random, in blocks, or never. A rename is atomic. Writes may be short.
 */
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import type { FileSystem } from '../../src/dataset/file-system.ts';

const BLOCK_BYTES = 512;
const MAX_LINKS = 40;

interface FileNode {
  readonly kind: 'file';
  readonly ino: number;
  bytes: Uint8Array;
  stable: Uint8Array;
}

interface FolderNode {
  readonly kind: 'folder';
  readonly ino: number;
  names: Map<string, Node>;
  stable: Map<string, Node>;
  /** Names that changed together since the last write to the platter. */
  changed: Set<string>[];
}

interface LinkNode {
  readonly kind: 'link';
  readonly ino: number;
  readonly target: string;
}

type Node = FileNode | FolderNode | LinkNode;

/** The whole content of a disk: plain data, which `structuredClone` copies. */
export interface DiskState {
  readonly root: FolderNode;
  lastInode: number;
}

export interface ModelDisk {
  readonly fileSystem: FileSystem;
  /** Writes part of the visible state to the platter. @param inOrder keeps the order of a folder's changes */
  writeBack(inOrder: boolean): void;
  /** Writes everything to the platter. */
  sync(): void;
  /** Drops everything that is not on the platter. */
  losePower(): void;
}

export interface ModelDiskOptions {
  readonly state: DiskState;
  readonly random: () => number;
  /** Called before each call that reaches the disk; may throw like the system. */
  readonly onCall: (name: string, path: string) => void;
}

/** An empty disk. */
export function emptyDisk(): DiskState {
  return { root: newFolder(1), lastInode: 1 };
}

function newFolder(ino: number): FolderNode {
  return { kind: 'folder', ino, names: new Map(), stable: new Map(), changed: [] };
}

/** The error of a system call. */
export function systemError(code: string, name: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${name} '${path}'`), { code, syscall: name, path });
}

export function createModelDisk({ state, random, onCall }: ModelDiskOptions): ModelDisk {
  const open = new Map<number, { readonly node: Node; readonly path: string }>();
  let nextFd = 100;

  const fail = (code: string, path: string): never => {
    throw systemError(code, 'model', path);
  };

  /** The folder and name that a path resolves to, following links on the way. */
  function locate(path: string, links = 0): { folder: FolderNode; name: string } {
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    const name = parts.pop();
    if (name === undefined) return { folder: state.root, name: '.' };
    let at: Node = state.root;
    let here = '';
    for (const part of parts) {
      at = step(at, part, `${here}/${part}`, links);
      here = `${here}/${part}`;
    }
    return at.kind === 'folder' ? { folder: at, name } : fail('ENOTDIR', path);
  }

  function step(at: Node, part: string, path: string, links: number): Node {
    const next = at.kind === 'folder' ? at.names.get(part) : fail('ENOTDIR', path);
    if (next === undefined) return fail('ENOENT', path);
    return next.kind === 'link' ? follow(next, path, links) : next;
  }

  function follow(link: LinkNode, path: string, links: number): Node {
    if (links > MAX_LINKS) return fail('ELOOP', path);
    const to = link.target.startsWith('/')
      ? link.target
      : `${path.slice(0, path.lastIndexOf('/'))}/${link.target}`;
    return find(to, true, links + 1);
  }

  function find(path: string, following: boolean, links = 0): Node {
    const { folder, name } = locate(path, links);
    const node = name === '.' ? folder : folder.names.get(name);
    if (node === undefined) return fail('ENOENT', path);
    return following && node.kind === 'link' ? follow(node, path, links) : node;
  }

  function folderAt(path: string): FolderNode {
    const node = find(path, true);
    return node.kind === 'folder' ? node : fail('ENOTDIR', path);
  }

  /** Sets names of one folder in one step; undefined removes a name. */
  function change(folder: FolderNode, names: Readonly<Record<string, Node | undefined>>): void {
    const together = new Set(Object.keys(names));
    folder.changed = folder.changed.filter((other) => {
      if (![...other].some((name) => together.has(name))) return true;
      for (const name of other) together.add(name);
      return false;
    });
    folder.changed.push(together);
    for (const [name, node] of Object.entries(names)) {
      if (node === undefined) folder.names.delete(name);
      else folder.names.set(name, node);
    }
  }

  function add(path: string, node: Node): void {
    const { folder, name } = locate(path);
    if (folder.names.has(name)) fail('EEXIST', path);
    change(folder, { [name]: node });
  }

  function take(path: string, kinds: readonly Node['kind'][]): void {
    const { folder, name } = locate(path);
    const node = folder.names.get(name) ?? fail('ENOENT', path);
    if (!kinds.includes(node.kind)) fail(node.kind === 'folder' ? 'EISDIR' : 'ENOTDIR', path);
    if (node.kind === 'folder' && node.names.size > 0) fail('ENOTEMPTY', path);
    change(folder, { [name]: undefined });
  }

  function opened(fd: number): { node: Node; path: string } {
    return open.get(fd) ?? fail('EBADF', String(fd));
  }

  function fileOf(fd: number): FileNode {
    const { node, path } = opened(fd);
    return node.kind === 'file' ? node : fail('EISDIR', path);
  }

  function openNode(node: Node, path: string): number {
    open.set(++nextFd, { node, path });
    return nextFd;
  }

  function settle(node: Node): void {
    if (node.kind === 'file') node.stable = node.bytes;
    if (node.kind !== 'folder') return;
    node.stable = new Map(node.names);
    node.changed = [];
  }

  /** All nodes reachable in the visible state or on the platter. */
  function everything(): Set<Node> {
    const all = new Set<Node>([state.root]);
    for (const node of all) {
      if (node.kind !== 'folder') continue;
      for (const child of [...node.names.values(), ...node.stable.values()]) all.add(child);
    }
    return all;
  }

  function writeBackFile(file: FileNode): void {
    const next = new Uint8Array(file.bytes.length);
    next.set(file.stable.subarray(0, next.length));
    let length = file.stable.length;
    for (let at = 0; at < next.length; at += BLOCK_BYTES) {
      if (random() < 0.5) continue;
      const block = file.bytes.subarray(at, at + BLOCK_BYTES);
      next.set(block, at);
      length = Math.max(length, at + block.length);
    }
    file.stable = next.subarray(0, length);
  }

  function writeBackFolder(folder: FolderNode, inOrder: boolean): void {
    if (inOrder) {
      settle(folder);
      return;
    }
    folder.changed = folder.changed.filter((together) => {
      if (random() < 0.5) return true;
      for (const name of together) {
        const node = folder.names.get(name);
        if (node === undefined) folder.stable.delete(name);
        else folder.stable.set(name, node);
      }
      return false;
    });
  }

  function remove(path: string): void {
    const node = find(path, false);
    if (node.kind === 'folder') for (const name of [...node.names.keys()]) remove(`${path}/${name}`);
    onCall(node.kind === 'folder' ? 'rmdir' : 'unlink', path);
    take(path, [node.kind]);
  }

  const fileSystem: FileSystem = {
    openSync(path, flags) {
      const making = flags === 'wx+' || (typeof flags === 'number' && (flags & constants.O_CREAT) !== 0);
      onCall(making ? 'create' : 'open', path);
      if (!making) return openNode(find(path, true), path);
      const node: FileNode = {
        kind: 'file',
        ino: ++state.lastInode,
        bytes: new Uint8Array(),
        stable: new Uint8Array(),
      };
      add(path, node);
      return openNode(node, path);
    },
    closeSync(fd) {
      const { path } = opened(fd);
      open.delete(fd); // the descriptor is gone whatever close returns
      onCall('close', path);
    },
    writeSync(fd, bytes, offset) {
      const file = fileOf(fd);
      onCall('write', opened(fd).path);
      const rest = bytes.length - offset;
      const count = random() < 0.2 ? Math.ceil(rest * random()) : rest;
      const next = new Uint8Array(file.bytes.length + count);
      next.set(file.bytes);
      next.set(bytes.subarray(offset, offset + count), file.bytes.length);
      file.bytes = next;
      return count;
    },
    readSync(fd, bytes, offset, length, position) {
      const part = fileOf(fd).bytes.subarray(position, position + length);
      bytes.set(part, offset);
      return part.length;
    },
    fsyncSync(fd) {
      const { node, path } = opened(fd);
      onCall('fsync', path);
      settle(node);
    },
    fstatSync: (fd) => statsOf(opened(fd).node),
    lstatSync: (path) => statsOf(find(path, false)),
    statSync: (path) => statsOf(find(path, true)),
    realpathSync(path) {
      let real = '';
      for (const part of path.split('/').filter((one) => one !== '')) {
        const node = find(`${real}/${part}`, false);
        if (node.kind !== 'link') real = `${real}/${part}`;
        else {
          const target = node.target.startsWith('/') ? node.target : `${real}/${node.target}`;
          real = fileSystem.realpathSync(target);
        }
      }
      return real === '' ? '/' : real;
    },
    readlinkSync(path) {
      const node = find(path, false);
      return node.kind === 'link' ? node.target : fail('EINVAL', path);
    },
    readdirSync: (path) =>
      [...folderAt(path).names].map(
        ([name, { kind }]) =>
          ({
            name,
            isFile: () => kind === 'file',
            isDirectory: () => kind === 'folder',
          }) as unknown as Dirent,
      ),
    mkdirSync(path) {
      onCall('mkdir', path);
      add(path, newFolder(++state.lastInode));
    },
    symlinkSync(target, path) {
      onCall('symlink', path);
      add(path, { kind: 'link', ino: ++state.lastInode, target });
    },
    renameSync(from, to) {
      onCall('rename', to);
      const [a, b] = [locate(from), locate(to)];
      const node = a.folder.names.get(a.name) ?? fail('ENOENT', from);
      const there = b.folder.names.get(b.name);
      if (a.folder !== b.folder) fail('EXDEV', to);
      if (there?.kind === 'folder' && there.names.size > 0) fail('ENOTEMPTY', to);
      if (there !== undefined && (there.kind === 'folder') !== (node.kind === 'folder')) fail('EISDIR', to);
      change(a.folder, { [a.name]: undefined, [b.name]: node });
    },
    chmodSync: (path) => onCall('chmod', path),
    accessSync: (path) => void find(path, true),
    unlinkSync(path) {
      onCall('unlink', path);
      take(path, ['file', 'link']);
    },
    rmdirSync(path) {
      onCall('rmdir', path);
      take(path, ['folder']);
    },
    rmSync(path) {
      const { folder, name } = locate(path);
      if (folder.names.has(name)) remove(path);
    },
  };

  return {
    fileSystem,
    writeBack(inOrder) {
      for (const node of everything()) {
        if (random() < 0.5) continue;
        if (node.kind === 'file') writeBackFile(node);
        else if (node.kind === 'folder') writeBackFolder(node, inOrder);
      }
    },
    sync() {
      for (const node of everything()) settle(node);
    },
    losePower() {
      for (const node of everything()) {
        if (node.kind === 'file') node.bytes = node.stable;
        if (node.kind === 'folder') {
          node.names = new Map(node.stable);
          node.changed = [];
        }
      }
      open.clear();
    },
  };
}

function statsOf(node: Node): BigIntStats {
  return {
    dev: 1n,
    ino: BigInt(node.ino),
    size: BigInt(node.kind === 'file' ? node.bytes.length : 0),
    isFile: () => node.kind === 'file',
    isDirectory: () => node.kind === 'folder',
    isSymbolicLink: () => node.kind === 'link',
    isCharacterDevice: () => false,
  } as BigIntStats;
}
