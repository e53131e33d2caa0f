import { describe, expect, it } from "vitest";
import { type Actor, authorize } from "./authorize.ts";
import type { AccessedResource } from "./scope-allows.ts";
import type { ApiKeyScope } from "./schema.ts";

const S1 = "11111111-1111-1111-1111-111111111111";
const S2 = "22222222-2222-2222-2222-22222222222a";

function actor(...scopes: Partial<ApiKeyScope>[]): Actor {
  return {
    organizationId: S1,
    apiKeyId: S2,
    scopes: scopes.map((scope) => ({ permission: "services:read", ...scope })),
  };
}
function refusal(who: Actor, resource: AccessedResource): string | undefined {
  try {
    authorize(who, "services:read", resource);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

describe("authorize", () => {
  it("grants nothing to an empty scope list, and names the permission", () => {
    expect(refusal(actor(), { serviceId: S1 })).toContain("lacks the permission services:read.");
  });

  it("grants nothing for a name that resembles a permission", () => {
    for (const permission of ["services:*", "*:*", "Services:read", "services:readx"]) {
      expect(refusal(actor({ permission }), {})).toContain("services:read");
    }
  });

  it.each<[keyof ApiKeyScope, string, AccessedResource, AccessedResource]>([
    ["serviceId", S1, { serviceId: S1 }, { serviceId: S2 }],
    ["environmentId", S1, { environmentId: S1 }, { serviceId: S1 }],
    ["workflowId", S1, { workflowId: S1 }, { workflowId: S2 }],
    ["resourceType", "api_key", { resourceType: "api_key" }, { resourceType: "scan_run" }],
    ["resourceType", "service", { serviceName: "new" }, { workflowId: S1 }],
    [
      "resourceId",
      S1,
      { resourceType: "api_key", resourceId: S1 },
      { resourceType: "api_key", resourceId: S2 },
    ],
    ["resourceId", S1, { serviceId: S1 }, { serviceName: "new" }],
  ])("enforces the constraint %s %s of a scope, and names it", (name, value, met, notMet) => {
    const bound = actor({ [name]: value });
    expect(refusal(bound, met)).toBeUndefined();
    expect(refusal(bound, notMet)).toContain(`limited by ${name}`);
    expect(refusal(bound, {})).toContain(`limited by ${name}`);
  });

  it("accepts ids in either case, and null for no constraint", () => {
    expect(refusal(actor({ serviceId: S2.toUpperCase() }), { serviceId: S2 })).toBeUndefined();
    expect(refusal(actor({ serviceId: null, resourceType: null }), {})).toBeUndefined();
  });

  it("requires that resourceType and resourceId match the same resource", () => {
    const bound = actor({ resourceType: "workflow", resourceId: S1 });
    expect(refusal(bound, { workflowId: S1 })).toBeUndefined();
    expect(refusal(bound, { workflowId: S2, serviceId: S1 })).toContain("resourceId");
  });

  it.each([
    [["payments"], "payments", true],
    [["payments"], "payments-eu", false],
    [["payments-*"], "payments-eu", true],
    [["payments-*"], "payments", false],
    [["*"], "anything", true],
    [["pay*ments"], "pay*ments", false],
    [["*-eu"], "payments-eu", false],
    [[], "payments", false],
    [[1, null, "payments"], "payments", true],
    ["payments", "payments", false],
  ])("resourceConstraints.serviceNames %j on a service named %s: %s", (serviceNames, serviceName, met) => {
    const failed = refusal(actor({ resourceConstraints: { serviceNames } }), { serviceName });
    const reason = expect.stringContaining("(its scope is limited by resourceConstraints.serviceNames)");
    expect(failed).toEqual(met ? undefined : reason);
  });

  it("never meets an unknown resource constraint, whatever else is met", () => {
    const scope = { resourceConstraints: { serviceNames: ["*"], region: "eu" } };
    expect(refusal(actor(scope), { serviceName: "payments" })).toContain("resourceConstraints.region");
    // A constraint of another name is unknown also if its value could be names of services.
    const names = { resourceConstraints: { environmentNames: ["*"] } };
    expect(refusal(actor(names), { serviceName: "payments" })).toContain("environmentNames");
  });

  it("refuses with a message that depends only on the key, not on the request", () => {
    const bound = actor({ resourceType: "service", resourceId: S1 }, { serviceId: S1 });
    const words = refusal(bound, {});
    expect(words).toContain("(its scope is limited by resourceType, resourceId, serviceId)");
    for (const resource of [{ serviceId: S2 }, { serviceName: "new" }, { resourceType: "api_key" }]) {
      expect(refusal(bound, resource)).toBe(words);
    }
  });

  it("names at most eight constraints", () => {
    const resourceConstraints = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`c${n}`, n]));
    const words = refusal(actor({ resourceConstraints }), {});
    expect(words).toContain("resourceConstraints.c7 and 992 more)");
    expect(words).not.toContain("c8,");
  });

  it("grants access by one scope although another fails", () => {
    expect(refusal(actor({ serviceId: S2 }, { serviceId: S1 }), { serviceId: S1 })).toBeUndefined();
  });
});
