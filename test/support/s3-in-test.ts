/** Ties a store to the running test. */
import { onTestFinished, vi } from 'vitest';
import { CREDENTIALS, type S3Endpoint } from './s3-endpoint.ts';

/** Closes the store at the end of the test; until then the environment of this process has its credentials. */
export function useInTest<Store extends S3Endpoint>(store: Store): Store {
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await store.close();
  });
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  return store;
}
