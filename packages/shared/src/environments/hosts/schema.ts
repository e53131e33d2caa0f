import { text } from "../../lib/schema.ts";
import { ENVIRONMENT_LIMITS } from "../limits.ts";

const { hostMax } = ENVIRONMENT_LIMITS;

/**
 * A destination that runs may connect to: a host, or a host and a port. Without a port, it means the default ports of
 * http and https. `*.` at the beginning stands for exactly one label, above at least two others: `*.com` would be
 * anybody's.
 */
export const HostPattern = text({ max: hostMax })
  .check((ctx) => {
    const problem = problemOf(ctx.value);
    if (problem !== undefined) ctx.issues.push({ code: "custom", message: problem, input: ctx.value });
  })
  .meta({
    id: "HostPattern",
    maxLength: hostMax,
    examples: ["api.example.com", "*.example.com", "localhost:8080"],
    description:
      "A host in lower case, with a port if it is not the default one. `*.` at the beginning stands for one label.",
  });

const FORM = "must be a host such as api.example.com, localhost:8080 or *.example.com";

function problemOf(pattern: string): string | undefined {
  const isWild = pattern.startsWith("*.");
  const authority = isWild ? pattern.slice(2) : pattern;
  if (!/^(?:[^\s/\\?#@:*%[\]]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i.test(authority)) return FORM;
  const url = urlOf(authority);
  if (url === undefined) return FORM;
  // As addresses and names are compared: 127.1 is 127.0.0.1, and capitals and other alphabets have one ASCII form.
  const host = authority.replace(/:[0-9]+$/, "");
  if (host !== url.hostname) return `must be written as ${(isWild ? "*." : "") + url.hostname}`;
  if (!isWild) return undefined;
  if (/^[0-9.]+$|^\[/.test(host)) return "must not have *. before an address";
  return host.includes(".") ? undefined : "must have at least two labels after *.";
}

function urlOf(authority: string): URL | undefined {
  const address = `http://${authority}/`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** The hosts of base URLs, as patterns, in alphabetical order: the database keeps no order of names. */
export function hostsOf(servers: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(servers).map((server) => new URL(server).host))].toSorted();
}
