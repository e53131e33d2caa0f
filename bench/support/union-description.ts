const KINDS = 40;

/**
 * Returns a description in YAML whose union has kinds that contain the union again, as design tools and editors have. `revision`
 * changes a part that every kind reaches.
 */
export function unionDescription(revision: 1 | 2): string {
  const names = Array.from({ length: KINDS }, (_, index) => `Kind${index}`);
  const schemas = names.flatMap((name) => [
    `    ${name}:`,
    "      allOf:",
    "        - $ref: '#/components/schemas/Base'",
    "        - type: object",
    "          required: [kind]",
    "          properties:",
    `            kind: { type: string, enum: [${name.toUpperCase()}] }`,
    "            children: { type: array, items: { $ref: '#/components/schemas/Any' } }",
    ...Array.from(
      { length: 12 },
      (_, index) => `            ${name.toLowerCase()}Field${index}: { type: string }`,
    ),
  ]);
  return [
    "openapi: 3.1.0",
    "info: { title: Union, version: '1' }",
    "paths:",
    "  /nodes:",
    "    get:",
    "      responses:",
    "        '200':",
    "          description: Nodes",
    "          content:",
    "            application/json: { schema: { $ref: '#/components/schemas/Any' } }",
    "components:",
    "  schemas:",
    "    Any:",
    "      oneOf:",
    ...names.map((name) => `        - $ref: '#/components/schemas/${name}'`),
    "    Base:",
    "      type: object",
    `      properties: { id: { type: string${revision === 1 ? "" : ", maxLength: 40"} } }`,
    ...schemas,
    "",
  ].join("\n");
}
