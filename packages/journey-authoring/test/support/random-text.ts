import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";
import type { Random } from "./random.ts";

/** The way in which one author writes YAML; some authors mix. */
interface Hand {
  random: Random;
  unit: number;
  indentLists: boolean;
  afterDash: number;
  comments: number;
  blanks: number;
  flow: number;
  quotes: number;
  newline: string;
}

/** The document as a person might have written it: YAML in many styles, or JSON. The caller checks that it parses. */
export function randomText(random: Random, document: JsonObject): string {
  if (random.chance(0.12))
    return JSON.stringify(document, null, random.pick([2, 4, "\t"])) + random.pick(["", "\n"]);
  if (random.chance(0.03)) return JSON.stringify(document);
  const hand: Hand = {
    random,
    unit: random.pick([2, 2, 2, 3, 4]),
    indentLists: random.chance(0.7),
    afterDash: random.pick([1, 1, 1, 3]),
    comments: random.pick([0, 0.05, 0.2]),
    blanks: random.pick([0, 0.03, 0.1]),
    flow: random.pick([0, 0.3, 0.8]),
    quotes: random.pick([0, 0.2, 0.6]),
    newline: random.chance(0.1) ? "\r\n" : "\n",
  };
  const head = random.chance(0.3) ? "# yaml-language-server: $schema=./journey.schema.json\n" : "";
  const marker = random.chance(0.1) ? "---\n" : "";
  let text = head + marker + blockMap(hand, document, 0);
  if (random.chance(0.15)) text = text.replace(/\n$/, "");
  else if (random.chance(0.2)) text += "# the end\n";
  return text.replaceAll("\n", hand.newline);
}

const space = (count: number): string => " ".repeat(count);

function above(hand: Hand, column: number): string {
  const { random } = hand;
  const blank = random.chance(hand.blanks) ? random.pick(["\n", "\n\n", "   \n"]) : "";
  if (!random.chance(hand.comments)) return blank;
  const apart = random.chance(0.2) ? "\n" : "";
  return `${blank}${space(random.chance(0.1) ? 0 : column)}# a remark about: 'what' "follows"\n${apart}`;
}

function blockMap(hand: Hand, map: JsonObject, column: number, firstInline = false): string {
  let text = "";
  for (const [index, [key, value]] of Object.entries(map).entries()) {
    const inline = firstInline && index === 0;
    if (!inline) text += above(hand, column) + space(column);
    text += `${keyText(hand, key)}:${member(hand, key, value, column)}`;
  }
  return text;
}

function keyText({ random, quotes }: Hand, key: string): string {
  return random.chance(quotes / 10) ? JSON.stringify(key) : key;
}

/** Writes the text after a key's colon, with the line break. */
function member(hand: Hand, key: string, value: JsonValue, column: number): string {
  const { random } = hand;
  const keepBlock = key === "workflows" || (key === "steps" && !random.chance(0.1));
  if (typeof value !== "object" || value === null) return ` ${scalar(hand, value, column)}`;
  if (isEmpty(value) || (!keepBlock && random.chance(hand.flow) && flowable(value))) {
    return ` ${flow(hand, value)}${tail(hand)}`;
  }
  if (Array.isArray(value)) {
    return `${tail(hand)}${blockSeq(hand, value, hand.indentLists ? column + hand.unit : column)}`;
  }
  return `${tail(hand)}${blockMap(hand, value, column + hand.unit)}`;
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function tail({ random, comments }: Hand): string {
  return random.chance(comments / 2) ? "   # said beside it\n" : "\n";
}

function blockSeq(hand: Hand, items: JsonValue[], column: number): string {
  let text = "";
  for (const item of items) {
    text += `${above(hand, column) + space(column)}-`;
    const inner = column + 1 + hand.afterDash;
    if (typeof item !== "object" || item === null) text += ` ${scalar(hand, item, column)}`;
    else if (isEmpty(item) || Array.isArray(item) || (hand.random.chance(hand.flow / 4) && flowable(item))) {
      text += ` ${flow(hand, item)}${tail(hand)}`;
    } else text += space(hand.afterDash) + blockMap(hand, item, inner, true);
    if (hand.random.chance(hand.comments / 4))
      text += `${space(column + 2)}# a last word about the item above\n`;
  }
  return text;
}

function flowable(value: JsonValue): boolean {
  return !JSON.stringify(value).includes(String.raw`\n`);
}

function flow(hand: Hand, value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => flow(hand, item)).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${key}: ${flow(hand, item)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return inlineScalar(hand, value, true);
}

function inlineScalar({ random, quotes }: Hand, value: JsonPrimitive, inFlow: boolean): string {
  if (typeof value !== "string") return value === null && !inFlow && random.chance(0.3) ? "~" : String(value);
  const plain = inFlow ? /^[A-Za-z$/][\w$ ./=!-]*$/ : /^[A-Za-z$/][\w$ ./={}!?()&-]*$/;
  const safe = plain.test(value) && !/^(true|false|null|no|yes)$|\s$| #|: /.test(value);
  if (safe && !random.chance(quotes)) return value;
  if (!/[\n\t]/.test(value) && random.chance(0.5)) return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value);
}

/** A scalar after a key or a dash, with its line break; texts of several lines become block scalars. */
function scalar(hand: Hand, value: JsonPrimitive, column: number): string {
  const { random } = hand;
  const blockable = typeof value === "string" && /\n/.test(value) && !/^\s|\t|\n\n$/.test(value);
  if (!blockable || random.chance(0.2)) return inlineScalar(hand, value, false) + tail(hand);
  const header = value.endsWith("\n") ? "|" : "|-";
  const lines = value.replace(/\n$/, "").split("\n");
  const indented = lines.map((line) => (line === "" ? "\n" : `${space(column + hand.unit)}${line}\n`));
  return `${header}\n${indented.join("")}`;
}
