import { isObject, ownArray, ownObject, ownString, ownValue } from "../document/json.ts";
import type { JsonObject, JsonValue } from "../document/json.ts";
import type { JourneyDocument } from "../document/parse.ts";
import type { AppliedOverlays } from "../overlay/provenance.ts";
import { newYaml } from "../template/write-yaml.ts";
import { externalOperations } from "./external-operations.ts";

export interface ExportedArazzo {
  text: string;
  /** Files that the document refers to and that have to be written beside it. */
  files: { name: string; text: string }[];
  /** What plain Arazzo can't say, and so got lost. */
  notes: string[];
}

/**
 * The journey as plain Arazzo, for tools that know nothing of its extensions: variables become inputs, polling becomes
 * retries, calls outside every source get a source of their own. Extensions of other people stay.
 */
export function exportArazzo(document: JourneyDocument | AppliedOverlays): ExportedArazzo | undefined {
  if (document.raw === undefined || document.model === undefined) return undefined;
  const notes = new Set<string>();
  const external = externalOperations(document.raw);
  for (const note of external.notes) notes.add(note);
  const root = lowered(document.raw, notes);
  root["workflows"] = ownArray(document.raw, "workflows").map((workflow, index) =>
    workflowOf(workflow, { index, external, notes }),
  );
  if (external.source !== undefined) {
    root["sourceDescriptions"] = [...ownArray(root, "sourceDescriptions"), external.source];
  }
  return { text: newYaml(root), files: external.files, notes: [...notes] };
}

interface Exporting {
  index: number;
  external: ReturnType<typeof externalOperations>;
  notes: Set<string>;
}

/** Without our extensions at this level and in `info`. */
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
  const steps = ownArray(workflow, "steps").map((step, index) => stepOf(step, index, exporting));
  const plain: JsonObject = { ...rest, steps };
  const variables = ownObject(extension, "vars") ?? {};
  return Object.keys(variables).length === 0 ? plain : withInputs(plain, variables, id, notes);
}

/** `$vars.x` becomes `$inputs.x`, with the constant as default; a generator has none. */
function withInputs(workflow: JsonObject, variables: JsonObject, id: string, notes: Set<string>): JsonObject {
  const inputs = ownObject(workflow, "inputs") ?? { type: "object" };
  const properties: JsonObject = { ...ownObject(inputs, "properties") };
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) {
    let input = name;
    while (Object.hasOwn(properties, input)) input = `var-${input}`;
    names.set(name, input);
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

function stepOf(step: JsonValue, index: number, { index: workflow, external, notes }: Exporting): JsonValue {
  if (!isObject(step)) return step;
  const { "x-journey": extension, "x-operation": operation, ...plain } = step;
  const made: JsonObject = plain;
  if (operation !== undefined) {
    const call = external.calls.get(`${workflow}/${index}`);
    if (call !== undefined) {
      made["operationId"] = call.operationId;
      if (call.parameters.length > 0)
        made["parameters"] = [...ownArray(step, "parameters"), ...call.parameters];
    }
  }
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
