import path from "node:path";
import { externalReferences } from "@waymark/openapi/references.ts";
import type { CliContext } from "../../../context.ts";
import { CliError } from "../../../lib/cli-error.ts";
import { isInsideFolder } from "../../../lib/inside-folder.ts";
import { readText } from "../../../lib/read-text.ts";
import { parseDocument } from "../../../openapi/parse-document.ts";
import { resolveReferencedFile, displayPath } from "./names.ts";

const FILE_BYTES_MAX = 10 * 1024 * 1024;
/** A description and all that it refers to, so that a thousand references end as an error. */
const TOTAL_BYTES_MAX = 5 * FILE_BYTES_MAX;
/** Where relative URLs begin: deep enough that `../` leads to no other place by way of the root. */
const VIRTUAL_FOLDER = `file:///${"journey/".repeat(12)}`;

export interface LoadedOpenApi {
  /** As the journey has it; machine-independent, because it gets into the program. */
  url: string;
  document: unknown;
  documents: Record<string, unknown>;
  text: string;
}

/**
 * Reads an OpenAPI description and the local files that it refers to, within its folder or the working directory. What else
 * it refers to is left out: the compiler tells where that is missed.
 * @throws {CliError} when the description itself can't be read or parsed
 */
export async function loadOpenApi(
  context: Pick<CliContext, "cwd" | "stdin">,
  { file, shown, url }: { file: string; shown: string; url: string },
): Promise<LoadedOpenApi> {
  const text = await readText(context, shown, { bytesMax: FILE_BYTES_MAX });
  const { value } = await parseDocument(text, shown);
  const root = new URL(URL.canParse(url, VIRTUAL_FOLDER) ? url : "source", VIRTUAL_FOLDER).href;
  const documents: Record<string, unknown> = {};
  const seen = new Set([root]);
  const queue = [{ value, file, url: root }];
  let bytesLeft = TOTAL_BYTES_MAX - text.length;
  for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
    for (const reference of externalReferences(from.value)) {
      const target = URL.canParse(reference, from.url) ? new URL(reference, from.url).href : undefined;
      const referred = resolveReferencedFile(reference, from.file);
      if (target === undefined || referred === undefined || seen.has(target)) continue;
      seen.add(target);
      if (!(await isAllowed(referred, [path.dirname(file), context.cwd]))) continue;
      const found = await readReferred(context, referred);
      if (found === undefined) continue;
      bytesLeft -= found.bytes;
      if (bytesLeft < 0)
        throw new CliError(2, `${shown} and what it refers to have more than ${TOTAL_BYTES_MAX} bytes.`);
      documents[target] = found.value;
      queue.push({ value: found.value, file: referred, url: target });
    }
  }
  return { url: root, document: value, documents, text };
}

async function readReferred(
  context: Pick<CliContext, "cwd" | "stdin">,
  file: string,
): Promise<{ value: unknown; bytes: number } | undefined> {
  let text: string;
  try {
    text = await readText(context, file, { bytesMax: FILE_BYTES_MAX });
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
  const { value } = await parseDocument(text, displayPath(context.cwd, file));
  return { value, bytes: text.length };
}

async function isAllowed(file: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) if (await isInsideFolder(file, folder)) return true;
  return false;
}
