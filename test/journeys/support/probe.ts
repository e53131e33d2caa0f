import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { root } from "../../../scripts/bootstrap/checkout.mjs";

/** One requirement of the specification: a document, its target's responses, and the expected outcome. */
export interface Probe {
  /** Part of the specification's text that demands it. */
  section: string;
  name: string;
  /** Steps of the workflow `main`. Probes of several workflows have `workflows` instead. */
  steps?: JsonValue[];
  workflows?: JsonValue[];
  /** Further fields of the workflow `main`. */
  workflow?: JsonObject;
  /** Further fields of the document. */
  document?: JsonObject;
  /** OpenAPI descriptions by source, instead of the one with the operations a to d. */
  openapi?: JsonObject;
  /** Arazzo documents by source; one named `self` is the probe's own document. */
  arazzo?: JsonObject;
  /**
   * The files of a journey, whose first is its document, instead of all of the above: a file's text or value. `openapi` stands for
   * the description with the operations a to d.
   */
  files?: JsonObject;
  inputs?: JsonObject;
  /** By `METHOD /path`; a list is used in order. Everything else gets 200 with `{}`. */
  answers?: Record<string, Answer | Answer[]>;
  expect: Expectation;
}

export interface Answer {
  /** There is none. */
  silent?: true;
  status?: number;
  body?: JsonValue;
  type?: string;
  headers?: Record<string, string>;
}

export interface Expectation {
  /** Code of an error that keeps the document from being compiled. */
  invalid?: string;
  status?: string;
  /** `METHOD /path?query` of each request. */
  sent?: string[];
  /** The body of the last request. */
  body?: string;
  /** Headers of the last request. */
  headers?: Record<string, string>;
  steps?: Record<string, string>;
  outputs?: JsonObject;
  /** How long the run waited. */
  elapsedMs?: number;
}

const folder = path.join(root, "packages/journeys/test/conformance/probes");

/** The files of probes. */
export const PROBE_FILES: readonly string[] = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

export function probesOf(file: string): Probe[] {
  const probes: Probe[] = parse(readFileSync(path.join(folder, file), "utf8"), { maxAliasCount: -1 });
  return probes;
}

export function documentOf({ steps, workflows, workflow, document }: Probe): JsonObject {
  return {
    arazzo: "1.1.0",
    info: { title: "Probe", version: "1.0.0" },
    sourceDescriptions: [{ name: "api", url: "./api.yaml", type: "openapi" }],
    workflows: workflows ?? [{ workflowId: "main", steps: steps ?? [], ...workflow }],
    ...document,
  };
}

/** The texts of a probe's files, by path. */
export function textsOf(files: JsonObject): Map<string, string> {
  return new Map(Object.entries(files).map(([name, content]) => [name, textOf(content)]));
}

function textOf(content: JsonValue): string {
  if (content === "openapi") return JSON.stringify(OPENAPI);
  return typeof content === "string" ? content : JSON.stringify(content, undefined, 1);
}

/** The description that probes without their own have. */
export const OPENAPI: JsonObject = {
  openapi: "3.1.0",
  servers: [{ url: "https://api.example" }],
  paths: {
    ...Object.fromEntries(
      ["a", "b", "c", "d"].map((name) => [
        `/${name}`,
        { get: { operationId: name, responses: {} }, post: { operationId: `${name}Post`, responses: {} } },
      ]),
    ),
    "/items/{id}": {
      get: { operationId: "item", parameters: [{ name: "id", in: "path", required: true }], responses: {} },
    },
  },
};

/** The target's response, by the number of calls of each operation. */
export function answersTo({ answers = {} }: Probe): (request: { method: string; url: string }) => Answer {
  const counts = new Map<string, number>();
  return ({ method, url }) => {
    const key = `${method} ${new URL(url).pathname}`;
    const given = answers[key] ?? {};
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    return Array.isArray(given) ? (given[Math.min(n, given.length - 1)] ?? {}) : given;
  };
}
