import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 50;

/**
 * Runs `work` while no other process of this machine holds the lock called `file`, and waits for those that do. Node has
 * no flock: the lock is a local socket that its holder listens on, which the system closes when the holder ends,
 * however it ends.
 *
 * @template T
 * @param {string} file names the lock; nothing is written there
 * @param {{ waiting?: string }} options `waiting` is printed on standard error, once, when another process has the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withFileLock(file, { waiting }, work) {
  const address = addressOf(file);
  let server = await tryListen(address);
  if (server === undefined && waiting !== undefined) process.stderr.write(`${waiting} …\n`);
  while (server === undefined) {
    await sleep(POLL_MS);
    server = await tryListen(address);
  }
  try {
    return await work();
  } finally {
    server.close();
  }
}

/** @param {string} file */
function addressOf(file) {
  const name = `waymark-${createHash("sha256").update(path.resolve(file)).digest("hex").slice(0, 32)}`;
  // Linux has sockets without a file, Windows has named pipes. Both go with their process.
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), name);
}

/** @param {string} address @returns {Promise<import("node:net").Server | undefined>} */
async function tryListen(address) {
  const server = createServer((socket) => socket.destroy());
  const listening = await settle(server.listen(address), "listening");
  if (listening === "listening") return server;
  if (listening !== "EADDRINUSE") throw new Error(`The lock of this checkout can't be taken: ${listening}`);
  // On other systems than Linux and Windows, a killed process leaves its file.
  const isFile = process.platform !== "linux" && process.platform !== "win32";
  if (isFile && (await settle(connect(address), "connect")) === "ECONNREFUSED")
    rmSync(address, { force: true });
  return undefined;
}

/** @param {import("node:events").EventEmitter} emitter @param {string} event @returns the event, or an error's code */
function settle(emitter, event) {
  return once(emitter, event).then(
    () => event,
    (error) => error.code,
  );
}
