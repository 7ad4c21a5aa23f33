/** The server's answer to a path; asks again when the path changes. */
import { useEffect, useState } from 'preact/hooks';
import { get } from './api.ts';

export interface Asked<T> {
  readonly path: string;
  readonly value?: T;
  readonly error?: string;
}

export function useAsked<T>(path: string): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ path });
  useEffect(() => {
    const control = new AbortController();
    get<T>(path, control.signal).then(
      (value) => setAsked({ path, value }),
      (error: Error) => {
        if (!control.signal.aborted) setAsked({ path, error: error.message || 'refused' });
      },
    );
    return () => control.abort();
  }, [path]);
  return asked.path === path ? asked : { path };
}
