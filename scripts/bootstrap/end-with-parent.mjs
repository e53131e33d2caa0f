// Preloaded (`node --import`) into a process that was started with an IPC channel: when its parent is gone, however it
// went, the process gets the SIGTERM that the parent could no longer send.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
