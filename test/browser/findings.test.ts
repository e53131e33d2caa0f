import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createHostedOrganization } from "@waymark/test-support/stack.ts";

let ui: TestConsole;
let orders: string;
beforeAll(async () => {
  ui = await startConsole();
  ({ serviceId: orders } = await scan("orders", [
    ...Array.from({ length: 230 }, (_, index) =>
      finding("medium", "no-summary", `Summary ${index} is missing.`),
    ),
    finding("critical", "no-auth", "Anybody may call it."),
  ]));
  await scan("payments", [
    finding("critical", "no-auth", "Anybody may pay."),
    finding("low", "no-tags", "Untagged."),
  ]);
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const scan = (serviceName: string, findings: NormalizedFinding[]) =>
  ui.scan({ ...scanPayload({ serviceName, endpoints: 1 }), findings });

function finding(severity: NormalizedFinding["severity"], code: string, message: string): NormalizedFinding {
  return { severity, code, message, method: "GET", path: "/orders" };
}

describe("the findings of all services", () => {
  it("are counted by severity, rule and service, filtered in the address, and more are loaded", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto("/findings");
    await page.getByRole("status").getByText("233 findings", { exact: true }).waitFor();
    const rules = page.getByRole("region", { name: "Rule" }).getByRole("button");
    expect(await rules.allTextContents()).toEqual(["no-auth2", "no-summary230", "no-tags1"]);
    await page.getByRole("button", { name: "Show 33 more of 33" }).click();
    await page.getByRole("button", { name: /^Show .* more/ }).waitFor({ state: "detached" });
    expect(await page.getByRole("table", { name: "Findings" }).getAttribute("aria-rowcount")).toBe("234");

    await page.getByRole("button", { name: /^no-auth/ }).click();
    await page.getByRole("status").getByText("2 findings", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^orders/ }).click();
    await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe(`?code=no-auth&serviceId=${orders}`);
    await page.reload();
    await page.getByRole("button", { name: "Anybody may call it." }).waitFor();
    await page.getByRole("button", { name: /^no-auth/, pressed: true }).click();
    await page.getByRole("status").getByText("231 findings", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are searched in their messages and places, and filtered by when they were first seen", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto("/findings");
    await page.getByRole("textbox", { name: "Search" }).fill("anybody pay");
    await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Anybody may pay." }).waitFor();
    await page.getByText("The numbers are of all findings, not of those that the search finds.").waitFor();
    await page.getByRole("textbox", { name: "Search" }).fill("get summary");
    await page.getByRole("status").getByText("The first 200 findings", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Show 200 more" }).click();
    await page.getByRole("status").getByText("230 findings", { exact: true }).waitFor();
    await page
      .getByRole("button", { name: /^more than 30 days ago/ })
      .and(page.locator(":disabled"))
      .waitFor();
    await page.getByRole("button", { name: /^in the last 7 days/ }).click();
    await page.reload();
    await page.getByRole("status").getByText("The first 200 findings", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?q=get+summary&firstSeen=week");
    await page.getByRole("button", { name: /^in the last 7 days/, pressed: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("open with their service and place, by click and by link, and close with Back", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto("/findings?severity=critical");
    await page.getByRole("button", { name: "Anybody may pay." }).click();
    const dialog = page.getByRole("dialog", { name: "Finding" });
    await dialog.getByRole("link", { name: "payments" }).waitFor();
    await page.waitForURL(/finding=/);
    const link = page.url();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Anybody may pay." }).and(page.locator(":focus")).waitFor();
    await page.goto(link.replace("severity=critical", "severity=low"));
    await dialog.getByText("Anybody may pay.").waitFor();
    await dialog.getByRole("link", { name: "GET /orders" }).click();
    await page.waitForURL("**/scan-runs/**");
    await page.getByText("2 of 2").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are exported as they are filtered", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/findings?code=no-auth");
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("findings.csv");
    const text = await readFile(await download.path(), "utf8");
    expect(text.trim().split("\r\n")).toHaveLength(1 + 2);
    expect(text).toContain("Anybody may pay.");
    expect(opened.complaints).toEqual([]);
  });

  it("are those of its service for a key that is limited to one, and none in an empty organization", async () => {
    const scopes = ["services:read", "endpoints:read"].map((permission) => ({
      permission,
      serviceId: orders,
    }));
    await using limited = await ui.open({ as: await createKey(ui.stack, scopes) });
    await limited.page.goto("/findings");
    await limited.page.getByRole("status").getByText("231 findings", { exact: true }).waitFor();
    const { apiKey } = await createHostedOrganization(ui.stack.databaseUrl, "Empty");
    await using empty = await ui.open({ as: apiKey });
    await empty.page.goto("/findings");
    await empty.page.getByText("No findings in the current scans.").waitFor();
    await empty.page.goto("/findings?code=gone");
    await empty.page.getByText("No finding matches these filters.").waitFor();
    await empty.page.getByRole("button", { name: "The chosen rule" }).click();
    await empty.page.getByText("No findings in the current scans.").waitFor();
    expect([...limited.complaints, ...empty.complaints]).toEqual([]);
  });
});
