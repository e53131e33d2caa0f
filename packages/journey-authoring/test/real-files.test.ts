import { readFileSync } from "node:fs";
import path from "node:path";
import { parseDocument } from "yaml";
import { expect, test } from "vitest";
import { REAL_YAML } from "@waymark/test-support/real-yaml.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { EditCommand } from "../src/edit/command.ts";
import { editAll } from "../src/edit/edit-all.ts";
import { editOpened } from "../src/edit/edit-document.ts";
import { openForEdits } from "../src/edit/opened-text.ts";
import { expectedModel } from "../src/edit/expected-model.ts";
import { commandFrom } from "./support/arbitrary-edits.ts";
import type { EditChoice } from "./support/arbitrary-edits.ts";
import { ODD_YAML } from "./support/odd-yaml.ts";
import { randomFrom } from "./support/random.ts";

const EDITS = scaled({ short: 6, long: 200 });
const OPS = ["setScalar", "setValue", "insertItem", "moveItem", "removeValue", "wrapValue"] as const;
/** They take no text away. */
const KEEPS_COMMENTS = new Set(["insertItem", "moveItem"]);

/** Files as they are, and those of one YAML document that is an object. */
const found = REAL_YAML.map((file) => [path.basename(file), readFileSync(file, "utf8")] as const);
const files = [...new Map([...found, ...ODD_YAML].map(([name, text]) => [text, name])).entries()]
  .map(([text, name]) => ({ name, text, opened: openForEdits(text, { file: name }) }))
  .filter(({ opened }) => opened.problems.length === 0 && isObject(opened.value));

/** The files in which a command was carried out, by its kind. */
const done = new Map<string, Set<string>>(OPS.map((op) => [op, new Set()]));

test("there are at least 50 files, with anchors, comments and every kind of indentation", () => {
  const made = new Set(ODD_YAML.map(([, text]) => text));
  expect(files.filter(({ text }) => !made.has(text)).length).toBeGreaterThanOrEqual(50);
  expect(files.filter(({ text }) => /[:-] +&[A-Za-z]/.test(text)).length).toBeGreaterThanOrEqual(2);
  expect(files.filter(({ text }) => /^\s*#/m.test(text)).length).toBeGreaterThanOrEqual(15);
  expect(files.filter(({ text }) => /^(?: {3}| {4})[a-z-]/m.test(text)).length).toBeGreaterThanOrEqual(10);
});

test.each(files.map(({ name, text }) => [name, text]))(
  "%s: edits touch only what they are about",
  (name, text) => {
    const random = randomFrom(name.length * 7919 + text.length);
    let made = 0;
    for (let edit = 0; edit < EDITS; edit += 1) {
      const opened = openForEdits(text, { file: name });
      const command = commandOf(opened.value, {
        op: OPS[edit % OPS.length] ?? "setScalar",
        place: random.below(1e9),
        at: random.below(1e9),
        value: random.pick(["plain", "a: b # c", 12, null, "two\nlines\n", { a: 1, b: ["x"] }, ["one"]]),
        name: "added",
      });
      if (command === undefined) continue;
      const result = editOpened(opened, command);
      if (!result.ok) continue;
      made += 1;
      done.get(command.op)?.add(text);
      // Read anew, by the library alone.
      const value: unknown = parseDocument(result.text, { version: "1.2", merge: false }).toJS();
      expect(value).toEqual(isObject(opened.value) ? expectedModel(opened.value, command) : undefined);
      const expected = KEEPS_COMMENTS.has(command.op) ? comments(text) : comments(result.text);
      expect(comments(result.text)).toEqual(expected);
      expect(editAll(result.text, result.inverse, { file: name })).toMatchObject({ ok: true, text });
    }
    // A value behind an alias can't be edited in one of its places.
    expect(made).toBeGreaterThanOrEqual(text.includes(" *") ? 1 : EDITS / 3);
  },
);

test("each kind of command is carried out in at least 20 of them", () => {
  expect([...done].filter(([, texts]) => texts.size < 20)).toEqual([]);
});

function commandOf(value: unknown, choice: EditChoice) {
  const root: JsonObject = isObject(value) ? value : {};
  const command: EditCommand | undefined = commandFrom(root, choice);
  return command?.op === "patchText" || command?.op === "resetValue" ? undefined : command;
}

/** Comment lines, in any order: a moved item takes its own along. */
function comments(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trimStart().startsWith("#"))
    .toSorted();
}
