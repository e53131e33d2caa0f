import { ApiKeyScope, EVERY_PERMISSION, PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { AuditAction } from "@waymark/shared/audit/schema.ts";
import { expect, it } from "vitest";
import { codesIn, difference, tableRows } from "./support/page.ts";

const PAGE = "docs/api-keys.md";

it("the table of permissions has exactly those with an effect", () => {
  const documented = tableRows(PAGE, ["permission", "allows"]).flatMap(([cell = ""]) => codesIn(cell));
  expect(
    difference(`The table of permissions in ${PAGE}`, documented, [...PERMISSIONS, EVERY_PERMISSION]),
  ).toBe("");
});

it("the table of constraints has every field that narrows a scope", () => {
  const documented = tableRows(PAGE, ["constraint", "met by"])
    .flatMap(([cell = ""]) => codesIn(cell))
    .map((name) => name.split(".")[0] ?? "");
  const fields = Object.keys(ApiKeyScope.shape).filter((name) => name !== "id" && name !== "permission");
  expect(difference(`The table of constraints in ${PAGE}`, documented, fields)).toBe("");
});

it("the table of the audit record has every action", () => {
  const documented = tableRows(PAGE, ["action", "`apiKeyId`"]).flatMap(([cell = ""]) => {
    const names = codesIn(cell);
    const [group = ""] = names[0]?.split(".") ?? [];
    return names.map((name) => (name.startsWith(".") ? `${group}${name}` : name));
  });
  expect(difference(`The table of audit actions in ${PAGE}`, documented, AuditAction.options)).toBe("");
});
