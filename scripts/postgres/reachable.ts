import { lstatSync, statSync } from "node:fs";
import path from "node:path";
import type { Account } from "./account.ts";

const SEARCH = 0o1;

/** True when `account` may enter every folder on the way to `target`, as far as it exists. */
export function isReachable(target: string, account: Account): boolean {
  const { root } = path.parse(target);
  const parts = path.resolve(target).slice(root.length).split(path.sep);
  let folder = root;
  for (const part of parts) {
    if (!maySearch(folder, account)) return false;
    folder = path.join(folder, part);
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return true;
  }
  return true;
}

function maySearch(folder: string, { uid, gid }: Account): boolean {
  const { mode, uid: owner, gid: group } = statSync(folder);
  if (owner === uid) return (mode & (SEARCH << 6)) !== 0;
  if (group === gid) return (mode & (SEARCH << 3)) !== 0;
  return (mode & SEARCH) !== 0;
}
