import { Document, isScalar, Scalar, visit } from "yaml";
import type { JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";

// Nothing is folded: a text on one line stays on one, and a double-quoted text has its line breaks as \n.
const WITHOUT_FOLDING = { lineWidth: 0, minContentWidth: 0, doubleQuotedMinMultiLineLength: 1e9 } as const;

/** The format of a scalar: JSON, inside a flow collection, or in a block whose keys are at `indent`. */
export interface ScalarContext {
  json: boolean;
  flow: boolean;
  indent: number;
  newline: string;
  /** A text of several lines can't become a block scalar here, because something follows on the line. */
  oneLine?: boolean;
  /** The style of the replaced scalar, which is kept if the new value allows it. */
  style?: Scalar.Type | undefined;
}

/** Text of a scalar, without what precedes it. A block scalar's text ends with a line break. */
export function renderScalar(value: JsonPrimitive, context: ScalarContext): string {
  const { json, flow, indent, newline } = context;
  if (json) return JSON.stringify(value);
  const scalar = new Scalar(value);
  const style = typeof value === "string" ? styleFor(value, context) : undefined;
  if (style !== undefined) scalar.type = style;
  const document = new Document({}, { version: "1.2" });
  const map = document.createNode({}, { flow });
  map.add(document.createPair("k", scalar));
  document.contents = map;
  const text = document.toString(WITHOUT_FOLDING);
  if (flow) return text.replace(/^\{\s*k:\s?/, "").replace(/\s*\}\s*$/, "");
  const body = text.replace(/^k:[ \n]?\s*?/, "");
  const isBlock = /^[|>]/.test(body);
  const lines = (isBlock ? body : body.replace(/\n$/, "")).split("\n");
  return lines
    .map((line, index) => (index === 0 || line === "" ? line : " ".repeat(indent) + line))
    .join(newline);
}

function styleFor(value: string, { flow, oneLine, style }: ScalarContext): Scalar.Type | undefined {
  const block = style === "BLOCK_LITERAL" || style === "BLOCK_FOLDED";
  if (!value.includes("\n")) return block ? undefined : style;
  if (flow || oneLine === true || style === "QUOTE_DOUBLE") return "QUOTE_DOUBLE";
  return block ? style : "BLOCK_LITERAL";
}

/** Text of a key with its colon. */
export function renderKey(key: string, json: boolean, flow: boolean): string {
  if (json) return `${JSON.stringify(key)}:`;
  const document = new Document({}, { version: "1.2" });
  document.contents = document.createNode({ [key]: 0 }, { flow });
  const text = document.toString(WITHOUT_FOLDING).trim();
  return (flow ? text.replace(/^\{\s*/, "").replace(/\s*0\s*\}$/, "") : text.replace(/\s*0$/, "")).trimEnd();
}

/** The lines of a value as an item of a block sequence with dashes at `indent`; ends with a line break. */
export function renderBlockItem(
  value: JsonValue,
  indent: number,
  newline: string,
  indentSeq: boolean,
): string {
  const document = new Document([value], { version: "1.2" });
  const lines = document.toString({ ...WITHOUT_FOLDING, indentSeq }).split("\n");
  return lines.map((line) => (line === "" ? line : " ".repeat(indent) + line)).join(newline);
}

/** The text after the colon of a key at `indent`: a scalar on the same line, or a collection on its own lines. */
export function renderBlockMember(
  value: JsonValue,
  indent: number,
  newline: string,
  indentSeq: boolean,
): string {
  const document = new Document({ k: value }, { version: "1.2" });
  const [first = "", ...lines] = document.toString({ ...WITHOUT_FOLDING, indentSeq }).split("\n");
  const below = lines.map((line) => (line === "" ? line : " ".repeat(indent) + line));
  return [first.slice(2), ...below].join(newline);
}

export interface FlowStyle {
  json: boolean;
  /** Indentation of each level; empty for one line. YAML that is no JSON is always written on one line. */
  unit: string;
  /** Indentation of the line on which the value begins. */
  indent: string;
  newline: string;
}

/** Text of a value inside a flow collection. */
export function renderFlow(value: JsonValue, { json, unit, indent, newline }: FlowStyle): string {
  if (json)
    return JSON.stringify(value, null, unit)
      .split("\n")
      .join(newline + indent);
  const document = new Document({}, { version: "1.2" });
  document.contents = document.createNode([value], { flow: true });
  visit(document, (_, node) => {
    if (isScalar(node) && typeof node.value === "string" && node.value.includes("\n"))
      node.type = "QUOTE_DOUBLE";
  });
  const text = document.toString(WITHOUT_FOLDING).trim();
  return text.slice(1, -1).trim();
}
