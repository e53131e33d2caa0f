import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Account } from "./account.ts";
import { SYSTEM_FOLDER } from "./binaries.ts";
import { isReachable } from "./reachable.ts";

/** The database that a new cluster has. */
export const DATABASE = "waymark";

export interface Cluster {
  /** Postgres' own data directory, absolute and without symbolic links. */
  directory: string;
  password: string;
}

/** What `postgres.json` keeps. A relative directory moves together with the data directory. */
interface ClusterRecord {
  directory: string;
  password: string;
}

/**
 * The cluster that belongs to a data directory; makes it when there is none. To be called under the data directory's
 * lock.
 *
 * @throws Error when a cluster is there whose password is not, or one of another major version
 */
export async function openCluster(
  folder: string,
  { binaries, account }: { binaries: string; account: Account | undefined },
): Promise<Cluster> {
  const recordFile = path.join(folder, "postgres.json");
  const own = path.join(folder, "postgres");
  if (!existsSync(recordFile) && existsSync(own)) {
    throw new Error(
      `${recordFile} is missing, and with it the password of the database in ${own}. ` +
        "Put the file back, or remove that folder to begin with an empty database.",
    );
  }
  if (existsSync(recordFile)) {
    const record: ClusterRecord = JSON.parse(readFileSync(recordFile, "utf8"));
    const directory = path.resolve(folder, record.directory);
    if (existsSync(path.join(directory, "PG_VERSION"))) {
      checkVersion(directory, binaries);
      return { directory: realpathSync(directory), password: record.password };
    }
  }

  const outside = account !== undefined && !isReachable(own, account);
  const directory = outside ? path.join(SYSTEM_FOLDER, randomBytes(6).toString("hex"), "postgres") : own;
  const record: ClusterRecord = {
    directory: outside ? directory : "postgres",
    password: randomBytes(24).toString("base64url"),
  };
  await createCluster(directory, { binaries, account, password: record.password }, () => {
    writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    chmodSync(recordFile, 0o600);
  });
  return { directory: realpathSync(directory), password: record.password };
}

// Made aside and renamed, so that a launcher killed in between leaves nothing that looks like a database.
async function createCluster(
  directory: string,
  { binaries, account, password }: { binaries: string; account: Account | undefined; password: string },
  beforeRename: () => void,
): Promise<void> {
  const unfinished = `${directory}.new`;
  const passwordFile = `${directory}.pw`;
  mkdirSync(path.dirname(directory), { recursive: true, mode: 0o755 });
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600, flag: "wx" });
  if (account !== undefined) {
    for (const entry of [unfinished, passwordFile]) chownSync(entry, account.uid, account.gid);
  }
  try {
    const auth = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
    const init = ["-D", unfinished, ...auth, "--locale=C", "-E", "UTF8"];
    await run(binaries, "initdb", init, { account, input: "" });
    const single = ["--single", "-D", unfinished, "-c", "log_checkpoints=off", "postgres"];
    await run(binaries, "postgres", single, { account, input: `CREATE DATABASE ${DATABASE};\n` });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  beforeRename();
  renameSync(unfinished, directory);
}

async function run(
  binaries: string,
  program: string,
  args: string[],
  { account, input }: { account: Account | undefined; input: string },
): Promise<void> {
  const child = spawn(path.join(binaries, "bin", program), args, {
    ...account,
    cwd: path.parse(binaries).root,
    env: postgresEnvironment(),
    stdio: ["pipe", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  // A program that ends early says why on standard error; that it no longer reads is not the news.
  child.stdin.on("error", () => undefined).end(input);
  const problem = await new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `code ${code}`}:\n${stderr.trim()}`),
    );
  });
  if (problem !== undefined)
    throw new Error(`The embedded database could not be made: ${program}: ${problem}`);
}

function checkVersion(directory: string, binaries: string): void {
  const made = readFileSync(path.join(directory, "PG_VERSION"), "utf8").trim();
  const catalog = readFileSync(path.join(binaries, "share/postgresql/postgres.bki"), "utf8");
  const installed = /^# PostgreSQL (\d+)/.exec(catalog)?.[1];
  if (made === installed) return;
  throw new Error(
    `The database in ${directory} was made by Postgres ${made}; this version of Waymark brings Postgres ${installed}. ` +
      "Move its content with pg_dump, or set WAYMARK_DATA_DIR to begin with an empty one.",
  );
}

/** Nothing of the launcher's environment: no settings of another Postgres, no secrets. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    LC_ALL: "C",
    TZ: "UTC",
    // Windows programs don't start without it.
    SystemRoot: process.env["SystemRoot"],
  };
}
