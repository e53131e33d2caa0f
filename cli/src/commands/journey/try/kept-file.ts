import { createHash } from "node:crypto";
import { open, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { KeptTry } from "@waymark/journeys/try/kept-try.ts";
import { z } from "zod";
import { userFolder } from "../../../framework/user-folder.ts";
import type { Environment } from "../../../lib/config.ts";
import { writePrivateFile } from "../../../lib/write-private-file.ts";

/** The time after which kept outputs are not used: tokens among them have mostly expired by then. */
const KEPT_MS = 3_600_000;
const BYTES_MAX = 32 * 1024 * 1024;

const Content = z.strictObject({
  /** The salt of the digest of the secrets. */
  salt: z.string().min(32),
  /** Steps of the teardown that was left out. */
  pending: z.array(z.string()),
  try: KeptTry,
});
export type KeptContent = z.infer<typeof Content>;

/** A file for what a try of a journey keeps. It holds tokens, so only its owner can read it, and it is deleted when it has expired. */
export interface KeptFile {
  /** Returns its content, also if it has expired; undefined if there is none, or others can read it. */
  read: () => Promise<KeptContent | undefined>;
  /** Returns false if it is too large. */
  write: (content: KeptContent) => Promise<boolean>;
  remove: () => Promise<void>;
}

/** Returns the file of a journey, by its path, overlays and workflow. Undefined without a home, as some containers are. */
export function keptFileOf(
  env: Environment,
  cwd: string,
  { file, overlay, workflow }: { file: string; overlay: readonly string[]; workflow: string | undefined },
): KeptFile | undefined {
  const cache = userFolder(env, "cache");
  if (cache === undefined || file === "-") return undefined;
  const folder = path.join(cache, "waymark", "tries");
  const names = [file, ...overlay].map((name) => path.resolve(cwd, name));
  const id = createHash("sha256")
    .update(JSON.stringify([names, workflow ?? null]))
    .digest("hex");
  const own = path.join(folder, `${id}.json`);
  return {
    read: () => readKept(own),
    write: async (content) => {
      await removeExpired(folder);
      const text = JSON.stringify(content);
      if (Buffer.byteLength(text) > BYTES_MAX) return false;
      await writePrivateFile(own, text);
      return true;
    },
    remove: () => rm(own, { force: true }),
  };
}

export function isExpired({ try: kept }: KeptContent, now: number): boolean {
  return now - kept.at > KEPT_MS || kept.at > now;
}

async function readKept(file: string): Promise<KeptContent | undefined> {
  try {
    const text = await readPrivate(file);
    return text === undefined ? undefined : Content.safeParse(JSON.parse(text)).data;
  } catch (error) {
    // The try repeats the steps whose outputs can't be read.
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return undefined;
    throw error;
  }
}

async function readPrivate(file: string): Promise<string | undefined> {
  const handle = await open(file, "r");
  try {
    const stats = await handle.stat();
    // Windows has no such bits: the folder is the user's own there.
    const isPrivate = process.platform === "win32" || (stats.mode & 0o077) === 0;
    if (!stats.isFile() || !isPrivate || stats.size > BYTES_MAX) return undefined;
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Deletes what tries of any journey have kept for too long. */
async function removeExpired(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(".json"))) {
    const file = path.join(folder, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > KEPT_MS) await rm(file, { force: true });
  }
}
