import path from "node:path";
import { BaseResolver, ResolveError, Source } from "@redocly/openapi-core";
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
