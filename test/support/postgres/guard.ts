import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "../run-node.ts";

const script = fileURLToPath(new URL("stop.ts", import.meta.url));

/**
 * Stops the Postgres of a data folder when this process ends before it has done so itself: vitest ends at Ctrl-C without any
 * clean-up, and a server outlives its launcher.
 *
 * @param options.removes whether the folder is removed then
 * @returns a function to be called when the server was stopped
 */
export function guardPostgres(folder: string, { removes }: { removes: boolean }): () => void {
  const guard = spawn(
    process.execPath,
    [script, folder, String(process.pid), ...(removes ? ["--remove"] : [])],
    {
      // Ctrl-C in a terminal reaches the whole process group.
      detached: true,
      env: cleanEnvironment({}),
      stdio: ["pipe", "ignore", "ignore"],
    },
  );
  guard.unref();
  (guard.stdin as Socket).unref();
  return () => void guard.kill("SIGKILL");
}
