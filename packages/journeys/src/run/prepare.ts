import type { Artifact } from "../compile/artifact-model.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { createLocalEvaluator } from "../evaluation/local-evaluator.ts";
import type { SourcePlace } from "../result/result.ts";
import { boundedCache } from "../evaluation/bounded-cache.ts";
import { formsOf } from "../secrets/secret-forms.ts";
import { findSecrets } from "../secrets/find-secrets.ts";
import { createSchemaChecker } from "./schema-check.ts";
import type { PreparedJourney } from "./state.ts";

/**
 * Makes an artifact ready to run, once for any number of runs. Its digests are not checked here: `openArtifact` does that for
 * what comes from a file.
 *
 * @param known `evaluator` applies patterns, queries and schemas: for untrusted documents, one with limits;
 * `fileDigest` of the artifact's file; `fileNames`, how its files are called in results, where not as in it
 */
export function prepareJourney(
  artifact: Artifact,
  known: { evaluator?: Evaluator; fileDigest?: string; fileNames?: ReadonlyMap<string, string> } = {},
): PreparedJourney {
  const { evaluator = createLocalEvaluator() } = known;
  const { files, origins, nodes } = artifact.map;
  const places = new Map<string, SourcePlace>();
  const ofCriteria = new Map<string, SourcePlace[]>();
  const nameOf = (index: number): string => {
    const file = files[index] ?? "";
    return known.fileNames?.get(file) ?? file;
  };
  const placeOf = (pointer: string): SourcePlace => {
    const found = places.get(pointer);
    if (found !== undefined) return found;
    const node = Object.hasOwn(nodes, pointer) ? nodes[pointer] : undefined;
    const place =
      node === undefined
        ? { file: nameOf(0), line: 1, from: "base" }
        : { file: nameOf(node[0]), line: node[1], from: origins[node[3]] ?? "base" };
    places.set(pointer, place);
    return place;
  };
  return {
    artifact,
    fileDigest: known.fileDigest,
    evaluator,
    schemas: createSchemaChecker({ $defs: artifact.program.schemas }),
    secrets: findSecrets(artifact.program),
    secretForms: boundedCache(100, formsOf),
    placeOf,
    placeOfCriterion: (at, index) => {
      let list = ofCriteria.get(at);
      if (list === undefined) ofCriteria.set(at, (list = []));
      return (list[index] ??= placeOf(`${at}/criteria/${index}`));
    },
  };
}
