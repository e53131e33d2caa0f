import { AppError } from "@waymark/shared/errors/app-error.ts";
import { VERSION } from "@waymark/shared/version.ts";
import type { FastifyInstance } from "fastify";
import { PACKED_NAME, readPackedCommand } from "./packed-command.ts";

/**
 * Serves the packed command, which holds no secret, to everybody: `waymark-VERSION.tgz` with its checksum in
 * `waymark-VERSION.tgz.sha256` and `waymark.json`, and `waymark.tgz`, which redirects to it. Another version is not found: its server has it.
 */
export async function registerDownloads(
  app: FastifyInstance,
  { folder }: { folder: string | undefined },
): Promise<void> {
  const packed = await readPackedCommand(folder);
  // Usual in a checkout.
  if (packed === undefined) app.log.info("the command is not packed, so /downloads has nothing");
  const found = () => {
    if (packed !== undefined) return packed;
    throw new AppError(
      "not_found",
      `This server has no packed command ${VERSION}. The image has it; in a checkout, run: npm run pack:command`,
    );
  };
  // The command of a version never changes.
  const cached = { "cache-control": "public, max-age=86400" };
  const schema = { hide: true };
  app.get(`/downloads/${PACKED_NAME}`, { schema }, (_request, reply) => {
    const { bytes, sha256 } = found();
    return reply.headers(cached).header("etag", `"${sha256}"`).type("application/gzip").send(bytes);
  });
  app.get(`/downloads/${PACKED_NAME}.sha256`, { schema }, (_request, reply) => {
    const { sha256 } = found();
    return reply.headers(cached).type("text/plain; charset=utf-8").send(`${sha256}  ${PACKED_NAME}\n`);
  });
  // Also without the file: a page asks whether it is there, and a browser would report a 404 as an error.
  app.get("/downloads/waymark.json", { schema }, (_request, reply) =>
    reply.send({
      version: VERSION,
      file: packed === undefined ? null : PACKED_NAME,
      sha256: packed?.sha256 ?? null,
    }),
  );
  app.get("/downloads/waymark.tgz", { schema }, (_request, reply) => {
    found();
    // Relative, so that it holds behind any address.
    return reply.redirect(PACKED_NAME, 302);
  });
}
