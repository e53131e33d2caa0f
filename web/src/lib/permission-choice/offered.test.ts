import type { Session } from "@waymark/shared/session/schema.ts";
import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { expect, test } from "vitest";
import { offeredBy } from "./offered.ts";

const session = (scopes: Session["scopes"]): Session => ({
  organizationId: "o",
  organizationName: "Acme",
  apiKeyId: "k",
  apiKeyName: "First key",
  principal: null,
  email: null,
  identityProviderId: null,
  scopes,
  expiresAt: null,
});

test("only what the signed-in key has is offered, and everything only by a key with everything", () => {
  expect(offeredBy(null)).toEqual([]);
  expect(offeredBy(session([{ permission: "scans:create" }, { permission: "un:known" }]))).toEqual([
    "scans:create",
  ]);
  expect(offeredBy(session([{ permission: "*" }]))).toEqual([...PERMISSIONS, "*"]);
});
