import type { Artifact } from "../compile/artifact.ts";
import { enginesOf } from "../compile/engines.ts";
import { loadEngines } from "../criteria/engines.ts";
import type { SourcePlace } from "../result/result.ts";
import { createSchemaChecker } from "./schema-check.ts";
import type { PreparedJourney } from "./state.ts";

/**
 * Makes an artifact ready to run, once for any number of runs. It loads only the engines that the program needs. The
 * artifact's digests are not checked here: `openArtifact` does that for what comes from a file.
 */
export async function prepareJourney(artifact: Artifact): Promise<PreparedJourney> {
  const { files, origins, nodes } = artifact.map;
  const places = new Map<string, SourcePlace>();
  const ofCriteria = new Map<string, SourcePlace[]>();
  const placeOf = (pointer: string): SourcePlace => {
    const known = places.get(pointer);
    if (known !== undefined) return known;
    const node = Object.hasOwn(nodes, pointer) ? nodes[pointer] : undefined;
    const place =
      node === undefined
        ? { file: files[0] ?? "", line: 1, from: "base" }
        : { file: files[node[0]] ?? "", line: node[1], from: origins[node[3]] ?? "base" };
    places.set(pointer, place);
    return place;
  };
  return {
    artifact,
    engines: await loadEngines(enginesOf(artifact.program)),
    schemas: createSchemaChecker({ $defs: artifact.program.schemas }),
    placeOf,
    placeOfCriterion: (at, index) => {
      let list = ofCriteria.get(at);
      if (list === undefined) ofCriteria.set(at, (list = []));
      return (list[index] ??= placeOf(`${at}/criteria/${index}`));
    },
  };
}
