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
      bodyBytes: byteLength(request.body),
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
  if (partial) cut.truncated = true;
  return {
    status: response.status,
    ...(response.statusText === undefined
      ? {}
      : { statusText: run.known.redactor.clean(response.statusText) }),
    ...(response.httpVersion === undefined ? {} : { httpVersion: response.httpVersion }),
    headers: headersOf(run.known, response.headers, { cut }),
    ...bodyOf(run, { text: view.text, mediaType: view.mediaType, cut, isPartial: partial }),
    bodyBytes: response.body.length,
    ms,
  };
}

function headersOf(
  known: KnownSecrets,
  headers: readonly [string, string][],
  { cut, secret }: { cut: { truncated: boolean }; secret?: ReadonlySet<string> },
): [string, string][] {
  if (headers.length > HEADERS_MAX) cut.truncated = true;
  return headers.slice(0, HEADERS_MAX).map(([name, value]) => {
    if (isCredentialHeader(name) || secret?.has(name.toLowerCase()) === true)
      return [known.redactor.clean(name), known.redactor.hide()];
    if (value.length > HEADER_CHARS_MAX) cut.truncated = true;
    return [known.redactor.clean(name), known.redactor.cut(value, HEADER_CHARS_MAX)];
  });
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
