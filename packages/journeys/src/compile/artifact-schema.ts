import { z } from "zod";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { Artifact } from "./artifact-model.ts";

/** The model of an artifact as a JSON Schema (2020-12): what `openArtifact` checks, without loading the models. */
export function artifactJsonSchema(): JsonValue {
  const schema = z.toJSONSchema(Artifact, { target: "draft-2020-12", reused: "ref" });
  const named: JsonValue = JSON.parse(
    JSON.stringify({ $id: "urn:waymark:artifact-schema:1", title: "A journey's build artifact", ...schema }),
  );
  return named;
}
