import type { z } from "zod";
import type { ParamNames } from "../lib/schema.ts";
import type { Address, Operation } from "./operation.ts";

/** The parts of a request that an operation declares, as its caller gives them. */
export type PartsOf<O extends Operation> = AnyParts &
  // One operation at a time, if it is one of several.
  (O extends Operation ? ParamsOf<O> & QueryOf<O> & HeadersOf<O> & BodyOf<O> : never);

type ParamsOf<O extends Operation> = [ParamNames<O["path"]>] extends [never]
  ? unknown
  : { readonly params: PathParams<O> };

/** A value for each parameter of an address's path. */
export type PathParams<A extends Address> = { readonly [Name in ParamNames<A["path"]>]: Value };

/** Only the names are checked here: a value may be text that the API has to judge. */
type QueryOf<O extends Operation> = O extends { query: infer Schema extends z.ZodType }
  ? { readonly query?: { readonly [Name in keyof z.input<Schema>]?: Value } }
  : unknown;

type BodyOf<O extends Operation> = O extends { body: infer Schema extends z.ZodType }
  ? undefined extends z.input<Schema>
    ? { readonly body?: z.input<Schema> }
    : { readonly body: z.input<Schema> }
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
  method: Address["method"];
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
/** A value in a path or a query, which is written as text. */
type Value = string | number | boolean | undefined;

/** Returns the request that calls an operation. Callers have the types of the operation's own parts from `PartsOf`. */
export function requestOf(
  address: Address,
  { params = {}, query = {}, headers = {}, body }: AnyParts,
): OperationRequest {
  return {
    method: address.method,
    path: pathOf(address, params) + queryOf(query),
    headers: Object.fromEntries(given(headers)),
    body,
  };
}

/**
 * Returns the path of an operation's requests.
 * @throws TypeError if a parameter is missing
 */
export function pathOf<A extends Address>({ path }: A, params: PathParams<A>): string {
  const values = new Map<string, Value>(Object.entries(params));
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new TypeError(`${path} needs ${name}`);
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
