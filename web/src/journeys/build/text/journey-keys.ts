const ACTION = ["name", "type", "stepId", "workflowId", "criteria"];
const CRITERION = ["condition", "context", "type", "x-id"];

/** The fields of a journey's objects, by the key that holds them; the empty key is the document. */
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  "": ["arazzo", "$self", "info", "sourceDescriptions", "workflows", "components"],
  info: ["title", "version", "summary", "description", "x-journey"],
  "info/x-journey": ["schema", "template", "owner", "tags"],
  sourceDescriptions: ["name", "url", "type"],
  workflows: [
    "workflowId",
    "summary",
    "description",
    "inputs",
    "dependsOn",
    "parameters",
    "steps",
    "successActions",
    "failureActions",
    "outputs",
    "x-journey",
  ],
  "workflows/x-journey": ["acceptanceCriteria", "secrets", "secretOutputs", "teardown", "vars"],
  acceptanceCriteria: ["id", "text", "severity", "links", "provenBy"],
  teardown: ["step", "when"],
  steps: [
    "stepId",
    "description",
    "operationId",
    "operationPath",
    "workflowId",
    "x-operation",
    "timeout",
    "dependsOn",
    "parameters",
    "requestBody",
    "successCriteria",
    "onSuccess",
    "onFailure",
    "outputs",
    "x-journey",
  ],
  "steps/x-journey": ["poll", "secretOutputs"],
  poll: ["until", "failWhen", "everyMs", "maxMs"],
  "x-operation": ["url", "method"],
  parameters: ["name", "in", "value", "reference"],
  requestBody: ["contentType", "payload", "replacements"],
  successCriteria: CRITERION,
  criteria: CRITERION,
  onSuccess: ACTION,
  successActions: ACTION,
  onFailure: [...ACTION, "retryAfter", "retryLimit"],
  failureActions: [...ACTION, "retryAfter", "retryLimit"],
};

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
const ACTIONS = ["end", "goto"];

/** The values of fields that have few, by the key that holds the object and the field's own. */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  "acceptanceCriteria severity": ["must", "should", "could"],
  "parameters in": ["path", "query", "header", "cookie"],
  "x-operation method": METHODS,
  "sourceDescriptions type": ["openapi", "arazzo"],
  "successCriteria type": ["simple", "regex", "jsonpath", "xpath"],
  "onSuccess type": ACTIONS,
  "successActions type": ACTIONS,
  "onFailure type": [...ACTIONS, "retry"],
  "failureActions type": [...ACTIONS, "retry"],
};
