import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { query } from "@waymark/test-support/sql.ts";

/** Is read as `exe.pdf` where the override takes effect. */
const REVERSED = "\u202efdp.exe";
const SHOWN = String.raw`\u{202e}fdp.exe`;
const LONG_CODE = "r".repeat(120);

let ui: TestConsole;
let pages: string[];
beforeAll(async () => {
  ui = await startConsole();
  const { scanRunId, serviceId } = await ui.scan(hostileScan());
  const reason = `known ${REVERSED}`;
  await ui.stack.http.post("/api/finding-decisions", {
    kind: "wont_fix",
    serviceId,
    code: LONG_CODE,
    reason,
  });
  const fingerprints = ["0".repeat(32)];
  await ui.stack.http.post(`/api/services/${serviceId}/change-approvals`, { fingerprints, reason });
  // The names of keys and services are refused with such characters, so they are stored here as an earlier version could have.
  await query(ui.stack, "UPDATE services SET name = $1 WHERE id = $2", [`service ${REVERSED}`, serviceId]);
  await createKey(ui.stack, ["services:read"]);
  await query(ui.stack, "UPDATE api_keys SET name = $1 WHERE name = 'test'", [`key ${REVERSED}`]);
  const { id } = await storeDocument(ui.stack, { path: "a.journey.yaml", text: journeyText(REVERSED) });
  pages = [
    "/",
    "/services",
    `/services/${serviceId}`,
    `/services/${serviceId}?tab=runs`,
    `/services/${serviceId}/description`,
    `/services/${serviceId}/endpoint?of=${encodeURIComponent(`GET /files/${REVERSED}`)}`,
    `/scan-runs/${scanRunId}`,
    `/scan-runs/${scanRunId}?tab=findings`,
    `/scan-runs/${scanRunId}?tab=changes`,
    "/findings",
    "/decisions",
    "/decisions?tab=changes",
    "/endpoints?q=files",
    "/api-keys",
    "/journeys",
    `/journeys/${id}?tab=text`,
    `/journeys/${id}/edit?view=text`,
  ];
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

function hostileScan(): ScanIngestionPayload {
  const place = { method: "GET", path: `/files/${REVERSED}` } as const;
  const message = `The file ${REVERSED}. ${"many words ".repeat(30)}`;
  return {
    ...scanPayload({ serviceName: "service" }),
    endpoints: [{ ...place, operationId: `get${REVERSED}`, tags: [REVERSED], summary: REVERSED }],
    findings: [
      { ...place, code: LONG_CODE, severity: "critical", message },
      { ...place, code: `code${REVERSED}`, severity: "high", message },
      ...Array.from({ length: 30 }, () => ({ ...place, code: "long", severity: "low" as const, message })),
    ],
  };
}

/** Everything that is read or read out and has the override. */
const REVERSED_TEXTS = `
  [document.title, document.body.innerText, ...[...document.querySelectorAll("[title], [aria-label]")]
    .flatMap((element) => [element.title, element.ariaLabel])].filter((text) => text?.includes("\\u202e"))`;

/** Pairs of the elements of which one lies over another by more than a pixel. */
async function overlaps(page: Page, selector: string): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const all = [...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => ({
      name: element.textContent.slice(0, 20), box: element.getBoundingClientRect() }));
    const lies = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return all.flatMap((a, index) => all.slice(index + 1).filter((b) => lies(a.box, b.box)).map((b) => a.name + " / " + b.name));
  })()`);
}

describe("a stranger's text", () => {
  it("never looks like another one: invisible characters are shown on every page", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    for (const path of pages) {
      await page.goto(path);
      await expect.poll(() => page.locator("main").innerText(), { message: path }).toContain(SHOWN);
      expect.soft(await page.evaluate(REVERSED_TEXTS), path).toEqual([]);
    }
    expect(opened.complaints).toEqual([]);
  });

  it("of 120 characters stays in its column beside the findings", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/findings");
    const rule = page.getByRole("region", { name: "Rule" }).getByRole("button", { name: LONG_CODE });
    await page
      .getByRole("button", { name: /^The file/ })
      .first()
      .waitFor();
    const [button, table] = [await rule.boundingBox(), await page.getByRole("table").boundingBox()];
    expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThan(table?.x ?? 0);
  });

  it("prints below each other, also where the browser doesn't announce that it prints", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/findings");
    await page
      .getByRole("button", { name: /^The file/ })
      .first()
      .waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await overlaps(page, "[role=table] [role=row]")).toEqual([]);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.getByRole("row").count()).toBe(33);
    expect(await overlaps(page, "[role=table] [role=row]")).toEqual([]);
    await page.emulateMedia({ media: null });
  });
});
