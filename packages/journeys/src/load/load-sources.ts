import { ownString } from "@waymark/openapi/json.ts";
import type { LoadedSource } from "../compile/unit.ts";
import type { ArazzoDocument } from "../document/model.ts";
import { parseDocument } from "../document/parse.ts";
import { hasErrors } from "../document/problem.ts";
import type { Position, Problem } from "../document/problem.ts";
import { FileError } from "./files.ts";
import type { Files } from "./files.ts";
import { loadOpenApi } from "./load-openapi.ts";
import { resolveReference } from "./paths.ts";
import type { RootPath } from "./paths.ts";

/** The maximum depth of journeys that call journeys; more is a cycle or an attack. */
const DOCUMENTS_MAX = 50;

export interface LoadedSources {
  sources: Record<string, LoadedSource>;
  /** Faults of other documents, and sources that can't be read. */
  problems: Problem[];
  /** The files that were read, for the artifact's provenance. */
  read: { name: string; url: string; sha256: string }[];
}

export interface SourceOwner {
  model: ArazzoDocument;
  sourceOf: (pointer: string) => Position;
  /** The base of relative URLs. */
  path: RootPath;
}

interface Loading {
  files: Files;
  given: ReadonlyMap<string, string>;
  /** Arazzo documents by path: documents may refer to each other in a cycle. */
  documents: Map<RootPath, LoadedSource>;
  /** The documents whose `$self` is a URL, by that URL. */
  identities: Map<string, LoadedSource>;
  /** URLs whose documents may still be read. */
  waiting: { identity: string; found: (source: LoadedSource) => void; missing: () => void }[];
  loaded: LoadedSources;
}

/**
 * Reads every source description of a journey: the files that are named relative to the file that names them, or those given
 * by the name of the source. A URL means the document that has it as its `$self`. Nothing is fetched.
 */
export async function loadSources(
  files: Files,
  owner: SourceOwner,
  given: ReadonlyMap<string, string>,
): Promise<LoadedSources> {
  const loaded: LoadedSources = { sources: {}, problems: [], read: [] };
  const { model, sourceOf } = owner;
  const self: LoadedSource = { type: "arazzo", document: { model, sourceOf }, sources: loaded.sources };
  const documents = new Map([[owner.path, self]]);
  const loading: Loading = { files, given, documents, identities: new Map(), waiting: [], loaded };
  addIdentity(loading, model, self);
  await loadInto(loading, owner, { target: loaded.sources, prefix: "" });
  for (const { identity, found, missing } of loading.waiting) {
    const source = loading.identities.get(identity);
    if (source === undefined) missing();
    else found(source);
  }
  return loaded;
}

async function loadInto(
  loading: Loading,
  owner: SourceOwner,
  into: { target: Record<string, LoadedSource>; prefix: string },
): Promise<void> {
  for (const [index, description] of owner.model.sourceDescriptions.entries()) {
    if (description.type === "asyncapi") continue;
    const { name, url } = description;
    const found = (source: LoadedSource): void => {
      into.target[name] = source;
    };
    try {
      const source = await loadSource(loading, owner, { ...description, prefix: into.prefix });
      if (source !== undefined) found(source);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const missing = (): void => {
        reportMissing(loading, owner, index, error);
      };
      const identity = description.type === "openapi" ? undefined : identityOf(owner, url);
      if (identity !== undefined && URL.canParse(identity))
        loading.waiting.push({ identity, found, missing });
      else missing();
    }
  }
}

function reportMissing({ loaded }: Loading, owner: SourceOwner, index: number, error: FileError): void {
  const pointer = `/sourceDescriptions/${index}/url`;
  const message = [error.message, ...error.details].join(" ");
  loaded.problems.push({
    severity: "error",
    code: "missing-source",
    message,
    pointer,
    ...owner.sourceOf(pointer),
  });
}

function addIdentity({ identities }: Loading, { $self }: ArazzoDocument, source: LoadedSource): void {
  if ($self !== undefined && URL.canParse($self)) identities.set(new URL($self).href, source);
}

