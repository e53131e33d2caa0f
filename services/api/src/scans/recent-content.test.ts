import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createRecentContent } from "./recent-content.ts";

const hashOf = (body: string) => createHash("sha256").update(body).digest();
const scan = {
  organizationId: "org-1",
  bodyHash: hashOf("a"),
  service: { id: "id-1", name: "payments" },
  chunks: ["c1", "c2"],
};

describe("the cache of recent content", () => {
  it("knows a body's service, a service's id and its last chunks", () => {
    const recent = createRecentContent();
    expect(recent.serviceOfBody("org-1", hashOf("a"))).toBeUndefined();
    expect(recent.compare("org-1", "payments", ["c1"])).toEqual({
      service: { name: "payments" },
      newChunks: new Set(["c1"]),
    });
    recent.remember(scan);
    expect(recent.serviceOfBody("org-1", hashOf("a"))).toEqual(scan.service);
    expect(recent.compare("org-1", "payments", ["c2", "c3", "c1"])).toEqual({
      service: scan.service,
      newChunks: new Set(["c3"]),
    });
  });

  it("is separate for each organization", () => {
    const recent = createRecentContent();
    recent.remember(scan);
    expect(recent.serviceOfBody("org-2", scan.bodyHash)).toBeUndefined();
    expect(recent.compare("org-2", "payments", ["c1"])).toEqual({
      service: { name: "payments" },
      newChunks: new Set(["c1"]),
    });
  });

  it("keeps a service's chunks if only its body was recognized", () => {
    const recent = createRecentContent();
    recent.remember(scan);
    recent.remember({ ...scan, bodyHash: hashOf("b"), chunks: undefined });
    expect(recent.compare("org-1", "payments", ["c1", "c2"]).newChunks.size).toBe(0);
    expect(recent.serviceOfBody("org-1", hashOf("b"))).toEqual(scan.service);
  });

  it("removes the least recently used entries, so that its memory is limited", () => {
    const recent = createRecentContent();
    const chunks = Array.from({ length: 400 }, (_, n) => n.toString(16).padStart(32, "0"));
    for (let n = 0; n < 3_000; n++) {
      const service = { id: `id-${n}`, name: `service-${n}` };
      recent.remember({ ...scan, bodyHash: hashOf(String(n)), service, chunks });
    }
    expect(recent.compare("org-1", "service-0", chunks)).toMatchObject({ service: { name: "service-0" } });
    expect(recent.compare("org-1", "service-0", chunks).newChunks.size).toBe(400);
    expect(recent.compare("org-1", "service-2999", chunks).newChunks.size).toBe(0);
  });
});
