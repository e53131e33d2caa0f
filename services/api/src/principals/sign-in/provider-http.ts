import { createEgress, type EgressAllowance } from "@waymark/journey-transport/egress.ts";
import { createHttpTransport } from "@waymark/journey-transport/http-transport.ts";
import type { CustomFetch } from "openid-client";

/** ID tokens with many groups are the largest of the responses. */
const RESPONSE_BYTES_MAX = 512 * 1024;
/** How long one request to a provider may take. */
export const PROVIDER_SECONDS = 5;
/** Statuses whose responses have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

export interface ProviderHttp extends Disposable {
  fetch: CustomFetch;
}

/**
 * Sends requests to identity providers: to public addresses and those that the operator opens, without redirects, and within limits of time
 * and size.
 *
 * @param options.extraCa certificates that are trusted besides Node's own
 */
export function createProviderHttp({
  egressAllow,
  extraCa,
}: {
  egressAllow: readonly EgressAllowance[];
  extraCa?: string;
}): ProviderHttp {
  const { allowsAddress } = createEgress({ allowedHosts: [], operatorAllows: egressAllow, own: [] });
  const http = createHttpTransport({ allowsAddress, ...(extraCa === undefined ? {} : { extraCa }) });
  return {
    async fetch(address, { method, headers, body, signal }) {
      const url = new URL(address);
      if (url.protocol !== "https:") throw new Error(`${url.origin} is no https:// address`);
      const sent = body instanceof URLSearchParams ? body.toString() : body;
      if (sent !== undefined && sent !== null && typeof sent !== "string")
        throw new TypeError("only forms and texts are sent to a provider");
      const response = await http.transport({
        method,
        url,
        headers: Object.entries(headers),
        ...(typeof sent === "string" ? { body: sent } : {}),
        responseBytesMax: RESPONSE_BYTES_MAX,
        signal: signal ?? AbortSignal.timeout(PROVIDER_SECONDS * 1000),
      });
      if (response.truncated === true)
        throw new Error(`the response of ${url.origin} is larger than ${RESPONSE_BYTES_MAX} bytes`);
      const { status } = response;
      return new Response(WITHOUT_BODY.has(status) ? null : Buffer.from(response.body), {
        status,
        headers: response.headers,
      });
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}
