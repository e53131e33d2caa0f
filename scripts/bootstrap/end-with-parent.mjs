// Preloaded (`node --import`) into a process that was started with an IPC channel: when its parent has ended, for whatever
// reason, the process gets the SIGTERM that the parent could not send.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
