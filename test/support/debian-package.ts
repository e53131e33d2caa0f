import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { withFileLock } from "../../scripts/bootstrap/file-lock.mjs";
import { step } from "../../scripts/bootstrap/progress.mjs";

const run = promisify(execFile);

/** The first of these programs that is on the PATH, or where Debian keeps servers. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin"];
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

/**
 * The path of a program. If it is missing, installs it with apt: on Debian and Ubuntu, as root.
 *
 * @param options.manual what to do if that is not possible
 */
export async function findOrInstall(
  names: readonly [string, ...string[]],
  { debianPackage, manual }: { debianPackage: string; manual: string },
): Promise<{ file: string } | { whatToDo: string }> {
  const present = findProgram(...names);
  if (present !== undefined) return { file: present };
  const system = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  const debian = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(system);
  if (!debian || process.getuid?.() !== 0) return { whatToDo: manual };

  return withFileLock(path.join(tmpdir(), "waymark-apt.lock"), {}, async () => {
    const installed = findProgram(...names);
    if (installed !== undefined) return { file: installed };
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    try {
      await step(`Installing ${debianPackage} with apt, for the tests that need it`, async () => {
        // The update fails if one of several sources is unavailable, which may not matter.
        await run("apt-get", ["update", "-q"], { env }).catch(() => undefined);
        await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", debianPackage], { env });
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { whatToDo: `${manual} Installing it with apt failed: ${reason}` };
    }
    const file = findProgram(...names);
    return file === undefined ? { whatToDo: manual } : { file };
  });
}
