import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Says that everything in the folder belongs to the demo. */
const MARK = ".waymark-demo";

/** Makes the folder of the demo. @throws Error if it is in use for something else */
export function claimDemoFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isDemoFolder(folder)) return;
  if (readdirSync(folder).length > 0) throw new Error(foreign(folder));
  writeFileSync(path.join(folder, MARK), "");
}

/** @throws Error if the folder is not the demo's, so that nothing else is deleted */
export function assertDemoFolder(folder: string): void {
  if (!isDemoFolder(folder)) throw new Error(foreign(folder));
}

function isDemoFolder(folder: string): boolean {
  return existsSync(path.join(folder, MARK));
}

function foreign(folder: string): string {
  return `${folder} was not made by npm start -- --demo. Choose another data folder: WAYMARK_DATA_DIR=FOLDER npm start -- --demo`;
}
