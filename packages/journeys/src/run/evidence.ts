import type { KnownSecrets } from "./known-secrets.ts";
import type { Evidence } from "../result/result.ts";
import { isCredentialHeader } from "../secrets/secret-names.ts";
import type { BuiltRequest } from "./request.ts";
import type { ResponseView } from "./response.ts";
import { isText } from "./response-text.ts";
import type { Run } from "./state.ts";
import type { TransportResponse } from "./transport.ts";

const HEADERS_MAX = 100;
const HEADER_CHARS_MAX = 4_096;

/** The request and the response, redacted and then cut: cutting first could leave half of a secret. */
export function collectEvidence(
  run: Pick<Run, "budget" | "known">,
  request: BuiltRequest,
  answer: { response: TransportResponse; view: ResponseView; ms: number } | undefined,
): Evidence {
  const before = run.known.redactor.count();
  const cut = { truncated: false };
  const evidence: Evidence = {
    request: {
      method: request.method,
      url: run.known.redactor.clean(request.url.href),
      headers: headersOf(run.known, request.headers, { cut, secret: request.credentialHeaders }),
      ...bodyOf(run, { text: requestText(request), mediaType: headerOf(request, "content-type"), cut }),
      bodyBytes: shownBytes(run.known, requestText(request), byteLength(request.body)),
    },
    truncated: false,
    redactions: 0,
  };
  if (answer !== undefined) evidence.response = responseEvidence(run, answer, cut);
  evidence.truncated = cut.truncated;
  evidence.redactions = run.known.redactor.count() - before;
  return evidence;
}

function responseEvidence(
  run: Pick<Run, "budget" | "known">,
  { response, view, ms }: { response: TransportResponse; view: ResponseView; ms: number },
  cut: { truncated: boolean },
): NonNullable<Evidence["response"]> {
  const partial = response.truncated === true;
  const isMade = run.known.shield.sources.secretsIn(() => view.text).length > 0;
  if (partial) cut.truncated = true;
  return {
    status: response.status,
    ...(response.statusText === undefined
      ? {}
      : { statusText: run.known.redactor.clean(response.statusText) }),
    ...(response.httpVersion === undefined ? {} : { httpVersion: response.httpVersion }),
    headers: headersOf(run.known, response.headers, { cut, secret: isMade ? LENGTH : NONE }),
    ...bodyOf(run, { text: view.text, mediaType: view.mediaType, cut, isPartial: partial }),
    bodyBytes: shownBytes(run.known, view.text, response.body.length),
    ms,
  };
}

function headersOf(
  known: KnownSecrets,
  headers: readonly [string, string][],
  { cut, secret }: { cut: { truncated: boolean }; secret: ReadonlySet<string> },
): [string, string][] {
  if (headers.length > HEADERS_MAX) cut.truncated = true;
  return headers.slice(0, HEADERS_MAX).map(([name, value]) => {
    if (isCredentialHeader(name) || secret.has(name.toLowerCase()))
      return [known.redactor.clean(name), known.redactor.hide()];
    if (value.length > HEADER_CHARS_MAX) cut.truncated = true;
    return [known.redactor.clean(name), known.redactor.cut(value, HEADER_CHARS_MAX)];
  });
}

const NONE: ReadonlySet<string> = new Set();
const LENGTH: ReadonlySet<string> = new Set(["content-length"]);

/**
 * The number of a body's bytes, or of the redacted text if functions made a part of it of a secret: an escaped signature has as many
 * characters more as it has signs, which differ from secret to secret.
 */
function shownBytes({ redactor, shield }: KnownSecrets, text: string, bytes: number): number {
  return shield.sources.secretsIn(() => text).length === 0 ? bytes : byteLength(redactor.clean(text));
}

function bodyOf(
  run: Pick<Run, "budget" | "known">,
  {
    text,
    mediaType,
    cut,
    isPartial = false,
  }: { text: string; mediaType: string; cut: { truncated: boolean }; isPartial?: boolean },
): { body?: string } {
  if (text === "") return {};
  if (!isText(mediaType)) return { body: "(not text)" };
  if (text.length > run.budget.limits.evidenceChars) cut.truncated = true;
  return { body: run.known.redactor.cut(text, run.budget.limits.evidenceChars, { isPartial }) };
}

function requestText(request: BuiltRequest): string {
  if (request.body === undefined) return "";
  return typeof request.body === "string" ? request.body : "(bytes)";
}

function headerOf(request: BuiltRequest, name: string): string {
  return request.headers.find(([given]) => given.toLowerCase() === name)?.[1] ?? "";
}

function byteLength(body: string | Uint8Array | undefined): number {
  if (body === undefined) return 0;
  if (typeof body !== "string") return body.length;
  for (let at = 0; at < body.length; at++) {
    if (body.charCodeAt(at) > 0x7f) return new TextEncoder().encode(body).length;
  }
  return body.length;
}
