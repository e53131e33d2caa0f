import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ArtifactNeeds } from "../builds/artifact-facts.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * The inputs of a run: those of the environment that the journey has, and the given ones. Whether they fit their schema is
 * checked by the run: a schema is a document's, and may take long.
 *
 * @throws AppError `validation_failed` for a value of a secret, or `input_invalid`
 */
export function inputsOf(
  needs: ArtifactNeeds,
  { environment, given }: { environment: Values; given: Values },
): Record<string, unknown> {
  const secret = new Set([...needs.secretInputs, ...needs.passwordInputs]);
  const secretsGiven = Object.keys(given).filter((name) => secret.has(name));
  if (secretsGiven.length > 0) {
    throw new AppError(
      "validation_failed",
      `These inputs are secrets, and a run stores its inputs: ${secretsGiven.join(", ")}. Set them as secrets of the environment.`,
    );
  }
  const isKnown = (name: string) => needs.inputs === null || needs.inputs.includes(name);
  const unknown = Object.keys(given).filter((name) => !isKnown(name));
  if (unknown.length > 0)
    throw new AppError("input_invalid", `The journey has no inputs of these names: ${unknown.join(", ")}.`);
  const own = Object.entries(environment).filter(([name]) => isKnown(name) && !secret.has(name));
  const inputs = { ...Object.fromEntries(own), ...given };
  const bySecret = new Set(needs.secretInputs);
  const missing = needs.required.filter((name) => !Object.hasOwn(inputs, name) && !bySecret.has(name));
  if (missing.length === 0) return inputs;
  const passwords = missing.filter((name) => needs.passwordInputs.includes(name));
  const hint =
    passwords.length === 0
      ? ""
      : ` Declare ${passwords.join(", ")} under x-journey.secrets, and set the secret in the environment.`;
  throw new AppError("input_invalid", `These inputs are required: ${missing.join(", ")}.${hint}`);
}
