import type { Step } from "../document/model.ts";
import { parseExpression } from "../expressions/parse.ts";
import { parseTemplate } from "../expressions/template.ts";
import { findByPointer } from "../openapi/find-operation.ts";
import type { FoundOperation } from "../openapi/find-operation.ts";
import { ownString, ownValue } from "@waymark/openapi/json.ts";
import type { OpenApiSource } from "@waymark/openapi/references.ts";
import { report, sentence } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";
import type { Template } from "../expressions/ast.ts";

/** What a step calls, before operations are described. */
export type FoundTarget =
  | { kind: "operation"; source: OpenApiSource; found: FoundOperation }
  | { kind: "external"; method: string; url: Template }
  | { kind: "workflow"; unit: string | undefined; workflowId: string };

/** Finds what a step calls; a step that calls nothing, too much or something unknown is reported. */
export function findTarget(unit: Unit, path: Path, step: Step): FoundTarget | undefined {
  const given = ["operationId", "operationPath", "workflowId", "channelPath", "x-operation"] as const;
  const named = given.filter((key) => step[key] !== undefined);
  if (named.length !== 1) {
    report(unit, path, {
      code: "step-target",
      message:
        named.length === 0
          ? `Step "${step.stepId}" calls nothing: give it an operationId, operationPath, workflowId or x-operation.`
          : `Step "${step.stepId}" has ${named.join(" and ")}: keep one of them.`,
    });
    return undefined;
  }
  if (step.operationId !== undefined) return byOperationId(unit, [...path, "operationId"], step.operationId);
  if (step.operationPath !== undefined)
    return byOperationPath(unit, [...path, "operationPath"], step.operationPath);
  if (step.workflowId !== undefined) return workflowTarget(unit, [...path, "workflowId"], step.workflowId);
  const external = step["x-operation"];
  if (external !== undefined) return externalTarget(unit, [...path, "x-operation", "url"], external);
  report(unit, [...path, "channelPath"], {
    code: "asyncapi-not-supported",
    message: "Channels of AsyncAPI descriptions can't be run: only HTTP operations and workflows can.",
  });
  return undefined;
}

function byOperationId(unit: Unit, path: Path, operationId: string): FoundTarget | undefined {
  const expression = operationId.startsWith("$") ? parseExpression(operationId) : undefined;
  if (expression?.ok === false) {
    report(unit, path, { code: "invalid-expression", message: sentence(expression.problem.message) });
    return undefined;
  }
  const value = expression?.value;
  const scoped = value?.kind === "source" ? value : undefined;
  if (value !== undefined && scoped === undefined) {
    report(unit, path, {
      code: "invalid-expression",
      message: `An operationId is a name or $sourceDescriptions.<name>.<operationId>.`,
    });
    return undefined;
  }
  if (scoped !== undefined && !unit.openapi.has(scoped.source))
    return unknownSource(unit, path, scoped.source);
  const wanted = scoped?.reference ?? operationId;
  const candidates = [...unit.openapi.values()].filter(
    ({ source }) => scoped === undefined || source.name === scoped.source,
  );
  const matches = candidates.flatMap(({ source, operations }) =>
    operations
      .filter(({ operation }) => ownValue(operation.value, "operationId") === wanted)
      .map((found) => ({ source, found })),
  );
  const [match] = matches;
  if (matches.length === 1 && match !== undefined) return { kind: "operation", ...match };
  const alike = matches.length > 0 ? [] : inAnyCase(candidates, wanted);
  if (alike.length === 1 && alike[0] !== undefined) {
    report(unit, path, {
      severity: "warning",
      code: "operation-id-case",
      message: `"${wanted}" is written "${ownString(alike[0].found.operation.value, "operationId")}" in its description.`,
    });
    return { kind: "operation", ...alike[0] };
  }
  // A source that could not be read is reported once, at its description.
  if (match === undefined && candidates.length === 0) return undefined;
  report(unit, path, {
    code: match === undefined ? "unknown-operation" : "ambiguous-operation",
    message: operationMessage(wanted, candidates, matches.length),
  });
  return undefined;
}

interface Candidate {
  source: OpenApiSource;
  operations: FoundOperation[];
}

