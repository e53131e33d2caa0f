import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { expect, test } from "vitest";
import { stateOf } from "./key-state.ts";

test.each<[ApiKey["status"], string | null, string]>([
  ["active", null, "active"],
  ["active", "2026-03-01T00:00:00.000Z", "disabled"],
  ["expired", "2026-03-01T00:00:00.000Z", "expired"],
  ["revoked", null, "revoked"],
])("a key that is %s, disabled at %s, shows as %s", (status, disabledAt, state) => {
  expect(stateOf({ status, disabledAt } as ApiKey)).toBe(state);
});
