import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import type { Conditions } from "./match-conditions.ts";
import { issuerKind, ownerPart } from "./owners.ts";

interface Checked {
  issuer: string;
  conditions: Conditions;
}

/**
 * Checks that only workloads of an owner meet the conditions.
 *
 * @throws AppError `validation_failed` with an explanation for conditions that are too wide
 */
export function checkConditions({ issuer, conditions }: Checked): void {
  for (const [claim, accepted] of Object.entries(conditions)) {
    const isEverything = [accepted].flat().some((pattern) => /^\*+$/.test(pattern));
    if (isEverything) throw tooWide(`conditions.${claim}`, "accepts every value: leave the claim out");
  }
  const kind = issuerKind(issuer);
  if (kind.isOwn === true || Object.entries(conditions).some((one) => namesOwner(issuer, one))) return;
  const known = Object.keys(kind.owners).join(", ");
  throw tooWide(
    "conditions",
    `must name the owner: everybody who can use ${kind.name} could get a key. Add a condition on one of ${known} that begins with the ` +
      `owner's complete name or is its id, such as ${kind.example}${reusable(conditions)}`,
  );
}

function namesOwner(issuer: string, [claim, accepted]: [string, string | string[]]): boolean {
  return [accepted].flat().every((pattern) => ownerPart(issuer, claim, pattern) !== undefined);
}

function reusable(conditions: Conditions): string {
  return Object.hasOwn(conditions, "job_workflow_ref")
    ? ". job_workflow_ref names the file of a reusable workflow, which repositories of other owners can call"
    : "";
}

function tooWide(path: string, message: string): AppError {
  return new AppError("validation_failed", `The conditions are too wide. ${path}: ${message}.`, {
    data: { details: [{ path, message }] },
  });
}

/** The permissions that scanning needs. Every branch may have it: a run of another branch than the default one is not promoted. */
const SCANNING: ReadonlySet<string> = new Set([
  "scans:create",
  "services:read",
  "services:create",
  "services:update",
  "endpoints:read",
  "endpoints:write",
]);

/** Claims that tell branches and deployments apart. */
const PLACES =
  /^(?:ref|ref_path|ref_protected|environment|environment_protected|event_name|sub|workflow_ref|job_workflow_ref|build_branch|build_source|pipeline_source)$/;

/** Says what the conditions of a policy accept, although it may not be meant. */
export function warningsOf({
  issuer,
  conditions,
  scopes,
}: Checked & { scopes: readonly ApiKeyScope[] }): string[] {
  const { name, ids = [], isOwn } = issuerKind(issuer);
  const claims = Object.keys(conditions);
  const warnings: string[] = [];
  if (ids.length > 0 && !claims.some((claim) => ids.includes(claim))) {
    warnings.push(
      `The owner is named, and ${name} lets others take a name after a rename or a deletion. Add a condition on ${ids.join(" or ")}.`,
    );
  }
  const wider = scopes.find(({ permission }) => !SCANNING.has(permission));
  const isOfBranch = claims.some((claim) => PLACES.test(claim));
  if (wider !== undefined && !isOfBranch && isOwn !== true && name !== "this issuer") {
    warnings.push(
      `Every branch and every pull request of the repositories gets ${wider.permission}. Add a condition on the branch or the environment.`,
    );
  }
  const subjects = [conditions["sub"] ?? []].flat();
  if (name === "GitHub Actions" && subjects.some((subject) => /^repo:[^@]*$/.test(subject))) {
    warnings.push(
      "GitHub writes ids into sub for repositories that were created or renamed since July 2026 (repo:acme@65/payments@74:…). Conditions on " +
        "repository_owner_id, repository and ref match both forms.",
    );
  }
  return warnings;
}
