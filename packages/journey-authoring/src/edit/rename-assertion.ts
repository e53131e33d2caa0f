import { isObject, ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { EditOf } from "./command.ts";
import { withValue } from "./expected-values.ts";
import { EditRefused } from "./refusal.ts";
import { findStep, findWorkflow } from "./steps.ts";

/** The document with another `x-id` of an assertion, also where acceptance criteria name it as their proof. */
export function withAssertionRenamed(
  root: JsonObject,
  { workflowId, stepId, id, to }: EditOf<"renameAssertion">,
): JsonObject {
  const found = findWorkflow(root, workflowId);
  const workflow = `/workflows/${found.index}`;
  const at = findStep(found, stepId);
  const list = `${workflow}/steps/${at}/successCriteria`;
  const ids = ownArray(found.steps[at], "successCriteria").map((item) => ownString(item, "x-id"));
  const index = ids.indexOf(id);
  if (index < 0) throw new EditRefused(`Step ${stepId} has no assertion ${id}.`, list);
  const item = `${list}/${index}`;
  if (ids.indexOf(id, index + 1) > 0)
    throw new EditRefused(
      `Two assertions of step ${stepId} have the id ${id}; rename one in the text.`,
      item,
    );
  if (ids.includes(to))
    throw new EditRefused(`Step ${stepId} has an assertion ${to} already.`, `${list}/${ids.indexOf(to)}`);
  const proofs = proofsIn(found.workflow, `${stepId}#${id}`).map((place) => `${workflow}${place}`);
  if (proofs.length > 0 && /[#\s]/.test(to))
    throw new EditRefused("The id of an assertion that proves a criterion has no # and no spaces.", item);
  return proofs.reduce(
    (value, pointer) => withValue(value, { op: "setScalar", pointer, value: `${stepId}#${to}` }),
    withValue(root, { op: "setScalar", pointer: `${item}/x-id`, value: to }),
  );
}

/** Where the acceptance criteria of a workflow name an assertion. */
function proofsIn(workflow: JsonObject, assertion: string): string[] {
  return ownArray(ownValue(workflow, "x-journey"), "acceptanceCriteria").flatMap((criterion, at) =>
    isObject(criterion)
      ? ownArray(criterion, "provenBy").flatMap((proof, index) =>
          proof === assertion ? [`/x-journey/acceptanceCriteria/${at}/provenBy/${index}`] : [],
        )
      : [],
  );
}
