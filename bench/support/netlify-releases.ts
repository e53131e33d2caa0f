import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";

/** A real API whose description is published with each release: Netlify's, Swagger 2.0, 120 to 181 operations. */
export const RELEASES_OF = "@netlify/open-api";
const DESCRIPTION = "package/dist/swagger.json";
const RELEASES = (
  "2.15.0 2.15.1 2.16.0 2.17.0 2.17.1 2.18.0 2.19.0 2.19.1 2.20.0 2.21.0 2.21.1 2.22.0 " +
  "2.23.0 2.23.1 2.23.2 2.24.0 2.24.1 2.25.0 2.26.0 2.26.1 2.27.0 2.28.0 2.30.0 2.31.0 " +
  "2.32.0 2.33.0 2.33.1 2.34.0 2.35.0 2.35.1 2.36.0 2.37.0 2.38.0 2.39.0 2.40.0 2.41.0 " +
  "2.42.0 2.43.0 2.43.1 2.44.0 2.45.0 2.46.0 2.47.0 2.48.0 2.49.0 2.49.1 2.49.2 2.50.0 " +
  "2.51.0 2.52.0 2.53.0 2.54.0 2.55.0 2.56.0 2.56.1 2.57.0 2.57.1 2.58.0 2.59.0 2.60.0"
).split(" ");
const DOWNLOAD_MS = 300_000;
const run = promisify(execFile);

/** The texts of all releases in their order. */
export async function readReleases(): Promise<string[]> {
  const folder = await downloadReleases();
  return RELEASES.map((release) => readFileSync(path.join(folder, `${release}.json`), "utf8"));
}

/**
 * Downloads the descriptions once.
 * @returns the folder with a file for each release
 * @throws Error that says what to do, when npm can't download them
 */
async function downloadReleases(): Promise<string> {
  const folder = path.join(root, ".waymark/history", RELEASES_OF.replaceAll("/", "+"));
  mkdirSync(folder, { recursive: true });
  const missing = RELEASES.filter((release) => !existsSync(path.join(folder, `${release}.json`)));
  if (missing.length === 0) return folder;
  process.stderr.write(`  downloading ${missing.length} releases of ${RELEASES_OF} …\n`);
  const packages = missing.map((release) => `${RELEASES_OF}@${release}`);
  await run("npm", ["pack", "--silent", "--pack-destination", folder, ...packages], {
    timeout: DOWNLOAD_MS,
  }).catch((error: unknown) => {
    const message =
      `The descriptions of ${RELEASES_OF} could not be downloaded. The scenario "diff" needs npm's registry ` +
      `once; they are kept in ${folder}. Connect this machine, or leave the scenario out by naming the others.`;
    throw new Error(message, { cause: error });
  });
  for (const release of missing) await unpack(folder, release);
  return folder;
}

async function unpack(folder: string, release: string): Promise<void> {
  const archive = path.join(folder, `${RELEASES_OF.replace("@", "").replace("/", "-")}-${release}.tgz`);
  await run("tar", ["-xzf", archive, "-C", folder, DESCRIPTION]);
  renameSync(path.join(folder, DESCRIPTION), path.join(folder, `${release}.json`));
  rmSync(archive);
}
