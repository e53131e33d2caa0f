import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import type { JourneyDocument } from "@waymark/journeys/document/parse.ts";
import type { AppliedOverlays } from "@waymark/journeys/overlay/provenance.ts";
import { newYaml } from "../template/write-yaml.ts";
import { asArazzo10 } from "./arazzo-1-0.ts";
import { externalOperations } from "./external-operations.ts";
import type { ExternalOperations } from "./external-operations.ts";

export interface ExportedArazzo {
  text: string;
  /** Files that the document refers to, to be written beside it. */
  files: { name: string; text: string }[];
  /** The losses: parts of the journey that plain Arazzo can't express. */
  notes: string[];
}

export interface ExportOptions {
  /** Default: that of the journey. */
  version?: "1.0.1" | "1.1.0";
  /** Rewrites a source's URL for the folder of the export. */
  relocate?: (url: string) => string;
}

/**
 * The journey as plain Arazzo, for tools that know nothing of its extensions: variables become inputs, polling becomes
 * retries, calls outside every source get a source of their own. Extensions of other people stay.
 */
export function exportArazzo(
  document: JourneyDocument | AppliedOverlays,
  { version, relocate = (url) => url }: ExportOptions = {},
): ExportedArazzo | undefined {
  if (document.raw === undefined || document.model === undefined) return undefined;
  const notes = new Set<string>();
  const external = externalOperations(document.raw);
  for (const note of external.notes) notes.add(note);
  let root = lowered(document.raw, notes);
  const exporting = {
    external,
    notes,
    names: new Map<string, string>(),
    qualifier: qualifierFor(root, external),
  };
  root["workflows"] = ownArray(document.raw, "workflows").map((workflow, index) =>
    workflowOf(workflow, { ...exporting, index }),
  );
  const components = ownObject(root, "components");
  if (components !== undefined) root["components"] = componentsOf(components, exporting);
  const sources = ownArray(root, "sourceDescriptions").map((source) => {
    const url = ownString(source, "url");
    return isObject(source) && url !== undefined ? { ...source, url: relocate(url) } : source;
  });
  const self = ownString(root, "$self");
  if (
    self !== undefined &&
    !URL.canParse(self) &&
    sources.some((source) => !URL.canParse(ownString(source, "url") ?? ""))
  ) {
    // According to the specification, the sources' relative URLs would then be relative to it.
    delete root["$self"];
    notes.add(
      `$self was left out: ${self} is a name here, and other tools would look for the sources beside it.`,
    );
  }
  root["sourceDescriptions"] = external.source === undefined ? sources : [...sources, external.source];
  if (version === "1.0.1") root = asArazzo10(root, notes);
  else if (version !== undefined) root["arazzo"] = version;
  return { text: newYaml(root), files: external.files, notes: [...notes] };
}

/** With a second source an operationId alone would be ambiguous. */
function qualifierFor(root: JsonObject, external: ExternalOperations): string | undefined {
  const [only, ...more] = ownArray(root, "sourceDescriptions").filter(
    (source) => ownString(source, "type") !== "arazzo",
  );
  if (external.source === undefined || more.length > 0) return undefined;
  return ownString(only, "name");
}

/** Variables belong to a workflow, components to the document: components refer to variables by name. */
function componentsOf(components: JsonObject, { names, notes }: Omit<Exporting, "index">): JsonValue {
  const renamed = renameVariables(components, names);
  if (JSON.stringify(renamed).includes("$vars."))
    notes.add("components refer to variables that no workflow has.");
  if (!isObject(renamed)) return renamed;
  return Object.fromEntries(
    Object.entries(renamed).map(([key, group]) => [
      key,
      isObject(group) && key.endsWith("Actions")
        ? Object.fromEntries(Object.entries(group).map(([name, action]) => [name, withoutIds(action)]))
        : group,
    ]),
  );
}

interface Exporting {
  index: number;
  external: ExternalOperations;
  notes: Set<string>;
  /** Input by variable, over all workflows. */
  names: Map<string, string>;
  /** The source of operations that don't name one. */
  qualifier: string | undefined;
}

/** Returns the object without Waymark's extensions at this level and in `info`. */
function lowered(value: JsonObject, notes: Set<string>): JsonObject {
  const copy: JsonObject = { ...value };
  const info = ownObject(value, "info");
  if (info !== undefined) {
    const { "x-journey": extension, ...rest } = info;
    if (isObject(extension) && Object.hasOwn(extension, "owner")) notes.add("info.x-journey was left out.");
    copy["info"] = rest;
  }
  return copy;
}

