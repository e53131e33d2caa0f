import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "./process-table.mjs";

const HEARTBEAT_MS = 2_000;
// Node has no flock, so a holder that was killed leaves its file behind. It is taken over at once where its process is
// gone, and after this long without a sign of life where that can't be told: ids are reused, and a container that
// shares the folder has its own.
const STALE_MS = 15_000;
const SETTLE_MS = 20;
const POLL_MS = 100;

/**
 * Runs `work` while no other process holds `file`, and waits for those that do.
 *
 * @template T
 * @param {string} file
 * @param {{ waiting?: string }} options `waiting` is told on standard error, once, when there is someone to wait for
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withFileLock(file, { waiting }, work) {
  mkdirSync(path.dirname(file), { recursive: true });
  const own = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() });
  let told = waiting === undefined;
  while (!(await tryLock(file, own))) {
    if (!told) process.stderr.write(`${waiting} …\n`);
    told = true;
    await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (read(file) === own) rmSync(file, { force: true });
  }
}

/** @param {string} file @param {string} own */
async function tryLock(file, own) {
  try {
    writeFileSync(file, own, { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (!isStale(file)) return false;
    takeAway(file);
    return tryLock(file, own);
  }
  // Someone who judged the previous file stale a moment ago may have taken this one away instead.
  await sleep(SETTLE_MS);
  return read(file) === own;
}

/** @param {string} file */
function isStale(file) {
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > STALE_MS) return true;
  try {
    const holder = JSON.parse(read(file) ?? "");
    return holder.host === hostname() && !isAlive(holder.pid);
  } catch {
    // Just being written, or just removed.
    return false;
  }
}

/** @param {string} file */
function takeAway(file) {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  rmSync(aside, { force: true });
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // The folder went away under a running install; the work itself will say what is wrong.
  }
}
