import type { TrustPolicy, TrustPolicyPage } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { createHostedOrganization } from "@waymark/test-support/stack.ts";
import type { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const STILL = { context: { reducedMotion: "reduce" } } as const;
const SCAN = ["scans:create", "services:create", "services:update", "endpoints:write"];

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function policies(): Promise<readonly TrustPolicy[]> {
  const { body } = await ui.stack.http.get<z.infer<typeof TrustPolicyPage>>("/api/trust-policies");
  return body.trustPolicies;
}

const OF_GITLAB = {
  issuer: "https://gitlab.com",
  conditions: { namespace_id: "72" },
  scopes: SCAN,
};

describe("trust policies", () => {
  it("are created from the first steps, with a form that says at the field which condition is too wide", async () => {
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/");
    await page.getByRole("link", { name: "create a trust policy" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a trust policy" });
    await dialog.getByLabel(/^Name/).fill("scans of acme");
    await dialog.getByText("GitHub signs the tokens of all its users").waitFor();
    const add = async (label: RegExp, value: string) => {
      await dialog.getByRole("combobox", { name: label }).fill(value);
      await dialog.getByRole("combobox", { name: label }).press("Enter");
    };
    const create = dialog.getByRole("button", { name: "Create policy" });
    await create.click();
    await dialog.getByText("must have at least one claim").waitFor();
    await add(/^Repositories/, "*");
    await create.click();
    const repositories = dialog.getByRole("combobox", { name: /^Repositories/ });
    await expect.poll(() => repositories.getAttribute("aria-invalid")).toBe("true");
    await dialog.getByText("accepts every value: leave the claim out").first().waitFor();
    await repositories.press("Backspace");
    await add(/^Branches and tags/, "refs/heads/a,b");
    await create.click();
    await dialog
      .getByText(/must name the owner: everybody who can use GitHub Actions/)
      .first()
      .waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await add(/^Owner's id/, "65");
    await create.click();
    const use = page.getByRole("dialog", { name: "scans of acme" });
    await use.getByText(/id-token: write/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("cell", { name: /repository_owner_id: 65/ }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const [stored] = await policies();
    expect(stored).toMatchObject({
      name: "scans of acme",
      issuer: "https://token.actions.githubusercontent.com",
      audience: ui.stack.api.baseUrl,
      conditions: { repository_owner_id: "65", ref: "refs/heads/a,b" },
      lifetimeSeconds: 900,
    });
    expect(stored?.scopes.map(({ permission }) => permission).toSorted()).toEqual(SCAN.toSorted());
    expect(opened.complaints).toEqual([]);
  });

  it("are changed with a warning about what ends, and never over a change of somebody else", async () => {
    const { body } = await ui.stack.http.post<TrustPolicy>("/api/trust-policies", {
      ...OF_GITLAB,
      name: "shared",
    });
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/trust-policies");
    await page.getByRole("button", { name: "Change shared" }).click();
    const dialog = page.getByRole("dialog", { name: "Change shared" });
    await dialog.getByText("ends the keys that the policy has issued").waitFor();
    await dialog.getByLabel("Another claim").fill("user_login");
    await dialog.getByRole("button", { name: "Add condition" }).click();
    await dialog.getByRole("combobox", { name: "user_login" }).fill("ada");
    await dialog.getByRole("combobox", { name: "user_login" }).press("Enter");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const others = { ...OF_GITLAB, name: "shared", conditions: { namespace_id: "73" } };
    const headers = { "if-match": '"1"' };
    await ui.stack.http.request("PUT", `/api/trust-policies/${body.id}`, { body: others, headers });
    const save = dialog.getByRole("button", { name: "Save policy" });
    for (let times = 0; times < 2; times++) {
      await save.click();
      await dialog.getByText(/The trust policy was changed: its revision is 2/).waitFor();
    }
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Change shared" }).click();
    await dialog.getByText("73", { exact: true }).waitFor();
    await dialog.getByLabel(/^Name/).fill("renamed");
    await save.click();
    await page.getByRole("button", { name: "Change renamed" }).waitFor();
    expect((await policies()).find(({ id }) => id === body.id)).toMatchObject({
      name: "renamed",
      conditions: { namespace_id: "73" },
    });
    expect(opened.complaints).toEqual([]);
  });

  it("are deleted after a question that says what ends", async () => {
    const name = "<b>short-lived</b>";
    await ui.stack.http.post("/api/trust-policies", { ...OF_GITLAB, name });
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/trust-policies");
    await page.getByRole("button", { name: `Delete ${name}` }).click();
    const dialog = page.getByRole("dialog", { name: `Delete ${name}?` });
    await dialog.getByText("The keys that it has issued, and the keys that these created, fail").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete policy" }).click();
    await page.getByRole("button", { name: `Delete ${name}` }).waitFor({ state: "detached" });
    expect((await policies()).map((policy) => policy.name)).not.toContain(name);
    expect(opened.complaints).toEqual([]);
  });

  it("are only read with a key that may not change them, and say which permission it lacks", async () => {
    await ui.stack.http.post("/api/trust-policies", { ...OF_GITLAB, name: "of others" });
    const reader = await createKey(ui.stack, ["trust:read"]);
    await using opened = await ui.open({ as: reader });
    const { page } = opened;
    await page.goto("/trust-policies?new=gitlab");
    await page.getByText("Your key lacks trust:write").waitFor();
    for (const name of ["Create a policy", "Change of others", "Delete of others"])
      expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "How builds use of others" }).click();
    await page.getByRole("dialog").getByText("id_tokens: { WAYMARK_ID_TOKEN").waitFor();
    const stranger = await createKey(ui.stack, ["services:read"]);
    await using other = await ui.open({ as: stranger });
    await other.page.goto("/trust-policies");
    await other.page.getByText("This API key lacks the permission trust:read").waitFor();
    expect([...opened.complaints, ...other.complaints]).toEqual([]);
  });

  it("say at the audience that it must name the organization on a server with several", async () => {
    await createHostedOrganization(ui.stack.databaseUrl, "Neighbour");
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/trust-policies?new=buildkite");
    const dialog = page.getByRole("dialog", { name: "Create a trust policy" });
    await dialog.getByLabel(/^Name/).fill("of buildkite");
    await dialog.getByRole("combobox", { name: /^Organization/ }).fill("acme");
    await dialog.getByRole("button", { name: "Create policy" }).click();
    const audience = dialog.getByLabel(/^Audience/);
    await expect.poll(() => audience.getAttribute("aria-invalid")).toBe("true");
    await audience.fill(`waymark#${ui.stack.organizationId}`);
    await dialog.getByRole("button", { name: "Create policy" }).click();
    await page.getByRole("dialog", { name: "of buildkite" }).getByText("buildkite-agent oidc").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
