import { createHash } from "node:crypto";
import { DocumentError } from "@waymark/openapi/parse/parsed-document.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { parseDocument as parseDescription } from "@waymark/openapi/parse/parse-document.ts";
import type { Sha256 } from "@waymark/journeys/compile/artifact.ts";
import { FileError, type FileAccess } from "@waymark/journeys/load/files.ts";

/** The files of one task: each is asked for once, and each description is parsed once. */
export interface Session {
  access: FileAccess;
  hash: Sha256;
}

/** @param read asks for the bytes of a file; undefined where there is none */
export function openSession(read: (path: string) => Promise<Uint8Array | undefined>): Session {
  const files = new Map<string, Promise<Uint8Array | undefined>>();
  const parsed = new Map<string, Promise<ParsedDocument>>();
  const readOnce = (path: string) => {
    const file = files.get(path) ?? read(path);
    files.set(path, file);
    return file;
  };
  const parse = (text: string, shown: string) => {
    const document = parsed.get(shown) ?? documentOf(text, shown);
    parsed.set(shown, document);
    return document;
  };
  return { access: { read: readOnce, parse, hash: sha256 }, hash: sha256 };
}

async function documentOf(text: string, shown: string): Promise<ParsedDocument> {
  try {
    return await parseDescription(text, shown);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new FileError(error.message, { cause: error });
  }
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
