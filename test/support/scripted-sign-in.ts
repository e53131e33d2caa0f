import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
import { expect } from "vitest";
import { errorOf } from "./api-keys.ts";
import { createHttpClient, type HttpClient, type HttpResponse } from "./http-client.ts";
import { startIssuers, type TestIssuer } from "./issuer.ts";
import { OWN_PAGE } from "./sessions.ts";
import { type Stack, startApiProcess, startStack } from "./stack.ts";

/** The responses of the provider, as a test changes them. */
interface Script {
  /** Fields of the discovery document. */
  metadata: Record<string, unknown>;
  /** Returns the ID token for a code, from the claims that an honest provider would sign. */
  idToken: (claims: Record<string, unknown>) => Promise<string | undefined>;
  userInfo: Record<string, unknown>;
  /** Answers the request for tokens instead. */
  token?: (response: ServerResponse) => void;
}

/** A sign-in that a browser has begun. */
export interface Begun {
  /** The cookie of the browser. */
  cookie: string;
  /** The parameters of the authorization request. */
  asked: URLSearchParams;
}

interface Completion {
  query?: string;
  cookie?: string;
  headers?: Record<string, string>;
  at?: IdentityProvider;
}

/** An api with an identity provider that sends whatever a test says. */
export class ScriptedSignIn implements AsyncDisposable {
  /** The secret of the client. */
  static readonly secret = "client-secret-of-thirty-two-bytes";

  readonly stack: Stack;
  readonly http: HttpClient;
  readonly issuer: TestIssuer;
  /** The provider by which people sign in, and another one of the same issuer. */
  provider!: IdentityProvider;
  other!: IdentityProvider;
  script: Script;
  /** The form of the last request for tokens. */
  tokenRequest = new URLSearchParams();
  readonly #end: () => Promise<void>;
  #nonce = "";

  private constructor(parts: {
    stack: Stack;
    http: HttpClient;
    issuer: TestIssuer;
    end: () => Promise<void>;
  }) {
    this.stack = parts.stack;
    this.http = parts.http;
    this.issuer = parts.issuer;
    this.#end = parts.end;
    this.script = this.#honest();
    this.issuer.respond = (request, response) => void this.#respond(request, response);
  }

  static async start(): Promise<ScriptedSignIn> {
    const issuers = await startIssuers();
    const [stack, issuer] = await Promise.all([startStack(), issuers.add("/id")]);
    // In a process of its own, because Node reads the certificates when it starts.
    const env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
    const api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
    const http = createHttpClient(api.baseUrl, { key: stack.apiKey });
    const end = async () => {
      await api.stop();
      await stack[Symbol.asyncDispose]();
      await issuers[Symbol.asyncDispose]();
    };
    const made = new ScriptedSignIn({ stack, http, issuer, end });
    made.provider = await made.addProvider();
    made.other = await made.addProvider({ clientId: "other" });
    return made;
  }

  /** Lets the provider send what an honest one would. */
  beHonest(): void {
    this.script = this.#honest();
  }

  /** Returns what `POST /api/identity-providers` takes. */
  settings(changed: Record<string, unknown> = {}) {
    return {
      issuer: this.issuer.issuer,
      displayName: "ID",
      clientId: "waymark",
      clientSecret: ScriptedSignIn.secret,
      emailDomains: ["example.com"],
      roles: [{ group: null, role: "viewer" }],
      ...changed,
    };
  }

  async addProvider(changed: Record<string, unknown> = {}): Promise<IdentityProvider> {
    const added = await this.http.post<IdentityProvider>("/api/identity-providers", this.settings(changed));
    if (added.status !== 201) throw new Error(added.text);
    return added.body;
  }

  /** Begins a sign-in in a browser of its own. @throws Error with the response if it is refused */
  async begin(
    headers: Record<string, string> = OWN_PAGE,
    fields: Record<string, unknown> = {},
  ): Promise<Begun> {
    const body = { identityProviderId: this.provider.id, ...fields };
    const begun = await this.http.post<{ authorizationUrl: string }>("/api/sign-ins", body, {
      key: null,
      headers,
    });
    if (begun.status !== 201) throw new Error(begun.text);
    const url = new URL(begun.body.authorizationUrl);
    if (`${url.origin}${url.pathname}` !== `${this.issuer.issuer}/authorize`)
      throw new Error(`the browser is sent to ${url.href}`);
    this.#nonce = url.searchParams.get("nonce") ?? "";
    return { cookie: (begun.headers.get("set-cookie") ?? "").split(";")[0] ?? "", asked: url.searchParams };
  }

  /** Returns the query of an honest redirect. */
  redirectOf({ asked }: Begun): URLSearchParams {
    return new URLSearchParams({ code: "c", state: asked.get("state") ?? "", iss: this.issuer.issuer });
  }

  complete(begun: Begun, changed: Completion = {}): Promise<HttpResponse<unknown>> {
    const { query = this.redirectOf(begun).toString(), cookie = begun.cookie } = changed;
    const { headers = OWN_PAGE, at = this.provider } = changed;
    const body = { identityProviderId: at.id, query };
    return this.http.post("/api/sign-ins/callback", body, { key: null, headers: { ...headers, cookie } });
  }

  /** Begins and completes a sign-in. @returns 204, or the error's code */
  async signIn(changed?: Completion): Promise<string> {
    return outcomeOf(await this.complete(await this.begin(), changed));
  }

  [Symbol.asyncDispose]() {
    return this.#end();
  }

  #honest(): Script {
    return { metadata: {}, idToken: (claims) => this.issuer.token(claims), userInfo: { sub: "mallory" } };
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const json = (body: unknown) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    if (path.endsWith("/.well-known/openid-configuration")) return void json(this.#metadata());
    if (path.endsWith("/keys")) return void json({ keys: this.issuer.keys.map(({ jwk }) => jwk) });
    if (path.endsWith("/userinfo")) return void json(this.script.userInfo);
    this.tokenRequest = new URLSearchParams(await readText(request));
    if (this.script.token !== undefined) return this.script.token(response);
    const idToken = await this.script.idToken({
      sub: "mallory",
      aud: "waymark",
      nonce: this.#nonce,
      email: "mallory@example.com",
      email_verified: true,
      name: "Mallory",
    });
    json({
      access_token: "at",
      token_type: "Bearer",
      ...(idToken === undefined ? {} : { id_token: idToken }),
    });
  }

  #metadata() {
    const { issuer } = this.issuer;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ["S256", "plain"],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      id_token_signing_alg_values_supported: ["RS256"],
      ...this.script.metadata,
    };
  }
}

/** The result of a sign-in: 204, or the error's code. Only a 204 opens a session. */
export async function outcomeOf(response: HttpResponse<unknown>): Promise<string> {
  const opened = response.headers.getSetCookie().some((line) => /waymark_session=wms_/.test(line));
  expect(opened).toBe(response.status === 204);
  return response.status === 204 ? "204" : (errorOf(response).code ?? "");
}
