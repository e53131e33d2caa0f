// Not undici: it takes 40 to 100 ms of processor time to load (node:http: 6), which is most of a short run.
import { Agent, request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { SecureContext } from "node:tls";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import type {
  PolicyVerdict,
  Transport,
  TransportRequest,
  TransportResponse,
} from "@waymark/journeys/run/transport.ts";
import { certificateFault, describeFailure, isReset } from "@waymark/shared/lib/network-failures.ts";
import { checkName, guardedLookup, literalAddress, type NameLookup } from "./guarded-lookup.ts";
import { headerBytes, headerText } from "./header-text.ts";
import { portOf } from "./host-patterns.ts";
import { readBody } from "./read-body.ts";

/** Whether a connection to this address and port is allowed; called with the resolved address. */
export type AddressPolicy = (address: string, port: number) => PolicyVerdict;

export interface HttpTransportOptions {
  /** The proxy for an address, undefined for none. */
  proxyFor?: (url: URL) => URL | undefined;
  /** The agent that opens tunnels for https:// addresses through a proxy. */
  tunnelThrough?: (proxy: URL, options: { ca?: string[] }) => Agent | Promise<Agent>;
  /** Value of Proxy-Authorization for a proxy of plain HTTP. */
  proxyAuthorization?: (proxy: URL) => string | undefined;
  /** Certificates in PEM that are trusted besides Node's own. */
  extraCa?: string;
  /**
   * Checks the resolved address, so that a name can't resolve to another one after the check. Through a proxy, it checks what
   * the name resolves to here; the proxy resolves it again.
   */
  allowsAddress?: AddressPolicy;
  lookup?: NameLookup;
  /**
   * Whether a request may name another host than its URL does. Without it such a request is refused: behind a shared address, the
   * header decides whose site is reached, so that an allowed address would lead to any of them.
   */
  allowHostHeader?: boolean;
}

export interface HttpTransport extends Disposable {
  transport: Transport;
}

/** Methods that may be sent again when a kept connection turned out to be closed (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/** Headers of the connection, which documents can't set. */
const OWN_HEADERS = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "expect",
  "proxy-authorization",
]);

/**
 * A transport over HTTP/1.1 with kept connections. It follows no redirect and reads no further than it may; its agents are
 * made when they are needed, because loading TLS takes as long as five requests to a server nearby.
 */
export function createHttpTransport(options: HttpTransportOptions = {}): HttpTransport {
  const agents = new Agents(options);
  return {
    transport: (request) => {
      const again = IDEMPOTENT.has(request.method) ? () => sendOnce(options, agents, { request }) : undefined;
      return sendOnce(options, agents, { request, again });
    },
    [Symbol.dispose]: () => {
      agents.close();
    },
  };
}

/** The agents of a transport: one for each way to a server. */
class Agents {
  readonly #made = new Map<string, Agent | Promise<Agent>>();
  readonly #options: HttpTransportOptions;
  #trust: Promise<{ secureContext?: SecureContext }> | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  /** Not a promise if there is one already, because this is called for every request. */
  for(url: URL, proxy: URL | undefined): Agent | Promise<Agent> {
    const key = proxy === undefined ? url.protocol : `${url.protocol} ${proxy.href}`;
    let agent = this.#made.get(key);
    if (agent === undefined) {
      const isPlain = url.protocol === "http:" && proxy?.protocol !== "https:";
      agent = isPlain ? this.#plain() : this.#secure(url, proxy);
      this.#made.set(key, agent);
      if (agent instanceof Promise)
        void agent.then(
          (made) => this.#made.set(key, made),
          () => {},
        );
    }
    return agent;
  }

