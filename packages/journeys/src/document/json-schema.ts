import { z } from "zod";
import { FailureAction, Parameter, Reusable, SuccessAction } from "./actions.ts";
import { Criterion, ExpressionType, Selector } from "./criteria.ts";
import { extensibleObjects } from "./extensible.ts";
import { AcceptanceCriterion, StepExtension, WorkflowExtension } from "./extensions.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { ArazzoDocument, Components, Info, RequestBody, SourceDescription, Step, Workflow } from "./model.ts";

const SCHEMA_ID = "urn:waymark:journey-schema:1";

const NAMED = {
  AcceptanceCriterion,
  Components,
  Criterion,
  ExpressionType,
  FailureAction,
  Info,
  Parameter,
  RequestBody,
  Reusable,
  Selector,
  SourceDescription,
  Step,
  StepExtension,
  SuccessAction,
  Workflow,
  WorkflowExtension,
};

const CALLS = ["operationId", "operationPath", "workflowId", "channelPath", "x-operation"];

/**
 * The model as a JSON Schema (2020-12), for editors. It accepts what `parseDocument` accepts and says, beyond that,
 * that a step calls exactly one thing; whatever needs more than one object is left to lint.
 */
export function journeyJsonSchema(): JsonValue {
  for (const [name, model] of Object.entries(NAMED)) {
    z.globalRegistry.add(model, { ...z.globalRegistry.get(model), id: `Journey${name}` });
  }
  const schema = z.toJSONSchema(ArazzoDocument, {
    target: "draft-2020-12",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (extensibleObjects.has(zodSchema)) {
        jsonSchema.additionalProperties = false;
        jsonSchema.patternProperties = { "^x-": true };
      }
      if (zodSchema === Step) jsonSchema.oneOf = CALLS.map((field) => ({ required: [field] }));
    },
  });
  const title = "A journey: an Arazzo document with the x-journey extensions";
  const named: JsonValue = JSON.parse(JSON.stringify({ $id: SCHEMA_ID, title, ...schema }));
  return named;
}
