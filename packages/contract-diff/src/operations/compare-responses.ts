import type { Response } from "../read/operation.ts";
import type { Level } from "../verdict.ts";
import { addChange, capped, type OperationPair, placeOf } from "./change.ts";
import { compareContent } from "./compare-content.ts";
import { compareHeaders } from "./compare-headers.ts";

type Responses = OperationPair["old"]["responses"];

/** Compares the responses: by status, and with the response that covered a status before. */
export function compareResponses(pair: OperationPair): void {
  const { old, next } = pair;
  for (const [status, response] of old.responses) {
    const same = next.responses.get(status);
    if (same !== undefined) compareResponse(pair, response, same, "breaking");
    else compareRemoved(pair, response);
  }
  for (const [status, response] of next.responses) {
    if (!old.responses.has(status)) compareAdded(pair, response);
  }
}

function compareRemoved(pair: OperationPair, old: Response): void {
  const covering = coveringResponse(pair.next.responses, old.status);
  // A default that was there before stands for the other statuses.
  const isOther =
    isSuccess(old.status) && covering?.status === "DEFAULT" && pair.old.responses.has("DEFAULT");
  if (covering !== undefined && !isOther) {
    compareResponse(pair, old, covering, isSuccess(old.status) ? "breaking" : "maybe");
    return;
  }
  if (covering === undefined && hasMembers(pair.next.responses, old.status)) return;
  const isClients = pair.received === "request";
  const expected = isSuccess(old.status) || isOnlyRedirect(pair.old.responses, old.status);
  const breaks = expected || (isClients && old.status !== "DEFAULT");
  addChange(pair, {
    kind: expected ? "success-status-removed" : "error-status-removed",
    level: breaks ? "breaking" : "safe",
    direction: pair.received,
    part: `response ${labelOf(old)}`,
    message: breaks
      ? isClients
        ? `The answer ${labelOf(old)} is no longer accepted.`
        : `The response ${labelOf(old)} is gone: clients that wait for it get another one.`
      : `The response ${labelOf(old)} is gone.`,
    before: labelOf(old),
    base: placeOf(old.at),
  });
}

/** A status that is split off a range or `default` was an answer before, with the schema of that one. */
function compareAdded(pair: OperationPair, next: Response): void {
  const { responses } = pair.old;
  const covering = coveringResponse(responses, next.status);
  const isErrorsOnly =
    covering?.status === "DEFAULT" && isSuccess(next.status) && [...responses.keys()].some(isSuccess);
  if (covering !== undefined && !isErrorsOnly) {
    compareResponse(pair, covering, next, pair.next.responses.has(covering.status) ? "maybe" : "breaking");
    return;
  }
  addChange(pair, {
    kind: isSuccess(next.status) ? "success-status-added" : "error-status-added",
    level: "safe",
    direction: pair.received,
    part: `response ${labelOf(next)}`,
    message: `The response ${labelOf(next)} was added.`,
    after: labelOf(next),
    head: placeOf(next.at),
  });
}

function compareResponse(pair: OperationPair, old: Response, next: Response, cap: Level): void {
  const part = `response ${labelOf(next)}`;
  if (old.content.size > 0 && next.content.size === 0) {
    const isClients = pair.received === "request";
    addChange(pair, {
      kind: "content-removed",
      level: isClients || cap !== "breaking" ? "maybe" : "breaking",
      direction: pair.received,
      part,
      message: isClients
        ? `The ${part} no longer has content: what receivers answer is ignored.`
        : `The ${part} no longer has content: clients that read it have nothing to read.`,
      base: placeOf(old.at),
      head: placeOf(next.at),
    });
  } else if (old.content.size === 0 && next.content.size > 0 && pair.received === "request") {
    addChange(pair, {
      kind: "content-added",
      level: capped("maybe", cap),
      direction: pair.received,
      part,
      message: `The ${part} now has content: receivers that answer without it may be refused.`,
      base: placeOf(old.at),
      head: placeOf(next.at),
    });
  } else if (old.content.size > 0) {
    compareContent(pair, { old: old.content, next: next.content, part, mode: pair.received, cap });
  }
  compareHeaders(pair, { old: old.headers, next: next.headers, part, cap });
}

function coveringResponse(responses: Responses, status: string): Response | undefined {
  if (/^[1-5]\d\d$/.test(status)) {
    const range = responses.get(`${status[0]}XX`);
    if (range !== undefined) return range;
  }
  return /^[1-5](\d\d|XX)$/.test(status) ? responses.get("DEFAULT") : undefined;
}

/** True if codes of a range, or for `default` any codes, are left. */
function hasMembers(responses: Responses, status: string): boolean {
  if (status === "DEFAULT") return responses.size > 0;
  return status.endsWith("XX") && [...responses.keys()].some((each) => each.startsWith(status.slice(0, 1)));
}

function isSuccess(status: string): boolean {
  return status.startsWith("2");
}

/** Where there is no success, a redirect is what clients wait for. */
function isOnlyRedirect(responses: Responses, status: string): boolean {
  return status.startsWith("3") && ![...responses.keys()].some(isSuccess);
}

function labelOf({ status }: Response): string {
  return status === "DEFAULT" ? "default" : status;
}
