import { composeYaml, YamlLimitError } from "@waymark/openapi/compose-yaml.ts";
import { LineCounter } from "yaml";
import type { Document } from "yaml";
import { PARSE_LIMITS } from "./limits.ts";
import type { ParseLimits } from "./limits.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { astPositions } from "./ast-positions.ts";
import { toPlainValue } from "./plain-value.ts";
import type { Positions } from "./positions.ts";
import { sortProblems } from "./problem.ts";
import type { Position, Problem } from "./problem.ts";

export interface ParseOptions {
  /** Name used in every problem and position. */
  file: string;
  limits?: Partial<ParseLimits>;
  /** Keeps the tokens in the tree: the edit commands need indentation and indicators. */
  keepTokens?: boolean;
}

/** A YAML or JSON text with its value and the places of its nodes. */
export interface ParsedText {
  file: string;
  text: string;
  /** Undefined where the text can't be read at all. */
  value: JsonValue | undefined;
  positions: Positions;
  problems: Problem[];
  /** The syntax tree with source ranges; only the edit commands and overlays look into it. */
  ast: Document.Parsed | undefined;
}

class LimitExceeded extends Error {}

/**
 * Reads YAML 1.2 (and so JSON) into plain values. Reports all syntax faults at once, and never throws because of the text. One
 * document, string keys, JSON values only; `__proto__` is refused as a key.
 */
export function parseText(
  text: string,
  { file, limits: given, keepTokens = false }: ParseOptions,
): ParsedText {
  const limits = { ...PARSE_LIMITS, ...given };
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.max(0, offset));
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const failed = (code: string, message: string): ParsedText => {
    const start = { file, line: 1, column: 1 };
    const problem: Problem = { severity: "error", code, message, pointer: "", ...start };
    return {
      file,
      text,
      value: undefined,
      positions: { file, get: () => undefined },
      problems: [problem],
      ast: undefined,
    };
  };
  let documents: Document.Parsed[];
  try {
    documents = compose(text, lines, limits, keepTokens);
  } catch (error) {
    if (error instanceof LimitExceeded) return failed("document-too-large", error.message);
    throw error;
  }
  const [ast, second] = documents;
  if (ast === undefined) return failed("empty-document", "The file holds no document.");
  const problems: Problem[] = syntaxProblems(ast, at, limits.problems);
  if (second !== undefined) {
    const message = "The file holds more than one YAML document; a journey is one document per file.";
    problems.push({
      severity: "error",
      code: "many-documents",
      message,
      pointer: "",
      ...at(second.range[0]),
    });
  }
  const plain = toPlainValue(ast, limits, at);
  problems.push(...plain.problems);
  const positions = astPositions(ast, { file, at, aliases: plain.aliases });
  return { file, text, value: plain.value, positions, problems: sortProblems(problems), ast };
}

function compose(
  text: string,
  lines: LineCounter,
  limits: ParseLimits,
  keepSourceTokens: boolean,
): Document.Parsed[] {
  if (text.length > limits.chars) {
    throw new LimitExceeded(`The document has ${text.length} characters; at most ${limits.chars} are read.`);
  }
  // toPlainValue finds repeated keys, in linear time.
  const composer = {
    version: "1.2",
    stringKeys: true,
    merge: false,
    prettyErrors: false,
    keepSourceTokens,
  } as const;
  try {
    return composeYaml(text, { limits, lines, composer });
  } catch (error) {
    if (!(error instanceof YamlLimitError)) throw error;
    if (error.limit === "tokens") {
      throw new LimitExceeded(`The document has more than ${limits.tokens} tokens.`, { cause: error });
    }
    throw new LimitExceeded(`The document is nested more than ${limits.depth} levels deep.`, {
      cause: error,
    });
  }
}

function syntaxProblems(ast: Document.Parsed, at: (offset: number) => Position, most: number): Problem[] {
  const faults = [...ast.errors, ...ast.warnings];
  return faults.slice(0, most).map((fault) => ({
    severity: "error",
    code: "syntax",
    message: sentence(fault.message),
    pointer: "",
    ...at(fault.pos[0]),
  }));
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
