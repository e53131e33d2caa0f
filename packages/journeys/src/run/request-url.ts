import { brief } from "../criteria/evaluate-condition.ts";
import { renderTemplate } from "../expressions/evaluate.ts";
import type { Scope } from "../expressions/scope.ts";
import type { Operation } from "../openapi/operation.ts";
import type { ProgramStep } from "../program/program.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { RequestError } from "./request-error.ts";
import type { Run, RunOptions } from "./state.ts";

/** The serialized parameters of an address. */
export interface UrlParts {
  /** The path parameters by name. */
  pathText: Map<string, string>;
  pairs: [string, string][];
  /** The whole query, if one parameter is that. */
  querystring: string | undefined;
}

/** Returns the address of a step's request. @throws RequestError */
export function requestUrl(
  run: Pick<Run, "known" | "options">,
  step: ProgramStep,
  { operation, scope, parts }: { operation: Operation | undefined; scope: Scope; parts: UrlParts },
): URL {
  const template = baseOf(run.options, step, operation, scope);
  const path = parts.pathText.size === 0 ? template : filled(template, parts.pathText);
  if (path !== template && DOT_SEGMENT.test(path)) {
    // URLs interpret such a segment, however it is encoded: the request would go to another path.
    const given = [...parts.pathText].map(([name, text]) => `${name} = ${text}`).join(", ");
    throw new RequestError(
      `The path parameters (${given}) make a path segment "." or "..", which names another path.`,
    );
  }
  const pairs = parts.pairs.map(([name, value]) => `${name}=${value}`);
  const query = (parts.querystring === undefined ? pairs : [parts.querystring, ...pairs]).join("&");
  const text = query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new RequestError(`${brief(text, scope)} is no http or https address.`);
  }
  assertHidden(run.known, text, url);
  return url;
}

/**
 * Names are looked up, and an address is changed when it is read: a secret in a host leaves the run and is not found any more.
 *
 * @throws RequestError
 */
function assertHidden({ shield }: KnownSecrets, text: string, url: URL): void {
  const hidden = shield.hide(text);
  if (hidden === text) return;
  const expected = URL.parse(hidden);
  // The user, too: whether it ends the host early depends on the signs in it.
  if (expected?.host !== url.host || authorityOf(hidden) !== authorityOf(text))
    throw new RequestError(
      "The host or the user of the address would contain a secret: name the host in the document or the environment, and send the secret in a header, the query or the body.",
    );
  // A part of it is left where the address was changed: a URL has no line breaks, for example. What follows a # is not sent.
  if (sentPart(expected) !== shield.hide(sentPart(url)))
    throw new RequestError(
      "The address can't contain this secret, because it would be changed there: send it in a header or the body.",
    );
}

/** Returns the part of an address before its path, as it is written. */
function authorityOf(text: string): string {
  return /^[^:]*:\/\/[^/?#\\]*/.exec(text)?.[0] ?? "";
}

function sentPart({ href, hash }: URL): string {
  return href.slice(0, href.length - hash.length);
}

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;

/** Replaces the path parameters. Braces without a parameter stay. */
function filled(template: string, values: ReadonlyMap<string, string>): string {
  let text = "";
  let from = 0;
  for (let close = template.indexOf("}"); close !== -1; close = template.indexOf("}", from)) {
    const open = template.lastIndexOf("{", close);
    const value = open < from ? undefined : values.get(template.slice(open + 1, close));
    text += value === undefined ? template.slice(from, close + 1) : template.slice(from, open) + value;
    from = close + 1;
  }
  return text + template.slice(from);
}

function baseOf(
  options: RunOptions,
  step: ProgramStep,
  operation: Operation | undefined,
  scope: Scope,
): string {
  if (step.target.kind === "external") return renderTemplate(step.target.url, scope);
  if (operation === undefined) throw new RequestError(`Step "${step.id}" calls no operation.`);
  const { servers = {} } = options;
  const given = Object.hasOwn(servers, operation.source) ? servers[operation.source] : undefined;
  const server = given ?? operation.server;
  if (server === undefined) {
    throw new RequestError(
      `The source "${operation.source}" names no server: give one with --server ${operation.source}=URL.`,
      "no-server",
    );
  }
  return (server.endsWith("/") ? server.replace(/\/+$/, "") : server) + operation.path;
}
