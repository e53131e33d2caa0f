import { existsSync } from "node:fs";
import { CreateIdentityProviderRequest } from "@waymark/shared/principals/identity-providers/schema.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { expect, it } from "vitest";
import { readPage } from "./support/page.ts";

const LINES_MAX = 12;

it.each(["keycloak", "entra", "okta", "google"])(
  "the page of %s has settings that the server takes, on a page that is short enough to follow",
  (name) => {
    const file = `docs/sign-in/${name}.md`;
    expect(existsSync(`${root}/${file}`)).toBe(true);
    const text = readPage(file);
    const blocks = [...text.matchAll(/^```json\n([^]*?)^```/gm)].map(([, json]) => json ?? "");
    expect(blocks).toHaveLength(1);
    const parsed = CreateIdentityProviderRequest.safeParse(JSON.parse(blocks[0] ?? ""));
    expect(parsed.error?.issues).toBeUndefined();
    const prose = text.replaceAll(/^```[^]*?^```/gm, "").split("\n");
    expect(prose.filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(LINES_MAX);
    expect(text).toContain("`redirectUri`");
    expect(readPage("docs/sign-in.md")).toContain(`(sign-in/${name}.md)`);
  },
);
