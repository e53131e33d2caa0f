import type { IdentityProvider as Described } from "@waymark/shared/principals/identity-providers/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import {
  type Account,
  type IdentityProvider,
  startIdentityProvider,
} from "@waymark/test-support/identity-provider.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startProcessStack } from "@waymark/test-support/stack.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const ADA: Account = {
  sub: "ada",
  email: "ada@example.com",
  email_verified: true,
  name: "Ada Lovelace",
  groups: ["admins"],
};
const SECRET = "the-client's-secret";

let idp: IdentityProvider;
let ui: TestConsole;
let provider: Described;
beforeAll(async () => {
  idp = await startIdentityProvider(ADA);
  const apiEnv = { NODE_EXTRA_CA_CERTS: idp.caFile, ISSUER_EGRESS_ALLOW: idp.egressAllow };
  ui = await startConsole({ apiEnv }, startProcessStack);
  const added = await ui.stack.http.post<Described>("/api/identity-providers", {
    displayName: "Acme ID",
    issuer: idp.issuer,
    clientId: "waymark",
    clientSecret: SECRET,
    scopes: ["groups"],
    emailDomains: ["example.com"],
    roles: [
      { group: null, role: "viewer" },
      { group: "admins", role: "administrator" },
    ],
  });
  provider = added.body;
  idp.register({ client_id: "waymark", client_secret: SECRET, redirect_uris: [provider.redirectUri] });
}, 180_000);
afterAll(async () => {
  await ui[Symbol.asyncDispose]();
  await idp[Symbol.asyncDispose]();
});

// The provider's certificate is its own.
const context = { ignoreHTTPSErrors: true };

it("a colleague opens the link of a run, signs in by the provider, and sees the run", async () => {
  const { scanRunId } = await ui.scan(scanPayload({ serviceName: "shop", endpoints: 2 }));
  await using opened = await ui.open({ as: null, context });
  const { page } = opened;
  await page.goto(`/scan-runs/${scanRunId}?tab=endpoints`);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Continue with Acme ID" }).click();
  await page.waitForURL(`**/scan-runs/${scanRunId}?tab=endpoints`);
  await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
  await page.getByText("Ada Lovelace").first().waitFor();
  const seen = await page.evaluate<string>("JSON.stringify([history.state, localStorage, sessionStorage])");
  expect(seen).not.toMatch(/code=|state=/);
  expect(opened.complaints).toEqual([]);
});

it("a person whom the provider does not admit is told why, and can go back", async () => {
  idp.account = { ...ADA, sub: "eve", email: "eve@elsewhere.example" };
  await using opened = await ui.open({ as: null, context, isNew: true });
  const { page } = opened;
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Continue with Acme ID" }).click();
  await page.getByRole("alert").getByText("elsewhere.example may not sign in here").waitFor();
  expect(page.url()).not.toContain("code=");
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Back to signing in" }).click();
  await page.getByLabel("API key").waitFor();
  idp.account = ADA;
});

it("what needs a recent sign-in asks for one, and comes back to the page", async () => {
  const { serviceId } = await ui.scan(scanPayload({ serviceName: "old", endpoints: 1 }));
  await using opened = await ui.open({ as: null, context, isNew: true });
  const { page } = opened;
  await page.goto("/services");
  await page.getByRole("button", { name: "Continue with Acme ID" }).click();
  await page.getByRole("link", { name: "old", exact: true }).click();
  await page.getByRole("heading", { name: "old", exact: true }).waitFor();
  await query(ui.stack, "UPDATE sessions SET authenticated_at = now() - interval '1 hour'");
  const address = page.url();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await confirmDeletion();
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  // The page has the address that it comes back to: only the response says that it was left.
  await Promise.all([
    page.waitForResponse("**/api/sign-ins/callback"),
    dialog.getByRole("button", { name: "Sign in again" }).click(),
  ]);
  // It comes back as it was: with the dialog.
  await page.waitForURL(`${address}?delete=1`);
  await confirmDeletion();
  await page.waitForURL("**/services");
  expect((await ui.stack.http.get(`/api/services/${serviceId}`)).status).toBe(404);

  async function confirmDeletion(): Promise<void> {
    const asked = page.getByRole("dialog", { name: "Delete the service for ever?" });
    await asked.getByLabel("Name of the service").fill("old");
    await asked.getByRole("button", { name: "Delete service" }).click();
  }
});

it("an administrator removes the client secret of a provider", async () => {
  const settings = { displayName: "Secretive", issuer: idp.issuer, emailDomains: ["example.com"], roles: [] };
  const { body: made } = await ui.stack.http.post<Described>("/api/identity-providers", {
    ...settings,
    clientId: "secretive",
    clientSecret: SECRET,
  });
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto("/people?tab=sign-in");
  await page.getByRole("region", { name: "Secretive" }).getByRole("button", { name: "Change…" }).click();
  await page.getByRole("checkbox", { name: "Remove the client secret" }).check();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === "PUT" && response.ok()),
    page.getByRole("button", { name: "Save the provider" }).click(),
  ]);
  const { body } = await ui.stack.http.get<{ identityProviders: Described[] }>("/api/identity-providers");
  expect(body.identityProviders.find(({ id }) => id === made.id)?.hasClientSecret).toBe(false);
  await ui.stack.http.request("DELETE", `/api/identity-providers/${made.id}`);
  expect(opened.complaints).toEqual([]);
});

it("an administrator adds, changes and deletes a provider on the page of people", async () => {
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto("/people?tab=sign-in");
  await page.getByRole("region", { name: "Acme ID" }).getByText(provider.redirectUri).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Add a provider" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Second");
  await dialog.getByLabel("Issuer").fill("https://127.0.0.1:1");
  await dialog.getByLabel("Client id").fill("second");
  await dialog.getByLabel("E-mail domains").fill("Example.com");
  await dialog.getByLabel("Roles").fill("viewer");
  await dialog.getByText("Line 1 must have the form: group = role").waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await dialog.getByLabel("Roles").fill("* = viewer\nCN=api,DC=acme = developer for shop-*");
  await dialog.getByRole("button", { name: "Add the provider" }).click();
  await dialog.getByRole("alert").getByText("The discovery document of the issuer can't be read").waitFor();
  await dialog.getByLabel("Issuer").fill(idp.issuer);
  await dialog.getByRole("button", { name: "Add the provider" }).click();
  const second = page.getByRole("region", { name: "Second" });
  await second.getByText("CN=api,DC=acme = developer for shop-*").waitFor();
  await second.getByRole("button", { name: "Change…" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Renamed");
  await page.getByRole("button", { name: "Save the provider" }).click();
  const renamed = page.getByRole("region", { name: "Renamed" });
  await renamed.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete provider" }).click();
  await renamed.waitFor({ state: "detached" });
});
