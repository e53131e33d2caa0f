import { ownString } from "@waymark/openapi/json.ts";
import type { OpenApiSource } from "@waymark/openapi/references.ts";
import type { Step } from "../document/model.ts";
import { workflowById } from "../document/workflow-by-id.ts";
import { parseTemplate } from "../expressions/template.ts";
import { findByPointer, operationsById } from "../openapi/find-operation.ts";
import type { FoundOperation } from "../openapi/find-operation.ts";
import { sentence } from "../document/problem.ts";
import { parseOperationPath, parseScopedName } from "../rules/references.ts";
import { leaveOut, report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";
import type { Template } from "../expressions/ast.ts";

/** The target of a step's call, found but not yet described. */
export type FoundTarget =
  | { kind: "operation"; source: OpenApiSource; found: FoundOperation }
  | { kind: "external"; method: string; url: Template }
  | { kind: "workflow"; unit: string | undefined; workflowId: string };

/** Finds what a step calls. Reports what its description doesn't have. */
export function findTarget(unit: Unit, path: Path, step: Step): FoundTarget | undefined {
  const given = ["operationId", "operationPath", "workflowId", "channelPath", "x-operation"] as const;
  const named = given.filter((key) => step[key] !== undefined);
  if (named.length !== 1) return undefined;
  if (step.operationId !== undefined) return byOperationId(unit, [...path, "operationId"], step.operationId);
  if (step.operationPath !== undefined)
    return byOperationPath(unit, [...path, "operationPath"], step.operationPath);
  if (step.workflowId !== undefined) return workflowTarget(unit, [...path, "workflowId"], step.workflowId);
  const external = step["x-operation"];
  if (external !== undefined) return externalTarget(unit, [...path, "x-operation", "url"], external);
  report(unit, [...path, "channelPath"], ASYNCAPI);
  return undefined;
}

function byOperationId(unit: Unit, path: Path, operationId: string): FoundTarget | undefined {
  const named = parseScopedName(operationId);
  if (named === undefined) return undefined;
  if (named.source === undefined && operationSources(unit).length > 1) {
    report(unit, path, { code: "unscoped-operation", message: unscopedMessage(unit, operationId) });
    return undefined;
  }
  const source = named.source ?? operationSources(unit)[0] ?? unit.document.model.sourceDescriptions[0]?.name;
  const entry = source === undefined ? undefined : unit.openapi.get(source);
  if (entry === undefined) return noOperations(unit, path, source ?? "");
  return operationIn(unit, path, entry, named.name);
}

interface Candidate {
  source: OpenApiSource;
  operations: FoundOperation[];
}

/** The sources in which operations can be described. */
function operationSources(unit: Unit): string[] {
  return unit.document.model.sourceDescriptions.flatMap(({ name, type }) =>
    type === "arazzo" || isArazzoSource(unit, name) ? [] : [name],
  );
}

/** A source's type may be left out. */
function isArazzoSource({ sources }: Unit, name: string): boolean {
  return Object.hasOwn(sources, name) && sources[name]?.type === "arazzo";
}

function operationIn(unit: Unit, path: Path, entry: Candidate, wanted: string): FoundTarget | undefined {
  const { source, operations } = entry;
  const matches = operationsById(operations, wanted);
  const [found] = matches;
  if (found !== undefined && matches.length === 1) return { kind: "operation", source, found };
  report(unit, path, {
    code: found === undefined ? "unknown-operation" : "ambiguous-operation",
    message:
      found === undefined
        ? `There is no operation "${wanted}" in "${source.name}".${inAnotherCase(operations, wanted)}`
        : `"${source.name}" has several operations named "${wanted}": use operationPath.`,
  });
  return undefined;
}

/** Ids are case-sensitive; the message names the one that was probably meant. */
function inAnotherCase(operations: readonly FoundOperation[], wanted: string): string {
  const ids = operations.flatMap(({ operation }) => ownString(operation.value, "operationId") ?? []);
  const alike = ids.find((id) => id.toLowerCase() === wanted.toLowerCase());
  return alike === undefined ? "" : ` Ids are case-sensitive: it is written "${alike}".`;
}

function unscopedMessage(unit: Unit, operationId: string): string {
  const holder = [...unit.openapi.values()].find(
    ({ operations }) => operationsById(operations, operationId).length > 0,
  );
  const name = holder?.source.name ?? "<name>";
  return `There are several sources, so say which one is meant: $sourceDescriptions.${name}.${operationId}.`;
}

/** A source without operations: of a type that has none, or one with a problem that is already reported. */
function noOperations(unit: Unit, path: Path, name: string): undefined {
  const described = unit.document.model.sourceDescriptions.find((source) => source.name === name);
  if (described?.type === "asyncapi") report(unit, path, ASYNCAPI);
  else if (described?.type === "arazzo" || isArazzoSource(unit, name)) {
    report(unit, path, {
      code: "step-target",
      message: `"${name}" is an Arazzo document and has no operations: call its workflows with workflowId.`,
    });
  }
  return undefined;
}

const ASYNCAPI = {
  code: "asyncapi-not-supported",
  message:
    "Operations and channels of AsyncAPI descriptions can't be run: only HTTP operations and workflows can.",
};

function byOperationPath(unit: Unit, path: Path, text: string): FoundTarget | undefined {
  const named = parseOperationPath(text);
  if (named === undefined) return undefined;
  const entry = unit.openapi.get(named.source);
  if (entry === undefined) return noOperations(unit, path, named.source);
  const looked = findByPointer(entry.source, decodedFragment(named.pointer));
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
  const named = parseScopedName(text);
  if (named === undefined) return leaveOut(unit, path);
  const { source, name } = named;
  const loaded =
    source !== undefined && Object.hasOwn(unit.sources, source) ? unit.sources[source] : undefined;
  if (source !== undefined && loaded?.type !== "arazzo") return noWorkflows(unit, path, source);
  const { model } = loaded?.type === "arazzo" ? loaded.document : unit.document;
  if (workflowById(model.workflows, name) !== undefined) {
    return { kind: "workflow", unit: source, workflowId: name };
  }
  if (source === undefined) return leaveOut(unit, path);
  report(unit, path, {
    code: "unknown-workflow",
    message: `There is no workflow "${name}" in "${source}".`,
  });
  return undefined;
}

/** A fragment of a URI is percent-encoded. */
function decodedFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function noWorkflows(unit: Unit, path: Path, name: string): undefined {
  const described = unit.document.model.sourceDescriptions.find((source) => source.name === name);
  // A source that could not be read is reported once, at its description.
  const missing = described?.type === "arazzo" && !Object.hasOwn(unit.sources, name);
  if (described === undefined || missing) return leaveOut(unit, path);
  report(unit, path, {
    code: "step-target",
    message: `"${name}" is no Arazzo document and has no workflows: set its type to arazzo, or call an operation.`,
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
  return { kind: "external", method: external.method.toUpperCase(), url: url.value };
}
