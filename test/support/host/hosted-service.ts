import { readFileSync } from "node:fs";
import type { End } from "../../../scripts/service.ts";
import { parseLogLines, type TestService } from "../service-process.ts";
import { openHost } from "./host.ts";

/**
 * Starts a service in a host. It is ready when this resolves.
 *
 * @throws Error that says why it could not start
 */
export async function startHosted(
  kind: "api" | "worker",
  { env, hostName }: { env: Record<string, string>; hostName?: string | undefined },
): Promise<TestService> {
  const host = openHost(hostName);
  host.began();
  const { logFile } = await host.ask(kind, { env }).catch((error: unknown) => {
    host.ended();
    throw error;
  });
  const { promise: ended, resolve } = Promise.withResolvers<End>();
  let stopped: Promise<void> | undefined;
  let lastOutput: string | undefined;
  const output = () => lastOutput ?? readFileSync(logFile, "utf8");
  async function end() {
    const result = await host.ask("stop", { logFile });
    lastOutput = output();
    host.ended();
    resolve(result);
  }
  const stop = async () => {
    await (stopped ??= end());
    return ended;
  };
  return {
    output,
    logLines: () => parseLogLines(output()),
    ended,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}
