import type { FunctionContext } from "./functions/context.ts";

/** One HTTP message as expressions see it. Header names are lower-case. */
export interface MessageView {
  headers: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  path?: Readonly<Record<string, unknown>>;
  /** The parsed JSON, the text, or `Bytes` of what is no text; undefined when there is none. */
  body: unknown;
}

/** Everything that expressions can access. A missing value is `undefined`, which compares equal to null. */
export interface Scope {
  self?: string | undefined;
  url?: string | undefined;
  method?: string | undefined;
  statusCode?: number | undefined;
  request?: MessageView | undefined;
  response?: MessageView | undefined;
  inputs: Readonly<Record<string, unknown>>;
  outputs: Readonly<Record<string, unknown>>;
  vars: Readonly<Record<string, unknown>>;
  steps: ReadonlyMap<string, { outputs: Readonly<Record<string, unknown>> }>;
  workflows: ReadonlyMap<
    string,
    { inputs: Readonly<Record<string, unknown>>; outputs: Readonly<Record<string, unknown>> }
  >;
  sources: ReadonlyMap<string, { url: string; type: string }>;
  /** Hides the secrets that the run is given from what looks into a value: conditions, patterns and selectors. */
  hide?: (<T>(value: T) => T) | undefined;
  /** Cuts a text for an explanation, without leaving half of a secret. */
  cut?: ((text: string, max: number) => string) | undefined;
  /** The values that functions have besides their arguments. Without it, those that need it have no value. */
  functions?: FunctionContext | undefined;
}

/** Returns what may be looked into of a value. */
export function inspected<T>({ hide }: Pick<Scope, "hide">, value: T): T {
  return hide === undefined ? value : hide(value);
}
