import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { root } from "../../scripts/bootstrap/checkout.mjs";

// The checker imports JSON without the attribute that Node requires.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { validate } = await import("@actions/languageservice");

const WORKFLOWS = ".github/workflows";
const files = [
  ...readdirSync(path.join(root, WORKFLOWS)).map((name) => `${WORKFLOWS}/${name}`),
  "deploy/github-action/action.yml",
];

/** The faults that GitHub's own checker finds in a workflow or action, one per line. It caches files by name. */
async function complaints(file: string, text: string): Promise<string[]> {
  const found = await validate(TextDocument.create(`file:///${file}`, "yaml", 1, text));
  return found.map(
    ({ message, range }) =>
      `${file}:${range.start.line + 1}: ${typeof message === "string" ? message : message.value}`,
  );
}

const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

describe("the workflows and the action", () => {
  test.each(files)("%s is valid for GitHub", async (file) => {
    expect(await complaints(file, read(file))).toEqual([]);
  });

  test("would not be valid with an unknown key, an unknown step or no shell", async () => {
    const check = read(`${WORKFLOWS}/check.yml`);
    const broken = check
      .replace("pull_request:", "pull_reqest:")
      .replace("- run: npm run check", "- run: echo ${{ steps.nowhere.outputs.x }}");
    expect(await complaints(`${WORKFLOWS}/broken.yml`, broken)).toEqual([
      expect.stringContaining("nowhere"),
      expect.stringContaining("pull_reqest"),
    ]);
    const action = read("deploy/github-action/action.yml").replaceAll("      shell: bash\n", "");
    expect(await complaints("broken/action.yml", action)).toEqual([
      expect.stringContaining("shell"),
      expect.stringContaining("shell"),
      expect.stringContaining("shell"),
    ]);
  });

  test("are valid for GitHub in docs/rollout.md, too", async () => {
    const blocks = [...read("docs/rollout.md").matchAll(/^```yaml\n([^]*?)^```/gm)].map(
      ([, text]) => text ?? "",
    );
    const workflows = blocks.filter((text) => text.includes("jobs:"));
    expect(workflows).toHaveLength(2);
    for (const [at, text] of workflows.entries())
      expect(await complaints(`${WORKFLOWS}/rollout-${at}.yml`, text)).toEqual([]);
  });

  test.each(files)("%s names the actions of others by commit, with the version beside it", (file) => {
    const uses = read(file).match(/^.*\buses:.*$/gm) ?? [];
    expect(uses.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test.each(files.slice(0, -1))("%s gives its jobs only read permission by default", (file) => {
    expect(read(file)).toMatch(/^permissions:\n {2}contents: read\n$/m);
  });
});
