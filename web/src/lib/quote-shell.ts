/** A text as one argument of a POSIX shell. Names come from other people: none may become a command when it is copied. */
export function quoteShell(text: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