/** Authors write operation ids in another case; that is told, and works as long as one operation is meant. */
function inAnyCase(
  candidates: Candidate[],
  wanted: string,
): { source: OpenApiSource; found: FoundOperation }[] {
  return candidates.flatMap(({ source, operations }) =>
    operations
      .filter(
        ({ operation }) => ownString(operation.value, "operationId")?.toLowerCase() === wanted.toLowerCase(),
      )
      .map((found) => ({ source, found })),
  );
}

function operationMessage(wanted: string, candidates: Candidate[], matches: number): string {
  if (matches > 1) {
    return `Several operations are named "${wanted}": write $sourceDescriptions.<name>.${wanted}.`;
  }
  const where = candidates.map(({ source }) => `"${source.name}"`).join(", ");
  return `There is no operation "${wanted}" in ${where}.`;
}

function unknownSource(unit: Unit, path: Path, name: string): undefined {
  if (unit.document.model.sourceDescriptions.some((source) => source.name === name)) return undefined;
  report(unit, path, { code: "unknown-source", message: `There is no source description "${name}".` });
  return undefined;
}

function byOperationPath(unit: Unit, path: Path, text: string): FoundTarget | undefined {
  const match = /^\{?\$sourceDescriptions\.([A-Za-z0-9_-]+)\.url\}?#(.*)$/su.exec(text);
  if (match === null) {
    report(unit, path, {
      code: "invalid-operation-path",
      message: "An operationPath is written '{$sourceDescriptions.<name>.url}#/paths/~1items/get'.",
    });
    return undefined;
  }
  const entry = unit.openapi.get(match[1] ?? "");
  if (entry === undefined) return unknownSource(unit, path, match[1] ?? "");
  const looked = findByPointer(entry.source, match[2] ?? "");
  if ("problem" in looked) {
    report(unit, path, { code: "unknown-operation", message: sentence(looked.problem) });
    return undefined;
  }
  if (looked.assumed === true) {
    report(unit, path, {
      severity: "warning",
      code: "operation-path-without-method",
      message: `The pointer ends at a path: ${looked.found.method} is assumed. End it with the method.`,
    });
  }
  return { kind: "operation", source: entry.source, found: looked.found };
}

/** A workflow of this document, or one of another by `$sourceDescriptions.<name>.<workflowId>`. */
export function workflowTarget(
  unit: Unit,
  path: Path,
  text: string,
): Extract<FoundTarget, { kind: "workflow" }> | undefined {
  if (!text.startsWith("$")) {
    if (unit.document.model.workflows.some(({ workflowId }) => workflowId === text)) {
      return { kind: "workflow", unit: undefined, workflowId: text };
    }
    report(unit, path, {
      code: "unknown-workflow",
      message: `There is no workflow "${text}" in this document.`,
    });
    return undefined;
  }
  const parsed = parseExpression(text);
  if (!parsed.ok || parsed.value.kind !== "source") {
    report(unit, path, {
      code: "invalid-expression",
      message: "A workflow of another document is written $sourceDescriptions.<name>.<workflowId>.",
    });
    return undefined;
  }
  const { source, reference } = parsed.value;
  const loaded = Object.hasOwn(unit.sources, source) ? unit.sources[source] : undefined;
  if (loaded?.type !== "arazzo") return unknownSource(unit, path, source);
  if (loaded.document.model.workflows.some(({ workflowId }) => workflowId === reference)) {
    return { kind: "workflow", unit: source, workflowId: reference };
  }
  report(unit, path, {
    code: "unknown-workflow",
    message: `There is no workflow "${reference}" in "${source}".`,
  });
  return undefined;
}

function externalTarget(
  unit: Unit,
  path: Path,
  external: { url: string; method: string },
): FoundTarget | undefined {
  const url = parseTemplate(external.url);
  if (!url.ok) {
    report(unit, path, { code: "invalid-expression", message: sentence(url.problem.message) });
    return undefined;
  }
  const [first] = url.value;
  if (typeof first === "string" && !/^https?:\/\//i.test(first)) {
    report(unit, path, {
      code: "invalid-url",
      message: "The url of x-operation begins with http:// or https://.",
    });
    return undefined;
  }
  return { kind: "external", method: external.method, url: url.value };
}
