import { afterAll, beforeAll, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { describedService } from "@waymark/test-support/described-service.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeTeam } from "@waymark/test-support/principals.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";

interface Approved {
  serviceId: string;
  serviceName: string;
  message: string;
}

let ui: TestConsole;
let orders: Approved;
let carts: Approved;
beforeAll(async () => {
  ui = await startConsole();
  [orders, carts] = [await approvedService("agreed with the shop"), await approvedService("nobody uses it")];
  await storeTeam(ui.stack, "payments");
  const path = `/api/services/${orders.serviceId}`;
  await ui.stack.http.request("PATCH", path, { body: { ownerTeam: "payments" } });
  for (const { serviceId, reason } of [
    { serviceId: orders.serviceId, reason: "behind the VPN" },
    { serviceId: carts.serviceId, reason: "small tables" },
  ])
    await ui.stack.http.post("/api/finding-decisions", {
      kind: "accepted_risk",
      serviceId,
      code: "no-auth",
      reason,
    });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** A service with the approval of a change of a pull request, and one of a change that no run has. */
async function approvedService(reason: string): Promise<Approved> {
  const { http } = ui.stack;
  const { scan } = describedService(ui.stack, { endpointCount: 1 });
  await scan();
  const headers = { "waymark-promote": "false", "waymark-pull-request": "812" };
  const scanRunId = await scan({ required: ["a"], headers });
  let changes: ScanChanges | undefined;
  await waitUntil("the descriptions are compared", async () => {
    ({ body: changes } = await http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`));
    return changes.comparison.status === "compared";
  });
  const verdict = changes?.verdicts[0];
  const run = await http.get<{ serviceId: string; serviceName: string }>(`/api/scan-runs/${scanRunId}`);
  const { serviceId, serviceName } = run.body;
  const path = `/api/services/${serviceId}/change-approvals`;
  await http.post(path, { fingerprints: ["0".repeat(32)], reason: `${reason} (unknown)` });
  await http.post(path, { fingerprints: [verdict?.fingerprint], reason, scanRunId });
  return { serviceId, serviceName, message: verdict?.message ?? "" };
}

it("decisions about findings and approvals of changes of all services are on one page, with the same filters", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/findings");
  await page.getByText("2 decisions", { exact: false }).click();
  await page.getByRole("link", { name: "Decisions about findings and changes" }).click();
  await page.getByRole("heading", { level: 1, name: "Decisions" }).waitFor();
  await page.getByRole("status").getByText("2 decisions", { exact: true }).waitFor();
  await page.getByText("behind the VPN", { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByRole("status").getByText("4 approvals", { exact: true }).waitFor();
  const table = page.getByRole("table");
  expect(await table.getByText(orders.message, { exact: true }).count()).toBe(2);
  await table.getByText("0".repeat(32), { exact: true }).first().waitFor();
  expect(await table.getByRole("link", { name: "for pull request 812" }).count()).toBe(2);
  expect(await violationsInBothSchemes(page)).toEqual([]);

  // The owner stays when the other kind is shown.
  await page.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name: "payments" }).click();
  await page.getByRole("status").getByText("2 approvals", { exact: true }).waitFor();
  await table.getByRole("link", { name: orders.serviceName }).first().waitFor();
  await page.getByRole("tab", { name: "Findings" }).click();
  await page.getByRole("status").getByText("1 decision", { exact: true }).waitFor();
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "ended" }).click();
  await page.getByText("No decisions match these filters.").waitFor();
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByText("No approvals match these filters.").waitFor();
  expect(opened.complaints).toEqual([]);
});

it("an approval is revoked from the page, and the service's page leads to it", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/services/${carts.serviceId}?tab=changes`);
  await page.getByText("Approved changes: 2 approvals pass gates").waitFor();
  await page.getByRole("link", { name: "Decisions about this service's findings and changes" }).click();
  await page.getByRole("status").getByText("1 decision", { exact: true }).waitFor();
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByRole("status").getByText("2 approvals", { exact: true }).waitFor();
  await page.getByRole("button", { name: `Revoke the approval of ${carts.message}` }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke this approval?" });
  await dialog.getByText("It was approved with the reason: nobody uses it").waitFor();
  await dialog.getByRole("button", { name: "Revoke the approval" }).click();
  await page.getByRole("status").getByText("1 approval", { exact: true }).waitFor();
  expect(await page.getByText("nobody uses it", { exact: true }).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});

it("a session that may not decide reads the reasons, and has no buttons", async () => {
  const scope = { permission: "endpoints:read", serviceId: orders.serviceId };
  const key = await createKey(ui.stack, [
    scope,
    { permission: "services:read", serviceId: orders.serviceId },
  ]);
  await using opened = await ui.open({ as: key, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/decisions?tab=changes");
  await page.getByRole("status").getByText("2 approvals", { exact: true }).waitFor();
  await page.getByText("agreed with the shop", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /^Revoke/ }).count()).toBe(0);
  expect(await page.getByText(carts.serviceName).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});

it("the page is found by Ctrl-K, and from what is accepted on the overview", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/?tab=accepted");
  await page.getByRole("link", { name: "All approvals of changes" }).click();
  await page.getByRole("tab", { name: "Changes", selected: true }).waitFor();
  await page.goto("/");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("decisions");
  await page.getByRole("option", { name: /Decisions about findings and changes/ }).click();
  await page.getByRole("heading", { level: 1, name: "Decisions" }).waitFor();
  expect(opened.complaints).toEqual([]);
});
