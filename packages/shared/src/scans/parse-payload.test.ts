import { describe, expect, it } from "vitest";
import { parseScanPayload } from "./parse-payload.ts";
import { SCAN_LIMITS } from "./limits.ts";

const endpoint = { method: "GET", path: "/items", operationId: "listItems", tags: ["items"], summary: null };
const finding = { code: "no-auth", severity: "high", message: "No security.", method: "GET", path: "/items" };
const payload = {
  service: { name: "items" },
  spec: { hash: "a".repeat(64), format: "openapi", version: "1.0.0", title: "Items" },
  endpoints: [endpoint],
  findings: [finding],
};

/** `payload` with one field replaced; the path is written as in error details. */
function withField(place: string, value: unknown): unknown {
  const copy: unknown = structuredClone(payload);
  const parts = place.split(/[.[\]]+/).filter((part) => part !== "");
  const last = parts.pop() ?? "";
  let target = copy as Record<string, unknown>;
  for (const part of parts) target = target[part] as Record<string, unknown>;
  if (value === undefined) delete target[last];
  else target[last] = value;
  return copy;
}

function faultsOf(input: unknown): string[] {
  const result = parseScanPayload(input);
  return result.ok ? [] : result.details.map((detail) => detail.path);
}

/** Characters, not UTF-16 units: each of these emoji is two units. */
const long = (characters: number) => "😀".repeat(characters);

