import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

const MIGRATIONS = new URL("./migrations/", import.meta.url);
const FUNCTIONS = new URL("./functions/", import.meta.url);
const GRANTS = new URL("./roles/grants.sql", import.meta.url);

export interface SqlFile {
  name: string;
  sql: string;
  sha256: string;
}

/** This version's migrations, in order. */
export const readMigrations = (): Promise<SqlFile[]> => readSqlFiles(MIGRATIONS);

/** The files with this version's functions. */
export const readFunctionFiles = (): Promise<SqlFile[]> => readSqlFiles(FUNCTIONS);

/** The privileges of the services' role, as SQL. */
export const readGrants = (): Promise<string> => readFile(GRANTS, "utf8");

/** The names that a database of this version must have: migrations, functions, and the role's privileges on tables. */
export interface RequiredNames {
  migrations: string[];
  functions: string[];
  /** `column` is empty for a privilege on the whole table. */
  privileges: { table: string; privilege: string; column: string }[];
}

export async function readRequiredNames(): Promise<RequiredNames> {
  const migrations = await readMigrations();
  const functions = await readFunctionFiles();
  return {
    migrations: migrations.map(({ name }) => name),
    functions: functions.flatMap(({ sql }) =>
      [...sql.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)/gm)].flatMap(([, name]) => name ?? []),
    ),
    privileges: parseTableGrants(await readGrants()),
  };
}

function parseTableGrants(grants: string): RequiredNames["privileges"] {
  const statements = grants.matchAll(
    /^GRANT ([A-Z, ]+?)(?: \(([^)]*)\))? ON\s+([a-z_,\s]+?) TO waymark_app;/gm,
  );
  return [...statements].flatMap(([, privileges = "", columns = "", tables = ""]) =>
    splitList(tables).flatMap((table) =>
      splitList(privileges).flatMap((privilege) =>
        splitList(columns).map((column) => ({ table, privilege, column })),
      ),
    ),
  );
}

/** An empty list has one empty item. */
const splitList = (text: string): string[] => text.split(",").map((item) => item.trim());

async function readSqlFiles(folder: URL): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}
