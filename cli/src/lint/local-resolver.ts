import path from "node:path";
import { fileURLToPath } from "node:url";
import { BaseResolver, type Document, ResolveError, Source } from "@redocly/openapi-core";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import type { DuplicateKey } from "@waymark/openapi/parse/duplicate-keys.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { findBySelf, indexBySelf, isRemote, referencePath } from "@waymark/openapi/references.ts";
import { isInsideFolder } from "../lib/inside-folder.ts";

/** Reads a local file as text, within the size limit of a spec. */
export type ReadText = (file: string) => Promise<string>;

export interface LocalResolverOptions {
  /** The folder that references may not leave; undefined if they may. */
  folder: string | undefined;
  readText: ReadText;
}

/** The rule engine's access to other files: local ones only, never the network. */
export class LocalResolver extends BaseResolver {
  readonly #options: LocalResolverOptions;

  constructor(options: LocalResolverOptions) {
    super();
    this.#options = options;
  }

  override async loadExternalRef(reference: string): Promise<Source> {
    const { folder, readText } = this.#options;
    try {
      if (!path.isAbsolute(reference)) throw new Error("references are not read over the network");
      if (folder !== undefined && !(await isInsideFolder(reference, folder))) {
        throw new Error("it is outside the spec's folder");
      }
      // The engine counts lines by "\n" alone.
      return new Source(reference, (await readText(reference)).replaceAll("\r\n", "\n"));
    } catch (error) {
      throw new ResolveError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** Files that are not parsed, because a description takes their text as it is. */
const TEXT_FILE = /\.(md|markdown|txt|html?)$/i;

/** Resolves and parses the references of a description as a scan does. */
export class DescriptionResolver extends LocalResolver {
  /** The keys that occur more than once, by file. */
  readonly duplicateKeys = new Map<string, readonly DuplicateKey[]>();
  readonly #values = new Map<string, unknown>();

  /** Adds a document that was parsed before. */
  add(file: string, { value, duplicateKeys }: Pick<ParsedDocument, "value" | "duplicateKeys">): void {
    this.#values.set(file, value);
    this.duplicateKeys.set(file, duplicateKeys);
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    const named =
      base === null ? undefined : findBySelf(indexBySelf(this.#values), this.#values.get(base), reference);
    if (named !== undefined) return named;
    if (/^file:/i.test(reference) && URL.canParse(reference)) return fileURLToPath(reference);
    if (isRemote(reference)) return reference;
    return path.resolve(base === null ? process.cwd() : path.dirname(base), referencePath(reference));
  }

  // The engine's own type is wider than any document: it says nothing about what was read.
  override async resolveDocument<T = unknown>(
    base: string | null,
    reference: string,
  ): Promise<Document<T> | ResolveError> {
    const file = this.resolveExternalRef(base, reference);
    const document = this.cache.get(file) ?? this.#load(file);
    this.cache.set(file, document);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine chooses T without a check
    return document as Promise<Document<T> | ResolveError>;
  }

  async #load(file: string): Promise<Document> {
    const source = await this.loadExternalRef(file);
    if (TEXT_FILE.test(file)) return { source, parsed: source.body };
    try {
      const document = await parseDocument(source.body, path.basename(file));
      this.add(file, document);
      return { source, parsed: document.value };
    } catch (error) {
      throw new ResolveError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
