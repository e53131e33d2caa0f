import { createRedactor, type Redactor } from "../secrets/redact.ts";
import { createShield, givenTexts, type Shield } from "../secrets/shield.ts";

/** The secrets that a run knows. */
export interface KnownSecrets {
  readonly redactor: Redactor;
  /** Hides the secrets that the run is given from what looks into values. */
  readonly shield: Shield;
  /** All secrets, as they were added. */
  readonly texts: ReadonlySet<string>;
  /** Secrets by the references that gave them. */
  readonly references: ReadonlyMap<string, string>;
  /** Makes values secrets from now on. What was recorded before is cleaned again when the run ends. */
  add: (secrets: readonly string[]) => void;
  /** Adds references with their values. */
  addReferences: (resolved: ReadonlyMap<string, string>) => void;
}

/**
 * @param secretForms the forms that a secret is searched by
 * @param known those that the run is given: `references` of a run that it continues, and `onNew`, called for each new secret
 */
export function createKnownSecrets(
  secretForms: (secret: string) => ReadonlySet<string>,
  known: { references: ReadonlyMap<string, string> | undefined; onNew: () => void },
): KnownSecrets {
  const redactor = createRedactor([], secretForms);
  const shield = createShield(secretForms);
  const texts = new Set<string>();
  const references = new Map(known.references);
  // A run that continues has references of workflows that it called before it was interrupted.
  shield.add([...references.values()].flatMap(givenTexts));
  return {
    redactor,
    shield,
    texts,
    references,
    add(secrets) {
      for (const secret of secrets) {
        texts.add(secret);
        if (redactor.add(secret)) known.onNew();
      }
    },
    addReferences(resolved) {
      for (const [ref, value] of resolved) references.set(ref, value);
    },
  };
}
