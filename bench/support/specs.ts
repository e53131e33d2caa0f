import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { createRandom } from "./random.ts";

export interface SpecFile {
  name: string;
  file: string;
  operations: number;
  format: "json" | "yaml";
}

const GENERATED_OPERATIONS = 250;
/** A real spec of this many operations has about as many bytes. */
const PROPERTIES_PER_SCHEMA = 22;

/** Two large specs with the same content, as JSON and as YAML. */
export function largeSpecs(folder: string): SpecFile[] {
  mkdirSync(folder, { recursive: true });
  const spec = generateSpec();
  return (["json", "yaml"] as const).map((format) => {
    const name = `generated.${format}`;
    const file = path.join(folder, name);
    writeFileSync(file, format === "json" ? JSON.stringify(spec, null, 2) : stringify(spec));
    return { name, file, operations: GENERATED_OPERATIONS, format };
  });
}

function generateSpec() {
  const random = createRandom(GENERATED_OPERATIONS);
  const types = ["string", "integer", "boolean", "number"];
  const schema = (n: number) => ({
    type: "object",
    description: `What the resource number ${n} holds.`,
    properties: Object.fromEntries(
      Array.from({ length: PROPERTIES_PER_SCHEMA }, (_, p) => [
        `field_${p}`,
        {
          type: types[Math.floor(random() * types.length)],
          description: `The field number ${p} of the resource ${n}, as it was last written by whoever may write it.`,
          nullable: random() < 0.3,
        },
      ]),
    ),
  });
  const content = (name: string) => ({
    "application/json": { schema: { $ref: `#/components/schemas/${name}` } },
  });
  const operation = (n: number) => ({
    operationId: `getResource${n}`,
    summary: `Returns resource ${n}`,
    tags: [`group ${n % 20}`],
    parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
    responses: { 200: { description: "The resource", content: content(`Resource${n}`) } },
  });
  const numbers = Array.from({ length: GENERATED_OPERATIONS }, (_, n) => n);
  return {
    openapi: "3.0.3",
    info: { title: "Generated", version: "1.0.0" },
    servers: [{ url: "https://api.example.com" }],
    paths: Object.fromEntries(numbers.map((n) => [`/resources-${n}/{id}`, { get: operation(n) }])),
    components: { schemas: Object.fromEntries(numbers.map((n) => [`Resource${n}`, schema(n)])) },
  };
}
