import { externalReferences } from "@waymark/openapi/references.ts";
import { encodePointer } from "@waymark/openapi/pointer.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { writeIds } from "@waymark/openapi/parse/write-ids.ts";
import type { Problem } from "../document/problem.ts";
import { FileError } from "./files.ts";
import type { Files, TextFile } from "./files.ts";
import { resolveReference } from "./paths.ts";
import type { RootPath } from "./paths.ts";

const FILE_BYTES_MAX = 10 * 1024 * 1024;
/** The total size of a description and its files, so that a thousand references end as an error. */
const TOTAL_BYTES_MAX = 5 * FILE_BYTES_MAX;
/** Where relative URLs begin: deep enough that `../` leads to no other place by way of the root. */
const VIRTUAL_FOLDER = `file:///${"journey/".repeat(12)}`;

export interface LoadedOpenApi {
  /** As in the journey. It is part of the program, so it doesn't depend on the machine. */
  url: string;
  document: unknown;
  documents: Record<string, unknown>;
  sha256: string;
  /** Keys that occur twice in one of the files. */
  problems: Problem[];
}

/**
 * Reads an OpenAPI description and the files that it refers to. Files that it may not read, or that don't exist, are left out:
 * the compiler reports where they are needed.
 * @throws FileError if the description itself can't be read or parsed
 */
export async function loadOpenApi(
  files: Files,
  { path, url }: { path: RootPath; url: string },
): Promise<LoadedOpenApi> {
  const own = await files.read(path, FILE_BYTES_MAX);
  const parsed = await parseDescription(files, own);
  const document = parsed.value;
  const problems = duplicatesIn(parsed, own.shown);
  const root = new URL(URL.canParse(url, VIRTUAL_FOLDER) ? url : "source", VIRTUAL_FOLDER).href;
  const documents: Record<string, unknown> = {};
  const seen = new Set([root]);
  const queue = [{ value: document, path, url: root }];
  let bytesLeft = TOTAL_BYTES_MAX - own.bytes;
  for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
    for (const reference of externalReferences(from.value)) {
      const target = URL.canParse(reference, from.url) ? new URL(reference, from.url).href : undefined;
      const referred = resolveReference(reference, from.path);
      if (target === undefined || referred === undefined || seen.has(target)) continue;
      seen.add(target);
      if (!(await files.isAllowed(referred, path))) continue;
      const found = await findReferred(files, referred);
      if (found === undefined) continue;
      bytesLeft -= found.bytes;
      if (bytesLeft < 0) {
        throw new FileError(`${own.shown} and what it refers to have more than ${TOTAL_BYTES_MAX} bytes.`);
      }
      const parsedFile = await parseDescription(files, found);
      documents[target] = parsedFile.value;
      problems.push(...duplicatesIn(parsedFile, found.shown));
      queue.push({ value: parsedFile.value, path: referred, url: target });
    }
  }
  return { url: root, document, documents, sha256: own.sha256, problems };
}

async function parseDescription(files: Files, { text, shown }: TextFile): Promise<ParsedDocument> {
  const document = await files.parse(text, shown);
  await writeIds(document);
  return document;
}

function duplicatesIn({ duplicateKeys }: ParsedDocument, shown: string): Problem[] {
  return duplicateKeys.map(({ path, lines }) => ({
    severity: "warning",
    code: "duplicate-key",
    message:
      `The key ${path.at(-1) ?? ""} occurs more than once in this object, and only the last one counts: lines ${lines.join(", ")}. ` +
      "Keep one.",
    pointer: encodePointer(path),
    file: shown,
    line: lines.at(-1) ?? 1,
    column: 1,
  }));
}

async function findReferred(files: Files, path: RootPath): Promise<TextFile | undefined> {
  try {
    return await files.find(path, FILE_BYTES_MAX);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}
