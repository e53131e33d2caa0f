import { ErrorResponse } from "@waymark/shared/errors/schema.ts";

/** Returns the code of an error response of the server; undefined for any other body, such as a page of a proxy. */
export function errorCodeOf(body: Buffer): string | undefined {
  try {
    return ErrorResponse.safeParse(JSON.parse(body.toString("utf8"))).data?.error.code;
  } catch {
    // No JSON.
    return undefined;
  }
}
