import { createHash } from "node:crypto";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";

const WORDS =
  "account amount balance charge currency customer date discount document fee invoice item line lock method order owner page payment price " +
  "quantity rate refund region report state status tax total user value window year zone";

/** The description of one service, whose operations change from revision to revision. */
export class ApiDescription {
  readonly service: string;
  readonly #revisions: number[];

  constructor(service: string, operations: number) {
    this.service = service;
    this.#revisions = Array.from({ length: operations }, () => 1);
  }

  /** Changes some operations, others each time. */
  change(operations: number): void {
    const start = this.#revisions.reduce((sum, revision) => sum + revision, 0) * 7;
    for (let n = 0; n < operations; n++) {
      const index = (start + n * 97) % this.#revisions.length;
      this.#revisions[index] = (this.#revisions[index] ?? 0) + 1;
    }
  }

  text(): string {
    const paths = Object.fromEntries(
      this.#revisions.map((revision, index) => [
        this.#path(index),
        { get: operation(`${this.service} ${index} ${revision}`) },
      ]),
    );
    return JSON.stringify(
      { openapi: "3.1.0", info: { title: this.service, version: "1.0" }, paths },
      null,
      2,
    );
  }

  payload(): ScanIngestionPayload {
    const endpoints = this.#revisions.map((_, index) => {
      return { method: "GET" as const, path: this.#path(index), operationId: null, tags: [], summary: null };
    });
    const spec = { hash: createHash("sha256").update(this.text()).digest("hex"), format: "openapi" as const };
    return { service: { name: this.service }, spec, endpoints, findings: [] };
  }

  #path(index: number): string {
    return `/${this.service}/${index}/{id}`;
  }
}

/** An operation with some 1.8 KB of texts, which depend on the mark. */
function operation(mark: string): object {
  const digest = createHash("sha512").update(mark).digest();
  const words = WORDS.split(" ");
  const text = (from: number) =>
    Array.from({ length: 8 }, (_, n) => words[(digest[(from + n) % 64] ?? 0) % words.length]).join(" ");
  const properties = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [
      `field${n}`,
      { type: "string", maxLength: 10 + (digest[n] ?? 0), description: text(n * 8) },
    ]),
  );
  return {
    summary: text(1),
    parameters: [
      { name: "id", in: "path", required: true, schema: { type: "string" }, description: text(2) },
    ],
    responses: {
      200: {
        description: text(3),
        content: { "application/json": { schema: { type: "object", properties } } },
      },
    },
  };
}