function workflowOf(workflow: JsonValue, exporting: Exporting): JsonValue {
  if (!isObject(workflow)) return workflow;
  const { "x-journey": extension, ...rest } = workflow;
  const { notes } = exporting;
  const id = ownString(workflow, "workflowId") ?? "";
  if (ownArray(extension, "acceptanceCriteria").length > 0)
    notes.add(`${id}: acceptance criteria were left out.`);
  if (ownArray(extension, "teardown").length > 0) {
    notes.add(`${id}: teardown was left out; its steps run in their place only, not after a failure.`);
  }
  if (Object.keys(ownObject(extension, "secrets") ?? {}).length > 0) {
    notes.add(`${id}: secrets were left out; give their inputs by hand.`);
  }
  const marked = [workflow, ...ownArray(workflow, "steps")].map((part) => ownObject(part, "x-journey"));
  if (marked.some((part) => ownArray(part, "secretOutputs").length > 0)) {
    notes.add(`${id}: the marks of secret outputs were left out; another tool may show these outputs.`);
  }
  const steps = ownArray(workflow, "steps").map((step, index) => stepOf(step, index, exporting));
  const plain: JsonObject = { ...rest, steps };
  for (const list of ["successActions", "failureActions"]) {
    const actions = ownValue(plain, list);
    if (Array.isArray(actions)) plain[list] = actions.map(withoutIds);
  }
  for (const step of ownArray(workflow, "steps").filter(callsFunction)) {
    notes.add(
      `${id}: ${ownString(step, "stepId") ?? ""} calls functions ($fn.), which other tools don't know.`,
    );
  }
  const { steps: _, ...besides } = workflow;
  if (callsFunction(besides)) notes.add(`${id}: calls functions ($fn.), which other tools don't know.`);
  const variables = ownObject(extension, "vars") ?? {};
  return Object.keys(variables).length === 0 ? plain : withInputs(plain, variables, { id, ...exporting });
}

function callsFunction(part: JsonValue): boolean {
  return /\$fn\.\w+\(/.test(JSON.stringify(part));
}

/** `$vars.x` becomes `$inputs.x`, with the constant as default; a generator has none. */
function withInputs(
  workflow: JsonObject,
  variables: JsonObject,
  { id, notes, names: all }: Exporting & { id: string },
): JsonObject {
  const inputs = ownObject(workflow, "inputs") ?? { type: "object" };
  const properties: JsonObject = { ...ownObject(inputs, "properties") };
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) {
    let input = name;
    while (Object.hasOwn(properties, input)) input = `var-${input}`;
    names.set(name, input);
    if (all.has(name) && all.get(name) !== input)
      notes.add(`${id}: components take the variable ${name} for the input ${all.get(name) ?? ""}.`);
    else all.set(name, input);
    const generated = isObject(value) && Object.hasOwn(value, "generate");
    if (generated)
      notes.add(`${id}: the generated variable ${name} is now the input ${input}, to be given by hand.`);
    properties[input] = generated ? {} : { default: value };
  }
  const { inputs: _, steps, ...rest } = workflow;
  const renamed = renameVariables({ ...rest, steps: steps ?? [] }, names);
  return { ...(isObject(renamed) ? renamed : {}), inputs: { ...inputs, properties } };
}

function renameVariables(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === "string") {
    return value.replaceAll(/\$vars\.([A-Za-z0-9_-]+)/g, (text, name: string) => {
      const input = names.get(name);
      return input === undefined ? text : `$inputs.${input}`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => renameVariables(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, renameVariables(member, names)]),
  );
}

function stepOf(
  step: JsonValue,
  index: number,
  { index: workflow, external, notes, qualifier }: Exporting,
): JsonValue {
  if (!isObject(step)) return step;
  const { "x-journey": extension, "x-operation": operation, ...plain } = step;
  const made: JsonObject = plain;
  if (operation !== undefined) {
    const call = external.calls.get(`${workflow}/${index}`);
    if (call !== undefined) {
      const source = ownString(external.source, "name") ?? "";
      const isOnly = qualifier === undefined && external.isOnlySource;
      made["operationId"] = isOnly ? call.operationId : `$sourceDescriptions.${source}.${call.operationId}`;
      if (call.parameters.length > 0)
        made["parameters"] = [...ownArray(step, "parameters"), ...call.parameters];
    }
  }
  const operationId = ownString(step, "operationId");
  if (qualifier !== undefined && operationId !== undefined && !operationId.startsWith("$"))
    made["operationId"] = `$sourceDescriptions.${qualifier}.${operationId}`;
  for (const list of ["successCriteria", "onSuccess", "onFailure"]) {
    const items = ownValue(made, list);
    if (Array.isArray(items)) made[list] = items.map(withoutIds);
  }
  const poll = ownObject(extension, "poll");
  return poll === undefined ? made : polled(made, poll, notes);
}

function withoutIds(item: JsonValue): JsonValue {
  if (!isObject(item)) return item;
  const { "x-id": _, criteria, ...rest } = item;
  return criteria === undefined
    ? rest
    : { ...rest, criteria: Array.isArray(criteria) ? criteria.map(withoutIds) : criteria };
}

/** Polling as retries: the step succeeds when the condition holds, and is tried again as often as the time allows. */
function polled(step: JsonObject, poll: JsonObject, notes: Set<string>): JsonObject {
  const every = Number(poll["everyMs"]);
  const attempts = Math.max(1, Math.ceil(Number(poll["maxMs"]) / every));
  const failWhen = ownString(poll, "failWhen");
  const give: JsonObject[] =
    failWhen === undefined ? [] : [{ name: "poll-failed", type: "end", criteria: [{ condition: failWhen }] }];
  if (step["successCriteria"] !== undefined) {
    notes.add(
      `${ownString(step, "stepId") ?? ""}: polling became retries; its criteria now take part in it.`,
    );
  }
  return {
    ...step,
    successCriteria: [
      ...ownArray(step, "successCriteria"),
      { condition: ownString(poll, "until") ?? "true" },
    ],
    onFailure: [
      ...give,
      ...ownArray(step, "onFailure"),
      { name: "poll", type: "retry", retryAfter: every / 1000, retryLimit: attempts },
    ],
  };
}
