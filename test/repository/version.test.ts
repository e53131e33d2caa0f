import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { harReport } from "@waymark/journeys/report/har.ts";
import { VERSION } from "@waymark/shared/version.ts";
import { expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

interface Manifest {
  version: string;
  workspaces: string[];
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));

test("the manifest of the command is the only source of the version: the others are 0.0.0", () => {
  const { workspaces } = manifestOf(".");
  const folders = [".", ...workspaces].filter((folder) => folder !== "cli");
  expect(folders.filter((folder) => manifestOf(folder).version !== "0.0.0")).toEqual([]);
  expect(VERSION).toBe(manifestOf("cli").version);
});

test("reports of journeys name it", () => {
  expect(JSON.parse(harReport([]))).toMatchObject({ log: { creator: { version: VERSION } } });
});

test("no code and no manifest of the deployment repeats it", () => {
  const files = ["packages", "services", "cli/src", "cli/bin", "web/src", "deploy", "scripts"].flatMap(
    (folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.(ts|tsx|mjs|ya?ml)$|Dockerfile$/.test(file) && !file.includes("node_modules"))
        .map((file) => path.join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(300);
  const escaped = VERSION.replaceAll(".", "\\.");
  // As a field, a tag or a part of a file's name, because a bare number may have another meaning.
  const stated = new RegExp(`(version|tag)\\W{1,4}${escaped}\\b|waymark[@:/-]v?${escaped}\\b`, "i");
  expect(stated.test(`version: "${VERSION}"`) && stated.test(`waymark:${VERSION}`)).toBe(true);
  expect(files.filter((file) => stated.test(readFileSync(path.join(root, file), "utf8")))).toEqual([]);
});
