import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { operation } from "@waymark/shared/operations/operation.ts";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { z } from "zod";
import { actorOf } from "./authenticate.ts";
import { createServe, type Handler } from "./serve.ts";
import { withZodRoutes } from "./zod-routes.ts";

const SHARED = {
  method: "GET",
  summary: "Read a thing",
  tag: "things",
  responses: { 200: z.object({ ok: z.boolean() }) },
} as const;
const readThing = operation({
  ...SHARED,
  id: "readThing",
  path: "/api/thing",
  access: { needs: ["services:read", "endpoints:read"] },
});
const readPublic = operation({ ...SHARED, id: "readPublic", path: "/api/public", access: "public" });

/** The response of a route with this handler to a key with all permissions. */
async function responseOf(handler: Handler<typeof readThing>): Promise<{ status: number; body: string }> {
  const app = fastify();
  app.decorateRequest("actor", null);
  const serve = createServe(withZodRoutes(app), async (request) => {
    request.actor = { organizationId: "o", apiKeyId: "k", scopes: [{ permission: "*" }] };
  });
  serve(readThing, handler);
  serve(readPublic, async () => ({ ok: true }));
  const { statusCode, body } = await app.inject("/api/thing");
  expect((await app.inject("/api/public")).statusCode).toBe(200);
  await app.close();
  return { status: statusCode, body };
}

it("a route responds that has checked each permission of its operation", async () => {
  const { status, body } = await responseOf(async (request) => {
    authorize(actorOf(request), "services:read", { serviceId: "s" });
    authorize(actorOf(request), "endpoints:read", { serviceId: "s" });
    return { ok: true };
  });
  expect({ status, body }).toEqual({ status: 200, body: '{"ok":true}' });
});

it.each([
  ["returns its response", async () => ({ ok: true })],
  ["sends its response", async (_request, reply) => reply.code(200).send({ ok: true })],
] satisfies [string, Handler<typeof readThing>][])(
  "a route that checked too few permissions and %s is refused",
  async (_how, answer) => {
    const { status, body } = await responseOf(async (request, reply) => {
      authorize(actorOf(request), "services:read", { serviceId: "s" });
      return answer(request, reply);
    });
    expect(status).toBe(500);
    expect(body).toContain("readThing did not check endpoints:read");
  },
);
