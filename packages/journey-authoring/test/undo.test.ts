import { readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ARAZZO_DOCUMENTS, PUBLISHED_DESCRIPTIONS, WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { isObject, jsonEqual } from "@waymark/openapi/json.ts";
import { EditCommand } from "../src/edit/command.ts";
import { editAll } from "../src/edit/edit-all.ts";
import { editOpened } from "../src/edit/edit-document.ts";
import { openForEdits } from "../src/edit/opened-text.ts";
import { expectedModel } from "../src/edit/expected-model.ts";
import { commandFrom, editChoices } from "./support/arbitrary-edits.ts";
import type { EditChoice } from "./support/arbitrary-edits.ts";
import { writtenDocument } from "./support/documents.ts";

const RUNS = scaled({ short: 120, long: 10_000 });
const SMALL = 12_000;

const texts: [string, string][] = [
  ...[...ARAZZO_DOCUMENTS, ...PUBLISHED_DESCRIPTIONS, WORKED_EXAMPLE.journey, WORKED_EXAMPLE.overlay]
    .map((file): [string, string] => [path.basename(file), readFileSync(file, "utf8")])
    .filter(([, text]) => text.length < SMALL),
  ...Array.from({ length: 30 }, (_, seed): [string, string] => {
    const { name, text } = writtenDocument(seed);
    return [name, text];
  }),
];

interface Tally {
  made: number;
  refused: number;
}

/** Carries out what fits, then undoes all of it. */
function editAndUndo([file, text]: [string, string], choices: readonly EditChoice[], tally: Tally): void {
  let opened = openForEdits(text, { file });
  const inverse: EditCommand[] = [];
  for (const choice of choices) {
    const { value } = opened;
    if (!isObject(value)) throw new Error(`${file} is no object`);
    const command = commandFrom(value, choice);
    if (command === undefined || command.op === "patchText" || command.op === "resetValue") continue;
    const result = editOpened(opened, EditCommand.parse(command));
    if (!result.ok) {
      tally.refused += 1;
      continue;
    }
    tally.made += 1;
    expect(jsonEqual(result.value, expectedModel(value, command))).toBe(true);
    inverse.unshift(...result.inverse);
    ({ opened } = result);
  }
  expect(editAll(opened.text, inverse, { file })).toMatchObject({ ok: true, text });
}

test("any edits of real documents mean what the model says, and undoing them gives the same bytes", () => {
  const tally: Tally = { made: 0, refused: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...texts), editChoices, (document, choices) => {
      editAndUndo(document, choices, tally);
    }),
    { numRuns: RUNS },
  );
  expect(tally.made).toBeGreaterThan(RUNS);
  // Few places of these documents can't take an edit: a list inside a list, a step that an alias stands for.
  expect(tally.refused).toBeLessThan(tally.made / 20);
});
