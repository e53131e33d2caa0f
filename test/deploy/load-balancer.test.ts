import { setTimeout as sleep } from "node:timers/promises";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { composeConfiguration, startLoadBalancer } from "@waymark/test-support/load-balancer.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createHostedOrganization, startApi, startApiProcess } from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { expect, it } from "vitest";

it("the load balancer of the compose file hides a stopped api, and lets no client choose the host of links", async () => {
  await using database = await createTestDatabase();
  const options = { databaseUrl: database.databaseUrl, env: { TRUST_PROXY: "1" } };
  const { apiKey } = await createHostedOrganization(database.databaseUrl);
  await using first = await startApi(options);
  await using second = await startApi(options);
  const apis = [first.baseUrl, second.baseUrl];
  await using balancer = await startLoadBalancer(apis, composeConfiguration);
  const http = createHttpClient(balancer.baseUrl, { key: apiKey });

  const headers = { "x-forwarded-host": "other.example", "x-forwarded-for": "203.0.113.9" };
  const accepted = await http.post<{ resultUrl: string }>("/api/scans/ingest", scanPayload({}), { headers });
  expect(accepted.status).toBe(201);
  expect(accepted.body.resultUrl).toContain(new URL(balancer.baseUrl).host);

  await first.stop();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await http.get("/api/services")).status),
  );
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

it("no request is lost when an api ends under load, because it serves until the load balancer has noticed", async () => {
  await using database = await createTestDatabase();
  const { apiKey } = await createHostedOrganization(database.databaseUrl);
  const options = {
    databaseUrl: database.databaseUrl,
    env: { TRUST_PROXY: "1", SHUTDOWN_DELAY_MS: "10000" },
  };
  await using leaving = await startApiProcess(options);
  await using staying = await startApi({ ...options, env: { TRUST_PROXY: "1" } });
  await using balancer = await startLoadBalancer([leaving.baseUrl, staying.baseUrl], composeConfiguration);
  const http = createHttpClient(balancer.baseUrl, { key: apiKey });

  const failures: string[] = [];
  let requests = 0;
  const ended = new AbortController();
  const clients = Array.from({ length: 4 }, async (_, client) => {
    while (!ended.signal.aborted) {
      const body = scanPayload({ serviceName: `ending-${client}`, seed: `${client}-${requests}` });
      const outcome = await http
        .post("/api/scans/ingest", body)
        .then(({ status, text }) => (status === 201 ? undefined : `${status} ${text}`), String);
      if (outcome !== undefined) failures.push(outcome);
      requests++;
      await sleep(20);
    }
  });
  expect(await leaving.stop()).toEqual({ code: 0, signal: null });
  ended.abort();
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(20);
});
