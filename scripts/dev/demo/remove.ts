import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { z } from "zod";
import { SYSTEM_FOLDER } from "../../postgres/installation.ts";
import { assertDemoFolder } from "./folder.ts";
import { DEMO_TEAMS } from "./services.ts";
import { DEMO_SERVICE_COUNT } from "./seed.ts";

/**
 * Deletes the demo with everything in it, after it has said what goes and somebody has agreed.
 *
 * @param options.isAgreed true if the command line says so already
 * @throws Error if the demo runs, if the folder has something else, or if nobody can be asked
 */
export async function removeDemo(folder: string, { isAgreed }: { isAgreed: boolean }): Promise<void> {
  if (!existsSync(folder)) {
    console.log("There is no demo organization here.");
    return;
  }
  assertDemoFolder(folder);
  const cluster = clusterOf(folder);
  if (existsSync(path.join(cluster, "postmaster.pid")))
    throw new Error(
      "The demo runs, or ended without stopping its database. Stop it with Ctrl-C, or start it once more and stop it; then remove it.",
    );
  console.log(`This deletes ${path.relative("", folder)} and its database: the demo organization with ${DEMO_SERVICE_COUNT} services, all of their
scans, findings and decisions, its journeys and runs, the teams ${DEMO_TEAMS.join(" and ")}, and every key and person that was added to it.
The organization of \`npm start\` is another one, and stays.`);
  if (!isAgreed && !(await agrees())) {
    console.log("Nothing was deleted.");
    return;
  }
  // The database first: its place is in the folder.
  if (path.dirname(path.dirname(cluster)) === SYSTEM_FOLDER)
    rmSync(path.dirname(cluster), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  console.log("The demo organization is deleted.");
}

async function agrees(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error("Nobody can be asked here. Add --yes to delete it.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question("Type demo to delete it: ")).trim() === "demo";
  } finally {
    terminal.close();
  }
}

/** The directory of the database, which may be outside of the folder. */
function clusterOf(folder: string): string {
  const record = path.join(folder, "postgres.json");
  if (!existsSync(record)) return path.join(folder, "postgres");
  const { directory } = z.object({ directory: z.string() }).parse(JSON.parse(readFileSync(record, "utf8")));
  return path.resolve(folder, directory);
}
