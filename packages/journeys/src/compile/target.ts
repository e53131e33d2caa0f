import { ownString, ownValue } from "@waymark/openapi/json.ts";
import type { OpenApiSource } from "@waymark/openapi/references.ts";
import type { Step } from "../document/model.ts";
import { parseExpression } from "../expressions/parse.ts";
import { parseTemplate } from "../expressions/template.ts";
import { findByPointer } from "../openapi/find-operation.ts";
import type { FoundOperation } from "../openapi/find-operation.ts";
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
  report(unit, [...path, "channelPath"], ASYNCAPI);
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
  if (scoped === undefined && operationSources(unit).length > 1) {
    report(unit, path, { code: "unscoped-operation", message: unscopedMessage(unit, operationId) });
    return undefined;
  }
  const source = scoped?.source ?? operationSources(unit)[0];
  const entry = source === undefined ? undefined : unit.openapi.get(source);
  if (entry === undefined) return noOperations(unit, path, source ?? "");
  return operationIn(unit, path, entry, scoped?.reference ?? operationId);
}

interface Candidate {
  source: OpenApiSource;
  operations: FoundOperation[];
}

/** The sources in which operations can be described. */
function operationSources(unit: Unit): string[] {
  return unit.document.model.sourceDescriptions.flatMap(({ name, type }) =>
    type === "arazzo" ? [] : [name],
  );
}

function operationIn(unit: Unit, path: Path, entry: Candidate, wanted: string): FoundTarget | undefined {
  const { source, operations } = entry;
  const matches = operations.filter(({ operation }) => ownValue(operation.value, "operationId") === wanted);
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

/** Ids are case-sensitive; the one that was probably meant is named. */
function inAnotherCase(operations: readonly FoundOperation[], wanted: string): string {
  const ids = operations.flatMap(({ operation }) => ownString(operation.value, "operationId") ?? []);
  const alike = ids.find((id) => id.toLowerCase() === wanted.toLowerCase());
  return alike === undefined ? "" : ` Ids are case-sensitive: it is written "${alike}".`;
}

function unscopedMessage(unit: Unit, operationId: string): string {
  const holder = [...unit.openapi.values()].find(({ operations }) =>
    operations.some(({ operation }) => ownValue(operation.value, "operationId") === operationId),
  );
  const name = holder?.source.name ?? "<name>";
  return `There are several sources, so say which one is meant: $sourceDescriptions.${name}.${operationId}.`;
}

/** A source without operations: unknown, of a type that has none, or one whose own problem is already reported. */
function noOperations(unit: Unit, path: Path, name: string): undefined {
  const described = unit.document.model.sourceDescriptions.find((source) => source.name === name);
  if (described === undefined) {
    const message =
      name === "" ? "There is no source description." : `There is no source description "${name}".`;
    report(unit, path, { code: "unknown-source", message });
  } else if (described.type === "asyncapi") report(unit, path, ASYNCAPI);
  else if (described.type === "arazzo" || unit.sources[name]?.type === "arazzo") {
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
  const match = /^\{?\$sourceDescriptions\.([A-Za-z0-9_-]+)\.url\}?#(.*)$/su.exec(text);
  if (match === null) {
    report(unit, path, {
      code: "invalid-operation-path",
      message: "An operationPath is written '{$sourceDescriptions.<name>.url}#/paths/~1items/get'.",
    });
    return undefined;
  }
  const entry = unit.openapi.get(match[1] ?? "");
  if (entry === undefined) return noOperations(unit, path, match[1] ?? "");
  const looked = findByPointer(entry.source, decodedFragment(match[2] ?? ""));
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
  if (loaded?.type !== "arazzo") return noWorkflows(unit, path, source);
  if (loaded.document.model.workflows.some(({ workflowId }) => workflowId === reference)) {
    return { kind: "workflow", unit: source, workflowId: reference };
  }
  report(unit, path, {
    code: "unknown-workflow",
    message: `There is no workflow "${reference}" in "${source}".`,
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
  const missing =
    described !== undefined && described.type === "arazzo" && !Object.hasOwn(unit.sources, name);
  // A source that could not be read is reported once, at its description.
  if (missing) return undefined;
  report(unit, path, {
    code: described === undefined ? "unknown-source" : "step-target",
    message:
      described === undefined
        ? `There is no source description "${name}".`
        : `"${name}" is no Arazzo document and has no workflows: set its type to arazzo, or call an operation.`,
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
