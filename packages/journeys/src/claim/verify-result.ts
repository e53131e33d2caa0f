import { inputNames, takesAnyInput } from "../compile/input-names.ts";
import type { Artifact } from "../compile/artifact-model.ts";
import type { Program } from "../program/program.ts";
import { isHidden } from "../run/inputs.ts";
import { acceptanceResults } from "../result/acceptance.ts";
import type { JourneyResult } from "../result/result-model.ts";
import { collectFaults, type Faults, type ResultFault, shown } from "./faults.ts";
import { verifyCoverage } from "./verify-coverage.ts";
import { verifyStatus } from "./verify-status.ts";
import { matchStep, type MatchedStep } from "./verify-step.ts";

/** Far more than a run within the limits has. */
const STEPS_MAX = 5_000;

/** A result that is one of its program: its steps with those of the program. Otherwise what contradicts it. */
export type Verification = { ok: true; steps: MatchedStep[] } | { ok: false; faults: readonly ResultFault[] };

/**
 * Compares a result with the program that it claims to be of. Steps, criteria, conditions and operations must be the program's;
 * status, acceptance, contract and teardown must follow from the steps. What a server answered stays a claim.
 */
export function verifyResult({ id, program, provenance }: Artifact, result: JourneyResult): Verification {
  const faults = collectFaults();
  faults.same("artifact", result.artifact, id);
  const { journey, where, steps } = result;
  const { overlays, ...head } = journey;
  faults.same(
    "journey",
    [head.id, head.title, head.version],
    [program.journey.id, program.journey.title, program.journey.version],
  );
  faults.same(
    "journey.overlays",
    overlays,
    provenance.overlays.map((overlay) => overlay.id),
  );
  faults.same("where.environment", where.environment, program.environment);
  if (where.runner !== "cli") faults.add("where.runner", "a run of the cloud runner has its result already");
  checkNames(program, result, faults);
  if (steps.length > STEPS_MAX) faults.add("steps", `must be at most ${STEPS_MAX}`);
  const matched: MatchedStep[] = [];
  for (const [at, step] of steps.slice(0, STEPS_MAX).entries()) {
    const found = matchStep(program, step, `steps[${at}]`);
    if ("step" in found) matched.push(found);
    else for (const { path, message } of found) faults.add(path, message);
  }
  // The next checks derive facts from the steps, so they need steps that match the program's.
  if (faults.list.length > 0) return { ok: false, faults: faults.list };
  verifyStatus(program, { result, steps: matched }, faults);
  checkAcceptance(program, result, faults);
  checkContract(result, faults);
  verifyCoverage(program, { result, steps: matched }, faults);
  return faults.list.length > 0 ? { ok: false, faults: faults.list } : { ok: true, steps: matched };
}

/** Inputs and outputs have names of the program, and secrets have no value. */
function checkNames(program: Program, { inputs, outputs }: JourneyResult, faults: Faults): void {
  const known = new Set(inputNames(program));
  const entry = program.workflows[program.entry];
  const references = new Map(entry?.secrets.map(({ input, ref }) => [input, ref]));
  for (const [name, value] of Object.entries(inputs)) {
    const ref = references.get(name);
    if (ref !== undefined) faults.same(`inputs.${name}`, value, { secretRef: ref });
    else if (entry !== undefined && isHidden(entry, name))
      faults.same(`inputs.${name}`, value, { secret: true });
    else if (!known.has(name) && !takesAnyInput(program))
      faults.add("inputs", `the journey has no input ${shown(name)}`);
  }
  const named = new Set(
    Object.values(program.workflows).flatMap((workflow) => Object.keys(workflow.outputs)),
  );
  for (const name of Object.keys(outputs)) {
    if (!named.has(name)) faults.add("outputs", `the journey has no output ${shown(name)}`);
  }
}

function checkAcceptance(program: Program, { acceptance, steps }: JourneyResult, faults: Faults): void {
  const expected = acceptanceResults(program.workflows[program.entry]?.acceptance ?? [], steps);
  if (acceptance.length !== expected.length) {
    faults.add("acceptance", `the journey has ${expected.length} acceptance criteria`);
    return;
  }
  for (const [at, { id, text, severity, status, by }] of expected.entries()) {
    const claimed = acceptance[at];
    faults.same(`acceptance[${at}].id`, claimed?.id, id);
    faults.same(`acceptance[${at}].text`, claimed?.text, text);
    faults.same(`acceptance[${at}].severity`, claimed?.severity, severity);
    faults.same(`acceptance[${at}].by`, claimed?.by, by);
    if (claimed?.status !== status)
      faults.add(`acceptance[${at}].status`, `must be ${status}: that is what the steps say`);
  }
}

/** The checks of the main phase. */
function checkContract({ contract, steps }: JourneyResult, faults: Faults): void {
  const checks = steps.filter(({ phase }) => phase === "main").flatMap((step) => step.contract);
  const failures = checks.filter(({ status }) => status === "failed").length;
  const status = failures > 0 ? "failed" : checks.length > 0 ? "passed" : "none";
  if (contract.failures !== failures || contract.status !== status)
    faults.add("contract", `must be ${status} with ${failures} failures: that is what the steps say`);
}
