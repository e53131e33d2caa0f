import type { Operation } from "../read/operation.ts";
import { nameOf, type OperationChange, placeOf } from "./change.ts";
import { shapeOf } from "./match-operations.ts";

/** The number of addresses in a message. */
const SHOWN_MAX = 50;

/** Compares the addresses of the servers of two operations that were matched. */
export function compareServers(old: Operation, next: Operation, moved: boolean): OperationChange[] {
  if (old.kind !== "operation") return [];
  if (moved) {
    const [from, to] = [old, next].map(({ servers }) => servers.basePaths[0] || "/");
    const message = `The servers' path is ${to} instead of ${from}: calls to the old addresses fail.`;
    return [changeOf(old, next, { kind: "base-path-changed", level: "breaking", message })];
  }
  const gone = removedServers(old, next);
  if (gone.length === 0) return [];
  const kind = gone.length === old.servers.addresses.size ? "server-changed" : "server-removed";
  const message = `${listOf(gone)} is no longer listed as a server: clients of that address may lose it.`;
  return [changeOf(old, next, { kind, level: "maybe", message })];
}

/** True if the servers that are gone are known: a server beyond a limit may be one that the other side has. */
export function areServersCompared(old: Operation, next: Operation): boolean {
  return old.kind !== "operation" || (!old.servers.isCut && !next.servers.isCut);
}

function removedServers(old: Operation, next: Operation): string[] {
  if (!areServersCompared(old, next)) return [];
  const [before, after] = [old.servers.addresses, next.servers.addresses];
  const [from, to] = [shapeOf(old), shapeOf(next)];
  // A part of the path may have moved to the server or from it.
  const isKept = (server: string) => {
    const whole = server + from;
    return whole.endsWith(to) && after.has(whole.slice(0, whole.length - to.length));
  };
  return [...before].filter(
    (server) => !(from === to ? after.has(server) : isKept(server)) && isAbsolute(server),
  );
}

function isAbsolute(server: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(server);
}

function changeOf(
  old: Operation,
  next: Operation,
  change: Pick<OperationChange, "kind" | "level" | "message">,
): OperationChange {
  return {
    ...change,
    operation: nameOf(next),
    direction: "request",
    part: "servers",
    before: old.servers.text,
    after: next.servers.text,
    base: placeOf(old.at),
    head: placeOf(next.at),
    shared: true,
  };
}

function listOf(servers: readonly string[]): string {
  const more = servers.length - SHOWN_MAX;
  return more <= 0 ? servers.join(", ") : `${servers.slice(0, SHOWN_MAX).join(", ")} and ${more} more`;
}
