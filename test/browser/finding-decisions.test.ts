import { afterAll, beforeAll, expect, it } from "vitest";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

let ui: TestConsole;
let run: string;
let orders: string;
beforeAll(async () => {
  ui = await startConsole();
  const findings = Array.from({ length: 20 }, (_, index): NormalizedFinding => ({
    severity: index < 2 ? "critical" : "high",
    code: index < 2 ? "no-auth" : "no-example",
    message: `Finding ${String.fromCodePoint(65 + index)} of the API.`,
    method: "GET",
    path: `/orders/{id}/${index}`,
  }));
  ({ serviceId: orders, scanRunId: run } = await ui.scan({
    ...scanPayload({ serviceName: "orders", endpoints: 1 }),
    findings,
  }));
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const decisions = async () =>
  (await ui.stack.http.get<{ decisions: FindingDecision[] }>("/api/finding-decisions?limit=200")).body
    .decisions;

/** The keys that decide, and what they decide. */
const KEYS = [
  ["a", "accepted_risk"],
  ["d", "accepted_risk"],
  ["f", "false_positive"],
  ["w", "wont_fix"],
] as const;

it("twenty findings are decided with the keyboard alone, and their reasons are in the list", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}?tab=findings`);
  await page.getByRole("table", { name: "Findings" }).waitFor();
  const dialog = page.getByRole("dialog", { name: "Finding" });
  for (let index = 0; index < 20; index++) {
    await page.keyboard.press("j");
    await dialog.getByText(`Finding ${String.fromCodePoint(65 + index)} of`).waitFor();
    await dialog.getByRole("button", { name: "Decide" }).waitFor();
    const [key, label] = KEYS[index % KEYS.length] ?? KEYS[0];
    await page.keyboard.press(key);
    await dialog.getByRole("textbox", { name: "Reason" }).and(page.locator(":focus")).waitFor();
    expect(await dialog.getByRole("combobox", { name: "Decision" }).inputValue()).toBe(label);
    // Shortcuts are letters of the reason here. The next form offers it again.
    if (index === 0) await page.keyboard.type("jk decided");
    await page.keyboard.press("Enter");
    await dialog.getByText("jk decided").waitFor();
  }
  // A mistake is undone, and decided again.
  await page.keyboard.press("u");
  await dialog.getByText("jk decided").waitFor({ state: "detached" });
  await page.keyboard.press("w");
  await dialog.getByRole("textbox", { name: "Reason" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("jk decided");
  await page.keyboard.press("Enter");
  await dialog.getByText("jk decided").waitFor();
  await page.keyboard.press("k");
  await dialog.getByText("Finding S of").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect((await decisions()).map(({ reason }) => reason)).toEqual(
    Array.from({ length: 20 }, () => "jk decided"),
  );
  await page
    .getByTitle(/^jk decided \(until /)
    .first()
    .waitFor();
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "open (0)" }).click();
  await page.getByRole("status").getByText("0 of 20").waitFor();

  await page.goto("/findings?state=decided");
  await page.getByRole("status").getByText("20 findings", { exact: true }).waitFor();
  await page.getByText("20 decisions").click();
  await page.getByRole("cell", { name: "jk decided" }).first().waitFor();
  await page.goto("/");
  await page.getByRole("link", { name: "20 decided" }).waitFor();
  await page.goto(`/services/${orders}`);
  await page.getByRole("group", { name: "Findings now" }).getByRole("link", { name: "20 decided" }).waitFor();
  expect(opened.complaints).toEqual([]);
}, 180_000);

it("a decision is revoked where it is shown, and a rule is decided at once", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}?tab=findings&finding=0`);
  const dialog = page.getByRole("dialog", { name: "Finding" });
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await dialog.getByRole("combobox", { name: "Decision" }).selectOption("won't fix");
  await dialog
    .getByRole("combobox", { name: "For" })
    .selectOption("every finding of this rule in this service");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("internal");
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await dialog.getByText("For every finding of the rule in this service, up to critical.").waitFor();
  const [first] = await decisions();
  expect(first).toMatchObject({
    kind: "wont_fix",
    code: "no-auth",
    finding: null,
    reason: "internal",
    findingCount: 2,
  });
  expect(opened.complaints).toEqual([]);
});

it("keys go on with the open findings of all services, from which a decided one leaves", async () => {
  const findings = ["A", "B", "C"].map((letter, index): NormalizedFinding => ({
    severity: "high",
    code: "no-example",
    message: `Payment ${letter} of the API.`,
    method: "GET",
    path: `/payments/${index}`,
  }));
  const { serviceId } = await ui.scan({
    ...scanPayload({ serviceName: "payments", endpoints: 1 }),
    findings,
  });
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/findings?state=open&serviceId=${serviceId}`);
  await page.getByRole("status").getByText("3 findings", { exact: true }).waitFor();
  const dialog = page.getByRole("dialog", { name: "Finding" });
  for (const left of [2, 1, 0]) {
    await page.keyboard.press("j");
    await dialog.getByRole("button", { name: "Decide", exact: true }).waitFor();
    await page.keyboard.press("d");
    await dialog.getByRole("textbox", { name: "Reason" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type("planned");
    await page.keyboard.press("Enter");
    await dialog.getByText("planned").waitFor();
    await page
      .locator("[role=status]")
      .getByText(`${left} ${left === 1 ? "finding" : "findings"}`, { exact: true })
      .waitFor();
  }
  await dialog.getByText("planned").waitFor();
  expect((await decisions()).filter(({ reason }) => reason === "planned")).toHaveLength(3);
  expect(opened.complaints).toEqual([]);
});

it("a key without the permission reads decisions, and is told what it lacks", async () => {
  const key = await createKey(ui.stack, ["services:read", "endpoints:read"]);
  await using opened = await ui.open({ as: key, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}?tab=findings&finding=5`);
  const dialog = page.getByRole("dialog", { name: "Finding" });
  await dialog.getByText("jk decided").waitFor();
  expect(await dialog.getByRole("button", { name: /Decide|Revoke/ }).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});

it("a finding that became more severe is open again, and says as what it was decided", async () => {
  const finding: NormalizedFinding = {
    severity: "low",
    code: "no-limit",
    message: "Grows without a limit.",
    method: "GET",
    path: "/carts",
  };
  const scan = (severity: NormalizedFinding["severity"]) =>
    ui.scan({ ...scanPayload({ serviceName: "carts", endpoints: 1 }), findings: [{ ...finding, severity }] });
  const { serviceId } = await scan("low");
  await ui.stack.http.post("/api/finding-decisions", {
    kind: "accepted_risk",
    serviceId,
    code: "no-limit",
    reason: "small tables",
  });
  const { scanRunId } = await scan("critical");
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${scanRunId}?tab=findings`);
  await page.getByText("was low", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Grows without a limit." }).click();
  const dialog = page.getByRole("dialog", { name: "Finding" });
  await dialog.getByText("This finding is open again: it was decided as low, and is critical now.").waitFor();
  await dialog.getByText("small tables").waitFor();
  await dialog.getByRole("button", { name: "Decide again" }).waitFor();
  await page.goto(`/findings?serviceId=${serviceId}`);
  await page.getByText("1 decision", { exact: true }).click();
  await page.getByText("0, 1 more severe and open").waitFor();
  expect(opened.complaints).toEqual([]);
});
