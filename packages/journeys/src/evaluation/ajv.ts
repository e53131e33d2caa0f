// Imported on demand, as a module of its own: a bundled `import()` of a CommonJS package has no named exports.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** A validator for JSON Schema 2020-12 with its formats. */
export function createAjv(options: ConstructorParameters<typeof Ajv2020>[0]): Ajv2020 {
  const ajv = new Ajv2020(options);
  formats.default(ajv);
  // The package's own accepts any integer.
  ajv.addFormat("int64", {
    type: "number",
    validate: (value: number) => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63,
  });
  return ajv;
}
