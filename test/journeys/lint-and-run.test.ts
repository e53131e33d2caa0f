import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { describe, expect, test } from "vitest";
import { ARAZZO_DOCUMENTS, WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { documentOf, OPENAPI, PROBE_FILES, probesOf, textsOf } from "./support/probe.ts";
import type { Probe } from "./support/probe.ts";
import { expectSame, type Files } from "./support/same-problems.ts";

function probeFiles(probe: Probe): Files {
  if (probe.files !== undefined) {
    const files = textsOf(probe.files);
    return { texts: Object.fromEntries(files), file: [...files.keys()][0] ?? "", given: {} };
  }
  const texts: Record<string, string> = { "probe.json": JSON.stringify(documentOf(probe), undefined, 1) };
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...(probe.openapi ?? { api: OPENAPI }), ...probe.arazzo })) {
    const file = value === "self" ? "probe.json" : `${name}.json`;
    texts[file] ??= JSON.stringify(value);
    // Sources of sources have the same files.
    for (const prefix of ["", ...Object.keys(probe.arazzo ?? {}).map((source) => `${source}.`)]) {
      given[prefix + name] = file;
    }
  }
  return { texts, file: "probe.json", given };
}

describe("lint and run report the same problems", () => {
  test.each(PROBE_FILES)("of every probe in %s", async (file) => {
    for (const probe of probesOf(file)) {
      const problems = await expectSame(probeFiles(probe));
      const isRefused = problems.some(({ severity }) => severity === "error");
      expect([probe.name, isRefused]).toEqual([probe.name, probe.expect.invalid !== undefined]);
    }
  });

  const documents = [
    ...ARAZZO_DOCUMENTS,
    WORKED_EXAMPLE.journey,
    path.join(root, "bench/journeys/things.arazzo.yaml"),
  ];

  test.each(documents)("of %s, and of it with any one value changed", async (file) => {
    const name = path.basename(file);
    const texts = textsBeside(file);
    const sound = await expectSame({ texts, file: name });
    let refused = 0;
    for (const [index, changed] of [...changes(parse(texts[name] ?? ""))].entries()) {
      if (index % scaled({ short: 5, long: 1 }) > 0) continue;
      const all = { ...texts, [name]: JSON.stringify(changed) };
      if ((await expectSame({ texts: all, file: name })).length > sound.length) refused += 1;
    }
    expect(refused).toBeGreaterThan(5);
  });
});

test("of an overlay and its base", async () => {
  const texts = textsBeside(WORKED_EXAMPLE.overlay);
  const [base, overlay] = [WORKED_EXAMPLE.journey, WORKED_EXAMPLE.overlay].map((file) => path.basename(file));
  if (base === undefined || overlay === undefined) throw new Error("no example");
  expect(await expectSame({ texts, file: overlay })).toEqual([]);
  const broken = { ...texts, [base]: texts[base]?.replace("stepId: add", "stepId: addition") ?? "" };
  expect((await expectSame({ texts: broken, file: overlay })).length).toBeGreaterThan(0);
});

/** A document and the files beside it, by name. */
function textsBeside(file: string): Record<string, string> {
  const folder = path.dirname(file);
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
}

/** The value with each of its members left out, and with each of its texts and numbers replaced. */
function* changes(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const changed of changes(item)) yield value.with(index, changed);
    }
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const rest: JsonObject = { ...value };
      delete rest[key];
      yield rest;
      for (const changed of changes(member)) yield { ...value, [key]: changed };
    }
  } else yield typeof value === "string" ? "gone" : "text";
}
