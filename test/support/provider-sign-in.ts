import type { IdentityProvider as Described } from "@waymark/shared/principals/identity-providers/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { errorOf } from "./api-keys.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import {
  type Account,
  type Browser,
  type IdentityProvider,
  startIdentityProvider,
} from "./identity-provider.ts";
import { OWN_PAGE } from "./sessions.ts";
import { type Stack, startApiProcess, startStack } from "./stack.ts";

export const CLIENT = { client_id: "waymark", client_secret: "s3cret-of-the-client" };
export const ADA: Account = {
  sub: "ada",
  email: "ada@example.com",
  email_verified: true,
  name: "Ada Lovelace",
  groups: ["engineers"],
};

export interface SignedIn {
  status: number;
  code: string | undefined;
  message: string | undefined;
  /** The session's cookie. */
  cookie: string;
}

/** An api with a real identity provider, by which people sign in. */
export class ProviderSignIn implements AsyncDisposable {
  readonly stack: Stack;
  readonly http: HttpClient;
  readonly idp: IdentityProvider;
  provider!: Described;
  readonly #end: () => Promise<void>;

  private constructor(parts: {
    stack: Stack;
    http: HttpClient;
    idp: IdentityProvider;
    end: () => Promise<void>;
  }) {
    this.stack = parts.stack;
    this.http = parts.http;
    this.idp = parts.idp;
    this.#end = parts.end;
  }

  static async start(): Promise<ProviderSignIn> {
    const [stack, idp] = await Promise.all([startStack(), startIdentityProvider(ADA)]);
    // In a process of its own, because Node reads the certificates when it starts.
    const env = { NODE_EXTRA_CA_CERTS: idp.caFile, ISSUER_EGRESS_ALLOW: idp.egressAllow };
    const api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
    const http = createHttpClient(api.baseUrl, { key: stack.apiKey });
    const end = async () => {
      await api.stop();
      await stack[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
    };
    const made = new ProviderSignIn({ stack, http, idp, end });
    made.provider = await made.addProvider();
    return made;
  }

  /** Returns what `PUT /api/identity-providers/{id}` takes. */
  settings(changed: Record<string, unknown> = {}) {
    return {
      displayName: "Acme ID",
      clientId: CLIENT.client_id,
      clientSecret: CLIENT.client_secret,
      scopes: ["groups"],
      emailDomains: ["example.com"],
      roles: [
        { group: null, role: "viewer" },
        { group: "engineers", role: "developer", serviceNames: ["shop-*"] },
      ],
      ...changed,
    };
  }

  /** Adds a provider, and registers its client there. */
  async addProvider(changed: Record<string, unknown> = {}): Promise<Described> {
    const body = { issuer: this.idp.issuer, ...this.settings(changed) };
    const { status, body: made, text } = await this.http.post<Described>("/api/identity-providers", body);
    if (status !== 201) throw new Error(text);
    this.idp.register({
      ...CLIENT,
      client_id: made.clientId,
      redirect_uris: [made.redirectUri],
      backchannel_logout_uri: made.backChannelLogoutUri,
    });
    return made;
  }

  /** Signs the provider's account in as a browser does, by the console's requests and the provider's redirects. */
  async signIn({
    browser,
    at = this.provider,
    again,
  }: { browser?: Browser; at?: Described; again?: boolean } = {}): Promise<SignedIn> {
    const begun = await this.http.post<{ authorizationUrl: string }>(
      "/api/sign-ins",
      { identityProviderId: at.id, ...(again === undefined ? {} : { again }) },
      { key: null, headers: OWN_PAGE },
    );
    if (begun.status !== 201) throw new Error(begun.text);
    const redirect = await this.idp.visit(begun.body.authorizationUrl, browser);
    if (`${redirect.origin}${redirect.pathname}` !== at.redirectUri)
      throw new Error(`the provider redirects to ${redirect.href}`);
    const completed = await this.http.post(
      "/api/sign-ins/callback",
      { identityProviderId: at.id, query: redirect.search.slice(1) },
      { key: null, headers: { ...OWN_PAGE, cookie: cookieOf(begun.headers, "waymark_sign_in") } },
    );
    const { code, message } = completed.status === 204 ? {} : errorOf(completed);
    return {
      status: completed.status,
      code,
      message,
      cookie: cookieOf(completed.headers, "waymark_session"),
    };
  }

  async sessionOf(cookie: string): Promise<Session> {
    return (await this.http.get<Session>("/api/session", as(cookie))).body;
  }

  /** Finds the user with an e-mail address. */
  async userOf(email: string): Promise<Principal> {
    const path = `/api/principals?q=${encodeURIComponent(email)}`;
    const [found] = (await this.http.get<{ principals: Principal[] }>(path)).body.principals;
    if (found === undefined) throw new Error(`there is no user ${email}`);
    return found;
  }

  [Symbol.asyncDispose]() {
    return this.#end();
  }
}

/** The options of a request of the console's own page, with this cookie. */
export const as = (cookie: string) => ({ key: null, headers: { cookie, ...OWN_PAGE } });

/** The roles that a user has. */
export const rolesOf = (user: Principal) => user.roleGrants.map(({ role }) => role).toSorted();

/** The cookie that a response sets, as a browser sends it. */
export function cookieOf(headers: Headers, name: "waymark_session" | "waymark_sign_in"): string {
  const line = headers.getSetCookie().find((one) => one.startsWith(`${name}=`)) ?? "";
  return line.split(";")[0] ?? "";
}
