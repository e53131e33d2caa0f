import type { Condition, Criterion, Operand } from "../criteria/ast.ts";
import { isOwnJourney } from "../document/own-journey.ts";
import { secretReads } from "../secrets/secret-reads.ts";
import { findSecrets } from "../secrets/find-secrets.ts";
import type { Expression } from "../expressions/ast.ts";
import type { Place } from "../secrets/named-values.ts";
import type { Program, ProgramStep } from "./program.ts";
import type { CheckedWorkflow } from "./references.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";
import { walkExpressions } from "./walk.ts";

/** Whether an expression, at the place of the condition, reads a secret. */
type IsSecret = (expression: Expression) => boolean;

/**
 * Refuses conditions whose outcome reveals something about a secret: an author of journeys who may not read the secret could
 * find it out with enough conditions. A condition may test whether a secret exists, and whether two secrets are equal.
 */
export function checkSecretAssertions(program: Program, checked: readonly [Unit, CheckedWorkflow][]): void {
  const reads = secretReads(findSecrets(program));
  for (const [unit, workflow] of checked) {
    const key = unit.prefix + workflow.workflow.id;
    for (const { step, places } of workflow.steps) {
      const place: Place = { workflow: key, step };
      const isSecret: IsSecret = (expression) => reads(expression, place);
      for (const [inStep, path] of places) {
        for (const text of tellingConditions(step, inStep, isSecret)) tell(unit, path, text);
      }
    }
    for (const [index, { when }] of workflow.workflow.teardown.entries()) {
      if (when === undefined || !tells(when.condition, (expression) => reads(expression, { workflow: key })))
        continue;
      tell(unit, [...workflow.path, "x-journey", "teardown", index], when.text);
    }
  }
}

function tell(unit: Unit, path: Path, text: string): void {
  report(unit, path, {
    severity: isOwnJourney(unit.document.model) ? "error" : "warning",
    code: "assertion-on-secret",
    message: `Whether "${text}" holds tells of a secret. Ask only whether it is there (== null, != null), or test the response it comes from.`,
  });
}

function tellingConditions(step: ProgramStep, [part, index]: Path, isSecret: IsSecret): string[] {
  if (part === "poll") {
    const { until, failWhen } = step.poll ?? {};
    return [until, failWhen].flatMap((asked) =>
      asked !== undefined && tells(asked.condition, isSecret) ? [asked.text] : [],
    );
  }
  const at = Number(index);
  const criteria = part === "criteria" ? step.criteria.slice(at, at + 1) : actionOf(step, part, at)?.criteria;
  return (criteria ?? []).flatMap((criterion) =>
    criterionTells(criterion, isSecret) ? [criterion.text] : [],
  );
}

function actionOf(
  step: ProgramStep,
  part: unknown,
  index: number,
): ProgramStep["onSuccess"][number] | undefined {
  return part === "onSuccess" || part === "onFailure" ? step[part][index] : undefined;
}

function criterionTells(criterion: Criterion, isSecret: IsSecret): boolean {
  if (criterion.type === "simple") return tells(criterion.condition, isSecret);
  return isSecret(criterion.context) || readsSecret(criterion.pattern, isSecret);
}

function tells(condition: Condition, isSecret: IsSecret): boolean {
  switch (condition.op) {
    case "&&":
    case "||":
      return tells(condition.left, isSecret) || tells(condition.right, isSecret);
    case "!":
      return tells(condition.of, isSecret);
    case "value":
      return "group" in condition.of
        ? tells(condition.of.group, isSecret)
        : !isPlain(condition.of) && readsSecret(condition.of, isSecret);
    default:
      return comparisonTells(condition, isSecret);
  }
}

function comparisonTells(
  { op, left, right }: Extract<Condition, { left: Operand }>,
  isSecret: IsSecret,
): boolean {
  const [isLeft, isRight] = [readsSecret(left, isSecret), readsSecret(right, isSecret)];
  if (!isLeft && !isRight) return false;
  if ((op !== "==" && op !== "!=") || !isPlain(left) || !isPlain(right)) return true;
  return !(isLeft && isRight) && !isNothing(isLeft ? right : left);
}

/** A literal or a whole value: no part of it is selected. */
function isPlain(operand: Operand): boolean {
  return "expr" in operand || "literal" in operand;
}

function isNothing(operand: Operand): boolean {
  return "literal" in operand && (operand.literal === null || operand.literal === "");
}

function readsSecret(node: unknown, isSecret: IsSecret): boolean {
  let found = false;
  walkExpressions(node, (expression) => (found ||= isSecret(expression)));
  return found;
}
