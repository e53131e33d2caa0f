import { brotliCompressSync } from "node:zlib";
import { build, type Rolldown, type UserConfig } from "vite";
import { joinParts, type Part } from "./join-parts.ts";

/**
 * How many bytes a page may load in vain to have one file less. Browsers load six files at a time, and a file takes 150 ms on the
 * network that `npm run bench -- console` imitates, in which 1.6 Mbit/s are 30 kB (docs/adr/0037-the-first-screen.md).
 */
const FILE_COST = 5_000;
/** Dialogs and other code that loads later, compared with the pages that it loads after. */
const LATER_WEIGHT = 0.1;

const START = "/app/start.tsx";
const TABLE_OF_PAGES = "/app/routes.ts";

type Chunk = Rolldown.OutputChunk;

/**
 * Decides which modules share a file. Split by imports alone, a page has 78 to 113 files. So the console is built in that way first, which
 * tells what each page needs, and then joined (`joinParts`). What the first script imports is a file of its own.
 *
 * @returns the name of its file for each module that more than one page or dialog needs
 */
export async function planFiles(config: UserConfig): Promise<ReadonlyMap<string, string>> {
  const built = await build({
    ...config,
    configFile: false,
    logLevel: "error",
    build: { ...config.build, write: false, reportCompressedSize: false },
  });
  if (Array.isArray(built) || !("output" in built)) throw new Error("the console is one build");
  return filesOf(built.output.filter((file) => file.type === "chunk"));
}

function filesOf(chunks: readonly Chunk[]): Map<string, string> {
  const withImports = importsOf(chunks);
  const entry = one(chunks, ({ isEntry }) => isEntry);
  const start = chunkWith(chunks, START);
  const begin = withImports([entry]);
  const opened = chunks.filter((chunk) => chunk.isDynamicEntry && chunk !== start);
  const pages = new Set(chunkWith(chunks, TABLE_OF_PAGES).dynamicImports);
  const loaded = new Map(opened.map((chunk) => [chunk, withImports([start, chunk])]));
  const loadedBy = (chunk: Chunk) =>
    opened
      .filter((page) => loaded.get(page)?.has(chunk))
      .map((page) => [page, pages.has(page.fileName) ? 1 : LATER_WEIGHT] as const);

  const parts = new Map<string, Part<Chunk>>();
  for (const chunk of chunks) {
    if (begin.has(chunk)) continue;
    const size = brotliCompressSync(chunk.code).length;
    const pagesOf = new Map(loadedBy(chunk));
    parts.set(chunk.fileName, { modules: chunk.moduleIds, size, pages: pagesOf, imports: new Set() });
  }
  for (const { fileName, imports } of chunks)
    for (const imported of imports) {
      const part = parts.get(imported);
      if (part !== undefined) parts.get(fileName)?.imports.add(part);
    }
  for (const { fileName } of opened) parts.delete(fileName);

  const files = new Map<string, string>();
  for (const chunk of begin) if (chunk !== entry) for (const id of chunk.moduleIds) files.set(id, "begin");
  for (const [index, { modules }] of joinParts([...parts.values()], FILE_COST).entries())
    for (const id of modules) files.set(id, `shared-${index}`);
  return files;
}

/** Returns a function that finds what chunks load: themselves and all that they import. */
function importsOf(chunks: readonly Chunk[]): (from: readonly Chunk[]) => Set<Chunk> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  return (from) => {
    const all = new Set(from);
    for (const { imports } of all) {
      for (const name of imports) {
        const chunk = byName.get(name);
        if (chunk !== undefined) all.add(chunk);
      }
    }
    return all;
  };
}

function chunkWith(chunks: readonly Chunk[], file: string): Chunk {
  return one(chunks, ({ moduleIds }) => moduleIds.some((id) => id.endsWith(file)));
}

function one(chunks: readonly Chunk[], fits: (chunk: Chunk) => boolean): Chunk {
  const [found, ...others] = chunks.filter(fits);
  if (found === undefined || others.length > 0)
    throw new Error("web/build/plan-files.ts does not know the console's files any more");
  return found;
}
