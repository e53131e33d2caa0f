import { sharedBrowser } from "@waymark/test-support/browser.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { requireRedis } from "@waymark/test-support/redis.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createHostedOrganization, startApi } from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { expect, it } from "vitest";

it("the page of the queues works under its policy, with the console's session", async () => {
  await using database = await createTestDatabase();
  await using redis = await requireRedis();
  const { organizationId, apiKey } = await createHostedOrganization(database.databaseUrl);
  await using api = await startApi({
    databaseUrl: database.databaseUrl,
    redisUrl: redis.url,
    env: { OPERATIONS_ORGANIZATION_ID: organizationId },
  });
  const http = createHttpClient(api.baseUrl, { key: apiKey });
  expect((await http.post("/api/scans/ingest", scanPayload({}))).status).toBe(201);
  const context = await (await sharedBrowser()).newContext({ baseURL: api.baseUrl });
  try {
    context.setDefaultTimeout(100_000);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    const signedIn = await context.request.post("/api/session", { data: { apiKey } });
    expect(signedIn.status()).toBeLessThan(300);

    await page.goto("/operations/queues/queue/scan-persistence");
    await page.getByText("persist-scan").first().waitFor();
    // Nothing that changes a queue is offered.
    expect(await page.getByRole("button", { name: /pause|empty|obliterate|retry/i }).count()).toBe(0);
    expect(errors).toEqual([]);
  } finally {
    await context.close();
  }
});
