/**
 * Loads code that the page didn't need at first. It fails without a connection, and after a release that no longer has the file.
 *
 * @throws Error with a message for users
 */
export async function loadCode<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(notLoaded(what), { cause });
  }
}

export function notLoaded(what: string): string {
  return `${what} could not be loaded. Check the connection and try again. If that fails too, reload the page: there may be a new release.`;
}
