import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { packedCommand } from "@waymark/test-support/packed-command.ts";
import { createHostedOrganization } from "@waymark/test-support/stack.ts";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const CLICKS_MAX = 5;

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole({ apiEnv: { DOWNLOADS_FOLDER: path.dirname(await packedCommand()) } });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

interface Step {
  run?: string;
  env?: Record<string, string>;
}

/** Runs the steps of a copied job as GitHub does, in a checkout with a description, and with one secret. */
async function runJob(text: string, secret: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "waymark-first-scan-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const checkout = path.join(folder, "checkout");
  await mkdir(checkout);
  await cp(path.join(root, "examples/bookshop.openapi.yaml"), path.join(checkout, "openapi.yaml"));
  const added = path.join(folder, "added-to-path");
  const { steps }: { steps: Step[] } = Object.values(parse(text) as Record<string, { steps: Step[] }>)[0] ?? {
    steps: [],
  };
  for (const { run, env = {} } of steps.filter((step) => step.run !== undefined)) {
    const paths = await readFile(added, "utf8").catch(() => "");
    const given = Object.entries(env).map(([name, value]) => [
      name,
      value.replaceAll("${{ secrets.WAYMARK_API_KEY }}", secret),
    ]);
    await promisify(execFile)("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run ?? ""], {
      cwd: checkout,
      env: {
        PATH: [...paths.split("\n").filter(Boolean), process.env["PATH"] ?? ""].join(":"),
        HOME: folder,
        RUNNER_TEMP: folder,
        GITHUB_PATH: added,
        ...Object.fromEntries(given),
      },
    });
  }
}

it("the first scan of an empty organization takes five clicks, a name, and the copied job, which runs", async () => {
  const { apiKey } = await createHostedOrganization(ui.stack.databaseUrl, "Beginners");
  await using opened = await ui.open({ as: apiKey, context: { reducedMotion: "reduce" }, isNew: true });
  const { page } = opened;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
  let clicks = 0;
  const click = async (target: Locator) => {
    await target.click();
    clicks++;
  };
  await page.goto("/");
  await page.getByText("Waiting for the first scan").waitFor();
  const started = performance.now();
  await click(page.getByRole("link", { name: "Create a CI key" }));
  await page.getByLabel("Name").fill("pipeline");
  await page.keyboard.press("Enter");
  await click(page.getByRole("button", { name: "Copy the key" }));
  await expect.poll(copied).toMatch(/^wmk_/);
  const key = await copied();
  await click(page.getByRole("button", { name: "I've saved the key" }));
  const back = page.getByRole("link", { name: "Back to the first scan" });
  await back.waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await click(back);
  await page.getByText("Waiting for the first scan").waitFor();
  await click(page.getByRole("button", { name: "Copy the GitHub Actions job" }));
  await expect.poll(copied).toContain("runs-on");
  await runJob(await copied(), key);
  await page.waitForURL("**/scan-runs/*");
  await page.getByRole("tab", { name: "Findings (14)" }).waitFor();
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`the first scan: ${clicks} clicks, ${seconds.toFixed(1)} s\n`);
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
  expect(opened.complaints).toEqual([]);
}, 180_000);
