import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scan(serviceName: string) {
  const { body } = await ingest(stack, scanPayload({ serviceName, seed: serviceName }));
  await waitForRun(stack, body.scanRunId);
  return body.serviceId;
}

const patch = (serviceId: string, body: unknown) =>
  stack.http.request<Service>("PATCH", `/api/services/${serviceId}`, { body, key: stack.apiKey });

/** The ids of services that each list has. */
async function lists(filter: string, key = stack.apiKey) {
  const get = async <T>(path: string) => (await stack.http.request<T>("GET", path, { key })).body;
  const idsOf = (rows: readonly { serviceId: string }[]) =>
    [...new Set(rows.map(({ serviceId }) => serviceId))].toSorted();
  const { services } = await get<{ services: Service[] }>(`/api/services?${filter}`);
  const overview = await get<Overview>(`/api/overview?${filter}`);
  const { endpoints } = await get<{ endpoints: { serviceId: string }[] }>(
    `/api/endpoints?q=get&limit=200&${filter}`,
  );
  const { findings } = await get<{ findings: { serviceId: string }[] }>(`/api/findings?limit=200&${filter}`);
  return {
    services: services.map(({ id }) => id).toSorted(),
    new: idsOf(overview.newServices),
    count: overview.serviceCount,
    endpoints: idsOf(endpoints),
    findings: idsOf(findings),
  };
}

const everywhere = (...ids: string[]) => {
  const sorted = ids.toSorted();
  return { services: sorted, new: sorted, count: ids.length, endpoints: sorted, findings: sorted };
};

describe("labels and links", () => {
  it("are set as a whole, stay where nothing is said, and filter every list of services", async () => {
    const [pay, mail, none] = [await scan("l-pay"), await scan("l-mail"), await scan("l-none")];
    const links = { repository: "https://git.example.com/pay", documentation: null, onCall: null };
    expect((await patch(pay, { labels: { team: "payments", tier: "1" }, links })).body).toMatchObject({
      labels: { team: "payments", tier: "1" },
      links,
    });
    await patch(mail, { labels: { team: "mail", tier: "1" } });
    expect((await patch(pay, { defaultBranch: "main" })).body).toMatchObject({
      labels: { tier: "1" },
      links,
    });
    expect(await lists("label=team%3Dpayments")).toEqual(everywhere(pay));
    expect(await lists("label=tier%3D1")).toEqual(everywhere(pay, mail));
    expect(await lists("label=tier%3D1,team%3Dmail")).toEqual(everywhere(mail));
    expect(await lists("label=team")).toEqual(everywhere(pay, mail));
    expect(await lists("label=team%3Dnobody")).toEqual(everywhere());
    expect(await lists("")).toEqual(everywhere(pay, mail, none));
    const limited = await createKey(
      stack,
      ["services:read", "endpoints:read"].map((permission) => ({ permission, serviceId: mail })),
    );
    expect(await lists("label=tier%3D1", limited)).toEqual(everywhere(mail));
    expect(await lists("label=team%3Dpayments", limited)).toEqual(everywhere());
    await patch(pay, { labels: {} });
    expect(await lists("label=team%3Dpayments")).toEqual(everywhere());
  });

  it("keep what another request has set at the same time", async () => {
    const id = await scan("l-shared");
    const label = `UPDATE services SET labels = '{"team": "mail"}' WHERE id = $1`;
    await using labelling = await holdStatement(stack, label, [id]);
    const links = { repository: null, documentation: "https://docs.example.com", onCall: null };
    const waiting = patch(id, { links });
    await untilWaiting(stack, { atLeast: 1, type: "row" });
    await labelling.commit();
    expect((await waiting).body).toMatchObject({ labels: { team: "mail" }, links });
  });

  it.each([
    ["a key with capitals", { labels: { Team: "x" } }, "labels.Team"],
    ["an empty value", { labels: { team: "" } }, "labels.team"],
    ["a value with a comma", { labels: { team: "a,b" } }, "labels.team"],
    [
      "21 labels",
      { labels: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, "v"])) },
      "labels",
    ],
    ["a script", { links: { repository: "javascript:alert(1)" } }, "links.repository"],
    ["a file", { links: { documentation: "file:///etc/passwd" } }, "links.documentation"],
    ["a password", { links: { onCall: "https://u:p@example.com" } }, "links.onCall"],
    ["another link", { links: { wiki: "https://example.com" } }, "links"],
  ])("can't have %s", async (_, body, path) => {
    const { status, body: answer } = await patch(await scan("l-refused"), body);
    const { error } = answer as unknown as { error: { details: { path: string }[] } };
    expect([status, error.details[0]?.path]).toEqual([400, path]);
  });

  it.each(["team%3D", "%3Dx", "a%3Db%3Dc", "", "a,,b", "x".repeat(1001)])(
    "can't be filtered by %j",
    async (label) => {
      expect((await stack.http.get(`/api/services?label=${label}`)).status).toBe(400);
    },
  );
});

describe("an archived service", () => {
  it("is in no list until it is asked for, takes scans as before, and is restored", async () => {
    const before = await lists("");
    const id = await scan("a-archived");
    expect((await lists("")).count).toBe(before.count + 1);
    const { body } = await patch(id, { archived: true });
    expect(body.archivedAt).not.toBeNull();
    expect(await lists("")).toEqual(before);
    const archived = await stack.http.get<{ services: Service[] }>("/api/services?archived=true");
    expect(archived.body.services.map((service) => service.id)).toEqual([id]);
    const byName = await stack.http.get<{ services: Service[] }>("/api/services?name=a-archived");
    expect(byName.body.services.map((service) => service.id)).toEqual([id]);
    const again = await ingest(stack, scanPayload({ serviceName: "a-archived", seed: "later" }));
    expect([again.status, again.body.serviceId]).toEqual([201, id]);
    await waitForRun(stack, again.body.scanRunId);
    expect(await lists("")).toEqual(before);
    const own = await stack.http.get<Service>(`/api/services/${id}`);
    expect(own.body).toMatchObject({ archivedAt: body.archivedAt, currentScanRunId: again.body.scanRunId });
    expect((await patch(id, { archived: false })).body.archivedAt).toBeNull();
    expect((await lists("")).services).toContain(id);
  });

  it("is not in the totals of days", async () => {
    const id = await scan("a-counted");
    const total = async () => {
      const { body } = await stack.http.get<Overview>("/api/overview");
      return [body.days?.at(-1)?.serviceCount, body.serviceCount, body.pendingServiceCount];
    };
    const now = (await total())[1] ?? 0;
    await expect.poll(total, { timeout: 60_000 }).toEqual([now, now, 0]);
    await patch(id, { archived: true });
    await expect.poll(total, { timeout: 60_000 }).toEqual([now - 1, now - 1, 0]);
  });
});
