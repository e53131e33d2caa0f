import { ofSourceFields } from "@waymark/shared/scans/source/schema.ts";
import { expect, test } from "vitest";
import { StoredSource } from "./stored-source.ts";

const NOTHING = ofSourceFields(() => null);

test.each([
  ["one with a few fields", { branch: "main" }, { ...NOTHING, branch: "main" }],
  ["one with fields that are null", { branch: "main", commit: null }, { ...NOTHING, branch: "main" }],
  [
    "one with a field that this version doesn't know",
    { branch: "main", later: "x" },
    { ...NOTHING, branch: "main" },
  ],
  ["none", null, null],
])("a stored source has every field when it is read: %s", (_, stored, source) => {
  expect(StoredSource.parse(stored)).toEqual(source);
});
