import { expect, test } from "vitest";
import { describeScope, summarizeScopes } from "./describe-scope.ts";

const ID = "11111111-1111-1111-1111-111111111111";
const ORDERS = { resourceConstraints: { serviceNames: ["orders", "payments-*"] } };

test("a scope in words names what it is bound to", () => {
  expect(describeScope({ permission: "scans:create" })).toBe("scans:create");
  expect(describeScope({ permission: "*" })).toBe("everything");
  expect(describeScope({ permission: "scans:create", serviceId: null })).toBe("scans:create");
  expect(describeScope({ permission: "scans:create", ...ORDERS })).toBe(
    "scans:create, only for orders, payments-*",
  );
  expect(
    describeScope({ permission: "a:b", serviceId: ID, resourceConstraints: { region: "eu", level: 2 } }),
  ).toBe(`a:b, only for serviceId ${ID}; region eu; level 2`);
});

test("several scopes in one line have their bound only where it is the same", () => {
  const [create, write] = [{ permission: "scans:create" }, { permission: "endpoints:write" }];
  expect(summarizeScopes([])).toBe("nothing");
  expect(summarizeScopes([create])).toBe("scans:create");
  expect(summarizeScopes([create, write])).toBe("scans:create and 1 more");
  expect(
    summarizeScopes([
      { ...create, ...ORDERS },
      { ...write, ...ORDERS },
    ]),
  ).toBe("scans:create and 1 more, only for orders, payments-*");
  expect(summarizeScopes([{ ...create, ...ORDERS }, write])).toBe(
    "scans:create and 1 more, with constraints",
  );
});
