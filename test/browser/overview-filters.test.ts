import { afterAll, beforeAll, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeTeam, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

let ui: TestConsole;
const services: Record<string, { serviceId: string; scanRunId: string }> = {};
let ada: { id: string; rawKey: string };
beforeAll(async () => {
  ui = await startConsole();
  const { http } = ui.stack;
  ada = await storeUser(ui.stack, { displayName: "Ada" });
  for (const slug of ["payments", "orders"]) await storeTeam(ui.stack, slug);
  for (const [name, ownerTeam, labels, endpoints, findings] of [
    ["ledger", "payments", { tier: "1" }, 4, 5],
    ["refunds", "payments", {}, 2, 5],
    ["basket", "orders", { tier: "1" }, 3, 5],
  ] as const) {
    const scan = scanPayload({ serviceName: name, endpoints, findings });
    services[name] = await ui.scan(scan);
    const { serviceId } = services[name];
    await http.request("PATCH", `/api/services/${serviceId}`, { body: { ownerTeam, labels } });
    const [first] = scan.findings;
    const decision = { kind: "wont_fix", serviceId, code: first?.code, reason: "r" };
    await http.post("/api/finding-decisions", decision);
  }
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

it("each total of the overview leads to what it counts, with the owner and the label that are chosen", async () => {
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto("/?owner=payments&label=tier%3D1");
  const totals = page.getByRole("list", { name: "Totals of the current scans" });
  await totals.getByText("1 service", { exact: true }).waitFor();
  const links: [string, string][] = [];
  for (const link of await totals.getByRole("link").all())
    links.push([(await link.textContent()) ?? "", (await link.getAttribute("href")) ?? ""]);
  expect(links.length).toBeGreaterThan(4);
  for (const [text, href] of links) {
    expect(new URLSearchParams(href.split("?")[1]).get("owner")).toBe("payments");
    expect(new URLSearchParams(href.split("?")[1]).get("label")).toBe("tier=1");
    await page.goto(href);
    const count = Number(text.split(" ")[0]);
    if (text.includes("service")) await page.getByText(`${count} of 3`, { exact: true }).waitFor();
    else if (text.includes("endpoint")) {
      await page.getByRole("textbox", { name: "Search" }).fill("things");
      await page.getByText(`${count} endpoints`, { exact: true }).waitFor();
    } else await page.getByText(count === 1 ? "1 finding" : `${count} findings`, { exact: true }).waitFor();
  }
  expect(opened.complaints).toEqual([]);
}, 120_000);

it("a list that the session may not read is not said to be empty", async () => {
  await using opened = await ui.open({ as: await createKey(ui.stack, ["services:read"]) });
  const { page } = opened;
  await page.goto("/?all=failingJourneys");
  await page.getByText("You may not read them: it is not known whether there are any.").waitFor();
  await page.getByRole("heading", { name: "Failing journeys", exact: true }).waitFor();
  await page.goto("/?owner=none");
  await page.getByText("You may not read journeys and keys:").waitFor();
  await page.goto("/?all=breaking");
  await page.getByText("There are none at the moment.").waitFor();
  expect(opened.complaints).toEqual([]);
});

it("new services, runs and lists of runs name the owner, and the person who scanned", async () => {
  const scan = scanPayload({ serviceName: "ledger", endpoints: 4, findings: 1 });
  const { body } = await ui.stack.http.post<{ scanRunId: string }>("/api/scans/ingest", scan, {
    key: ada.rawKey,
  });
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/");
  const added = page.getByRole("row", { name: /New service .* ledger/ });
  await added.getByText("payments").waitFor();
  await page.goto(`/scan-runs/${body.scanRunId}`);
  await page.getByText("Owner: payments").waitFor();
  await page.getByText("Submitted, by Ada", { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.goto(`/services/${services["ledger"]?.serviceId}?tab=runs`);
  await page.getByText("by Ada", { exact: true }).waitFor();
  expect(await page.getByText("by Ada", { exact: true }).count()).toBe(1);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
}, 120_000);
