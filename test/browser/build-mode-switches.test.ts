import { readFileSync } from "node:fs";
import path from "node:path";
import { storedText } from "@waymark/test-support/build-mode.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { ARAZZO_DOCUMENTS, WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { journeyText, sendChangeset } from "@waymark/test-support/journeys.ts";
import { REAL_YAML } from "@waymark/test-support/real-yaml.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordFigures } from "../faults/support/figures.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const SWITCHES = 100;

interface RealDocument {
  name: string;
  kind: "journey" | "overlay";
  text: string;
}

/** Reads a file as a document. Every second document gets the line breaks of Windows. */
function documentOf(file: string, index: number): RealDocument {
  const text = readFileSync(file, "utf8");
  const name = path.basename(file).replace(/[.]ya?ml$/, "");
  const kind = /^overlay:/m.test(text) ? "overlay" : "journey";
  return { name, kind, text: index % 2 === 0 ? text : text.replaceAll(/\r?\n/g, "\r\n") };
}

const STEPS_200: RealDocument = {
  name: "200 steps",
  kind: "journey",
  text: Array.from(
    { length: 199 },
    (_, n) => `      - stepId: s${n} # ${n}\n        operationId: 'call'\n`,
  ).reduce((text, step) => text + step, journeyText("Long")),
};

/** Those with steps first, then pipelines, descriptions and deployments of others, of which the view says that they have no workflow. */
const REAL = [
  ...new Set([WORKED_EXAMPLE.journey, ...ARAZZO_DOCUMENTS, WORKED_EXAMPLE.overlay, ...REAL_YAML]),
];
const DOCUMENTS: readonly RealDocument[] = [
  ...REAL.slice(0, scaled({ short: 2, long: 60 })).map(documentOf),
  ...scaled({ short: [], long: [STEPS_200] }),
];

it(
  "a document can be switched between its views 100 times without a change of a byte",
  async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const tally = { documents: 0, "with CRLF": 0, "with comments": 0, switches: 0, "versions made": 0 };
    for (const [index, document] of DOCUMENTS.entries()) {
      // The variant refers to its base, the first document, by this name.
      const name = index === 0 ? "notes" : index;
      const id = await store(document, `switched/${name}.${document.kind}.yaml`);
      await page.goto(`/journeys/${id}/edit`);
      await page.getByText("As version 1", { exact: true }).waitFor();
      expect({ document: document.name, shown: await page.evaluate(SWITCH) }).toEqual({
        document: document.name,
        shown: `${SWITCHES} switches`,
      });
      await page.getByText("As version 1", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true);
      expect(await storedText(ui.stack, id)).toEqual({ version: 1, text: document.text });
      tally.documents += 1;
      tally.switches += SWITCHES;
      if (document.text.includes("\r\n")) tally["with CRLF"] += 1;
      if (/^\s*#/m.test(document.text)) tally["with comments"] += 1;
    }
    recordFigures("Switches between the views of build mode", tally);
    expect(opened.complaints).toEqual([]);
  },
  scaled({ short: 300_000, long: 3_600_000 }),
);

async function store({ kind, text }: RealDocument, name: string): Promise<string> {
  const { body } = await sendChangeset(ui.stack, {
    changes: [{ path: name, kind, text, baseVersion: null }],
  });
  return body.documents[0]?.id ?? "";
}

/** In turn YAML, both, visual: each time until the views are there. As text, because it runs in the page. */
const SWITCH = `(async () => {
  const button = (name) => [...document.querySelectorAll("button[aria-pressed]")].find((one) => one.textContent === name);
  const shown = () => {
    const { children, dataset } = document.querySelector("div[data-view]");
    const isLoading = document.querySelector('[aria-label^="Loading"]') !== null;
    return isLoading ? "" : [dataset.view, children.length, document.querySelector(".cm-content") !== null].join();
  };
  const views = [["YAML", "yaml,1,true"], ["Both", "split,2,true"], ["Visual", "visual,1,false"]];
  for (let switches = 0; switches < ${SWITCHES}; switches += 1) {
    const [name, expected] = views[switches % views.length];
    button(name).click();
    const end = performance.now() + 30000;
    while (shown() !== expected && performance.now() < end) await new Promise((done) => setTimeout(done));
    if (shown() !== expected) return "after " + switches + " switches: " + shown();
  }
  return "${SWITCHES} switches";
})()`;
