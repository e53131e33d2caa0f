import { isObject, ownArray, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { EditRefused } from "./refusal.ts";
import { alreadyThere, findStep } from "./steps.ts";
import type { WorkflowSteps } from "./steps.ts";

/** How references to a step get its new name. */
export interface Renaming {
  from: string;
  to: string;
  /** Rewrites the expressions inside a text: `$steps.x` and `$workflows.w.steps.x`. */
  expressions: (text: string) => string;
  /** Rewrites the expressions that name the step from outside its workflow. */
  foreignExpressions: (text: string) => string;
}

const NOT_IN_NAME = "(?![A-Za-z0-9_-])";

function escaped(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_]/g, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

export function renaming(workflowId: string | undefined, from: string, to: string): Renaming {
  const step = escaped(from);
  const own = new RegExp(`\\$steps\\.${step}${NOT_IN_NAME}`, "gu");
  const foreign = new RegExp(
    `(\\$workflows\\.${escaped(workflowId ?? "")}\\.steps\\.)${step}${NOT_IN_NAME}`,
    "g",
  );
  const foreignExpressions = (text: string): string => text.replace(foreign, (_, head: string) => head + to);
  const expressions = (text: string): string => foreignExpressions(text.replace(own, () => `$steps.${to}`));
  return { from, to, expressions, foreignExpressions };
}

/** The document with a step renamed, together with everything that refers to it. Prose and input schemas stay. */
export function renameInModel(root: JsonObject, found: WorkflowSteps, from: string, to: string): JsonObject {
  const at = findStep(found, from);
  if (found.ids.includes(to)) throw alreadyThere(found, to);
  const names = renaming(ownString(found.workflow, "workflowId"), from, to);
  const shared = ownArray(root, "workflows").some(
    (workflow, index) =>
      index !== found.index && ownArray(workflow, "steps").some((s) => ownString(s, "stepId") === from),
  );
  const renamed: JsonObject = {};
  for (const [key, value] of Object.entries(root)) {
    if (key === "workflows" && Array.isArray(value)) {
      renamed[key] = value.map((workflow, index) =>
        index === found.index
          ? renameInWorkflow(workflow, names, at)
          : rewrite(workflow, names.foreignExpressions),
      );
    } else if (key === "components") renamed[key] = renameInComponents(value, names, shared);
    else renamed[key] = value;
  }
  return renamed;
}

function renameInComponents(value: JsonValue, names: Renaming, shared: boolean): JsonValue {
  const renamed = mapMembers(value, (part, group) => {
    if (group === "inputs") return part;
    return mapMembers(part, (component) => renameInAction(rewrite(component, names.expressions), names));
  });
  if (shared && JSON.stringify(renamed) !== JSON.stringify(value)) {
    const message = `components refer to ${names.from}, and another workflow has a step of that name; rename by hand.`;
    throw new EditRefused(message, "/components");
  }
  return renamed;
}

function renameInWorkflow(workflow: JsonValue, names: Renaming, at: number): JsonValue {
  return mapMembers(workflow, (value, key) => {
    if (key === "inputs" || key === "summary" || key === "description") return value;
    if (key === "steps") return mapItems(value, (step, index) => renameInStep(step, names, index === at));
    if (key === "successActions" || key === "failureActions") return actions(value, names);
    if (key === "x-journey") return renameInExtension(rewrite(value, names.expressions), names);
    return rewrite(value, names.expressions);
  });
}

function renameInStep(step: JsonValue, names: Renaming, isIt: boolean): JsonValue {
  return mapMembers(step, (value, key) => {
    if (key === "description") return value;
    if (key === "stepId") return isIt ? names.to : value;
    if (key === "onSuccess" || key === "onFailure") return actions(value, names);
    const rewritten = rewrite(value, names.expressions);
    if (key === "dependsOn") return mapItems(rewritten, (id) => (id === names.from ? names.to : id));
    return rewritten;
  });
}

function actions(value: JsonValue, names: Renaming): JsonValue {
  return mapItems(value, (action) => renameInAction(rewrite(action, names.expressions), names));
}

/** An action with a workflowId goes to that workflow's steps. */
function renameInAction(action: JsonValue, names: Renaming): JsonValue {
  if (ownString(action, "workflowId") !== undefined) return action;
  return mapMembers(action, (value, key) => (key === "stepId" && value === names.from ? names.to : value));
}

function renameInExtension(extension: JsonValue, names: Renaming): JsonValue {
  const head = `${names.from}#`;
  return mapMembers(extension, (value, key) => {
    if (key === "teardown") {
      return mapItems(value, (entry) =>
        mapMembers(entry, (v, k) => (k === "step" && v === names.from ? names.to : v)),
      );
    }
    if (key !== "acceptanceCriteria") return value;
    return mapItems(value, (criterion) =>
      mapMembers(criterion, (v, k) =>
        k === "provenBy"
          ? mapItems(v, (ref) =>
              typeof ref === "string" && ref.startsWith(head) ? `${names.to}#${ref.slice(head.length)}` : ref,
            )
          : v,
      ),
    );
  });
}

function rewrite(value: JsonValue, text: (text: string) => string): JsonValue {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => rewrite(item, text));
  return mapMembers(value, (member) => rewrite(member, text));
}

function mapItems(value: JsonValue, change: (item: JsonValue, index: number) => JsonValue): JsonValue {
  return Array.isArray(value) ? value.map(change) : value;
}

function mapMembers(value: JsonValue, change: (member: JsonValue, key: string) => JsonValue): JsonValue {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
}
