import type { Operation } from "../read/operation.ts";
import { basePathOf } from "../read/read-servers.ts";
import { nameOf, type OperationChange, placeOf } from "./change.ts";

/** Compares the addresses of the servers of two operations that were matched. */
export function compareServers(old: Operation, next: Operation, moved: boolean): OperationChange[] {
  if (old.kind !== "operation") return [];
  const places = {
    operation: nameOf(next),
    direction: "request" as const,
    part: "servers",
    before: old.servers.join(", "),
    after: next.servers.join(", "),
    base: placeOf(old.at),
    head: placeOf(next.at),
    shared: true,
  };
  if (moved) {
    const [from, to] = [old, next].map(({ servers }) => basePathOf(servers[0] ?? "") || "/");
    return [
      {
        kind: "base-path-changed",
        level: "breaking",
        message: `The servers' path is ${to} instead of ${from}: calls to the old addresses fail.`,
        ...places,
      },
    ];
  }
  const absolute = old.servers.filter((server) => /^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(server));
  const whole = (operation: Operation, server: string) =>
    server + operation.path.replaceAll(/\{[^{}]*\}/g, "{}");
  const kept = new Set(next.servers.map((server) => whole(next, server)));
  const gone = absolute.filter((server) => !kept.has(whole(old, server)));
  if (gone.length === 0) return [];
  const all = gone.length === old.servers.length;
  return [
    {
      kind: all ? "server-changed" : "server-removed",
      level: "maybe",
      message: `${gone.join(", ")} is no longer listed as a server: clients of that address may lose it.`,
      ...places,
    },
  ];
}
