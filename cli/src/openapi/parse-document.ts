import { parseDocument as parse } from "@waymark/openapi/parse/parse-document.ts";
import { DocumentError } from "@waymark/openapi/parse/parsed-document.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";

/** @throws {CliError} with the line and column of the first fault */
export async function parseDocument(text: string, name: string): Promise<ParsedDocument> {
  try {
    return await parse(text, name);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw usageError(printable(error.message), { cause: error });
  }
}
