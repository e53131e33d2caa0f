/** Returns the path of a `file:` URI or a path of any system, with slashes. Paths of Windows begin with their drive. */
export function filePath(text: string): string {
  if (!/^file:/i.test(text)) return text.replaceAll("\\", "/");
  const { pathname } = URL.canParse(text) ? new URL(text) : { pathname: text.slice("file:".length) };
  return decoded(pathname).replace(/^\/(?=[a-z]:\/)/i, "");
}

/** Returns a text without its percent escapes; unchanged if one of them is not valid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** True for a path that begins at the root of a system. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:\/|[a-z]:\/)/i.test(path);
}

/** True for the address of something that is no file, such as `https://example.com/openapi.yaml`. */
export function isAddress(path: string): boolean {
  return /^[a-z][\w+.-]+:/i.test(path);
}
