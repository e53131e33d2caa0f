import type { IdentityProvider as Described } from "@waymark/shared/principals/identity-providers/schema.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { type IdentityProvider, startIdentityProvider } from "@waymark/test-support/identity-provider.ts";
import { startProcessStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCaptured, temporaryFolder } from "../../cli/src/test-support/run-captured.ts";

// The way of a team from the first colleague to a gate that is green for reasons that everybody can read.

const GRACE = {
  sub: "grace",
  email: "grace@example.com",
  email_verified: true,
  name: "Grace Hopper",
  groups: [],
};
const CLIENT = { client_id: "waymark", client_secret: "the-client's-secret" };
const FINDINGS = 20;
const letterOf = (index: number) => String.fromCodePoint(65 + index);
const SARIF = {
  version: "2.1.0",
  runs: [
    {
      tool: { driver: { name: "acme" } },
      results: Array.from({ length: FINDINGS }, (_, index) => ({
        ruleId: "acme-rule",
        level: "error",
        message: { text: `Problem ${letterOf(index)} of the API.` },
      })),
    },
  ],
};
const SPEC = {
  openapi: "3.0.3",
  info: { title: "Payments", version: "1" },
  paths: { "/payments": { get: { responses: { 200: { description: "ok" } } } } },
};

let idp: IdentityProvider;
let ui: TestConsole;
beforeAll(async () => {
  idp = await startIdentityProvider(GRACE);
  const apiEnv = { NODE_EXTRA_CA_CERTS: idp.caFile, ISSUER_EGRESS_ALLOW: idp.egressAllow };
  ui = await startConsole({ apiEnv }, startProcessStack);
}, 180_000);
afterAll(async () => {
  await ui[Symbol.asyncDispose]();
  await idp[Symbol.asyncDispose]();
});

it("invite, own a service, triage 20 findings with the keyboard, a gate turns green, and a colleague sees the failed run", async () => {
  const { http } = ui.stack;
  await using first = await ui.open({ context: { reducedMotion: "reduce" } });
  await first.page.goto("/people");
  await first.page.getByRole("button", { name: "Invite a person" }).click();
  const invitation = first.page.getByRole("dialog", { name: "Invite a person" });
  await invitation.getByLabel("E-mail").fill("ada@example.com");
  await invitation.getByRole("combobox", { name: "Role" }).click();
  await first.page.getByRole("option", { name: /^administrator/ }).click();
  await invitation.getByRole("button", { name: "Create the link" }).click();
  const link = (await first.page.getByTestId("invitation-link").textContent()) ?? "";

  await using opened = await ui.open({ as: null, context: { reducedMotion: "reduce" }, isNew: true });
  const { page } = opened;
  await page.goto(link);
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  await page.getByRole("button", { name: "I've saved the key" }).click();
  await page.getByText("Ada Lovelace").first().waitFor();

  const folder = await temporaryFolder();
  await folder.write("openapi.json", JSON.stringify(SPEC));
  await folder.write("acme.sarif", JSON.stringify(SARIF));
  const pipelineKey = await createKey(ui.stack, [
    "scans:create",
    "services:create",
    "services:update",
    "services:read",
    "endpoints:write",
    "endpoints:read",
  ]);
  const scan = () =>
    runCaptured(
      [
        "scan",
        "--service",
        "payments",
        "--spec",
        "openapi.json",
        "--findings",
        "acme.sarif",
        "--api-url",
        ui.stack.api.baseUrl,
        "--fail-on",
        "high",
      ],
      { cwd: folder.path, env: { SERVICE_API_KEY: pipelineKey } },
    );
  const red = await scan();
  expect(red).toMatchObject({ exitCode: 1 });
  const { body } = await http.get<{ services: { id: string; latestScanRunId: string | null }[] }>(
    "/api/services",
  );
  const serviceId = body.services[0]?.id ?? "";
  const runs = await http.get<{ scanRuns: { id: string }[] }>(`/api/services/${serviceId}/scan-runs`);
  const failedRun = runs.body.scanRuns[0]?.id ?? "";

  await http.post("/api/teams", { slug: "payments", displayName: "Payments" });
  await page.goto(`/services/${serviceId}`);
  await page.getByText("Owner: no team").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("dialog", { name: "Settings of the service" });
  await settings.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name: "Payments" }).click();
  await settings.getByRole("button", { name: "Save" }).click();
  await page.getByText("Owner: Payments").waitFor();
  // A dialog goes back to the address without it when it closes, which would end a visit of another page.
  await expect.poll(() => new URL(page.url()).search).toBe("");

  await page.goto(`/scan-runs/${failedRun}?tab=findings`);
  await page.getByRole("table", { name: "Findings" }).waitFor();
  const finding = page.getByRole("dialog", { name: "Finding" });
  for (let index = 0; index < FINDINGS; index++) {
    await page.keyboard.press("j");
    await finding.getByText(`Problem ${letterOf(index)} of`).waitFor();
    await finding.getByRole("button", { name: "Decide" }).waitFor();
    await page.keyboard.press("d");
    await finding.getByRole("textbox", { name: "Reason" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type(`known since ${letterOf(index)}`);
    await page.keyboard.press("Enter");
    await finding.getByText(`known since ${letterOf(index)}`).waitFor();
  }

  const green = await scan();
  expect(green).toMatchObject({ exitCode: 0 });
  expect(green.stderr).toMatch(/--fail-on high: 20 high: 20 accepted until [\d-]+, 0 open/);

  const { body: provider } = await http.post<Described>("/api/identity-providers", {
    displayName: "Acme ID",
    issuer: idp.issuer,
    clientId: CLIENT.client_id,
    clientSecret: CLIENT.client_secret,
    emailDomains: ["example.com"],
    roles: [{ group: null, role: "viewer" }],
  });
  idp.register({ ...CLIENT, redirect_uris: [provider.redirectUri] });
  await using colleague = await ui.open({ as: null, context: { ignoreHTTPSErrors: true }, isNew: true });
  await colleague.page.goto(`/scan-runs/${failedRun}?tab=findings`);
  await colleague.page.getByRole("button", { name: "Continue with Acme ID" }).click();
  await colleague.page.getByRole("table", { name: "Findings" }).waitFor();
  await colleague.page.keyboard.press("j");
  const seen = colleague.page.getByRole("dialog", { name: "Finding" });
  await seen.getByText("known since A").waitFor();
  await seen
    .getByText(/Ada Lovelace/)
    .first()
    .waitFor();
  await colleague.page.keyboard.press("Escape");
  await colleague.page.getByText("--fail-on high").first().waitFor();
}, 300_000);
