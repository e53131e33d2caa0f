import { expect, test } from "vitest";
import { describeOwner } from "./describe-owner.ts";

const NOBODY = { ownerPrincipalType: null, ownerPrincipalId: null, ownerDisplayName: null } as const;

test.each([
  [{}, "not recorded"],
  [{ ownerPrincipalType: "user" as const }, "a person"],
  [{ ownerPrincipalType: "service_account" as const, ownerPrincipalId: "id" }, "a service account, id"],
  [
    { ownerPrincipalType: "user" as const, ownerDisplayName: "Ada", ownerPrincipalId: "id" },
    "a person, Ada, id",
  ],
  [{ ownerDisplayName: "Ada" }, "Ada"],
])("the owner %o is %s", (known, words) => {
  expect(describeOwner({ ...NOBODY, ...known })).toBe(words);
});
