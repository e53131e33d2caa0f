import { scryptSync } from "node:crypto";
import { canonicalJson } from "@waymark/journeys/compile/canonical.ts";
import { isHidden } from "@waymark/journeys/run/inputs.ts";
import type { Program } from "@waymark/journeys/program/program.ts";
import { VERSION } from "@waymark/journeys/version.ts";
import type { Inputs } from "../run/inputs.ts";
import type { ResolveSecret } from "../run/secrets.ts";

/**
 * Returns what the outputs of a try come from besides its program, by the names that a message has. Secrets are a salted digest
 * that is slow to compute, because some are short enough to be guessed.
 */
export function originsOf(
  program: Program,
  given: {
    inputs: Inputs;
    servers: Readonly<Record<string, string>>;
    resolveSecret: ResolveSecret;
    followRedirects: boolean;
    salt: string;
  },
): Record<string, unknown> {
  const { inputs, servers, resolveSecret, followRedirects, salt } = given;
  const entry = program.workflows[program.entry];
  const references = Object.values(program.workflows).flatMap(({ secrets }) => secrets.map(({ ref }) => ref));
  const isSecret = (name: string) =>
    entry !== undefined && (isHidden(entry, name) || entry.secrets.some(({ input }) => input === name));
  const names = Object.keys(inputs);
  const pick = (wanted: readonly string[]) => Object.fromEntries(wanted.map((name) => [name, inputs[name]]));
  const secrets = canonicalJson([
    pick(names.filter(isSecret)),
    [...new Set(references)].toSorted().map((ref) => [ref, resolveSecret(ref) ?? null]),
  ]);
  return {
    "the version of waymark": VERSION,
    "the inputs": pick(names.filter((name) => !isSecret(name))),
    "a secret": scryptSync(secrets, salt, 32).toString("hex"),
    "--server": servers,
    "--follow-redirects": followRedirects,
  };
}
