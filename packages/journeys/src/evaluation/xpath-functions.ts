import { EngineError } from "../expressions/engine-error.ts";
import { createRegexEngine } from "./regex.ts";

/** The namespace under which the functions of this file are known to the XPath engine. */
export const OWN_FUNCTIONS = "urn:waymark:xpath";
const FUNCTIONS = "http://www.w3.org/2005/xpath-functions";
const NAMESPACES: Record<string, string> = {
  "": FUNCTIONS,
  fn: FUNCTIONS,
  math: `${FUNCTIONS}/math`,
  map: `${FUNCTIONS}/map`,
  array: `${FUNCTIONS}/array`,
  xs: "http://www.w3.org/2001/XMLSchema",
};
const REPLACED = new Set(["matches", "tokenize", "contains-token", "normalize-unicode"]);

type Register = (
  name: { namespaceURI: string; localName: string },
  parameters: string[],
  result: string,
  call: (context: unknown, text: string | null, pattern: string, flags?: string) => unknown,
) => void;

/** Which function a name means. The engine's own `matches` and `tokenize` know no flags, and some it does not have. */
export function resolveFunction({ prefix, localName }: { prefix: string; localName: string }): {
  namespaceURI: string;
  localName: string;
} | null {
  if ((prefix === "" || prefix === "fn") && REPLACED.has(localName))
    return { namespaceURI: OWN_FUNCTIONS, localName };
  const namespaceURI = Object.hasOwn(NAMESPACES, prefix) ? NAMESPACES[prefix] : undefined;
  return namespaceURI === undefined ? null : { namespaceURI, localName };
}

/** Registers `matches` and `tokenize` with their flags, and what the engine lacks. */
export function registerFunctions(register: Register): void {
  const regex = createRegexEngine();
  const text = "xs:string?";
  const pattern = "xs:string";
  const own = (localName: string) => ({ namespaceURI: OWN_FUNCTIONS, localName });
  const matches = (_: unknown, value: string | null, given: string, flags = "") =>
    regex.test(withFlags(given, flags), value ?? "");
  const tokenize = (_: unknown, value: string | null, given: string, flags = "") =>
    value === null || value === "" ? [] : regex.split(withFlags(given, flags), value);
  register(own("matches"), [text, pattern], "xs:boolean", matches);
  register(own("matches"), [text, pattern, "xs:string"], "xs:boolean", matches);
  register(own("tokenize"), [text], "xs:string*", (_: unknown, value: string | null) =>
    (value ?? "").split(/\s+/).filter((word) => word !== ""),
  );
  register(own("tokenize"), [text, pattern], "xs:string*", tokenize);
  register(own("tokenize"), [text, pattern, "xs:string"], "xs:string*", tokenize);
  register(own("contains-token"), [text, pattern], "xs:boolean", (_: unknown, value, token) =>
    (value ?? "").split(/\s+/).includes(token.trim()),
  );
  register(own("normalize-unicode"), [text], "xs:string", (_: unknown, value) => (value ?? "").normalize());
}

function withFlags(pattern: string, flags: string): string {
  if (!/^[smixq]*$/.test(flags)) throw new EngineError(`"${flags}" are no flags of a regular expression`);
  const given = flags.includes("q") ? pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`) : pattern;
  const bare = flags.includes("x") ? given.replaceAll(/\s+/g, "") : given;
  const inline = flags.replaceAll(/[qx]/g, "");
  return inline === "" ? bare : `(?${inline})${bare}`;
}