async function loadSource(
  loading: Loading,
  owner: SourceOwner,
  description: { name: string; url: string; type?: string | undefined; prefix: string },
): Promise<LoadedSource | undefined> {
  const { name, url, type, prefix } = description;
  const own = loading.given.get(prefix + name);
  const known = type === "openapi" ? undefined : loading.identities.get(identityOf(owner, url));
  if (own === undefined && known !== undefined) return known;
  const path = own ?? (await sourcePath(loading.files, { $self: owner.model.$self, path: owner.path }, url));
  if (path === undefined) throw remote(prefix + name, url);
  if (type === "arazzo" || (type === undefined && (await isArazzo(loading.files, path))))
    return loadArazzo(loading, { name, url, prefix, path });
  const { sha256, problems, ...openApi } = await loadOpenApi(loading.files, {
    path,
    url: identityOf(owner, url),
  });
  const isNew = ({ file, pointer }: Problem) =>
    !loading.loaded.problems.some((each) => each.file === file && each.pointer === pointer);
  loading.loaded.problems.push(...problems.filter(isNew));
  loading.loaded.read.push({ name: prefix + name, url, sha256 });
  return { type: "openapi", ...openApi };
}

async function loadArazzo(
  loading: Loading,
  at: { name: string; url: string; prefix: string; path: RootPath },
): Promise<LoadedSource | undefined> {
  const { name, url, prefix, path } = at;
  const known = loading.documents.get(path);
  if (known !== undefined) return known;
  if (loading.documents.size > DOCUMENTS_MAX)
    throw new FileError(`There are more than ${DOCUMENTS_MAX} journeys in it.`);
  const { text, shown, sha256 } = await loading.files.read(path);
  const document = parseDocument(text, { file: shown });
  loading.loaded.problems.push(...document.problems);
  loading.loaded.read.push({ name: prefix + name, url, sha256 });
  if (document.model === undefined || hasErrors(document.problems)) return undefined;
  const { model, sourceOf } = document;
  const sources: Record<string, LoadedSource> = {};
  const source: LoadedSource = { type: "arazzo", document: { model, sourceOf }, sources };
  loading.documents.set(path, source);
  addIdentity(loading, model, source);
  await loadInto(loading, { model, sourceOf, path }, { target: sources, prefix: `${prefix}${name}.` });
  return source;
}

/**
 * The file of a source. `$self` is the base of relative references. From one that is a URL, the source lies as far away as its
 * file lies from the document's; one that is relative names a place beside the file, and where nothing is there it is a name
 * only.
 */
export async function sourcePath(
  files: Files,
  { $self, path }: { $self: string | undefined; path: RootPath },
  url: string,
): Promise<RootPath | undefined> {
  if ($self === undefined || URL.canParse($self)) return resolveReference(relativeTo($self, url), path);
  const base = resolveReference($self, path);
  const found = base === undefined ? undefined : resolveReference(url, base);
  return found !== undefined && (await isThere(files, found)) ? found : resolveReference(url, path);
}

/** A URL below the folder of `$self` as a relative reference; any other as it is. */
function relativeTo($self: string | undefined, url: string): string {
  if ($self === undefined || !URL.canParse(url) || !URL.canParse(".", $self)) return url;
  const folder = new URL(".", $self).href;
  return url.startsWith(folder) ? url.slice(folder.length) : url;
}

/** Whether a file without a type is an Arazzo document. */
async function isArazzo(files: Files, path: RootPath): Promise<boolean> {
  const { text, shown } = await files.read(path);
  // Parsing takes much longer than this, and most sources are descriptions.
  if (!/(?:^|[\s{,])["']?arazzo["']?\s*:/.test(text)) return false;
  return ownString((await files.parse(text, shown)).value, "arazzo") !== undefined;
}

async function isThere(files: Files, path: RootPath): Promise<boolean> {
  try {
    return (await files.find(path)) !== undefined;
  } catch (error) {
    // A file that can't be read counts as existing; reading it reports the reason.
    if (error instanceof FileError) return true;
    throw error;
  }
}

/** A source's URL, if it is one or `$self` determines it: the base of its own relative references. */
function identityOf({ model: { $self } }: SourceOwner, url: string): string {
  if ($self !== undefined && URL.canParse(url, $self)) return new URL(url, $self).href;
  return URL.canParse(url) ? new URL(url).href : url;
}

function remote(name: string, url: string): FileError {
  return new FileError(
    `"${name}" is at ${url}. Nothing is fetched: give a local copy with --source ${name}=FILE.`,
  );
}
