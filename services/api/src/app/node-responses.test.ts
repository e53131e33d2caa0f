import { Agent, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { expect, it } from "vitest";
import { replaceNodeResponses } from "./node-responses.ts";

it("a request that arrives on an open connection while the api closes is served, and ends the connection", async () => {
  const app = Fastify({ return503OnClosing: false });
  replaceNodeResponses(app);
  app.get("/", () => "served");
  const closes = Promise.withResolvers<void>();
  const isServed = Promise.withResolvers<void>();
  app.addHook("preClose", () => {
    closes.resolve();
    return isServed.promise;
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const request = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: "127.0.0.1", port, agent }, (response) => resolve(response.resume())).once("error", reject);
    });

  expect((await request()).statusCode).toBe(200);
  const closing = app.close();
  await closes.promise;
  const response = await request();
  expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
  isServed.resolve();
  await closing;
  agent.destroy();
});
