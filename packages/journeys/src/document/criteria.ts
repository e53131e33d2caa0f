import { z } from "zod";
import { extensible } from "./extensible.ts";

export const ExpressionType = extensible({
  type: z.enum(["jsonpath", "xpath", "jsonpointer"]),
  version: z.enum([
    "rfc9535",
    "draft-goessner-dispatch-jsonpath-00",
    "xpath-10",
    "xpath-20",
    "xpath-30",
    "xpath-31",
    "rfc6901",
  ]),
});
export type ExpressionType = z.infer<typeof ExpressionType>;

/** Since Arazzo 1.1: picks a part out of structured data. */
export const Selector = extensible({
  context: z.string().min(1),
  selector: z.string(),
  type: z.union([z.enum(["jsonpointer", "jsonpath", "xpath"]), ExpressionType]),
});
export type Selector = z.infer<typeof Selector>;

export const Criterion = extensible({
  context: z.string().min(1).optional(),
  condition: z.string().min(1),
  type: z.union([z.enum(["simple", "regex", "jsonpath", "xpath"]), ExpressionType]).optional(),
  "x-id": z.string().min(1).optional().describe("Identity of the criterion, for acceptance and reports."),
});
export type Criterion = z.infer<typeof Criterion>;
