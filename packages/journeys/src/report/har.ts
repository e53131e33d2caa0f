import type { Evidence, Exchange, JourneyResult, StepResult } from "../result/result.ts";
import { VERSION } from "../version.ts";
import { failureLines, startOf, stepName } from "./text.ts";

/** HAR 1.2: every exchange of every step. A failed step's assertions are the comment of its last entry. */
export function harReport(results: readonly JourneyResult[]): string {
  const log = {
    version: "1.2",
    creator: { name: "waymark", version: VERSION },
    pages: results.map((result) => ({
      startedDateTime: result.startedAt,
      id: result.runId,
      title: result.journey.title,
      pageTimings: {},
      comment: pageComment(result),
    })),
    entries: results.flatMap((result) =>
      result.steps.flatMap((step) =>
        step.evidence === undefined ? [] : entriesOf(result, step, step.evidence),
      ),
    ),
  };
  return `${JSON.stringify({ log }, undefined, 2)}\n`;
}

/** Steps without an exchange have no entry, so their failures are in the page's comment. */
function pageComment(result: JourneyResult): string {
  const lines = [`${result.status}; artifact ${result.artifact}`];
  if (result.error !== undefined) lines.push(result.error.message);
  for (const step of result.steps) {
    if (step.evidence === undefined && step.status !== "passed" && step.status !== "skipped") {
      lines.push(`${stepName(step)}:`, ...failureLines(step));
    }
  }
  return lines.join("\n");
}

function entriesOf(result: JourneyResult, step: StepResult, { earlier = [], ...last }: Evidence) {
  const failed = step.status !== "passed";
  return [
    ...earlier.map(({ attempt, ...exchange }) => {
      const outcome = step.attempts[attempt - 1]?.outcome ?? "";
      const comment = `${stepName(step)}: attempt ${attempt} of ${step.attempts.length}, ${outcome}`;
      return { ...entry(result, step, { exchange, attempt }), comment };
    }),
    {
      ...entry(result, step, { exchange: last, attempt: step.attempts.length }),
      comment: [`${stepName(step)}: ${step.status}`, ...(failed ? failureLines(step) : [])].join("\n"),
      _assertions: step.assertions,
      _contract: step.contract,
    },
  ];
}

function entry(
  result: JourneyResult,
  step: StepResult,
  { exchange, attempt }: { exchange: Exchange; attempt: number },
) {
  const { ms, startedAt } = step.attempts[attempt - 1] ?? step;
  const time = exchange.response?.ms ?? ms;
  return {
    pageref: result.runId,
    startedDateTime: startedAt ?? startOf(result, step),
    time,
    request: requestOf(exchange),
    response: responseOf(exchange),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  };
}

function requestOf({ request, response }: Exchange) {
  const mimeType = headerOf(request.headers, "content-type");
  return {
    method: request.method,
    url: request.url,
    httpVersion: httpVersion(response?.httpVersion),
    cookies: [],
    headers: nameValues(request.headers),
    queryString: queryOf(request.url),
    headersSize: -1,
    bodySize: request.bodyBytes,
    ...(request.body === undefined ? {} : { postData: { mimeType, text: request.body } }),
  };
}

/** No response is a status of 0, as browsers write it. */
function responseOf({ response }: Exchange) {
  const headers = response?.headers ?? [];
  return {
    status: response?.status ?? 0,
    statusText: response?.statusText ?? "",
    httpVersion: httpVersion(response?.httpVersion),
    cookies: [],
    headers: nameValues(headers),
    content: {
      size: response?.bodyBytes ?? 0,
      mimeType: headerOf(headers, "content-type"),
      ...(response?.body === undefined ? {} : { text: response.body }),
    },
    redirectURL: headerOf(headers, "location"),
    headersSize: -1,
    bodySize: response?.bodyBytes ?? -1,
  };
}

function httpVersion(version: string | undefined): string {
  return version === undefined ? "" : `HTTP/${version}`;
}

function nameValues(headers: readonly [string, string][]): { name: string; value: string }[] {
  return headers.map(([name, value]) => ({ name, value }));
}

function headerOf(headers: readonly [string, string][], wanted: string): string {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";
}

function queryOf(url: string): { name: string; value: string }[] {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  return [...query].map(([name, value]) => ({ name, value }));
}
