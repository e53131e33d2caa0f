import { externalAddress } from "../program/external-address.ts";
import type { Artifact } from "../compile/artifact-model.ts";
import { cleanResults } from "../run/clean-results.ts";
import { prepareJourney } from "../run/prepare.ts";
import { cleanFields } from "../run/values.ts";
import { encodePointer } from "@waymark/openapi/pointer.ts";
import { cookieTexts, credentialTexts } from "../secrets/credential-texts.ts";
import { withKeyShapes } from "../secrets/key-shapes.ts";
import { namedSecrets } from "../secrets/named-fields.ts";
import { createRedactor } from "../secrets/redact.ts";
import type { Redactor } from "../secrets/redact.ts";
import { isCredentialHeader } from "../secrets/secret-names.ts";
import { exchangesOf, mapExchanges } from "../result/exchanges.ts";
import type { Exchange, JourneyResult, StepResult } from "../result/result-model.ts";
import type { MatchedStep } from "./verify-step.ts";

const PLACEHOLDER = "[redacted]";

/**
 * A result from elsewhere, as it may be stored: without these secrets, without what its own evidence tells to be a secret, and
 * without keys. Places and addresses of calls are the artifact's, whatever the result says.
 *
 * If the result contains one of the secrets, all of its values are left out: which of them was replaced would tell its uploader
 * which of many guesses is right.
 */
export function redactClaim(
  artifact: Artifact,
  {
    result,
    steps,
    secrets,
  }: { result: JourneyResult; steps: readonly MatchedStep[]; secrets: readonly string[] },
): { result: JourneyResult; hasSecret: boolean } {
  const plain = createRedactor(secrets);
  plain.clean(result);
  const hasSecret = plain.count() > 0;
  for (const { evidence } of result.steps) {
    if (evidence !== undefined) for (const exchange of exchangesOf(evidence)) learn(plain, exchange);
  }
  const redactor = withKeyShapes(plain);
  const run = { redactor };
  const { placeOf, placeOfCriterion } = prepareJourney(artifact);
  const placed = steps.map(({ result: step, key, index, step: { target } }): StepResult => {
    const at = encodePointer(["workflows", key, "steps", index]);
    const url = target.kind === "external" ? externalAddress(target.url) : undefined;
    return {
      ...step,
      ...(step.external === undefined || url === undefined ? {} : { external: { ...step.external, url } }),
      ...(step.evidence === undefined
        ? {}
        : { evidence: mapExchanges(step.evidence, (exchange) => hideCredentials(redactor, exchange)) }),
      assertions: step.assertions.map((assertion, criterion) => ({
        ...assertion,
        source: placeOfCriterion(at, criterion),
      })),
      source: placeOf(at),
    };
  });
  const { coverage, error } = result;
  const cleaned: JourneyResult = {
    ...cleanFields(run, result, ["inputs", "outputs"]),
    ...(error === undefined ? {} : { error: cleanFields(run, error, ["message", "step"]) }),
    coverage: {
      ...coverage,
      notInInventory: coverage.notInInventory.map((call) => cleanFields(run, call, ["url"])),
    },
    steps: cleanResults(run, placed),
  };
  return { result: hasSecret ? withoutValues(cleaned) : cleaned, hasSecret };
}

const LEFT_OUT = "Values were left out: the uploaded result contained a secret of the environment.";

/** The outcome alone: statuses, times, and what the program says. */
function withoutValues({ error, ...result }: JourneyResult): JourneyResult {
  return {
    ...result,
    ...(error === undefined ? {} : { error: { code: error.code, message: LEFT_OUT } }),
    inputs: {},
    outputs: {},
    coverage: { ...result.coverage, notInInventory: [] },
    steps: result.steps.map(({ evidence: _evidence, reason, ...step }) => ({
      ...step,
      ...(reason === undefined ? {} : { reason: LEFT_OUT }),
      notes: [LEFT_OUT],
      outputs: {},
      attempts: step.attempts.map(({ because: _because, ...attempt }) => attempt),
      assertions: step.assertions.map(
        ({ actual: _actual, expected: _expected, explanation: _explanation, ...assertion }) => assertion,
      ),
      contract: step.contract.map(({ check, status }) => ({ check, status })),
    })),
  };
}

/** Adds the secrets in a message's credential headers and secret fields. They are redacted everywhere in the result. */
function learn(redactor: Redactor, { request, response }: Exchange): void {
  for (const message of [request, response]) {
    for (const [name, value] of message?.headers ?? []) {
      if (!isCredentialHeader(name)) continue;
      const isCookie = /^(?:set-)?cookie2?$/i.test(name);
      add(redactor, isCookie ? cookieTexts(name, value) : credentialTexts(value));
    }
    const text = message?.body;
    if (text !== undefined) add(redactor, namedSecrets({ text, body: parsed(text) }));
  }
}

function add(redactor: Redactor, texts: readonly string[]): void {
  for (const text of texts) if (!text.includes(PLACEHOLDER)) redactor.add(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A body that was cut, or none of JSON: its fields are found in the text.
    return undefined;
  }
}

function hideCredentials(redactor: Redactor, exchange: Exchange): Exchange {
  const before = redactor.count();
  const hide = (headers: Exchange["request"]["headers"]) =>
    headers.map(([name, value]): [string, string] =>
      isCredentialHeader(name) && value !== PLACEHOLDER ? [name, redactor.hide()] : [name, value],
    );
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, headers: hide(request.headers) },
    ...(response === undefined ? {} : { response: { ...response, headers: hide(response.headers) } }),
    redactions: exchange.redactions + redactor.count() - before,
  };
}
