import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

const MIGRATIONS = new URL("./migrations/", import.meta.url);
const FUNCTIONS = new URL("./functions/", import.meta.url);

export interface SqlFile {
  name: string;
  sql: string;
  sha256: string;
}

/** This version's migrations, in order. */
export const readMigrations = (): Promise<SqlFile[]> => readSqlFiles(MIGRATIONS);

/** The files with this version's functions. */
export const readFunctionFiles = (): Promise<SqlFile[]> => readSqlFiles(FUNCTIONS);

/** The migrations and functions that this version needs in a database. */
export async function readRequiredNames(): Promise<{ migrations: string[]; functions: string[] }> {
  const migrations = await readMigrations();
  const functions = await readFunctionFiles();
  return {
    migrations: migrations.map(({ name }) => name),
    functions: functions.flatMap(({ sql }) =>
      [...sql.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)/gm)].flatMap(([, name]) => name ?? []),
    ),
  };
}

async function readSqlFiles(folder: URL): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}
