import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply } from "fastify";

const FILES = new URL("./static/", import.meta.url);
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The plain page at `/` and `/scan-runs/{id}`: it asks for a key, keeps it in memory only, and shows the run. */
export async function registerPages(app: FastifyInstance): Promise<void> {
  const [html, script, style] = await Promise.all(
    ["page.html", "page.js", "page.css"].map((name) => readFile(new URL(name, FILES), "utf8")),
  );
  const hidden = { schema: { hide: true } };

  app.get("/", hidden, (_request, reply) => send(reply, "text/html", html));
  app.get("/scan-runs/:scanRunId", hidden, (_request, reply) => send(reply, "text/html", html));
  app.get("/assets/page.js", hidden, (_request, reply) => send(reply, "text/javascript", script));
  app.get("/assets/page.css", hidden, (_request, reply) => send(reply, "text/css", style));
}

function send(reply: FastifyReply, type: string, content: string | undefined): FastifyReply {
  return reply
    .type(`${type}; charset=utf-8`)
    .header("content-security-policy", CONTENT_SECURITY_POLICY)
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "no-cache")
    .send(content);
}