describe("parseScanPayload", () => {
  it("accepts a payload and returns it unchanged", () => {
    expect(parseScanPayload(payload)).toEqual({ ok: true, payload });
  });

  it.each([
    ["service.name", SCAN_LIMITS.serviceNameMax],
    ["spec.version", SCAN_LIMITS.specVersionMax],
    ["spec.title", SCAN_LIMITS.specTitleMax],
    ["endpoints[0].path", SCAN_LIMITS.pathMax],
    ["endpoints[0].operationId", SCAN_LIMITS.operationIdMax],
    ["endpoints[0].summary", SCAN_LIMITS.summaryMax],
    ["findings[0].code", SCAN_LIMITS.codeMax],
    ["findings[0].message", SCAN_LIMITS.messageMax],
    ["findings[0].path", SCAN_LIMITS.pathMax],
  ])("accepts %s up to %i Unicode characters and refuses one more", (place, max) => {
    expect(faultsOf(withField(place, long(max)))).toEqual([]);
    expect(faultsOf(withField(place, long(max + 1)))).toEqual([place]);
    expect(faultsOf(withField(place, "a".repeat(max + 1)))).toEqual([place]);
  });

  it("accepts a hash of any 64 characters", () => {
    expect(faultsOf(withField("spec.hash", long(64)))).toEqual([]);
    expect(faultsOf(withField("spec.hash", "z".repeat(64)))).toEqual([]);
    expect(faultsOf(withField("spec.hash", "a".repeat(63)))).toEqual(["spec.hash"]);
    expect(faultsOf(withField("spec.hash", long(63)))).toEqual(["spec.hash"]);
    expect(faultsOf(withField("spec.hash", "a".repeat(65)))).toEqual(["spec.hash"]);
  });

  it.each([
    "service",
    "service.name",
    "spec",
    "spec.hash",
    "spec.format",
    "endpoints",
    "findings",
    "endpoints[0].method",
    "endpoints[0].path",
    "endpoints[0].operationId",
    "endpoints[0].tags",
    "endpoints[0].summary",
    "findings[0].code",
    "findings[0].severity",
    "findings[0].message",
    "findings[0].method",
    "findings[0].path",
  ])("requires %s", (place) => {
    expect(faultsOf(withField(place, undefined))).toEqual([place]);
  });

  it.each(["spec.version", "spec.title"])("does without %s, but does not take null for it", (place) => {
    expect(faultsOf(withField(place, undefined))).toEqual([]);
    expect(faultsOf(withField(place, null))).toEqual([place]);
  });

  it.each(["endpoints[0].operationId", "endpoints[0].summary", "findings[0].method", "findings[0].path"])(
    "takes null for %s",
    (place) => {
      expect(faultsOf(withField(place, null))).toEqual([]);
    },
  );

  it.each(["endpoints[0].path", "endpoints[0].operationId", "findings[0].code", "findings[0].message"])(
    "takes an empty %s: the specification sets no minimum",
    (place) => {
      expect(faultsOf(withField(place, ""))).toEqual([]);
    },
  );

  it("refuses an empty service name", () => {
    expect(faultsOf(withField("service.name", ""))).toEqual(["service.name"]);
  });

  it.each(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"])(
    "takes the method %s",
    (method) => {
      expect(faultsOf(withField("endpoints[0].method", method))).toEqual([]);
      expect(faultsOf(withField("findings[0].method", method))).toEqual([]);
    },
  );

  it.each([
    ["endpoints[0].method", "get"],
    ["endpoints[0].method", "CONNECT"],
    ["endpoints[0].method", null],
    ["findings[0].severity", "High"],
    ["findings[0].severity", "error"],
    ["spec.format", "swagger"],
    ["service.name", 7],
    ["endpoints", {}],
    ["findings", null],
  ])("refuses %s = %j", (place, value) => {
    expect(faultsOf(withField(place, value))).toEqual([place]);
  });

  it("accepts 2000 endpoints, 500 findings and 20 tags, and refuses one more of each", () => {
    const { endpointsMax, findingsMax, tagsMax } = SCAN_LIMITS;
    expect(faultsOf({ ...payload, endpoints: Array(endpointsMax).fill(endpoint) })).toEqual([]);
    expect(faultsOf({ ...payload, endpoints: Array(endpointsMax + 1).fill(endpoint) })).toEqual([
      "endpoints",
    ]);
    expect(faultsOf({ ...payload, findings: Array(findingsMax).fill(finding) })).toEqual([]);
    expect(faultsOf({ ...payload, findings: Array(findingsMax + 1).fill(finding) })).toEqual(["findings"]);
    expect(faultsOf(withField("endpoints[0].tags", Array(tagsMax).fill("t")))).toEqual([]);
    expect(faultsOf(withField("endpoints[0].tags", Array(tagsMax + 1).fill("t")))).toEqual([
      "endpoints[0].tags",
    ]);
  });

  it.each(["organizationId", "organization_id", "organization", "tenantId"])(
    "refuses %s in the body",
    (name) => {
      expect(parseScanPayload({ ...payload, [name]: "11111111-1111-1111-1111-111111111111" })).toEqual({
        ok: false,
        details: [{ path: "", message: `unknown field "${name}"` }],
      });
    },
  );

  it.each(["service", "spec", "endpoints[0]", "findings[0]"])("refuses an unknown field in %s", (place) => {
    expect(faultsOf(withField(`${place}.extra`, 1))).toEqual([place]);
  });

  it("refuses __proto__ and constructor as unknown fields", () => {
    const hostile: unknown = JSON.parse(`{"__proto__": {"admin": true}, "constructor": 1}`);
    expect(parseScanPayload(hostile)).toMatchObject({ ok: false });
    expect(faultsOf(withField("spec.__proto__x", 1))).toEqual(["spec"]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each([
    ["NUL", "a\0b"],
    ["a lone surrogate", "a\ud800b"],
  ])("refuses %s in every string", (_name, value) => {
    for (const place of ["service.name", "spec.title", "endpoints[0].path", "findings[0].message"]) {
      expect(faultsOf(withField(place, value))).toEqual([place]);
    }
    expect(faultsOf(withField("endpoints[0].tags", [value]))).toEqual(["endpoints[0].tags[0]"]);
  });

  it("reports at most 20 faults, however many there are", () => {
    const wrong = { method: 1, path: 2, operationId: 3, tags: 4, summary: 5, [`x${"y".repeat(100_000)}`]: 6 };
    const result = parseScanPayload({ ...payload, endpoints: Array(2000).fill(wrong) });
    expect(result).toMatchObject({ ok: false });
    if (result.ok) return;
    expect(result.details).toHaveLength(20);
    expect(JSON.stringify(result.details).length).toBeLessThan(4_000);
  });

  it("checks no item of a list that is too long", () => {
    let looks = 0;
    const trap = new Proxy(
      {},
      {
        get: () => {
          looks++;
          return undefined;
        },
      },
    );
    expect(faultsOf({ ...payload, endpoints: Array(3000).fill(trap) })).toEqual(["endpoints"]);
    expect(faultsOf(withField("endpoints[0].tags", Array(3000).fill(trap)))).toEqual(["endpoints[0].tags"]);
    expect(looks).toBe(0);
  });
});
