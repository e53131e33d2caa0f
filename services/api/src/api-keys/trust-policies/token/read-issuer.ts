import { createEgress, type EgressAllowance } from "@waymark/journey-transport/egress.ts";
import { createHttpTransport, type HttpTransport } from "@waymark/journey-transport/http-transport.ts";
import { z } from "zod";

/** The discovery document and the key set together: two small documents of an issuer. */
const READ_MS = 5_000;
const DOCUMENT_BYTES_MAX = 128 * 1024;
const KEYS_MAX = 100;

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(KEYS_MAX) });
export type KeySet = z.infer<typeof KeySet>;

export interface IssuerReader extends Disposable {
  /** Reads the signing keys of an issuer. @throws Error if they can't be read within the limits */
  read: (issuer: string) => Promise<KeySet>;
}

/**
 * Reads issuers over https only, from public addresses and those that the operator opens, without redirects.
 *
 * @param options.extraCa certificates that are trusted besides Node's own
 */
export function createIssuerReader({
  egressAllow,
  extraCa,
}: {
  egressAllow: readonly EgressAllowance[];
  extraCa?: string;
}): IssuerReader {
  const { allowsAddress } = createEgress({ allowedHosts: [], operatorAllows: egressAllow, own: [] });
  const http = createHttpTransport({ allowsAddress, ...(extraCa === undefined ? {} : { extraCa }) });
  return {
    async read(issuer) {
      const signal = AbortSignal.timeout(READ_MS);
      const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
      const discovery = Discovery.parse(await readJson(http, address, signal));
      if (discovery.issuer !== issuer) throw new Error("its discovery document names another issuer");
      return KeySet.parse(await readJson(http, discovery.jwks_uri, signal));
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

async function readJson(
  { transport }: HttpTransport,
  address: string,
  signal: AbortSignal,
): Promise<unknown> {
  const url = new URL(address);
  if (url.protocol !== "https:") throw new Error(`${url.origin} is no https:// address`);
  const headers: [string, string][] = [
    ["Accept", "application/json"],
    ["User-Agent", "waymark"],
  ];
  const { status, body, truncated } = await transport({
    method: "GET",
    url,
    headers,
    responseBytesMax: DOCUMENT_BYTES_MAX,
    signal,
  });
  if (status !== 200) throw new Error(`${url.origin} responded with ${status}`);
  if (truncated === true)
    throw new Error(`the response of ${url.origin} is larger than ${DOCUMENT_BYTES_MAX} bytes`);
  const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  return parsed;
}
