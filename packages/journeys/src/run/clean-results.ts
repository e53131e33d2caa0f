import { mapExchanges } from "../result/exchanges.ts";
import type { Exchange, StepResult } from "../result/result.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { cleanFields } from "./values.ts";

/**
 * The results of steps without secrets that became known after they were recorded. Only texts of documents and servers are
 * cleaned; the result's own words stay, even if a secret is equal to one.
 */
export function cleanResults(
  known: Pick<KnownSecrets, "redactor">,
  results: readonly StepResult[],
): StepResult[] {
  const { clean } = known.redactor;
  return results.map((step) => {
    const cleaned = cleanFields(known, step, ["reason", "notes"]);
    return {
      ...cleaned,
      ...(step.external === undefined ? {} : { external: cleanFields(known, step.external, ["url"]) }),
      attempts: step.attempts.map((attempt) => cleanFields(known, attempt, ["because"])),
      assertions: step.assertions.map((assertion) =>
        cleanFields(known, assertion, ["condition", "actual", "expected", "explanation"]),
      ),
      contract: step.contract.map((check) => cleanFields(known, check, ["pointer", "message"])),
      outputs: Object.fromEntries(Object.entries(step.outputs).map(([name, value]) => [name, clean(value)])),
      ...(step.evidence === undefined
        ? {}
        : { evidence: mapExchanges(step.evidence, (exchange) => cleanExchange(known, exchange)) }),
    };
  });
}

/** An exchange without secrets that became known after it was recorded. */
export function cleanExchange(known: Pick<KnownSecrets, "redactor">, exchange: Exchange): Exchange {
  const before = known.redactor.count();
  const { request, response } = exchange;
  const cleaned: Exchange = { ...exchange, request: cleanFields(known, request, ["url", "headers", "body"]) };
  if (response !== undefined)
    cleaned.response = cleanFields(known, response, ["statusText", "headers", "body"]);
  cleaned.redactions += known.redactor.count() - before;
  return cleaned;
}
