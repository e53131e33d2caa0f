import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { gitEnvironment, SAFE_GIT } from "../../ci/checkout.ts";
import type { Environment } from "../../lib/config.ts";
import { usageError } from "../../lib/cli-error.ts";
import { printable } from "../../lib/text.ts";
import { type SpecFiles, tooLarge } from "../../openapi/read-source.ts";

/** A file in a revision of git. */
export interface RevisionFile {
  /** The absolute path that the file has in the working tree. */
  file: string;
  files: SpecFiles;
}

const TIMEOUT_MS = 30_000;

/**
 * Reads a name such as `main:openapi.yaml` as a file of a revision, with the references to other files in the same one. As in git, the
 * path starts at the root of the repository, and at the working directory if it begins with `./`.
 * @returns undefined for the name of a file on disk
 * @throws {CliError} if there is no such revision
 */
export async function findRevisionFile(
  name: string,
  { cwd, env, bytesMax }: { cwd: string; env: Environment; bytesMax: number },
): Promise<RevisionFile | undefined> {
  const [, revision = "", named = ""] = /^([^:]+):(.+)$/s.exec(name) ?? [];
  const isAddress = named.startsWith("//");
  const isDrive = revision.length === 1 && process.platform === "win32";
  if (named === "" || isAddress || isDrive || existsSync(path.resolve(cwd, name))) return undefined;
  const run = (...args: string[]) => git({ cwd, env, bytesMax }, args);
  const root = lineOf(await run("rev-parse", "--show-toplevel"));
  const commit = lineOf(
    await run("rev-parse", "--quiet", "--verify", "--end-of-options", `${revision}^{commit}`),
  );
  if (root === undefined || commit === undefined) {
    const hint = root === undefined ? "" : await describeMissing(run, { revision, named });
    throw usageError(
      `Can't read ${printable(name, 200)}: there is no such file, and ${printable(revision, 100)} is no revision of a git ` +
        `repository here.${hint}`,
    );
  }
  const isRelative = named.startsWith("./") || named.startsWith("../");
  return {
    file: path.resolve(isRelative ? cwd : root, named),
    files: {
      read: async (file, shown) => {
        const inside = path.relative(root, file).split(path.sep).join("/");
        const result = await run("cat-file", "blob", `${commit}:${inside}`);
        if (result === "too large") throw tooLarge(shown, `more than ${bytesMax}`, bytesMax);
        if (result !== undefined) return result;
        throw usageError(`Can't read ${shown}: ${revision} has no file ${printable(inside, 200)}.`);
      },
      isInside: async (file, folder) => !path.relative(folder, file).startsWith(".."),
    },
  };
}

/** Says how to get a revision that a pipeline's checkout often lacks. */
async function describeMissing(
  run: (...args: string[]) => Promise<Output>,
  { revision, named }: { revision: string; named: string },
): Promise<string> {
  const remote = `origin/${revision}`;
  const found = await run("rev-parse", "--quiet", "--verify", "--end-of-options", `${remote}^{commit}`);
  if (lineOf(found) !== undefined)
    return ` The remote's branch is here: ${printable(`${remote}:${named}`, 200)}.`;
  if (lineOf(await run("rev-parse", "--is-shallow-repository")) !== "true") return "";
  return (
    " This checkout has only the newest commits: fetch the others first, on GitHub with fetch-depth: 0 of actions/checkout. " +
    "waymark diff current --service NAME needs no history."
  );
}

type Output = Buffer | "too large" | undefined;

function lineOf(output: Output): string | undefined {
  return Buffer.isBuffer(output) ? output.toString().trim() : undefined;
}

/** Returns the output of git; undefined if it fails. */
function git(
  { cwd, env, bytesMax }: { cwd: string; env: Environment; bytesMax: number },
  args: readonly string[],
): Promise<Output> {
  const options = {
    cwd,
    timeout: TIMEOUT_MS,
    maxBuffer: bytesMax,
    windowsHide: true,
    encoding: "buffer" as const,
    env: gitEnvironment(env),
  };
  return new Promise((resolve) => {
    execFile("git", [...SAFE_GIT, ...args], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else resolve(error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" ? "too large" : undefined);
    });
  });
}
