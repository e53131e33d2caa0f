import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";

const run = promisify(execFile);
const FILES_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Copies this checkout as it is now, with what is not committed yet. Installed packages are linked, not copied; the
 * links between workspaces are relative, so that they stay within the copy.
 */
export async function copyCheckout(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", args, { cwd: root, maxBuffer: FILES_BYTES_MAX });
  for (const file of new Set(stdout.split("\0"))) {
    // Deleted files are still listed until the deletion is committed.
    if (file === "" || !existsSync(path.join(root, file))) continue;
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(folder, file));
  }
  const { workspaces }: { workspaces: string[] } = JSON.parse(
    readFileSync(path.join(root, "package.json"), "utf8"),
  );
  for (const installed of ["node_modules", ...workspaces.flatMap(ignoredFolders)]) {
    if (existsSync(path.join(root, installed))) {
      linkFolder(path.join(root, installed), path.join(folder, installed));
    }
  }
}

/** The parts of a workspace that git ignores: its packages and builds. */
function ignoredFolders(workspace: string): string[] {
  return [`${workspace}/node_modules`, `${workspace}/dist`];
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/** @throws Error with git's message if the patch does not apply */
export async function applyPatch(folder: string, patch: string): Promise<void> {
  // The copy is not a repository, and git must not treat it as part of this one.
  const env = cleanEnvironment({ GIT_CEILING_DIRECTORIES: path.dirname(folder) });
  await run("git", ["apply", "--whitespace=nowarn", patch], { cwd: folder, env });
}
