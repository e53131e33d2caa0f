import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { parseJson } from "../lib/parse-json.ts";

/** Returns the code of an error response of the server; undefined for any other body, such as a page of a proxy. */
export function errorCodeOf(body: Buffer): string | undefined {
  return ErrorResponse.safeParse(parseJson(body)).data?.error.code;
}
