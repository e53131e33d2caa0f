import { access } from "node:fs/promises";
import { parseDocument as parseArazzo } from "@waymark/journeys/document/parse.ts";
import type { ArazzoDocument } from "@waymark/journeys/document/model.ts";
import { hasErrors } from "@waymark/journeys/document/problem.ts";
import type { Position, Problem } from "@waymark/journeys/document/problem.ts";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import type { CliContext } from "../../../context.ts";
import { CliError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { sha256 } from "./hash.ts";
import { loadOpenApi } from "./load-openapi.ts";
import { resolveReferencedFile, displayPath } from "./names.ts";

/** Journeys that call journeys; more is a circle or an attack. */
const DOCUMENTS_MAX = 50;

export interface LoadedSources {
  sources: Record<string, LoadedSource>;
  /** Faults of other documents, and sources that can't be read. */
  problems: Problem[];
  /** What was read, for the artifact's provenance. */
  read: { name: string; url: string; sha256: string }[];
}

export interface SourceOwner {
  model: ArazzoDocument;
  sourceOf: (pointer: string) => Position;
  /** Absolute path: what relative URLs are relative to. */
  file: string;
}

interface Loading {
  context: Pick<CliContext, "cwd" | "stdin">;
  given: ReadonlyMap<string, string>;
  /** Arazzo documents by file: documents may refer to each other in a circle. */
  documents: Map<string, LoadedSource>;
  loaded: LoadedSources;
}

/**
 * Reads every source description of a journey: local files only, relative to the file that names them, or those given by
 * name. Nothing is fetched.
 */
export async function loadSources(
  context: Pick<CliContext, "cwd" | "stdin">,
  owner: SourceOwner,
  given: ReadonlyMap<string, string>,
): Promise<LoadedSources> {
  const loaded: LoadedSources = { sources: {}, problems: [], read: [] };
  const { model, sourceOf } = owner;
  const self: LoadedSource = { type: "arazzo", document: { model, sourceOf }, sources: loaded.sources };
  const loading: Loading = { context, given, documents: new Map([[owner.file, self]]), loaded };
  await loadInto(loading, owner, { target: loaded.sources, prefix: "" });
  return loaded;
}

async function loadInto(
  loading: Loading,
  owner: SourceOwner,
  into: { target: Record<string, LoadedSource>; prefix: string },
): Promise<void> {
  for (const [index, description] of owner.model.sourceDescriptions.entries()) {
    if (description.type === "asyncapi") continue;
    try {
      const source = await loadSource(loading, owner, { ...description, prefix: into.prefix });
      if (source !== undefined) into.target[description.name] = source;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const pointer = `/sourceDescriptions/${index}/url`;
      const message = [error.message, ...error.details].join(" ");
      loading.loaded.problems.push({
        severity: "error",
        code: "missing-source",
        message,
        pointer,
        ...owner.sourceOf(pointer),
      });
    }
  }
}

async function loadSource(
  loading: Loading,
  owner: SourceOwner,
  description: { name: string; url: string; type?: string | undefined; prefix: string },
): Promise<LoadedSource | undefined> {
  const { name, url, type, prefix } = description;
  const given = loading.given.get(prefix + name);
  const file =
    given === undefined ? await fileOf(owner, url) : resolveReferencedFile(given, `${loading.context.cwd}/.`);
  if (file === undefined) throw remote(prefix + name, url);
  const shown = displayPath(loading.context.cwd, file);
  if (type === "arazzo") return loadArazzo(loading, { name, url, prefix, file, shown });
  const identity = identityOf(owner, url);
  const { text, ...openApi } = await loadOpenApi(loading.context, { file, shown, url: identity });
  loading.loaded.read.push({ name: prefix + name, url, sha256: sha256(text) });
  return { type: "openapi", ...openApi };
}

async function loadArazzo(
  loading: Loading,
  at: { name: string; url: string; prefix: string; file: string; shown: string },
): Promise<LoadedSource | undefined> {
  const { name, url, prefix, file, shown } = at;
  const known = loading.documents.get(file);
  if (known !== undefined) return known;
  if (loading.documents.size > DOCUMENTS_MAX)
    throw refused(`There are more than ${DOCUMENTS_MAX} journeys in it.`);
  const text = await readText(loading.context, shown);
  const document = parseArazzo(text, { file: shown });
  loading.loaded.problems.push(...document.problems);
  loading.loaded.read.push({ name: prefix + name, url, sha256: sha256(text) });
  if (document.model === undefined || hasErrors(document.problems)) return undefined;
  const { model, sourceOf } = document;
  const sources: Record<string, LoadedSource> = {};
  const source: LoadedSource = { type: "arazzo", document: { model, sourceOf }, sources };
  loading.documents.set(file, source);
  await loadInto(loading, { model, sourceOf, file }, { target: sources, prefix: `${prefix}${name}.` });
  return source;
}

/**
 * The local file of a source. `$self` is the base of relative references. From one that is a URL, the source lies as far away as
 * its file lies from the document's; one that is relative names a place beside the file, and where nothing is there it is a
 * name only.
 */
async function fileOf({ model, file }: SourceOwner, url: string): Promise<string | undefined> {
  const { $self } = model;
  if ($self === undefined || URL.canParse($self)) return resolveReferencedFile(relativeTo($self, url), file);
  const base = resolveReferencedFile($self, file);
  const found = base === undefined ? undefined : resolveReferencedFile(url, base);
  if (found !== undefined && (await isThere(found))) return found;
  return resolveReferencedFile(url, file);
}

/** A URL below the folder of `$self` as a relative reference; any other as it is. */
function relativeTo($self: string | undefined, url: string): string {
  if ($self === undefined || !URL.canParse(url) || !URL.canParse(".", $self)) return url;
  const folder = new URL(".", $self).href;
  return url.startsWith(folder) ? url.slice(folder.length) : url;
}

async function isThere(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

/** What a source's own relative references are relative to: its URL, where `$self` says which that is. */
function identityOf({ model: { $self } }: SourceOwner, url: string): string {
  return $self !== undefined && URL.canParse(url, $self) ? new URL(url, $self).href : url;
}

function remote(name: string, url: string): CliError {
  return refused(`"${name}" is at ${url}. Nothing is fetched: give a local copy with --source ${name}=FILE.`);
}

function refused(message: string): CliError {
  return new CliError(2, message);
}
