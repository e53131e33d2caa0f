import { parseAst } from "vite";
import { expect, it } from "vitest";
import { leanSource } from "./lean-schemas.ts";

const lean = (code: string) => leanSource(code, parseAst(code));

it("descriptions are left out, also of parts of a schema", () => {
  expect(lean(`f(z.object({ a: Uuid.meta({ description: "b" }).nullable() }).meta({ id: "C" }));`)).toBe(
    "f(z.object({ a: Uuid.nullable() }));",
  );
});

it("constants are marked as values that nothing but their users needs", () => {
  expect(lean("export const A = z.string().meta({ id: `A` });\nconst b = 1, C = A.max(b);")).toBe(
    "export const A = /* @__PURE__ */ (() => z.string())();\nconst b = 1, C = /* @__PURE__ */ (() => A.max(b))();",
  );
});

it("other code stays as it is", () => {
  const code = "f();\nlet n = 1;\nexport function meta() { return n.meta; }\n";
  expect(lean(code)).toBe(code);
});