  close(): void {
    for (const agent of this.#made.values()) if (agent instanceof Agent) agent.destroy();
  }

  /** Set for each request: an agent that opens tunnels uses its own certificates only for the proxy. */
  trust(): Promise<{ secureContext?: SecureContext }> {
    this.#trust ??= this.#makeTrust();
    return this.#trust;
  }

  async #makeTrust(): Promise<{ secureContext?: SecureContext }> {
    const { extraCa } = this.#options;
    if (extraCa === undefined) return {};
    const [{ createSecureContext }, { defaultCertificates }] = await Promise.all([
      import("node:tls"),
      import("@waymark/shared/lib/trusted-certificates.ts"),
    ]);
    return { secureContext: createSecureContext({ ca: [...defaultCertificates(), extraCa] }) };
  }

  #plain(): Agent {
    return new Agent({ keepAlive: true });
  }

  async #secure(url: URL, proxy: URL | undefined): Promise<Agent> {
    const [{ Agent: SecureAgent }, { defaultCertificates }] = await Promise.all([
      import("node:https"),
      import("@waymark/shared/lib/trusted-certificates.ts"),
    ]);
    const { extraCa, tunnelThrough } = this.#options;
    const ca = extraCa === undefined ? {} : { ca: [...defaultCertificates(), extraCa] };
    if (url.protocol === "https:" && proxy !== undefined && tunnelThrough !== undefined) {
      return tunnelThrough(proxy, ca);
    }
    return new SecureAgent({ keepAlive: true, ...ca });
  }
}

interface Sending {
  request: TransportRequest;
  /** Retries once if the server had closed a kept connection before it read the request. */
  again?: (() => Promise<TransportResponse>) | undefined;
}

/** Not a promise if no lookup is needed, because this is called for every request. */
function sendOnce(
  options: HttpTransportOptions,
  agents: Agents,
  sending: Sending,
): Promise<TransportResponse> {
  const { url } = sending.request;
  const { allowsAddress } = options;
  const proxy = options.proxyFor?.(url);
  const host = options.allowHostHeader === true ? undefined : otherHost(sending.request);
  if (host !== undefined) {
    const message = `The request names the host ${host} in a header, and its address is ${url.host}: remove the header.`;
    return Promise.reject(new TransportError("forbidden", message));
  }
  if (allowsAddress !== undefined) {
    const literal = literalAddress(url);
    const verdict = literal === undefined ? undefined : allowsAddress(literal, portOf(url));
    if (verdict?.allowed === false) return Promise.reject(new TransportError("forbidden", verdict.reason));
    // Without a proxy, a name is checked while connecting.
    if (literal === undefined && proxy !== undefined) {
      return checkName(url, (address) => allowsAddress(address, portOf(url))).then(() =>
        sendBy(options, agents, { sending, proxy }),
      );
    }
  }
  return sendBy(options, agents, { sending, proxy });
}

/** The host in a request's headers, if it differs from that of its URL. */
function otherHost({ headers, url }: TransportRequest): string | undefined {
  return headers.find(
    ([name, value]) => name.toLowerCase() === "host" && value.toLowerCase() !== url.host,
  )?.[1];
}

function sendBy(
  options: HttpTransportOptions,
  agents: Agents,
  { sending, proxy }: { sending: Sending; proxy: URL | undefined },
): Promise<TransportResponse> {
  const { request } = sending;
  const { url } = request;
  const agent = agents.for(url, proxy);
  const isPlain = url.protocol === "http:" && proxy?.protocol !== "https:";
  if (isPlain && agent instanceof Agent) {
    return exchange(sending, () => requestHttp(requestOptions(options, request, { url, proxy, agent })));
  }
  return Promise.all([agent, import("node:https"), agents.trust()]).then(
    ([secureAgent, { request: requestHttps }, trust]) => {
      const common = () => requestOptions(options, request, { url, proxy, agent: secureAgent });
      // An agent that opens tunnels reuses one only if the protocol is given.
      return exchange(sending, () => requestHttps({ ...common(), ...trust, protocol: "https:" }));
    },
  );
}

