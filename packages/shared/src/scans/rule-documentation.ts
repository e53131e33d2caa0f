/** The page of a built-in rule of the engine behind `waymark scan --lint`, ended by the rule's name. */
const PAGES = "https://redocly.com/docs/cli/rules/";

const BUILT_IN_RULES = new Set(
  `array-parameter-serialization boolean-parameter-prefixes component-name-unique info-contact
   info-license info-license-strict no-ambiguous-paths no-duplicated-enum-values
   no-duplicated-tag-names no-empty-servers no-enum-type-mismatch no-example-value-and-externalValue
   no-http-verbs-in-paths no-identical-paths no-illogical-composition-keywords
   no-invalid-media-type-examples no-invalid-parameter-examples no-invalid-schema-examples
   no-mixed-number-range-constraints no-path-trailing-slash no-required-schema-properties-undefined
   no-schema-type-mismatch no-server-example.com no-server-trailing-slash
   no-server-variables-empty-enum no-undefined-server-variable no-unresolved-refs no-unsafe-markdown
   no-unused-components nullable-type-sibling operation-2xx-response
   operation-4xx-problem-details-rfc7807 operation-4xx-response operation-description
   operation-operationId operation-operationId-unique operation-operationId-url-safe
   operation-parameters-unique operation-singular-tag operation-summary operation-tag-defined
   parameter-description path-declaration-must-exist path-http-verbs-order path-not-include-query
   path-parameters-defined path-params-defined path-segment-plural paths-kebab-case request-mime-type
   required-string-property-missing-min-length response-contains-header response-contains-property
   response-mime-type scalar-property-missing-example security-defined security-scopes-defined
   spec-components-invalid-map-name spec-discriminator-defaultMapping spec-example-values
   spec-no-invalid-encoding-combinations spec-no-invalid-tag-parents spec-querystring-parameters
   spec-ref-siblings spec-strict-refs struct tag-description tags-alphabetical`.split(/\s+/),
);

/** The page that explains a rule; null for rules of other tools, of plugins and of rulesets. */
export function ruleDocumentationOf(code: string): string | null {
  return BUILT_IN_RULES.has(code) ? `${PAGES}${code}` : null;
}
