/** Lists of names that the code writes as one text, separated by blanks and line ends. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const wordSet = (text: string): ReadonlySet<string> => new Set(words(text));
