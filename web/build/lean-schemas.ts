import type { Plugin } from "vite";

const OWN_SCHEMAS = /\/packages\/shared\/src\/.*\.ts$/;
const ZOD_SCHEMAS = /\/zod\/v4\/classic\/schemas\.js$/;
const PROCESSOR = /^ *inst\._zod\.processJSONSchema = .*;$/gm;
const TO_JSON_SCHEMA = 'from "../core/to-json-schema.js"';
const NO_JSON_SCHEMA = "\0no-json-schema";

/**
 * Leaves out of schemas what only the API's description needs: their descriptions, schemas of which the console uses none, and zod's
 * code that makes JSON Schema. The console checks responses with its schemas, and describes nothing.
 */
export function leanSchemas(): Plugin {
  return {
    name: "lean-schemas",
    apply: "build",
    resolveId: (id) => (id === NO_JSON_SCHEMA ? id : null),
    load: (id) =>
      id === NO_JSON_SCHEMA
        ? `const fail = () => () => { throw new Error("the console's schemas make no JSON Schema"); };
           export { fail as createStandardJSONSchemaMethod, fail as createToJSONSchemaMethod };`
        : null,
    transform(code, id) {
      if (OWN_SCHEMAS.test(id)) return { code: leanSource(code, this.parse(code)), map: null };
      if (!ZOD_SCHEMAS.test(id)) return null;
      if (code.search(PROCESSOR) < 0 || !code.includes(TO_JSON_SCHEMA))
        this.error("zod makes JSON Schema in another way than web/build/lean-schemas.ts expects");
      const lean = code.replaceAll(PROCESSOR, "").replace(TO_JSON_SCHEMA, `from "${NO_JSON_SCHEMA}"`);
      return { code: lean, map: null };
    },
  };
}

/** A part of a text, and what takes its place. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The fields of the nodes of a syntax tree that are used here. */
interface Node {
  type: string;
  start: number;
  end: number;
  declaration?: Node | null;
  declarations?: readonly { init: Node | null }[];
  callee?: Node;
  object?: Node;
  property?: { name?: string };
}

/** @param program the syntax tree of the text */
export function leanSource(code: string, program: { body: readonly object[] }): string {
  const edits = [...program.body.flatMap(pureEdits), ...program.body.flatMap(descriptionEdits)];
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  const rest = edits.map(({ end, text }, index) => text + code.slice(end, edits[index + 1]?.start));
  return code.slice(0, edits[0]?.start) + rest.join("");
}

/** Marks the values of constants as calls without side effects, so that the bundler leaves out those that nothing uses. */
function pureEdits(statement: Partial<Node>): Edit[] {
  const { type, declarations = [] } = statement.declaration ?? statement;
  if (type !== "VariableDeclaration") return [];
  return declarations.flatMap(({ init }) =>
    init?.type === "CallExpression"
      ? [
          { start: init.start, end: init.start, text: "/* @__PURE__ */ (() => " },
          { start: init.end, end: init.end, text: ")()" },
        ]
      : [],
  );
}

/** Removes each `.meta(…)`. */
function descriptionEdits(value: unknown): Edit[] {
  if (typeof value !== "object" || value === null) return [];
  const { type, callee, end } = value as Partial<Node>;
  if (type === "CallExpression" && callee?.property?.name === "meta" && callee.object !== undefined)
    return [...descriptionEdits(callee.object), { start: callee.object.end, end: end ?? 0, text: "" }];
  return Object.values(value).flatMap(descriptionEdits);
}
