// To be imported late, and by a module of its own: a bundled `import()` of a CommonJS package has no names.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** A validator for JSON Schema 2020-12 with its formats. */
export function createAjv(options: ConstructorParameters<typeof Ajv2020>[0]): Ajv2020 {
  const ajv = new Ajv2020(options);
  formats.default(ajv);
  return ajv;
}
