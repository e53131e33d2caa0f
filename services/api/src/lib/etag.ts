import type { FastifyReply } from "fastify";

/** True if the value of `If-None-Match` has the ETag. The comparison is weak, as RFC 9110 wants it: `W/` makes no difference. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag.replace(/^W\//, ""));
}

/**
 * Returns the headers that let a client keep a response, and make it ask before each use. A 304 has the `Vary` of its 200: a cache would
 * otherwise give a compressed response to a client that can't read it.
 */
export function revalidationHeaders(etag: string): Record<string, string> {
  return { etag, "cache-control": "private, no-cache", vary: "accept-encoding" };
}

/** Makes a reply a 304, which the caller sends without content. */
export function notModified(reply: FastifyReply, etag: string): FastifyReply {
  return reply
    .code(304)
    .headers(revalidationHeaders(etag))
    .removeHeader("content-type")
    .removeHeader("content-length");
}
