import type { FastifyInstance, FastifyRequest } from "fastify";
import { validationError } from "./zod-routes.ts";

const FORM = "application/x-www-form-urlencoded";

/** Lets the routes of an app take forms, as the standards of OAuth have them. */
export function registerFormBody(app: FastifyInstance): void {
  app.addContentTypeParser(FORM, async (request: FastifyRequest) => {
    const sent = await app.readBodyAsSent(request);
    return sent === undefined ? undefined : parseForm(await app.decodeBody(request, sent));
  });
}

/** @throws AppError `validation_failed` for a field that is sent twice: readers could take either */
function parseForm(body: Buffer): Record<string, string> {
  const fields = [...new URLSearchParams(body.toString("utf8"))];
  const names = fields.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw validationError([{ path: repeated.slice(0, 100), message: "is sent twice" }]);
  return Object.fromEntries(fields);
}
