import type { Session } from "@waymark/shared/session/schema.ts";
import { expect, test } from "vitest";
import { keyRequest, offeredForOwnKey, ownServiceNames } from "./key-request.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const FORM = {
  name: "ci",
  owner: "service_account" as const,
  ownerId: undefined,
  lifetime: "30",
  services: [],
  networks: "",
  permissions: ["scans:create", "endpoints:write"],
};
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
const bound = (permission: string, serviceNames: unknown) => ({
  permission,
  resourceConstraints: { serviceNames },
});

test("a key without services and networks is bound to none, and ends after its days", () => {
  expect(keyRequest(FORM, NOW)).toEqual({
    name: "ci",
    ownerPrincipalType: "service_account",
    expiresAt: "2026-03-31T12:00:00.000Z",
    allowedNetworks: null,
    scopes: ["scans:create", "endpoints:write"],
  });
  expect(keyRequest({ ...FORM, lifetime: "never" }, NOW).expiresAt).toBeNull();
});

test("a key that belongs to somebody names the owner", () => {
  expect(keyRequest({ ...FORM, owner: "user", ownerId: "u" }, NOW)).toMatchObject({
    ownerPrincipalType: "user",
    ownerPrincipalId: "u",
  });
});

test("services bind every scope, and networks the key; blanks and empty items don't count", () => {
  const request = keyRequest(
    { ...FORM, services: ["orders", "payments-*"], networks: "203.0.113.0/24," },
    NOW,
  );
  expect(request.allowedNetworks).toEqual(["203.0.113.0/24"]);
  expect(request.scopes).toEqual(FORM.permissions.map((each) => bound(each, ["orders", "payments-*"])));
});

test("services are prefilled where all scopes are bound to the same ones", () => {
  expect(ownServiceNames(undefined)).toEqual([]);
  expect(ownServiceNames(session([bound("a:b", ["x", "y"]), bound("c:d", ["x", "y"])]))).toEqual(["x", "y"]);
  expect(ownServiceNames(session([bound("a:b", ["x"]), bound("c:d", ["y"])]))).toEqual([]);
  expect(ownServiceNames(session([bound("a:b", ["x"]), { permission: "c:d" }]))).toEqual([]);
  expect(ownServiceNames(session([bound("a:b", "x")]))).toEqual([]);
});

test("a user's own key may have everything if the key in use has, because the roles limit both", () => {
  const viewer = session([{ permission: "services:read" }]);
  expect(offeredForOwnKey(viewer, [{ permission: "*" }])).toEqual(["services:read", "*"]);
  expect(offeredForOwnKey(viewer, [{ permission: "services:read" }])).toEqual(["services:read"]);
  expect(offeredForOwnKey(viewer, [{ permission: "*", serviceId: "s" }])).toEqual(["services:read"]);
  const bounded = (resourceConstraints: object) => [
    { permission: "*", resourceConstraints: { ...resourceConstraints } },
  ];
  expect(offeredForOwnKey(viewer, bounded({ serviceIds: ["s"] }))).toEqual(["services:read"]);
  expect(offeredForOwnKey(viewer, bounded({ serviceNames: ["a"] }))).toEqual(["services:read", "*"]);
  expect(
    offeredForOwnKey(session([{ permission: "*" }]), [{ permission: "*" }]).filter((one) => one === "*"),
  ).toEqual(["*"]);
});
