import type { FastifyRequest } from "fastify";

/** Where links to this server start: the configured base, or else the request's own origin. No trailing slash. */
export function createBaseUrl(publicBaseUrl: string | undefined): (request: FastifyRequest) => string {
  if (publicBaseUrl !== undefined) return () => publicBaseUrl;
  return (request) => {
    const origin = `${request.protocol}://${request.host}`;
    // The Host header is the client's to choose: what is no address gives the socket's own.
    if (URL.canParse(origin)) return new URL(origin).origin;
    return `${request.protocol}://127.0.0.1:${request.socket.localPort ?? 80}`;
  };
}
