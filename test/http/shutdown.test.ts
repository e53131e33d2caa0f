import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createHostedOrganization, startApiProcess } from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";

async function startEnding(delayMs: number) {
  const database = await createTestDatabase();
  const { apiKey } = await createHostedOrganization(database.databaseUrl);
  const metricsPort = await findFreePort();
  const api = await startApiProcess({
    databaseUrl: database.databaseUrl,
    env: { SHUTDOWN_DELAY_MS: String(delayMs), METRICS_PORT: String(metricsPort) },
  });
  return { database, apiKey, metricsPort, api };
}

it("an api that ends is not ready at once, and goes on serving on connections that end", async () => {
  // Longer than the test takes.
  const { database, apiKey, metricsPort, api } = await startEnding(60_000);
  await using _ = database;
  const http = createHttpClient(api.baseUrl, { key: apiKey });
  expect((await http.get("/api/services")).headers.get("connection")).toBe("keep-alive");

  api.child.kill("SIGTERM");
  for (const origin of [api.baseUrl, `http://127.0.0.1:${metricsPort}`]) {
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(503);
    expect(await (await fetch(`${origin}/readyz`)).json()).toMatchObject({
      status: "unavailable",
      checks: { database: "ok", process: "is shutting down" },
    });
    // Nobody is to kill it.
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  }
  const answer = await http.get("/api/services");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("connection")).toBe("close");
  await api.stop("SIGKILL");
});

it("an api ends after SHUTDOWN_DELAY_MS", async () => {
  const { database, api } = await startEnding(1_500);
  await using _ = database;
  const signalled = performance.now();
  expect(await api.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - signalled).toBeGreaterThanOrEqual(1_500);
  await expect(fetch(`${api.baseUrl}/readyz`)).rejects.toThrow("fetch failed");
});
