/** Why a file is skipped when the sources are listed, and what that means: in docs/reference/rejections.md and in `explain`. */
export const SKIP_MEANINGS = {
  symlink: 'A link in a folder that is not followed. Harmless: exit 0.',
  'duplicate-inode': 'The same file under a second name or by a second input. Harmless: exit 0.',
  excluded:
    'The file is not named like a log, it is one of the files that clients keep beside their logs, such as settings.json, or it is part of a dataset of turnmill. Files with this and the next three reasons are counted by extension, and the ledger lists the first 1,000 of them. Harmless: exit 0.',
  'not-included': '`--include` names other files. Harmless: exit 0.',
  'excluded-by-option': '`--exclude` names the file. Harmless: exit 0.',
  'too-old': 'The file was changed last before the time of `--since`. Harmless: exit 0.',
  'not-regular': 'A pipe, a socket or a device named like a log. Exit 3.',
  unreadable: 'A folder or a file without read permission. Exit 3.',
  vanished: 'It disappeared before it could be read. Exit 3.',
} as const;

/** `symlink`, `duplicate-inode` and files that are passed over are harmless; the others reject the source (exit 3). */
export type SkipReason = keyof typeof SKIP_MEANINGS;
