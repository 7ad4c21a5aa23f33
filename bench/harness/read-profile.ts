/**
 * Reads the table that `turnmill build --profile` prints.
 */

/** Its figures. */
export interface PrintedProfile {
  readonly seconds: Readonly<Record<string, number>>;
  /** Of the parsed bytes, those that were compared and not scanned: 0 to 1. */
  readonly comparedShare: number;
}

/** The profile in what a run said; throws when there is none. */
export const readProfile = (stderr: string): PrintedProfile => {
  const text = stderr.slice(Math.max(0, stderr.indexOf('\nprofile: ')));
  const rows = [...text.matchAll(/^ {2}([a-z-]+) +(\d+\.\d+) s /gm)];
  const compared = /: (\d+\.\d) % compared$/m.exec(text)?.[1];
  if (rows.length === 0 || compared === undefined) throw new Error(`no profile in: ${stderr.slice(-300)}`);
  return {
    seconds: Object.fromEntries(rows.map(([, name, seconds]) => [name ?? '', Number(seconds)])),
    comparedShare: Number(compared) / 100,
  };
};
