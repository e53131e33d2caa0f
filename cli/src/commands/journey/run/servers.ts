import { usageError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";
import type { Runnable } from "./load-runnable.ts";

/** A server for a source that no journey has is a mistake, which would otherwise go unnoticed. */
export function checkServers(
  runnables: readonly Runnable[],
  servers: Readonly<Record<string, string>>,
): void {
  const known = new Set(runnables.flatMap(({ prepared }) => Object.keys(prepared.artifact.program.sources)));
  const unknown = Object.keys(servers).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const there = known.size === 0 ? "they have none" : `there is ${[...known].join(", ")}`;
  throw usageError(`--server names a source that no journey has, "${printable(unknown, 60)}": ${there}.`);
}
