/**
 * True if a file of a result is the document that was run. Results name files relative to the folder of the base
 * journey.
 *
 * @param path of the document that was run, from the top
 */
export function isOfJourney(file: string, path: string): boolean {
  const below = file.replace(/^(?:\.\.?\/)+/, "");
  return path === below || path.endsWith(`/${below}`);
}
