import type { Artifact } from "./artifact-model.ts";

/** An operation that a program calls. */
interface CalledOperation {
  source: string;
  /** Over the bytes of the source's description, in hexadecimal. */
  sourceSha256: string | undefined;
  method: string;
  path: string;
  /** The path with each parameter as `{}`: two descriptions may name a parameter differently. */
  pathKey: string;
  operationId: string | undefined;
}

/** An acceptance criterion of a program. */
export interface PromisedCriterion {
  /** The file that declares it, as the artifact names files. */
  file: string | undefined;
  id: string;
  severity: string;
  text: string;
  /** Assertions, as `stepId#criterionId`. */
  provenBy: string[];
}

/** Returns the operations that an artifact calls, and the criteria that its runs can prove. */
export function artifactContents({
  program,
  provenance,
  map,
}: Pick<Artifact, "program" | "provenance" | "map">): {
  operations: CalledOperation[];
  criteria: PromisedCriterion[];
} {
  const hashes = new Map(provenance.sources.map(({ name, sha256 }) => [name, sha256]));
  const operations = Object.values(program.operations).map(({ source, method, path, operationId }) => ({
    source,
    sourceSha256: hashes.get(source),
    method,
    path,
    pathKey: pathKeyOf(path),
    operationId,
  }));
  const entry = program.entry.replaceAll("~", "~0").replaceAll("/", "~1");
  const acceptance = program.workflows[program.entry]?.acceptance ?? [];
  const criteria = acceptance.map(({ id, severity, text, provenBy }, at) => ({
    file: map.files[map.nodes[`/workflows/${entry}/acceptance/${at}`]?.[0] ?? -1],
    id,
    severity,
    text,
    provenBy: provenBy.map(({ step, criterion }) => `${step}#${criterion}`),
  }));
  return { operations, criteria };
}

/** A path with each parameter as `{}`. */
function pathKeyOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}
