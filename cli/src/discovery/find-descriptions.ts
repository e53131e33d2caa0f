import { statSync } from "node:fs";
import path from "node:path";
import { isObject, ownObject, ownString } from "@waymark/openapi/json.ts";
import { DocumentError } from "@waymark/openapi/parse/parsed-document.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { CliError, usageError } from "../lib/cli-error.ts";
import { decodeText } from "../openapi/decode-text.ts";
import { identifyOpenApi } from "../openapi/identify.ts";
import { readSpecFile } from "../openapi/read-source.ts";
import { guessNames } from "./guess-names.ts";
import { walkRepository } from "./walk-repository.ts";

/** A description that was found, with a name for its service. */
export interface FoundDescription {
  service: string;
  /** Relative to the folder that was searched, with slashes. */
  spec: string;
}

/** A description that was found and is not taken, with the reason. */
export interface SkippedDescription {
  spec: string;
  reason: string;
}

export interface Discovery {
  found: FoundDescription[];
  skipped: SkippedDescription[];
}

/** Folders whose descriptions are of no service. */
const TEST_FOLDER = /^(?:tests?|__tests__|testdata|test-data|fixtures|__fixtures__|mocks|__mocks__)$/i;
/** A line that begins a description, or a member of one in JSON. */
const MARK = /(?:^[ \t]*|[{,]\s*)["']?(?:openapi|swagger)["']?\s*:/m;
/** The size of all files that are read. */
const BYTES_MAX = 512 * 1024 * 1024;
const FOUND_MAX = 1_000;

interface Description {
  spec: string;
  title: string | undefined;
  version: string | undefined;
}

/**
 * Finds the OpenAPI 3.x and Swagger 2.0 descriptions of a repository, and names their services. Files without paths of their own, such as
 * parts of a description, are left out.
 * @throws {CliError} for too many files
 */
export async function findDescriptions(root: string): Promise<Discovery> {
  const skipped: SkippedDescription[] = [];
  const descriptions: Description[] = [];
  let bytes = 0;
  for (const spec of walkRepository(root, (name) => /\.(?:ya?ml|json)$/i.test(name))) {
    const file = path.join(root, spec);
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) continue;
    if (size > SCAN_LIMITS.specFileBytesMax) {
      if (isNamedAsOne(spec)) skipped.push({ spec, reason: "too large for a scan" });
      continue;
    }
    bytes += size;
    if (bytes > BYTES_MAX)
      throw usageError(
        `The YAML and JSON files have more than ${BYTES_MAX} bytes: name the descriptions with --spec.`,
      );
    const read = await readCandidate(file, spec);
    if (read === undefined) continue;
    if ("reason" in read) skipped.push(read);
    else descriptions.push(read);
  }
  const kept = withoutCopies(descriptions, skipped);
  if (kept.length > FOUND_MAX)
    throw usageError(
      `There are ${kept.length} descriptions, and at most ${FOUND_MAX} are scanned at a time.`,
    );
  return { found: guessNames(root, kept), skipped };
}

/** True for a file whose name says that it is a description. */
function isNamedAsOne(spec: string): boolean {
  return /(?:openapi|swagger)/i.test(path.basename(spec));
}

/** Reads a file that may be a description; undefined for any other file. */
async function readCandidate(
  file: string,
  spec: string,
): Promise<Description | SkippedDescription | undefined> {
  let text: string;
  try {
    text = decodeText(await readSpecFile(file, spec), spec);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return isNamedAsOne(spec) ? { spec, reason: error.message } : undefined;
  }
  if (!MARK.test(text)) return undefined;
  try {
    const document = await parseDocument(text, spec);
    // The mark may be anywhere in a file.
    const { value } = document;
    if (!isObject(value) || !["openapi", "swagger"].some((field) => Object.hasOwn(value, field)))
      return undefined;
    const { root } = await identifyOpenApi(document, spec);
    const info = ownObject(root, "info");
    if (info === undefined) return { spec, reason: "a part of a description, without info" };
    if (Object.keys(ownObject(root, "paths") ?? {}).length === 0) return { spec, reason: "without paths" };
    if (
      spec
        .split("/")
        .slice(0, -1)
        .some((folder) => TEST_FOLDER.test(folder))
    )
      return { spec, reason: "in a folder of tests" };
    return { spec, title: ownString(info, "title"), version: ownString(info, "version") };
  } catch (error) {
    if (error instanceof DocumentError)
      return /^["']?(?:openapi|swagger)/m.test(text) ? { spec, reason: error.message } : undefined;
    if (error instanceof CliError) return { spec, reason: error.message };
    throw error;
  }
}

/** Leaves out a description in JSON beside the same one in YAML, which is generated in most cases. */
function withoutCopies(descriptions: readonly Description[], skipped: SkippedDescription[]): Description[] {
  const isJson = ({ spec }: Description) => /\.json$/i.test(spec);
  const keyOf = ({ spec, title, version }: Description) =>
    JSON.stringify([spec.replace(/\.\w+$/, ""), title, version]);
  const originals = new Map(
    descriptions.filter((each) => !isJson(each)).map((each) => [keyOf(each), each.spec]),
  );
  return descriptions.filter((each) => {
    const original = isJson(each) ? originals.get(keyOf(each)) : undefined;
    if (original !== undefined) skipped.push({ spec: each.spec, reason: `the same as ${original}` });
    return original === undefined;
  });
}
