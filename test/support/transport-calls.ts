import type { Transport, TransportRequest, TransportResponse } from "@waymark/journeys/run/transport.ts";

/** Calls through a transport: a GET of the address with an answer of up to a megabyte, unless `more` says otherwise. */
export function callsThrough(transport: Transport) {
  return (url: string, more: Partial<TransportRequest> = {}): Promise<TransportResponse> =>
    transport({
      method: "GET",
      url: new URL(url),
      headers: [],
      responseBytesMax: 1_000_000,
      signal: new AbortController().signal,
      ...more,
    });
}
