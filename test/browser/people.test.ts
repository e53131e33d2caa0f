import type { Principal } from "@waymark/shared/principals/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { storeUser, type StoredUser } from "@waymark/test-support/principals.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const STILL = { context: { reducedMotion: "reduce" } } as const;
const PHONE = { context: { reducedMotion: "reduce", viewport: { width: 390, height: 844 } } } as const;

let ui: TestConsole;
let ada: StoredUser;
beforeAll(async () => {
  ui = await startConsole();
  ada = await storeUser(ui.stack, { displayName: "Ada" });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function principal({ id }: StoredUser): Promise<Principal> {
  return (await ui.stack.http.get<Principal>(`/api/principals/${id}`)).body;
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("dialog").getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

describe("people", () => {
  it("are invited with roles for some services, by a link that is shown once and makes the user", async () => {
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/people");
    await page.getByRole("button", { name: "Invite a person" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    const submit = dialog.getByRole("button", { name: "Create the link" });
    await dialog.getByLabel("E-mail").fill("grace");
    await submit.click();
    await dialog.getByText("Enter an e-mail address, such as ada@example.com.").waitFor();
    await dialog.getByLabel("E-mail").fill("grace@example.com");
    await choose(page, "Role", "developer");
    await dialog.getByText("decides about findings").waitFor();
    await dialog.getByRole("combobox", { name: "Only for these services" }).fill("pay**");
    await page.keyboard.press("Enter");
    await dialog.getByText("pay** must be a name, or a name that ends in one *").waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await page.getByRole("combobox", { name: "Only for these services" }).press("Backspace");
    await page.keyboard.insertText("payments-*");
    await page.keyboard.press("Enter");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await submit.click();
    const link = page.getByRole("dialog", { name: "The link of the invitation" });
    const url = (await link.getByTestId("invitation-link").textContent()) ?? "";
    expect(url).toMatch(/#invitation=wmi_/);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await link.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain("wmi_");
    await page.getByRole("tab", { name: "Invitations (1)" }).click();
    await page.getByRole("cell", { name: "developer, only for payments-*" }).waitFor();

    const body = { token: url.split("=").at(-1), displayName: "Grace" };
    const accepted = await ui.stack.http.post<{ userId: string }>("/api/invitation-acceptances", body, {
      key: null,
    });
    await page.goto("/people?q=grace");
    await page.getByRole("link", { name: "Grace", exact: true }).click();
    await page.getByRole("heading", { name: "Grace", level: 1 }).waitFor();
    expect(page.url()).toContain(accepted.body.userId);
    expect(opened.complaints).toEqual([]);
  });

  it("whose link was lost get another one, and an invitation is withdrawn after a question", async () => {
    const invite = { email: "bob@example.com", roles: [{ role: "viewer" }] };
    const { body } = await ui.stack.http.post<{ url: string }>("/api/invitations", invite);
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/people?tab=invitations");
    await page.getByRole("button", { name: "New link for bob@example.com" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    expect(await dialog.getByLabel("E-mail").inputValue()).toBe("bob@example.com");
    await dialog.getByRole("button", { name: "Create the link" }).click();
    const link = page.getByTestId("invitation-link");
    expect(await link.textContent()).not.toBe(body.url);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Withdraw bob@example.com" }).click();
    const question = page.getByRole("dialog", { name: "Withdraw the invitation of bob@example.com?" });
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await question.getByRole("button", { name: "Withdraw invitation" }).click();
    await page.getByText("No open invitations.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("get and lose roles, and the last administrator is told why that role stays", async () => {
    const eve = await storeUser(ui.stack, { displayName: "Eve", roles: ["viewer"] });
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto(`/people/${eve.id}`);
    await page.getByRole("button", { name: "Grant a role" }).click();
    await choose(page, "Role", "journey-editor");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Grant role" }).click();
    await page.getByRole("button", { name: "Take away journey-editor" }).waitFor();
    await page.getByRole("button", { name: "Take away viewer" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Take away", exact: true }).click();
    await page.getByRole("button", { name: "Take away viewer" }).waitFor({ state: "detached" });
    expect((await principal(eve)).roleGrants.map(({ role }) => role)).toEqual(["journey-editor"]);

    await page.goto(`/people/${ada.id}`);
    await page.getByRole("button", { name: "Take away administrator" }).click();
    const dialog = page.getByRole("dialog", { name: "Take a role from Ada?" });
    await dialog.getByRole("button", { name: "Take away", exact: true }).click();
    await dialog.getByRole("alert").getByText("This is the organization's last active user").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("are renamed, disabled after a sentence about what happens, and enabled", async () => {
    const name = "<b>Mallory</b>";
    const mallory = await storeUser(ui.stack, { displayName: "Mal", roles: ["viewer"] });
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto(`/people/${mallory.id}`);
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByRole("button", { name: "Disable…" }).click();
    const dialog = page.getByRole("dialog", { name: `Disable ${name}?` });
    await dialog.getByText("every request with a key of").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Disable", exact: true }).click();
    await page.getByText("every request with a key of <b>Mallory</b> is refused").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const refused = await ui.stack.http.get("/api/services", { key: mallory.rawKey });
    expect(refused.status).toBe(401);
    await page.getByRole("button", { name: "Enable…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Enable", exact: true }).click();
    await page.getByRole("button", { name: "Disable…" }).waitFor();
    expect((await principal(mallory)).disabledAt).toBeNull();
    expect(opened.complaints).toEqual([]);
  });

  it("lead to their keys and to what they did, by name", async () => {
    const oscar = await storeUser(ui.stack, { displayName: "Oscar" });
    await ui.stack.http.post(
      "/api/principals",
      { type: "service_account", displayName: "Bot" },
      { key: oscar.rawKey },
    );
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto(`/people/${oscar.id}`);
    await page.getByRole("link", { name: "what Oscar did" }).click();
    await page.getByRole("cell", { name: "User or service account created" }).waitFor();
    expect(await page.getByRole("cell", { name: "Oscar", exact: true }).count()).toBe(1);
    expect(await page.getByRole("combobox", { name: "By person" }).inputValue()).toBe("Oscar");
    expect(await page.getByRole("row").count()).toBe(2);
    await page.goto(`/people/${oscar.id}`);
    await page.getByRole("link", { name: "keys of Oscar" }).click();
    await page
      .getByRole("status")
      .getByText(/^1 of \d+$/)
      .waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are only read by who may not change them, and no section leads there who may not read them", async () => {
    const reader = await storeUser(ui.stack, { displayName: "Rita", roles: ["auditor"] });
    await ui.stack.http.request("PUT", "/api/roles/auditor", { body: { permissions: ["principals:read"] } });
    await using opened = await ui.open({ ...PHONE, as: reader.rawKey });
    const { page } = opened;
    const cell = (name: string) => page.getByRole("cell", { name }).first();
    for (const [path, heading, shown] of [
      [`/${ada.id}?state=1&rename=1&grant=1`, "Ada", cell("administrator")],
      ["", "People", cell("administrator")],
      ["?tab=roles&edit-role=auditor", "People", cell("auditor")],
      ["?tab=invitations&invite=new", "People", page.getByText("No open invitations.")],
    ] as const) {
      await page.goto(`/people${path}`);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await page.getByText("You lack the permission principals:manage").waitFor();
      await page.getByText(/Ask .*Ada/).waitFor();
      await shown.waitFor();
      // Dialogs load when they are opened.
      await page.waitForLoadState("networkidle");
      const buttons = page.getByRole("button", { name: /Invite|Create|Change|Delete|Withdraw|Disable|Take/ });
      expect(await buttons.count()).toBe(0);
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
    const viewer = await storeUser(ui.stack, { displayName: "Vera", roles: ["viewer"] });
    await using other = await ui.open({ ...STILL, as: viewer.rawKey });
    await other.page.goto("/people");
    await other.page.getByText("You don't have access").waitFor();
    await other.page.getByText("Ask an administrator of Acme.").waitFor();
    const sections = other.page.getByRole("navigation", { name: "Sections" });
    await sections.getByRole("link", { name: "Services" }).waitFor();
    expect(await sections.getByRole("link", { name: "People" }).count()).toBe(0);
    expect([...opened.complaints, ...other.complaints]).toEqual([]);
  });
});

describe("roles", () => {
  it("of the organization are created from a built-in one, changed, and kept while somebody has them", async () => {
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/people?tab=roles");
    await page.getByRole("button", { name: "Create a role" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a role" });
    await dialog.getByLabel("Name").fill("viewer");
    await dialog.getByText("A role has this name.").waitFor();
    await dialog.getByLabel("Name").fill("Release Manager");
    await dialog.getByText("Use lower-case letters").waitFor();
    await dialog.getByLabel("Name").fill("release-manager");
    await dialog.getByRole("radio", { name: "viewer" }).check();
    await dialog.getByRole("checkbox", { name: "changes:approve" }).check();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create role" }).click();
    await page.getByRole("cell", { name: "5 permissions." }).waitFor();
    await page.getByRole("button", { name: "Change release-manager" }).click();
    const change = page.getByRole("dialog", { name: "Change release-manager" });
    await change.getByRole("checkbox", { name: "changes:approve" }).uncheck();
    await change.getByRole("button", { name: "Save role" }).click();
    await page.getByRole("cell", { name: "4 permissions." }).waitFor();

    const holder = await storeUser(ui.stack, { displayName: "Holder", roles: ["release-manager"] });
    await page.getByRole("button", { name: "Delete release-manager" }).click();
    const question = page.getByRole("dialog", { name: "Delete the role release-manager?" });
    await question.getByRole("button", { name: "Delete role" }).click();
    await question
      .getByRole("alert")
      .getByText(/has this role/)
      .waitFor();
    const [grant] = (await principal(holder)).roleGrants;
    await ui.stack.http.request("DELETE", `/api/principals/${holder.id}/role-grants/${grant?.id}`);
    await question.getByRole("button", { name: "Delete role" }).click();
    await page.getByRole("button", { name: "Delete release-manager" }).waitFor({ state: "detached" });
    expect(opened.complaints).toEqual([]);
  });
});

describe("service accounts", () => {
  it("are created, and get a key that belongs to them", async () => {
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/people?tab=service-accounts");
    await page.getByRole("button", { name: "Create a service account" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Deployments");
    await page.getByRole("dialog").getByRole("button", { name: "Create service account" }).click();
    await page.getByRole("heading", { name: "Deployments", level: 1 }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("link", { name: "create a key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a key" });
    await dialog.getByLabel(/^Name/).fill("deploy");
    await expect
      .poll(() => dialog.getByRole("combobox", { name: "Service account" }).inputValue())
      .toBe("Deployments");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByTestId("raw-key").waitFor();
    const { body } = await ui.stack.http.get<{ apiKeys: { name: string; ownerDisplayName: string }[] }>(
      `/api/api-keys?organizationId=${ui.stack.organizationId}&q=deploy`,
    );
    expect(body.apiKeys).toMatchObject([{ name: "deploy", ownerDisplayName: "Deployments" }]);

    await page.getByRole("button", { name: "I've saved the key" }).click();
    await page.getByRole("button", { name: "Create a key" }).click();
    await dialog.getByRole("combobox", { name: "Service account" }).waitFor();
    expect(await dialog.getByRole("combobox", { name: "Service account" }).inputValue()).toBe("");
    await page.goto(`/api-keys?new=ci-scan&for=${ada.id}`);
    // The form shows the owner that the link chose, also one that is no service account.
    await expect
      .poll(() => dialog.getByRole("combobox", { name: "Service account" }).inputValue())
      .toBe(ada.id);
    expect(opened.complaints).toEqual([]);
  });

  it("are listed whatever role the list of people was filtered by", async () => {
    await ui.stack.http.post("/api/principals", { type: "service_account", displayName: "Nightly" });
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/people?role=administrator");
    await page.getByRole("link", { name: "Ada", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Service accounts" }).click();
    await page.getByRole("link", { name: "Nightly" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
