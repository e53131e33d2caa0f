let read: string | undefined;

/** Returns the path below which the server is reached, such as `/waymark`; empty at the root of its host. The api puts it into the page. */
export function basePath(): string {
  read ??= globalThis.document?.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? "";
  return read;
}

/** Returns the address of a path of the console or the API, for browsers. Other addresses stay as they are. */
export function addressOf(path: string): string {
  return path.startsWith("/") ? basePath() + path : path;
}

/** Returns the console's path of a browser's address. */
export function pathOfAddress(pathname: string): string {
  const base = basePath();
  if (base === "" || (pathname !== base && !pathname.startsWith(`${base}/`))) return pathname;
  return pathname.slice(base.length) || "/";
}

/** Returns the address of this server, with which its links begin. */
export function serverAddress(): string {
  return location.origin + basePath();
}
