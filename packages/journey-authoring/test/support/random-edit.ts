import { cloneJson, isObject, ownArray, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { EditCommand } from "../../src/edit/command.ts";
import { randomStep } from "./random-model.ts";
import type { Random } from "./random.ts";

const NEW_VALUES: [JsonPrimitive, ...JsonPrimitive[]] = [
  "plain",
  'It\'s "both"',
  "needs: quotes",
  " # ",
  "- dash",
  "two\nlines\n",
  "two\nlines, no break",
  "$response.body#/price == 12",
  "{$inputs.x}",
  "null",
  "",
  "ends with space ",
  "*star",
  "@at, comma]",
  "ü",
  0,
  -1.5,
  1e21,
  true,
  false,
  null,
];

export interface ExpectedEdit {
  command: EditCommand;
  /** The whole document as it shall be, worked out here with plain list operations. */
  expected: JsonObject;
}

export function randomEdit(random: Random, root: JsonObject, unique: string): ExpectedEdit {
  const workflows = ownArray(root, "workflows");
  const index = random.below(workflows.length);
  const workflowId = ownString(workflows[index], "workflowId");
  const expected = cloneJson(root);
  const steps = ownArray(ownArray(expected, "workflows")[index], "steps");
  const ids = steps.map((step) => ownString(step, "stepId") ?? "");
  const at = random.below(ids.length);
  const stepId = ids[at] ?? "";
  switch (random.below(steps.length > 1 ? 7 : 5)) {
    case 0:
    case 1:
      return setScalar(random, expected);
    case 2: {
      const step = randomStep(random, `new-${unique}`, ids);
      const place = random.below(ids.length + 1);
      const said =
        place === 0 || (ids[place] !== undefined && random.chance(0.5))
          ? { before: ids[place] }
          : after(ids, place);
      steps.splice(place, 0, cloneJson(step));
      return { command: { op: "insertStep", workflowId, step, ...said }, expected };
    }
    case 3:
      return rename(expected, index, stepId, `renamed_${unique}`);
    case 4:
      return renameAssertion(expected, index, stepId, `named_${unique}`) ?? setScalar(random, expected);
    case 5: {
      const [moved] = steps.splice(at, 1);
      const rest = ids.filter((_, position) => position !== at);
      const place = random.below(rest.length + 1);
      steps.splice(place, 0, moved ?? null);
      const said =
        place === 0 || (rest[place] !== undefined && random.chance(0.5))
          ? { before: rest[place] }
          : after(rest, place);
      return { command: { op: "moveStep", workflowId, stepId, ...said }, expected };
    }
    default:
      steps.splice(at, 1);
      return { command: { op: "removeStep", workflowId, stepId }, expected };
  }
}

function after(ids: string[], place: number): { after?: string } {
  const previous = ids[place - 1];
  return previous === undefined ? {} : { after: previous };
}

function setScalar(random: Random, expected: JsonObject): ExpectedEdit {
  const targets = scalarTargets(expected, "");
  const target = targets[random.below(targets.length)];
  if (target === undefined) throw new Error("the document has no scalar");
  const added = isObject(target.holder) && random.chance(0.2);
  const key = added ? `x-added-${random.below(1_000_000)}` : target.key;
  const value = random.pick(NEW_VALUES);
  if (Array.isArray(target.holder)) target.holder[Number(key)] = value;
  else target.holder[key] = value;
  return { command: { op: "setScalar", pointer: childPointer(target.parent, key), value }, expected };
}

interface Target {
  holder: JsonObject | JsonValue[];
  parent: string;
  key: string;
}

function scalarTargets(value: JsonValue, pointer: string): Target[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    // The ids that the other edits go by stay as they are.
    if (key === "stepId" || key === "workflowId") return [];
    if (typeof member === "object" && member !== null)
      return scalarTargets(member, childPointer(pointer, key));
    return [{ holder: value, parent: pointer, key }];
  });
}

/** As `rename` does it. Undefined if the step has no assertion that can be renamed. */
function renameAssertion(
  expected: JsonObject,
  index: number,
  stepId: string,
  to: string,
): ExpectedEdit | undefined {
  const workflows = ownArray(expected, "workflows");
  const workflow = workflows[index];
  const step = ownArray(workflow, "steps").find((one) => ownString(one, "stepId") === stepId);
  const [only, ...others] = ownArray(step, "successCriteria").filter(
    (one) => ownString(one, "x-id") !== undefined,
  );
  const id = ownString(only, "x-id");
  if (!isObject(only) || id === undefined || id === "" || others.length > 0) return undefined;
  // A text that needs escapes or several lines is not one name in one line.
  if (/["'\\\n]/.test(id)) return undefined;
  only["x-id"] = to;
  const json = JSON.stringify(workflow).replaceAll(JSON.stringify(`${stepId}#${id}`), `"${stepId}#${to}"`);
  const renamed: JsonValue = JSON.parse(json);
  workflows[index] = renamed;
  const workflowId = ownString(workflow, "workflowId");
  return { command: { op: "renameAssertion", workflowId, stepId, id, to }, expected };
}

/** By replacing the name in the serialized workflow: crude, but independent of how the command does it. */
function rename(expected: JsonObject, index: number, from: string, to: string): ExpectedEdit {
  const workflows = ownArray(expected, "workflows");
  const workflow = workflows[index];
  const json = JSON.stringify(workflow)
    .replaceAll(new RegExp(String.raw`\$steps\.${from}(?![\w-])`, "g"), () => `$steps.${to}`)
    .replaceAll(`"stepId":"${from}"`, `"stepId":"${to}"`)
    .replaceAll(`"step":"${from}"`, `"step":"${to}"`)
    .replaceAll(`"${from}#`, `"${to}#`);
  const renamed: JsonValue = JSON.parse(json);
  workflows[index] = renamed;
  return {
    command: { op: "renameStep", workflowId: ownString(workflow, "workflowId"), stepId: from, to },
    expected,
  };
}
