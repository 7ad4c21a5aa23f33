/** Logs in the tests' object store, and the settings and the environment to reach them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { KEY_ID, S3Server, SECRET, SESSION_TOKEN } from './s3-server.ts';

/** A store that is closed when the test is over; the process has its credentials until then. */
export async function startStore(): Promise<S3Server> {
  const server = await S3Server.start();
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEY_ID);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
  vi.stubEnv('AWS_SESSION_TOKEN', SESSION_TOKEN);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  return server;
}

/** Puts all files of a folder below `BUCKET/PREFIX/`. Returns how many. */
export function storeFolder(server: S3Server, below: string, folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  for (const name of names) server.put(`${below}/${name}`, readFileSync(join(folder, name)));
  return names.length;
}
