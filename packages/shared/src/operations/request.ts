import type { z } from "zod";
import type { Operation } from "./operation.ts";

/** The parts of a request that an operation declares, as its caller gives them. */
export type PartsOf<O extends Operation> = PartOf<O, "params"> &
  QueryOf<O> &
  HeadersOf<O> &
  PartOf<O, "body"> &
  AnyParts;

type PartOf<O extends Operation, Name extends "params" | "body"> =
  O extends Record<Name, infer Schema extends z.ZodType>
    ? undefined extends z.input<Schema>
      ? { readonly [_ in Name]?: z.input<Schema> }
      : { readonly [_ in Name]: z.input<Schema> }
    : unknown;

/** Numbers and flags of a query are written as text. */
type QueryOf<O extends Operation> = O extends { query: infer Schema extends z.ZodType }
  ? {
      readonly query?: {
        readonly [Name in keyof z.input<Schema>]?:
          | z.input<Schema>[Name]
          | z.output<Schema>[Name & keyof z.output<Schema>];
      };
    }
  : unknown;

type HeadersOf<O extends Operation> = O extends { headers: infer Schema extends z.ZodType }
  ? { readonly headers?: z.input<Schema> }
  : unknown;

/** The body of an operation's successful response. */
export type ResultOf<O extends Operation> = z.output<
  Extract<O["responses"][keyof O["responses"]], z.ZodType>
>;

/** A request of an operation, below the server's address. */
export interface OperationRequest {
  method: Operation["method"];
  /** The path with the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Undefined for a request without a body. */
  body: unknown;
}

/** The parts of any request, before the operation's schemas say more of them. */
export interface AnyParts {
  readonly params?: Readonly<Record<string, Value>>;
  readonly query?: Readonly<Record<string, Value>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}
type Value = string | number | boolean | undefined;

/** Returns the request that calls the operation. Callers have the types of the operation's own parts from `PartsOf`. */
export function requestOf(
  { method, path }: Operation,
  { params = {}, query = {}, headers = {}, body }: AnyParts,
): OperationRequest {
  return {
    method,
    path: pathOf(path, params) + queryOf(query),
    headers: Object.fromEntries(given(headers)),
    body,
  };
}

/** @throws TypeError if a parameter is missing */
function pathOf(pattern: string, params: Readonly<Record<string, Value>>): string {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new TypeError(`${pattern} needs ${name}`);
    return encodeURIComponent(String(value).toWellFormed());
  });
}

function queryOf(query: Readonly<Record<string, Value>>): string {
  const fields = given(query);
  return fields.length === 0 ? "" : `?${new URLSearchParams(fields).toString()}`;
}

function given(values: Readonly<Record<string, Value>>): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}
