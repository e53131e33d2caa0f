import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { expect, test } from "vitest";
import { describePermission, firstPermissions, presetOf, PRESETS, presetsFrom } from "./presets.ts";

const idsFrom = (offered: readonly string[]) => presetsFrom(offered).map(({ id }) => id);

test("a key offers the presets of which it has every permission", () => {
  expect(idsFrom([...PERMISSIONS, "*"])).toEqual(["ci-scan", "ci-gates", "read-only", "administrator"]);
  expect(idsFrom(PERMISSIONS)).toEqual(["ci-scan", "ci-gates", "read-only"]);
  expect(idsFrom(["services:read", "endpoints:read", "scans:create"])).toEqual(["read-only"]);
  expect(idsFrom([])).toEqual([]);
});

test("a selection is a preset only with exactly its permissions, in any order", () => {
  for (const { id, permissions } of PRESETS) expect(presetOf(permissions.toReversed())).toBe(id);
  expect(presetOf(["services:read"])).toBeUndefined();
  expect(presetOf(["services:read", "endpoints:read", "audit:read"])).toBeUndefined();
  expect(presetOf([])).toBeUndefined();
});

test("every permission has a description", () => {
  for (const permission of [...PERMISSIONS, "*"]) expect(describePermission(permission)).not.toBe("");
});

test("a link's preset is selected first where it can be granted", () => {
  expect(firstPermissions(["services:read", "endpoints:read"], "ci-scan")).toEqual([
    "services:read",
    "endpoints:read",
  ]);
  expect(firstPermissions(PERMISSIONS, "ci-gates")).toHaveLength(6);
  expect(firstPermissions(PERMISSIONS, "unknown")).toHaveLength(4);
  expect(firstPermissions([], "ci-scan")).toEqual([]);
});
