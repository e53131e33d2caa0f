import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { decoded, filePath, isAbsolutePath, isAddress } from "./file-path.ts";

/** The number of bases of bases that are followed. */
const BASES_MAX = 10;

/**
 * Returns the path that an artifact location of a SARIF run names, and undefined if it names none. A base without an address, such as
 * `%SRCROOT%`, is the root of the checkout, so the path stays relative.
 */
export function sarifFile(location: unknown, run: unknown): string | undefined {
  const own = ownString(location, "uri");
  const artifact = ownArray(run, "artifacts")[Number(ownValue(location, "index") ?? -1)];
  const named = own === undefined ? ownObject(artifact, "location") : location;
  const uri = ownString(named, "uri");
  if (uri === undefined || uri === "") return undefined;
  return pathOf(uri, { base: ownString(named, "uriBaseId"), run, depth: 0 });
}

function pathOf(
  uri: string,
  { base, run, depth }: { base: string | undefined; run: unknown; depth: number },
): string {
  if (/^file:/i.test(uri)) return filePath(uri);
  const isWindows = /^[a-z]:[\\/]/i.test(uri);
  if (isAddress(uri) && !isWindows) return uri;
  const path = filePath(decoded(uri));
  if (base === undefined || isAbsolutePath(path) || depth > BASES_MAX) return path;
  const above = ownValue(ownObject(run, "originalUriBaseIds"), base);
  const aboveUri = isObject(above) ? ownString(above, "uri") : undefined;
  if (aboveUri === undefined) return path;
  const folder = pathOf(aboveUri, { base: ownString(above, "uriBaseId"), run, depth: depth + 1 });
  return `${folder.replace(/\/*$/, "")}/${path}`;
}
