import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import { CONSOLE_PAGES, SHARED_RUN_PAGE, SIGN_IN_PAGES } from "@waymark/shared/console/schema.ts";
import { getSession } from "@waymark/shared/session/addresses.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const DIST = new URL("../../../../web/dist/", import.meta.url);
const NONCE = "__CSP_NONCE__";
const NOT_BUILT =
  "<!doctype html><title>Waymark</title><p>The console is not built: run npm run build -w @waymark/web.";

/**
 * Serves the console: static files below `/assets/`, with a content hash in their names, and one page for all addresses.
 * Each response has a new nonce for the style elements that the components create. Browsers get the page for unknown addresses
 * too, with status 404; other clients get what `sendNoRoute` sends.
 */
export async function registerConsole(
  app: FastifyInstance,
  {
    basePath,
    sendNoRoute,
  }: {
    basePath: string;
    sendNoRoute: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  },
): Promise<void> {
  const built = await readFile(new URL("index.html", DIST), "utf8").catch(() => undefined);
  const html = built === undefined ? undefined : belowBasePath(built, basePath);
  if (html === undefined) app.log.warn("the console is not built: its pages show only a hint");
  else await serveAssets(app);

  // The page's first script asks for the session, and would do so only once it is loaded itself.
  const withSession = { link: `<${basePath}${getSession.path}>; rel=preload; as=fetch; crossorigin` };
  for (const url of [...CONSOLE_PAGES, ...SIGN_IN_PAGES]) {
    for (const each of url.length > 1 && !url.includes(":") ? [url, `${url}/`] : [url])
      app.get(each, { schema: { hide: true } }, (_request, reply) => sendPage(reply, html, withSession));
  }
  app.get(SHARED_RUN_PAGE, { schema: { hide: true } }, (_request, reply) =>
    sendPage(reply, html, OF_SHARED_PAGES),
  );
  app.setNotFoundHandler((request, reply) =>
    isForPage(request) ? sendPage(reply.code(404), html) : sendNoRoute(request, reply),
  );
}

/** People without an account open these pages: no search engine lists them, no cache keeps them, and no page that they link to knows them. */
const OF_SHARED_PAGES = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

/** Tells the page its base path, and puts it before the addresses of its files. */
function belowBasePath(html: string, basePath: string): string {
  return html
    .replaceAll(/ (src|href)="\//g, ` $1="${basePath}/`)
    .replace('name="base-path" content=""', `name="base-path" content="${basePath}"`);
}

/** Whether a browser opens an address as a page. Addresses of the API and of files are never pages. */
function isForPage({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === "GET" || method === "HEAD") &&
    headers.accept?.includes("text/html") === true &&
    !/^\/(api|assets|docs)(\/|$)/.test(url)
  );
}

async function serveAssets(app: FastifyInstance): Promise<void> {
  const root = fileURLToPath(DIST);
  await app.register(fastifyStatic, {
    root: `${root}assets`,
    prefix: "/assets/",
    immutable: true,
    preCompressed: true,
    maxAge: "1y",
    decorateReply: false,
    schemaHide: true,
  });
  const icon = await readFile(new URL("favicon.svg", DIST));
  app.get("/favicon.svg", { schema: { hide: true } }, (_request, reply) =>
    reply.type("image/svg+xml").header("cache-control", "max-age=86400").send(icon),
  );
}

function sendPage(
  reply: FastifyReply,
  html: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  const nonce = randomBytes(16).toString("base64");
  return reply
    .code(html === undefined ? 503 : reply.statusCode)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", contentSecurityPolicy(nonce))
    .header("referrer-policy", "same-origin")
    .header("cross-origin-opener-policy", "same-origin")
    .headers({ ...headers })
    .send(html?.replace(NONCE, nonce) ?? NOT_BUILT);
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
