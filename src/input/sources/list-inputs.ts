/**
 * Lists all inputs of a run: files synchronously, objects page by page. The code for stores is loaded only if an input
 * is in one.
 */
import type { S3Options } from '../../object-store/options.ts';
import { isObjectUrl } from '../../object-store/url.ts';
import { type FileChoice, leftOutBy } from './chosen-files.ts';
import { type FolderSessions, joinFolders } from './folder-sessions.ts';
import type { Follow } from './links.ts';
import { listSources } from './list.ts';
import type { ListedInput } from './objects.ts';
import type { Listing } from './source.ts';
import type { Input } from './stream-source.ts';

/** The settings that decide what is listed. */
export interface ListSettings extends FileChoice {
  readonly inputs: readonly Input[];
  readonly follow: Follow;
  readonly s3: S3Options;
  /** Decides which folders are one source. */
  readonly sessionBy: FolderSessions;
}

/**
 * @throws TurnmillError the errors of `listSources` and `listObjectInput`
 */
export async function listInputs(settings: ListSettings): Promise<Listing> {
  const { inputs, follow, s3, sessionBy } = settings;
  const byInput = new Map<Input, ListedInput>();
  for (const input of inputs) {
    if (typeof input !== 'string' || !isObjectUrl(input)) continue;
    const { listObjectInput } = await import('./objects.ts');
    byInput.set(input, await listObjectInput(input, s3));
  }
  return joinFolders(listSources(inputs, follow, { byInput, s3 }, leftOutBy(settings)), inputs, sessionBy);
}