function requestOptions(
  options: HttpTransportOptions,
  { method, headers, body }: TransportRequest,
  { url, proxy, agent }: { url: URL; proxy: URL | undefined; agent: Agent },
): RequestOptions {
  const sent: string[] = [];
  let named = false;
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower)) continue;
    if (lower === "host") named = true;
    sent.push(name, headerBytes(value));
  }
  if (!named) sent.unshift("Host", url.host);
  if (body !== undefined) sent.push("Content-Length", String(Buffer.byteLength(body)));
  else if (method === "POST" || method === "PUT" || method === "PATCH") sent.push("Content-Length", "0");
  const path = url.pathname + url.search;
  if (proxy === undefined || url.protocol === "https:") {
    const direct = { method, agent, path, hostname: hostOf(url), port: url.port || undefined, headers: sent };
    const { allowsAddress } = options;
    // The user chose the proxy's own address, so it isn't checked. A kept connection was checked for the same port.
    if (allowsAddress === undefined || proxy !== undefined) return direct;
    return { ...direct, lookup: guardedLookup((each) => allowsAddress(each, portOf(url)), options.lookup) };
  }
  // A request to a proxy of plain HTTP has the whole URL.
  const authorization = options.proxyAuthorization?.(proxy);
  if (authorization !== undefined) sent.push("Proxy-Authorization", authorization);
  return {
    method,
    agent,
    path: url.origin + path,
    hostname: hostOf(proxy),
    port: proxy.port || undefined,
    headers: sent,
  };
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

function exchange({ request, again }: Sending, open: () => ClientRequest): Promise<TransportResponse> {
  const { signal, body, responseBytesMax } = request;
  return new Promise((resolve, reject) => {
    let answered = false;
    const fail = (error: unknown) => {
      if (error instanceof TransportError) reject(error);
      else if (signal.aborted)
        reject(new TransportError("aborted", "The request was given up.", { cause: error }));
      else reject(new TransportError("unreachable", explain(error, request.url), { cause: error }));
    };
    let outgoing: ClientRequest;
    try {
      // Nothing is opened for a request that was given up while it waited.
      signal.throwIfAborted();
      outgoing = open();
    } catch (error) {
      fail(error);
      return;
    }
    outgoing.on("response", (response) => {
      answered = true;
      const done = (bytes: Uint8Array, truncated: boolean) => {
        resolve(answerOf(response, bytes, truncated));
        if (truncated) outgoing.destroy();
      };
      const arrived = readBody(response, responseBytesMax, { done, fail });
      request.onResponse?.(() => answerOf(response, arrived(), true));
    });
    // A response that has arrived counts: a server that refuses a large body may close the connection during the upload.
    outgoing.on("error", (error) => {
      if (answered) return;
      if (again !== undefined && !signal.aborted && outgoing.reusedSocket && isReset(error)) resolve(again());
      else fail(error);
    });
    signal.addEventListener("abort", () => outgoing.destroy(), { once: true });
    // With a text as the body, Node would encode the bytes of the headers once more.
    const asBytes =
      typeof body === "string" && request.headers.some(([, value]) => headerBytes(value) !== value);
    outgoing.end(asBytes ? Buffer.from(body) : body);
  });
}

function explain(error: unknown, { origin }: URL): string {
  const fault = certificateFault(error);
  if (fault !== undefined) return `The server's certificate is not trusted (${fault}).`;
  const text = `The request to ${origin} failed: ${describeFailure(error)}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function answerOf(response: IncomingMessage, body: Uint8Array, truncated: boolean): TransportResponse {
  const { rawHeaders } = response;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at] ?? "", headerText(rawHeaders[at + 1] ?? "")]);
  }
  return {
    status: response.statusCode ?? 0,
    statusText: headerText(response.statusMessage ?? ""),
    httpVersion: response.httpVersion,
    headers,
    body,
    ...(truncated ? { truncated } : {}),
  };
}
