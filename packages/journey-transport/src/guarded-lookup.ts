import { lookup } from "node:dns";
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import type { PolicyVerdict } from "@waymark/journeys/run/transport.ts";

/** The address that a URL names itself: nothing is looked up for it. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/**
 * Looks a name up and refuses it when one of its addresses is refused. It is part of connecting: what was checked is what is
 * connected to.
 */
export function guardedLookup(allows: (address: string) => PolicyVerdict): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
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
 * Looks a name up that a proxy will connect to: what it resolves to here is the best that is known of it.
 * @throws TransportError when one of its addresses is refused, or when there is none to ask about
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
