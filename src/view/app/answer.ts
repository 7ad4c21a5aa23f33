/** The server's response to a path, which is requested again when the path changes. */
import { useEffect, useState } from 'preact/hooks';
import { get } from './api.ts';

export interface Answer<T> {
  readonly path: string;
  readonly value?: T;
  readonly error?: string;
}

export function useAnswer<T>(path: string): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ path });
  useEffect(() => {
    const control = new AbortController();
    get<T>(path, control.signal).then(
      (value) => setAnswer({ path, value }),
      (error: Error) => {
        if (!control.signal.aborted) setAnswer({ path, error: error.message || 'refused' });
      },
    );
    return () => control.abort();
  }, [path]);
  return answer.path === path ? answer : { path };
}
