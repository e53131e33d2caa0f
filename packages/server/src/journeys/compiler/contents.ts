import { artifactContents } from "@waymark/journeys/compile/artifact-contents.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { LoadedJourney } from "@waymark/journeys/load/load-journey.ts";
import { folderOf, relativePath } from "@waymark/journeys/load/paths.ts";
import { storable } from "../../lib/storable.ts";
import type { JourneyContents } from "./messages.ts";

const OPERATIONS_MAX = 2_000;
const CRITERIA_MAX = 500;
const PROOFS_MAX = 50;

/** Returns a compiled journey's calls and the criteria that it promises, as the server stores them. */
export async function contentsOf(artifact: Artifact, journey: LoadedJourney): Promise<JourneyContents> {
  const { operations, criteria } = artifactContents(artifact);
  const folder = folderOf(journey.baseFile.path);
  const byName = new Map<string, string>();
  const byHash = new Map<string, string>();
  for (const path of journey.files.names.values()) {
    byName.set(relativePath(folder, path), path);
    byHash.set((await journey.files.read(path)).sha256, path);
  }
  return {
    operations: operations.slice(0, OPERATIONS_MAX).flatMap((operation) => {
      const sourcePath = byHash.get(operation.sourceSha256 ?? "");
      if (sourcePath === undefined) return [];
      const { source, method, path, pathKey, operationId } = operation;
      return {
        source: storable(source),
        sourcePath: storable(sourcePath),
        method: storable(method),
        path: storable(path),
        pathKey: storable(pathKey),
        operationId: operationId === undefined ? null : storable(operationId),
      };
    }),
    criteria: criteria.slice(0, CRITERIA_MAX).map(({ file, id, severity, text, provenBy }) => ({
      ownerPath: storable(byName.get(file ?? "") ?? journey.baseFile.path),
      id: storable(id),
      severity: storable(severity),
      text: storable(text),
      provenBy: provenBy.slice(0, PROOFS_MAX).map((reference) => storable(reference)),
    })),
  };
}
