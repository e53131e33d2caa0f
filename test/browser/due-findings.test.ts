import { afterAll, beforeAll, expect, it } from "vitest";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import type { SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { query } from "@waymark/test-support/sql.ts";

let ui: TestConsole;
let orders: string;
beforeAll(async () => {
  ui = await startConsole();
  orders = await scan("orders", [
    finding("critical", "Anybody may call it."),
    finding("low", "No summary."),
    finding("info", "No tag."),
  ]);
  await scan("payments", [finding("low", "Untagged.")]);
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** A scan that the service has had for 20 days. */
async function scan(serviceName: string, findings: NormalizedFinding[]): Promise<string> {
  const { serviceId } = await ui.scan({ ...scanPayload({ serviceName, endpoints: 1 }), findings });
  await query(
    ui.stack,
    `WITH forgotten AS (DELETE FROM service_derivations WHERE service_id = $1)
     UPDATE service_snapshots SET first_seen_at = now() - interval '20 days' WHERE service_id = $1`,
    [serviceId],
  );
  return serviceId;
}

const finding = (severity: NormalizedFinding["severity"], message: string): NormalizedFinding => ({
  severity,
  code: "rule",
  message,
  method: "GET",
  path: "/orders",
});

it("deadlines are set with the policy, and lead from the overview to what is overdue", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/findings");
  await page.getByText("4 findings", { exact: true }).waitFor();
  // Without deadlines, nothing speaks of them.
  expect(await page.getByRole("region", { name: "Due" }).count()).toBe(0);
  expect(await page.getByRole("columnheader", { name: "Due" }).count()).toBe(0);
  await page.getByText("Severity policy: no rules").click();
  const form = page.getByRole("form", { name: "Deadlines of findings" });
  await form.getByRole("spinbutton", { name: "Days for critical" }).fill("7");
  await form.getByRole("spinbutton", { name: "Days for low" }).fill("22");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("Severity policy: no rules, 2 deadlines", { exact: true }).waitFor();
  const saved = form.getByRole("status").getByText("Saved.");
  await saved.waitFor();
  await form.getByRole("spinbutton", { name: "Days for info" }).fill("9");
  expect(await saved.count()).toBe(0);
  await form.getByRole("spinbutton", { name: "Days for info" }).fill("");
  const { body } = await ui.stack.http.get<SeverityPolicy>("/api/severity-policy");
  expect(body.dueDays).toEqual({ critical: 7, high: null, medium: null, low: 22, info: null });

  const due = page.getByRole("region", { name: "Due" });
  await due
    .getByRole("button", { name: /^in the next 7 days/ })
    .getByText("2", { exact: true })
    .waitFor();
  await due.getByRole("button", { name: /^overdue/ }).click();
  await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
  await page.getByRole("cell", { name: /^overdue, \d{4}-\d\d-\d\d$/ }).waitFor();
  await page.getByRole("button", { name: "Anybody may call it." }).click();
  await page
    .getByRole("dialog", { name: "Finding" })
    .getByText(/^overdue, /)
    .waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await page.goto("/");
  await page.getByRole("table", { name: "Open" }).getByRole("link", { name: "1 finding overdue" }).click();
  await page.waitForURL(`**/findings?due=overdue&serviceId=${orders}`);
  await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
  await page.goto("/?owner=none");
  await page.getByRole("list", { name: "Totals" }).getByRole("link", { name: "1 overdue" }).click();
  await page.waitForURL("**/findings?due=overdue&owner=none");
  await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
  for (const address of ["/services", `/services/${orders}`]) {
    await page.goto(address);
    await page.getByRole("link", { name: "1 overdue" }).click();
    await page.waitForURL(`**/findings?due=overdue&serviceId=${orders}`);
  }

  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/findings");
  await page.getByText("Severity policy: no rules, 2 deadlines", { exact: true }).click();
  await form.waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
}, 120_000);

it("deadlines that somebody else has changed meanwhile are not replaced, and are read without the permission", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/findings");
  await page.getByText(/^Severity policy: /).click();
  const form = page.getByRole("form", { name: "Deadlines of findings" });
  await form.waitFor();
  await ui.stack.http.request("PUT", "/api/severity-policy", { body: { rules: [], dueDays: { high: 3 } } });
  await form.getByRole("spinbutton", { name: "Days for info" }).fill("5");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("The deadlines were not changed").waitFor();
  // The form shows the stored days.
  await expect.poll(() => form.getByRole("spinbutton", { name: "Days for high" }).inputValue()).toBe("3");
  const reader = await createKey(ui.stack, ["services:read", "endpoints:read"]);
  await using read = await ui.open({ as: reader, context: { reducedMotion: "reduce" } });
  await read.page.goto("/findings");
  await read.page.getByText("Severity policy: no rules, 1 deadline", { exact: true }).click();
  await read.page.getByText("Findings are due after their service first had them: high in 3 days.").waitFor();
  expect(await read.page.getByRole("form", { name: "Deadlines of findings" }).count()).toBe(0);
}, 60_000);
