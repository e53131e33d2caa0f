import { readingsOf } from "../expressions/bytes.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { isCredentialHeader } from "../secrets/secret-names.ts";
import type { BuiltRequest } from "./request.ts";
import type { TransportResponse } from "./transport.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The request of a redirect, if it is followed, and a note for the user. */
export interface Redirected {
  next?: BuiltRequest;
  note?: string;
}

/** Follows a redirect. Another origin gets no secrets: neither credentials, nor headers or bodies that contain one. */
export function redirected(
  known: KnownSecrets,
  request: BuiltRequest,
  response: TransportResponse,
): Redirected {
  const url = targetOf(request, response);
  if (url === undefined) return {};
  const { body, headers, ...rest } = request;
  const toGet = response.status === 303 || (response.status < 303 && request.method === "POST");
  const leaves = url.origin !== request.url.origin;
  // A body can't be sent without its secrets, so the redirect is not followed: it is the response.
  if (leaves && !toGet && body !== undefined && holdsSecret(known, body)) {
    return {
      note: `The redirect to ${url.origin} was not followed: the body that it asks for holds a secret.`,
    };
  }
  const secret = leaves ? secretHeaders(known, request) : [];
  const dropped = new Set([...secret, ...(toGet ? ["content-type", "content-length"] : [])]);
  const next: BuiltRequest = {
    ...rest,
    url,
    method: toGet ? "GET" : request.method,
    headers: headers.filter(([name]) => !dropped.has(name.toLowerCase())),
    ...(toGet || body === undefined ? {} : { body }),
  };
  if (secret.length === 0) return { next };
  const note = `The redirect to ${url.origin} was followed without ${secret.join(", ")}: secrets stay with ${request.url.origin}.`;
  return { next, note };
}

function targetOf(request: BuiltRequest, response: TransportResponse): URL | undefined {
  if (!REDIRECTS.has(response.status)) return undefined;
  const location = response.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  const url = location === undefined ? null : URL.parse(location, request.url.href);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Names, in lower case, of the headers that only the origin of the request may see. */
function secretHeaders(known: KnownSecrets, { headers, credentialHeaders }: BuiltRequest): string[] {
  const names = headers.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    const isSecret =
      isCredentialHeader(lower) || credentialHeaders.has(lower) || known.redactor.clean(value) !== value;
    return isSecret ? [lower] : [];
  });
  // A host that the journey names belongs to the first address.
  const host = headers.some(([name]) => name.toLowerCase() === "host") ? ["host"] : [];
  return [...new Set([...names, ...host])];
}

function holdsSecret(known: KnownSecrets, body: string | Uint8Array): boolean {
  const texts = typeof body === "string" ? [body] : readingsOf(body);
  return texts.some((text) => known.redactor.clean(text) !== text);
}
