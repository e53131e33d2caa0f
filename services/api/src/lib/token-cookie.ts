// Not @fastify/cookie: of two cookies with the same name it keeps the first and hides the second.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { PublicAddress } from "./public-address.ts";

/** Browsers accept a cookie with this prefix only over TLS and only from this host, not from other hosts of its domain. */
const HOST_PREFIX = "__Host-";
/** Browsers accept `__Host-` for the path / only. Below a base path, the other products of the host must not get the cookie. */
const SECURE_PREFIX = "__Secure-";

/** A cookie with a token, for the console's own pages only. Its name depends on whether the connection uses TLS. */
export interface TokenCookie {
  /** Every token of the request. If there are two, one was planted by an attacker, and it is unknown which. */
  readAll(request: FastifyRequest): string[];
  set(request: FastifyRequest, reply: FastifyReply, token: string, maxAgeSeconds: number): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

export function createTokenCookie(
  address: PublicAddress,
  name: "waymark_session" | "waymark_sign_in",
): TokenCookie {
  const { basePath } = address;
  const secureName = `${basePath === "" ? HOST_PREFIX : SECURE_PREFIX}${name}`;
  const path = basePath === "" ? "/" : basePath;
  const set: TokenCookie["set"] = (request, reply, token, maxAgeSeconds) => {
    const [sentName, secure] = address.isHttps(request) ? [secureName, "; Secure"] : [name, ""];
    // Strict: requests from pages of other sites don't include it.
    reply.header(
      "set-cookie",
      `${sentName}=${token}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`,
    );
  };
  return {
    readAll: (request) => valuesOf(request.headers.cookie, address.isHttps(request) ? secureName : name),
    set,
    clear: (request, reply) => set(request, reply, "", 0),
  };
}

/** All values that a `Cookie` header has under a name. */
function valuesOf(header: string | undefined, name: string): string[] {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
