import { parseText } from "@waymark/journeys/document/parse-text.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";
import { documentError } from "../problems.ts";

/** Options that change any value of the document; each can be repeated. */
export interface ValueFlags {
  set: readonly string[];
  setValue: readonly string[];
  insert: readonly string[];
  move: readonly string[];
  remove: readonly string[];
  wrap: readonly string[];
  reset: readonly string[];
}

/**
 * The commands of the options; those of one option keep their order.
 * @throws {CliError} for an empty or invalid option
 */
export function valueCommands(flags: ValueFlags): EditCommand[] {
  return [
    ...flags.set.map(setCommand),
    ...flags.setValue.map(setValueCommand),
    ...flags.insert.map(insertCommand),
    ...flags.move.map(moveCommand),
    ...flags.remove.map((given): EditCommand => ({
      op: "removeValue",
      pointer: pointerOf("--remove", given),
    })),
    ...flags.wrap.map(wrapCommand),
    ...flags.reset.map((given): EditCommand => ({ op: "resetValue", pointer: pointerOf("--reset", given) })),
  ];
}

function setCommand(given: string): EditCommand {
  const [pointer, text] = pair("--set", given);
  return { op: "setScalar", pointer, value: scalarOf(text) };
}

function setValueCommand(given: string): EditCommand {
  const [pointer, text] = pair("--set-value", given);
  return { op: "setValue", pointer, value: valueOf("--set-value", text) };
}

/**
 * Reads `--insert`. As in RFC 6902, the pointer ends with the index that the item gets, or with - for the list's end.
 */
function insertCommand(given: string): EditCommand {
  const [pointer, text] = pair("--insert", given);
  const [, list = "", at = ""] = /^(.*)\/(-|\d{1,9})$/.exec(pointer) ?? [];
  if (list === "")
    throw usageError(
      "--insert takes a list's pointer with an index or - at its end, such as /workflows/0/steps/-.",
    );
  const value = valueOf("--insert", text);
  return { op: "insertItem", pointer: list, ...(at === "-" ? {} : { at: Number(at) }), value };
}

function moveCommand(given: string): EditCommand {
  const [pointer, to] = pair("--move", given);
  if (!/^\d{1,9}$/.test(to))
    throw usageError("--move takes pointer=index, the index that the item has afterwards.");
  return { op: "moveItem", pointer, to: Number(to) };
}

function wrapCommand(given: string): EditCommand {
  if (!given.includes("=")) return { op: "wrapValue", pointer: pointerOf("--wrap", given) };
  const [pointer, key] = pair("--wrap", given);
  if (key === "") throw usageError("--wrap takes a pointer, or pointer=key.");
  return { op: "wrapValue", pointer, key };
}

function pair(option: string, given: string): [pointer: string, text: string] {
  const at = given.indexOf("=");
  if (at < 1) throw usageError(`${option} takes pointer=value.`);
  return [pointerOf(option, given.slice(0, at)), given.slice(at + 1)];
}

function pointerOf(option: string, given: string): string {
  if (given.startsWith("/")) return given;
  throw usageError(`${option} takes a JSON Pointer, such as /info/title, and not ${printable(given, 100)}.`);
}

function scalarOf(text: string): string | number | boolean | null {
  if (!/^(?:"|-?\d|true$|false$|null$)/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ||
      typeof value === "number" ||
      typeof value === "boolean" ||
      value === null
      ? value
      : text;
  } catch {
    // 1.2.3 and "a" and "b" are ordinary texts.
    return text;
  }
}

/** JSON, or YAML on one line: {condition: $statusCode == 200}. */
function valueOf(option: string, text: string): JsonValue {
  const { value, problems } = parseText(text, { file: option });
  if (problems.length > 0 || value === undefined)
    throw documentError(`${option} has a value that can't be read`, problems);
  return value;
}
