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
import { SYSTEM_FOLDER } from "./binaries.ts";
import { type Installation, runProgram } from "./program.ts";
import { isReachable } from "./reachable.ts";

/** The database that a started server has. */
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
export async function openCluster(folder: string, installation: Installation): Promise<Cluster> {
  const { binaries, account } = installation;
  const recordFile = path.join(folder, "postgres.json");
  const own = path.join(folder, "postgres");
  if (!existsSync(recordFile) && existsSync(own)) {
    throw new Error(
      `${recordFile} is missing, and with it the password of the database in ${own}. ` +
        "Put the file back, or remove that folder to begin with an empty database.",
    );
  }
  const existing = readCluster(folder);
  if (existing !== undefined) {
    checkVersion(existing.directory, binaries);
    return existing;
  }

  const outside = account !== undefined && !isReachable(own, account);
  const directory = outside ? path.join(SYSTEM_FOLDER, randomBytes(6).toString("hex"), "postgres") : own;
  const record: ClusterRecord = {
    directory: outside ? directory : "postgres",
    password: randomBytes(24).toString("base64url"),
  };
  await createCluster(directory, { installation, password: record.password }, () => {
    writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    chmodSync(recordFile, 0o600);
  });
  return { directory: realpathSync(directory), password: record.password };
}

/** The cluster of a data directory that has been made. */
export function readCluster(folder: string): Cluster | undefined {
  const recordFile = path.join(folder, "postgres.json");
  if (!existsSync(recordFile)) return undefined;
  const record: ClusterRecord = JSON.parse(readFileSync(recordFile, "utf8"));
  const directory = path.resolve(folder, record.directory);
  if (!existsSync(path.join(directory, "PG_VERSION"))) return undefined;
  return { directory: realpathSync(directory), password: record.password };
}

// Made aside and renamed, so that a launcher killed in between leaves nothing that looks like a database.
async function createCluster(
  directory: string,
  { installation, password }: { installation: Installation; password: string },
  beforeRename: () => void,
): Promise<void> {
  const { account } = installation;
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
    const init = ["initdb", "-D", unfinished, ...auth, "--locale=C", "-E", "UTF8"];
    const problem = await runProgram(installation, init);
    if (problem !== undefined) throw new Error(`The embedded database could not be made: initdb: ${problem}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  beforeRename();
  renameSync(unfinished, directory);
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
