import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { usageError } from "../../../lib/cli-error.ts";
import { isInsideFolder } from "../../../lib/inside-folder.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import { replaceFile } from "../../../lib/write-file.ts";

/** The document of a file, its version and its hash when the file and the server's document were last the same. */
const SyncedFile = z.object({ id: z.string(), version: z.int(), hash: z.string() });
export type SyncedFile = z.infer<typeof SyncedFile>;
const Known = z.object({
  server: z.string(),
  organizationId: z.string(),
  files: z.record(z.string(), SyncedFile),
});
const StateFile = z.object({ known: z.array(Known) });

/** An owner of documents. An address can serve several organizations, and a folder can be pushed to several servers. */
export type DocumentOwner = Pick<z.infer<typeof Known>, "server" | "organizationId">;

const FOLDER = ".waymark";
const FILE = `${FOLDER}/journeys.json`;
/** The owners that a folder remembers. */
const OWNERS_MAX = 20;

/** Reads the files of an owner's documents, by path; empty if none are known. */
export async function readState(root: string, owner: DocumentOwner): Promise<Map<string, SyncedFile>> {
  const found = (await readKnown(root)).find((one) => isSame(one, owner));
  return new Map(Object.entries(found?.files ?? {}));
}

export async function writeState(
  root: string,
  { owner, files }: { owner: DocumentOwner; files: ReadonlyMap<string, SyncedFile> },
): Promise<void> {
  const folder = path.join(root, FOLDER);
  await refuseLinks(root);
  if (!existsSync(folder)) {
    await mkdir(folder, { recursive: true });
    // The state belongs to this machine, so it must not be committed.
    await replaceFile(root, `${FOLDER}/.gitignore`, "*\n");
  }
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const others = (await readKnown(root)).filter((one) => !isSame(one, owner));
  const known = [{ ...owner, files: Object.fromEntries(sorted) }, ...others].slice(0, OWNERS_MAX);
  await replaceFile(root, FILE, `${JSON.stringify({ known }, null, 2)}\n`);
}

/** @throws {CliError} for a link that would have a file outside of the folder replaced: a repository can contain one */
async function refuseLinks(root: string): Promise<void> {
  for (const name of [FOLDER, `${FOLDER}/.gitignore`, FILE]) {
    if (await isInsideFolder(path.join(root, name), root)) continue;
    throw usageError(
      `${name} is a symbolic link that leads out of ${root}, so it is not written: remove the link.`,
    );
  }
}

/** The last used first. */
async function readKnown(root: string): Promise<z.infer<typeof Known>[]> {
  const text = await readFile(path.join(root, FILE), "utf8").catch(() => "{}");
  return StateFile.safeParse(parseJson(text)).data?.known ?? [];
}

function isSame(one: DocumentOwner, other: DocumentOwner): boolean {
  return one.server === other.server && one.organizationId === other.organizationId;
}
