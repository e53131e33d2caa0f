import type { ApiKey, CreateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import type { HttpResponse } from "./http-client.ts";
import type { Stack } from "./stack.ts";

export type Created = ApiKey & { rawKey: string; warning: string };

/** Asks for a key over HTTP, with the organization's first key unless told otherwise. */
export function requestKey(
  stack: Pick<Stack, "http">,
  request: Partial<CreateApiKeyRequest> | Record<string, unknown>,
  options: { key?: string } = {},
): Promise<HttpResponse<Created>> {
  const defaults = { name: "ci", ownerPrincipalType: "service_account", scopes: ["services:read"] };
  return stack.http.post<Created>("/api/api-keys", { ...defaults, ...request }, options);
}

/** The same, for a test that needs the key. @throws Error with the answer when it is refused */
export async function makeKey(...args: Parameters<typeof requestKey>): Promise<Created> {
  const answer = await requestKey(...args);
  if (answer.status !== 201) throw new Error(`creating a key answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** The error of an answer that is one. */
export function errorOf(answer: HttpResponse<unknown>) {
  const body = answer.body as {
    error?: {
      code: string;
      message: string;
      details?: { path: string; message: string }[];
      requestId?: string;
    };
  };
  return { status: answer.status, ...body.error };
}
