import type { Session } from "@waymark/shared/session/schema.ts";
import { createHttpClient, type HttpResponse } from "./http-client.ts";
import { query } from "./sql.ts";
import type { TestApi } from "./stack.ts";

export interface SignedIn {
  answer: HttpResponse<Session>;
  /** The whole `Set-Cookie` line. */
  setCookie: string;
  /** `name=token`, as a browser sends it. */
  cookie: string;
  token: string;
}

/** Signs in as a browser does. */
export async function signIn(
  api: TestApi,
  apiKey: string,
  headers: Record<string, string> = {},
): Promise<SignedIn> {
  const http = createHttpClient(api.baseUrl);
  const answer = await http.post<Session>("/api/session", { apiKey }, { headers });
  const setCookie = answer.headers.get("set-cookie") ?? "";
  const [cookie = ""] = setCookie.split(";");
  return { answer, setCookie, cookie, token: cookie.split("=")[1] ?? "" };
}

/** The headers that the console's own page sends. */
export const OWN_PAGE = { "sec-fetch-site": "same-origin" };

/** The result of a request with this cookie: 200, or the error's code. */
export async function outcomeOf(api: TestApi, cookie: string, headers = {}): Promise<string> {
  const http = createHttpClient(api.baseUrl);
  const { status, body } = await http.get<{ error?: { code: string; message: string } }>("/api/session", {
    headers: { cookie, ...headers },
  });
  return status === 200 ? "200" : `${status} ${body.error?.code}: ${body.error?.message}`;
}

export async function signOut(api: TestApi, cookie: string, headers: Record<string, string> = OWN_PAGE) {
  return createHttpClient(api.baseUrl).request("DELETE", "/api/session", { headers: { cookie, ...headers } });
}

/** Makes the one session of a token older, as if time had passed. */
export async function ageSession(
  database: { databaseUrl: string },
  token: string,
  column: "last_seen_at" | "expires_at",
  seconds: number,
): Promise<void> {
  await query(
    database,
    `UPDATE sessions SET ${column} = ${column} - $2 * interval '1 second' WHERE token_hash = sha256($1::bytea)`,
    [token, seconds],
  );
}
