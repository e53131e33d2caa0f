import type { Evidence, StepResult } from "../result/result.ts";
import type { Run } from "./state.ts";
import { cleanFields } from "./values.ts";

/**
 * The results of steps without secrets that became known after they were recorded. Only texts of documents and servers are
 * cleaned; the result's own words stay, even if a secret is equal to one.
 */
export function cleanResults(run: Pick<Run, "redactor">, results: readonly StepResult[]): StepResult[] {
  const { clean } = run.redactor;
  return results.map((step) => {
    const cleaned = cleanFields(run, step, ["reason", "notes"]);
    return {
      ...cleaned,
      ...(step.external === undefined ? {} : { external: cleanFields(run, step.external, ["url"]) }),
      attempts: step.attempts.map((attempt) => cleanFields(run, attempt, ["because"])),
      assertions: step.assertions.map((assertion) =>
        cleanFields(run, assertion, ["condition", "actual", "expected", "explanation"]),
      ),
      contract: step.contract.map((check) => cleanFields(run, check, ["pointer", "message"])),
      outputs: Object.fromEntries(Object.entries(step.outputs).map(([name, value]) => [name, clean(value)])),
      ...(step.evidence === undefined ? {} : { evidence: cleanEvidence(run, step.evidence) }),
    };
  });
}

function cleanEvidence(run: Pick<Run, "redactor">, evidence: Evidence): Evidence {
  const before = run.redactor.count();
  const { request, response } = evidence;
  const cleaned: Evidence = { ...evidence, request: cleanFields(run, request, ["url", "headers", "body"]) };
  if (response !== undefined)
    cleaned.response = cleanFields(run, response, ["statusText", "headers", "body"]);
  cleaned.redactions += run.redactor.count() - before;
  return cleaned;
}
