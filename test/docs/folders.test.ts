import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { difference, readPage } from "./support/page.ts";

/** The pages that list the content of a folder, and that folder. */
const LISTS = [
  { page: "packages/journeys/README.md", folder: "packages/journeys/src", files: false },
  { page: "packages/journey-authoring/README.md", folder: "packages/journey-authoring/src", files: false },
  { page: "packages/journey-sandbox/README.md", folder: "packages/journey-sandbox/src", files: true },
  { page: "packages/journey-transport/README.md", folder: "packages/journey-transport/src", files: true },
  { page: "packages/openapi/README.md", folder: "packages/openapi/src", files: true },
  { page: "packages/contract-diff/README.md", folder: "packages/contract-diff/src", files: false },
  { page: "web/README.md", folder: "web/src", files: false },
  { page: "test/README.md", folder: "test", files: false },
  { page: "bench/README.md", folder: "bench", files: false },
];

/** The names at the beginning of the entries of a page's lists and tables. */
function listed(page: string): string[] {
  return [...readPage(page).matchAll(/^(?:- |\| )`([\w-]+(?:\/|\.ts))`/gm)].map((match) => match[1] ?? "");
}

it.each(LISTS)("$page lists the content of its folder", ({ page, folder, files }) => {
  const present = readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || (files && !entry.name.endsWith(".test.ts")))
    .filter(({ name }) => name !== "node_modules" && name !== "version.ts")
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  expect(difference(page, listed(page), present)).toBe("");
});
