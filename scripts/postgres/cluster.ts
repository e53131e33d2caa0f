import { randomBytes } from "node:crypto";
import {
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
import { canEnter, type Installation, runPostgresProgram, SYSTEM_FOLDER } from "./installation.ts";

/** The content of `postgres.json`. */
export interface Cluster {
  /** Postgres' own data directory. In the file, a relative one moves together with the data folder. */
  directory: string;
  password: string;
}

/**
 * The cluster that belongs to a data folder; makes it when there is none. To be called under the folder's lock.
 *
 * @throws Error if the cluster exists and its password is missing
 */
export async function openCluster(folder: string, installation: Installation): Promise<Cluster> {
  const recordFile = path.join(folder, "postgres.json");
  const own = path.join(folder, "postgres");
  if (existsSync(recordFile)) {
    const kept: Cluster = JSON.parse(readFileSync(recordFile, "utf8"));
    const directory = path.resolve(folder, kept.directory);
    if (existsSync(directory)) return { ...kept, directory: realpathSync(directory) };
  } else if (existsSync(own)) {
    throw new Error(
      `${recordFile} is missing, and with it the password of the database in ${own}. ` +
        "Put the file back, or remove that folder to begin with an empty database.",
    );
  }
  const directory = canEnter(folder, installation.account)
    ? own
    : path.join(SYSTEM_FOLDER, randomBytes(6).toString("hex"), "postgres");
  const password = randomBytes(24).toString("base64url");
  const unfinished = await initialize(directory, password, installation);
  const record: Cluster = { directory: directory === own ? "postgres" : directory, password };
  writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, directory);
  return { directory: realpathSync(directory), password };
}

// Created under another name, so that a killed launcher leaves nothing that looks like a database.
async function initialize(directory: string, password: string, installation: Installation): Promise<string> {
  const { account } = installation;
  const unfinished = `${directory}.new`;
  const passwordFile = `${directory}.pw`;
  for (const leftOver of [unfinished, passwordFile]) rmSync(leftOver, { recursive: true, force: true });
  mkdirSync(path.dirname(directory), { recursive: true, mode: 0o755 });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) {
    for (const entry of [unfinished, passwordFile]) chownSync(entry, account.uid, account.gid);
  }
  try {
    const login = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
    const args = ["initdb", "-D", unfinished, ...login, "--locale=C", "-E", "UTF8"];
    const problem = await runPostgresProgram(installation, args);
    if (problem !== undefined) throw new Error(`The embedded database could not be made. ${problem}`);
    return unfinished;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}
