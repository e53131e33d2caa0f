/** First parts of this server's own paths, with which a base path can't begin: a proxy may remove the base path, or not. */
export const OWN_PATHS: ReadonlySet<string> = new Set([
  "api",
  "api-keys",
  "assets",
  "audit-log",
  "badge",
  "coverage",
  "decisions",
  "docs",
  "downloads",
  "endpoints",
  "environments",
  "favicon.svg",
  "findings",
  "healthz",
  "journey-runs",
  "journeys",
  "limits",
  "my-keys",
  "openapi.json",
  "operations",
  "people",
  "readyz",
  "scan-runs",
  "services",
  "shared",
  "sign-in",
  "teams",
  "trust-policies",
]);

/** Returns the path of a public address, such as `/waymark`. Empty at the root of a host. */
export function basePathOf(publicBaseUrl: string | undefined): string {
  return publicBaseUrl === undefined ? "" : new URL(publicBaseUrl).pathname.replace(/\/+$/, "");
}

/** Describes why a public address can't have this path; undefined if it can. */
export function basePathProblem(path: string): string | undefined {
  const parts = path.replace(/^\/|\/+$/g, "").split("/");
  if (/^\/*$/.test(path)) return undefined;
  if (!parts.every((part) => /^[\w.~-]+$/.test(part)))
    return "the parts of its path must have 1 or more letters, digits or characters of - . _ ~";
  const [first = ""] = parts;
  return OWN_PATHS.has(first)
    ? `its path must not begin with /${first}, which is a path of Waymark itself. Fix: another path, such as /waymark`
    : undefined;
}

/**
 * Removes the base path from a request's target, once. A proxy in front may remove it or pass it on: both arrive as the same path.
 */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === "" || !target.startsWith(basePath)) return target;
  const rest = target.slice(basePath.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : target;
}
