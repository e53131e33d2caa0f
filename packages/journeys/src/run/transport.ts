/** One request as it goes out; redirects are never followed by the transport. */
export interface TransportRequest {
  method: string;
  url: URL;
  headers: [name: string, value: string][];
  body?: string | Uint8Array;
  /** The transport stops reading here and says so with `truncated`. */
  responseBytesMax: number;
  /** The secrets that the run is given of which a function made something in this request. A search does not find them in it. */
  madeOf?: readonly string[];
  signal: AbortSignal;
  /** Called when the head of the response has arrived. The function returns the response with the part of its body that has. */
  onResponse?: (arrived: () => TransportResponse) => void;
}

export interface TransportResponse {
  status: number;
  statusText?: string;
  /** Such as `1.1`. */
  httpVersion?: string;
  headers: [name: string, value: string][];
  body: Uint8Array;
  truncated?: boolean;
  /** True for a stream that had not ended when the time was up. Its text ends with its last complete event. */
  isOpen?: boolean;
}

/** Sends one request. @throws TransportError if there is no response */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** Why there was no response. `forbidden`: the transport's own policy (such as on the resolved address) refused it. */
export class TransportError extends Error {
  readonly code: "unreachable" | "forbidden" | "aborted";

  constructor(code: "unreachable" | "forbidden" | "aborted", message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Time as the runner sees it; tests replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Milliseconds that only ever grow. */
  monotonic: () => number;
  /** Calls back once. The result cancels it. */
  after: (ms: number, callback: () => void) => () => void;
}

/** Whether a request may be sent. It is asked before every request, redirects included. */
export type Policy = (target: { url: URL; method: string }) => PolicyVerdict | Promise<PolicyVerdict>;

export type PolicyVerdict = { allowed: true } | { allowed: false; reason: string };

/** The runner's dependencies. */
export interface RunDependencies {
  transport: Transport;
  clock: Clock;
  /** The value of a reference such as `env:NAME`; undefined if it has none. */
  resolveSecret: (ref: string) => string | undefined | Promise<string | undefined>;
  policy?: Policy;
}
