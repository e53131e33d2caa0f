import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const HEARTBEAT_MS = 2_000;
// Node has no flock. A holder that was killed leaves its file behind; without a sign of life for this long it is
// taken over. Process ids don't serve here: they are reused, and a container that shares the folder has its own.
const STALE_MS = 15_000;
const SETTLE_MS = 30;

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
  const token = randomUUID();
  let told = waiting === undefined;
  while (!(await tryLock(file, token))) {
    if (!told) process.stderr.write(`${waiting} …\n`);
    told = true;
    await sleep(200);
  }
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (read(file) === token) rmSync(file, { force: true });
  }
}

/** @param {string} file @param {string} token */
async function tryLock(file, token) {
  try {
    writeFileSync(file, token, { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    takeAwayIfStale(file, token);
    return false;
  }
  // Someone who judged the previous file stale a moment ago may have taken this one away instead.
  await sleep(SETTLE_MS);
  return read(file) === token;
}

/** @param {string} file @param {string} token */
function takeAwayIfStale(file, token) {
  try {
    if (Date.now() - statSync(file).mtimeMs < STALE_MS) return;
    const aside = `${file}.${token}`;
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
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
