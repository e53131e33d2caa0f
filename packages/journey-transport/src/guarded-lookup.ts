import { lookup } from "node:dns";
import type { LookupAddress, LookupAllOptions } from "node:dns";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import type { PolicyVerdict } from "@waymark/journeys/run/transport.ts";

/** Finds all addresses of a name. The system's is the default. */
export type NameLookup = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The address in a URL, which needs no lookup. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/**
 * Resolves a name, and refuses it if one of its addresses is refused. It is part of connecting, so the checked address is the
 * one connected to.
 */
export function guardedLookup(
  allows: (address: string) => PolicyVerdict,
  find: NameLookup = lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    find(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, "");
        return;
      }
      for (const { address } of found) {
        const verdict = allows(address);
        if (verdict.allowed) continue;
        callback(new TransportError("forbidden", verdict.reason), "");
        return;
      }
      answer(found, options.all === true, callback);
    });
  };
}

/**
 * Resolves a name that a proxy will connect to. The proxy may resolve it differently, but nothing better is known here.
 * @throws TransportError if one of its addresses is refused, or if it has none
 */
export function checkName({ hostname }: URL, allows: (address: string) => PolicyVerdict): Promise<void> {
  return new Promise((resolve, reject) => {
    guardedLookup(allows)(hostname, { all: true }, (error) => {
      if (error === null) resolve();
      else if (error instanceof TransportError) reject(error);
      else {
        const reason = `${hostname} can't be looked up here, so where the proxy would connect to is not known.`;
        reject(new TransportError("forbidden", reason));
      }
    });
  });
}

function answer(found: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [first] = found;
  if (all) callback(null, found);
  else if (first === undefined) callback(new Error("the name has no address"), "");
  else callback(null, first.address, first.family);
}
