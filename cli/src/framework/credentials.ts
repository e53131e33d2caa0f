import { findApiKey, type FoundKey } from "./api-key.ts";
import { type Destination, destinationFrom } from "../lib/config.ts";
import type { CliContext } from "./context.ts";
import type { ConnectionFlags } from "./connection-flags.ts";

export interface Credentials {
  /** Undefined if there is no key. */
  key: FoundKey | undefined;
  destination: Destination;
}

/** Finds the address of the server and the key for it. @param fromFile the address in `waymark.yaml` */
export async function findCredentials(
  context: CliContext,
  flags: ConnectionFlags,
  fromFile: string | undefined,
): Promise<Credentials> {
  const destination = destinationFrom(flags, context.env, fromFile);
  const key = await findApiKey(context, flags, destination.apiUrl);
  if (key === undefined || !key.isStored) return { key, destination };
  // The user stored this key for exactly this server, so it does not matter that a file names it.
  return { key, destination: { ...destination, chosenBy: "operator" } };
}
