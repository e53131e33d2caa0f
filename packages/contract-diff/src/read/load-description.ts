import { isObject, type JsonValue, ownString } from "@waymark/openapi/json.ts";
import { externalReferences } from "@waymark/openapi/references.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { DocumentError, type ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { writeIds } from "@waymark/openapi/parse/write-ids.ts";
import { type ContractFile, Description } from "./description.ts";
import { dialectOf } from "./dialect.ts";
import { resolveFile } from "./files.ts";

export interface LoadOptions {
  text: string;
  /** The parsed text, if it is known already. */
  document?: ParsedDocument | undefined;
  /** Names the description in messages. */
  name: string;
  /** Returns the text of a file relative to the description; undefined if it isn't read. */
  readFile?: (file: string) => Promise<string | undefined>;
}

/** The limit of the files of one description. */
const FILES_MAX = 2000;

/**
 * Parses a description and the files that it refers to. A file that is not given is unresolved where it is referred to.
 * @throws DocumentError with the line and column of the first fault
 */
export async function loadDescription(options: LoadOptions): Promise<Description> {
  const { text, name, readFile } = options;
  const document = options.document ?? (await parseDocument(text, name));
  await writeIds(document);
  const root = asJson(document.value);
  const files: ContractFile[] = [{ name: "", value: root, text, duplicateKeys: document.duplicateKeys }];
  const known = new Set([""]);
  for (let index = 0; index < files.length && files.length < FILES_MAX; index++) {
    const file = files[index];
    for (const target of file === undefined || readFile === undefined ? [] : externalReferences(file.value)) {
      const next = resolveFile(file?.name ?? "", target);
      if (known.has(next) || readFile === undefined) continue;
      known.add(next);
      const content = await readFile(next);
      if (content === undefined) continue;
      const referred = await parseReferred(content, next);
      if (referred !== undefined) files.push({ name: next, text: content, ...referred });
    }
  }
  const version =
    ownString(root, "openapi") ??
    (isObject(root) ? await document.sourceText(root, "openapi") : undefined) ??
    "";
  return new Description(files, dialectOf(root, version));
}

/** Other files may be anything, such as examples in plain text. */
async function parseReferred(
  text: string,
  name: string,
): Promise<Pick<ContractFile, "value" | "duplicateKeys"> | undefined> {
  try {
    const document = await parseDocument(text, name);
    await writeIds(document);
    return { value: asJson(document.value), duplicateKeys: document.duplicateKeys };
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

function asJson(value: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parsers return JSON values only: a check would visit each value of 13 MB again
  return value as JsonValue;
}
