import type { Condition, Criterion, Operand } from "../criteria/ast.ts";
import { isOwnJourney } from "../document/own-journey.ts";
import type { Severity } from "../document/problem.ts";
import { givenReads, holds, secretReads } from "../secrets/secret-reads.ts";
import { findSecrets } from "../secrets/find-secrets.ts";
import type { Expression } from "../expressions/ast.ts";
import type { Place } from "../secrets/named-values.ts";
import type { Program, ProgramStep } from "../program/program.ts";
import type { CheckedWorkflow } from "./references.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";
import { usesInInputs, usesInOutputs, usesInStep } from "./secret-uses.ts";
import type { SecretUse } from "./secret-uses.ts";

/** Predicates that tell which secrets an expression reads at the place of the condition. */
interface Reads {
  secret: (expression: Expression) => boolean;
  /** A secret that the run is given, which the author of the journey need not know. */
  given: (expression: Expression) => boolean;
}

/**
 * Refuses what reveals something about a secret: an author of journeys who may not read the secret could find it out with enough
 * conditions, or piece by piece with a selector. A condition may test whether a secret exists, and whether two secrets that the
 * journey has obtained are equal.
 */
export function checkSecretUses(program: Program, checked: readonly [Unit, CheckedWorkflow][]): void {
  const secrets = findSecrets(program);
  const [reads, given] = [secretReads(program, secrets), givenReads(program, secrets)];
  const refers = Object.values(program.workflows).some((workflow) => workflow.secrets.length > 0);
  for (const [unit, { workflow, steps, path }] of checked) {
    const key = unit.prefix + workflow.id;
    const readsAt = (place: Place): Reads => ({
      secret: (expression) => reads(expression, place),
      given: (expression) => given(expression, place),
    });
    const severity = refers || isOwnJourney(unit.document.model) ? "error" : "warning";
    const refuse = ({ path: at, code, message }: SecretUse) => report(unit, at, { severity, code, message });
    usesInInputs(workflow, { key, path, reads: given }).forEach(refuse);
    usesInOutputs(workflow.outputs, [...path, "outputs"], readsAt({ workflow: key }).given).forEach(refuse);
    for (const { step, places } of steps) {
      const at = readsAt({ workflow: key, step });
      usesInStep(step, places, at.given).forEach(refuse);
      for (const [inStep, place] of places) {
        for (const text of tellingConditions(step, inStep, at)) tell(unit, place, { text, severity });
      }
    }
    for (const [index, { when }] of workflow.teardown.entries()) {
      if (when === undefined || !tells(when.condition, readsAt({ workflow: key }))) continue;
      tell(unit, [...path, "x-journey", "teardown", index], { text: when.text, severity });
    }
  }
}

function tell(unit: Unit, path: Path, { text, severity }: { text: string; severity: Severity }): void {
  report(unit, path, {
    severity,
    code: "assertion-on-secret",
    message: `Whether "${text}" holds tells of a secret. Ask only whether it is there (== null, != null), or test the response it comes from.`,
  });
}

function tellingConditions(step: ProgramStep, [part, index]: Path, reads: Reads): string[] {
  if (part === "poll") {
    const { until, failWhen } = step.poll ?? {};
    return [until, failWhen].flatMap((asked) =>
      asked !== undefined && tells(asked.condition, reads) ? [asked.text] : [],
    );
  }
  const at = Number(index);
  const criteria = part === "criteria" ? step.criteria.slice(at, at + 1) : actionOf(step, part, at)?.criteria;
  return (criteria ?? []).flatMap((criterion) => (criterionTells(criterion, reads) ? [criterion.text] : []));
}

function actionOf(
  step: ProgramStep,
  part: unknown,
  index: number,
): ProgramStep["onSuccess"][number] | undefined {
  return part === "onSuccess" || part === "onFailure" ? step[part][index] : undefined;
}

function criterionTells(criterion: Criterion, reads: Reads): boolean {
  if (criterion.type === "simple") return tells(criterion.condition, reads);
  return holds(criterion.context, reads.secret) || holds(criterion.pattern, reads.secret);
}

function tells(condition: Condition, reads: Reads): boolean {
  switch (condition.op) {
    case "&&":
    case "||":
      return tells(condition.left, reads) || tells(condition.right, reads);
    case "!":
      return tells(condition.of, reads);
    case "value":
      return "group" in condition.of
        ? tells(condition.of.group, reads)
        : !isPlain(condition.of) && holds(condition.of, reads.secret);
    default:
      return comparisonTells(condition, reads);
  }
}

function comparisonTells({ op, left, right }: Extract<Condition, { left: Operand }>, reads: Reads): boolean {
  const [isLeft, isRight] = [holds(left, reads.secret), holds(right, reads.secret)];
  if (!isLeft && !isRight) return false;
  if ((op !== "==" && op !== "!=") || !isPlain(left) || !isPlain(right)) return true;
  if (isLeft && isRight) return holds(left, reads.given) || holds(right, reads.given);
  return !isNothing(isLeft ? right : left);
}

/** A literal or a whole value: no part of it is selected. */
function isPlain(operand: Operand): boolean {
  return "expr" in operand || "literal" in operand;
}

function isNothing(operand: Operand): boolean {
  return "literal" in operand && (operand.literal === null || operand.literal === "");
}
