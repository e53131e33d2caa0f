import { artifactContents, type PromisedCriterion } from "@waymark/journeys/compile/artifact-contents.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { inputNames, takesAnyInput } from "@waymark/journeys/compile/input-names.ts";
import { requiredInputs } from "@waymark/journeys/document/input-schema.ts";
import { folderOf, relativePath } from "@waymark/journeys/load/paths.ts";
import { isHidden } from "@waymark/journeys/run/inputs.ts";
import { z } from "zod";
import { storable } from "../../lib/storable.ts";

/** A document that a build has read. */
export interface ReadDocument {
  documentId: string;
  version: number;
  path: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  hash: string;
}

/** The inputs and secrets that a run has to be given. */
export const ArtifactNeeds = z.object({
  /** The names of its inputs; null where any name is accepted. */
  inputs: z.array(z.string()).nullable(),
  required: z.array(z.string()),
  /** Inputs that no caller gives a value: secrets by reference, and passwords. */
  secretInputs: z.array(z.string()),
  passwordInputs: z.array(z.string()),
  /** NAME of each `env:NAME`. */
  secretNames: z.array(z.string()),
});
export type ArtifactNeeds = z.infer<typeof ArtifactNeeds>;

/** The facts of an artifact that are rows of their own. */
export interface ArtifactFacts {
  needs: ArtifactNeeds;
  operations: {
    source: string;
    method: string;
    path: string;
    pathKey: string;
    operationId: string | null;
    /** The document of its description. */
    sourceDocumentId: string | null;
  }[];
  criteria: {
    ownerDocumentId: string;
    id: string;
    severity: string;
    text: string;
    provenBy: string[];
  }[];
}

/** @param documents what was read for it; `target` is the one that was asked for */
export function factsOf(
  artifact: Artifact,
  documents: readonly ReadDocument[],
  target: string,
): ArtifactFacts {
  const { operations, criteria } = artifactContents(artifact);
  return {
    needs: needsOf(artifact),
    operations: operations.map(({ source, sourceSha256, method, path, pathKey, operationId }) => ({
      source: storable(source),
      method: storable(method),
      path: storable(path),
      pathKey: storable(pathKey),
      operationId: operationId === undefined ? null : storable(operationId),
      sourceDocumentId: documents.find(({ hash }) => hash === sourceSha256)?.documentId ?? null,
    })),
    criteria: ownedCriteria(criteria, ownerFinder(artifact, documents, target)),
  };
}

function needsOf({ program }: Artifact): ArtifactNeeds {
  const entry = program.workflows[program.entry];
  const refs = Object.values(program.workflows).flatMap(({ secrets }) => secrets.map(({ ref }) => ref));
  const names = inputNames(program);
  return {
    inputs: takesAnyInput(program) ? null : names,
    required: requiredInputs(entry?.inputs),
    secretInputs: (entry?.secrets ?? []).map(({ input }) => input),
    passwordInputs: entry === undefined ? [] : names.filter((name) => isHidden(entry, name)),
    secretNames: [...new Set(refs.flatMap((ref) => /^env:(.+)$/s.exec(ref)?.[1] ?? []))],
  };
}

/** A criterion belongs to the document that declares it: a variant's run proves its base's. */
function ownerFinder(
  { provenance }: Artifact,
  documents: readonly ReadDocument[],
  target: string,
): (file: string | undefined) => string {
  const base = documents.find(({ hash }) => hash === provenance.journey.sha256);
  const folder = folderOf(base?.path ?? "");
  return (file) => documents.find(({ path }) => relativePath(folder, path) === file)?.documentId ?? target;
}

function ownedCriteria(
  promised: readonly PromisedCriterion[],
  ownerOf: (file: string | undefined) => string,
): ArtifactFacts["criteria"] {
  const criteria = promised.map(({ file, id, severity, text, provenBy }) => ({
    ownerDocumentId: ownerOf(file),
    id: storable(id),
    severity: storable(severity),
    text: storable(text),
    provenBy: provenBy.map((reference) => storable(reference)),
  }));
  return [...new Map(criteria.map((one) => [`${one.ownerDocumentId} ${one.id}`, one])).values()];
}
