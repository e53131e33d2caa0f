import { createServer, request } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type JWK } from "jose";
import { type Configuration, Provider } from "oidc-provider";
import { createIssuerKey } from "./issuer.ts";
import { createTlsCertificate } from "./tls-certificate.ts";

/** A person at the provider, with the claims that it says of them. */
export type Account = Readonly<Record<string, unknown>> & { readonly sub: string };

export interface Client {
  client_id: string;
  /** Undefined for a public client. */
  client_secret?: string;
  redirect_uris: string[];
  backchannel_logout_uri?: string;
}

/** An OpenID provider (`oidc-provider`) on this machine, over TLS. */
export interface IdentityProvider extends AsyncDisposable {
  issuer: string;
  /** A file with the certificate, for NODE_EXTRA_CA_CERTS. */
  caFile: string;
  /** Opens the provider for an api: it is on a private address. */
  egressAllow: string;
  /** The account that signs in at the next interaction. */
  account: Account;
  /** Registers a client, instead of the one with its id. */
  register: (client: Client) => void;
  /** Makes a new signing key; the old one is not published any more. */
  rotateKeys: () => Promise<void>;
  /** Follows an authorization request as a browser with these cookies does. @returns the redirect to the client */
  visit: (authorizationUrl: string, browser?: Browser) => Promise<URL>;
  /** Ends the provider's session of a browser, so that the provider tells its clients. */
  logOut: (browser: Browser) => Promise<void>;
}

/** The cookies of a browser at the provider. */
export type Browser = Map<string, string>;

/** Starts a provider that asks nobody for a password: whoever comes is its `account`. */
export async function startIdentityProvider(account: Account): Promise<IdentityProvider> {
  const certificate = await createTlsCertificate();
  const folder = await mkdtemp(path.join(tmpdir(), "identity-provider-"));
  const caFile = path.join(folder, "ca.pem");
  await writeFile(caFile, certificate.cert);
  const accounts = new Map<string, Account>();
  const clients = new Map<string, Client>();
  let key = (await createIssuerKey("RS256")).privateJwk;
  let provider: Provider;
  let handle: ReturnType<Provider["callback"]>;
  const server = createServer(certificate, (incoming, response) => {
    void answer(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const issuer = `https://127.0.0.1:${port}`;
  const visit = (at: URL, browser: Browser, body?: string) =>
    send(at, { ca: certificate.cert, browser, body });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if ((incoming.url ?? "").startsWith("/interaction/")) {
      accounts.set(made.account.sub, made.account);
      await provider.interactionFinished(incoming, response, { login: { accountId: made.account.sub } });
    } else await handle(incoming, response);
  }

  // Its clients and keys are read when it is made.
  function restart(): void {
    provider = new Provider(issuer, configurationOf({ accounts, clients: [...clients.values()], key }));
    handle = provider.callback();
    provider.on("backchannel.error", (_, error) => process.stderr.write(`${String(error)}\n`));
  }

  const made: IdentityProvider = {
    issuer,
    caFile,
    egressAllow: `127.0.0.1:${port}`,
    account,
    register(client) {
      clients.set(client.client_id, client);
      restart();
    },
    async rotateKeys() {
      key = (await createIssuerKey("RS256")).privateJwk;
      restart();
    },
    async visit(authorizationUrl, browser = new Map()) {
      let at = new URL(authorizationUrl);
      for (let redirects = 0; at.origin === issuer; redirects++) {
        const { status, location, text } = await visit(at, browser);
        if (location === undefined || redirects > 10)
          throw new Error(`the provider answered ${status} at ${at.pathname}: ${text}`);
        at = new URL(location, at);
      }
      return at;
    },
    async logOut(browser) {
      const page = await visit(new URL(`${issuer}/session/end`), browser);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
      const form = new URLSearchParams({ xsrf, logout: "yes" }).toString();
      await visit(new URL(`${issuer}/session/end/confirm`), browser, form);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
  restart();
  return made;
}

function configurationOf(options: {
  accounts: ReadonlyMap<string, Account>;
  clients: Client[];
  key: JWK;
}): Configuration {
  const { accounts, clients, key } = options;
  return {
    clients: clients.map((client) => ({
      ...client,
      backchannel_logout_session_required: client.backchannel_logout_uri !== undefined,
      token_endpoint_auth_method: client.client_secret === undefined ? "none" : "client_secret_post",
      response_types: ["code"],
      grant_types: ["authorization_code"],
    })),
    jwks: { keys: [key] },
    cookies: { keys: ["a test's"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    // Claims are in the ID token, too, as the large providers have them.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    // Not with its dispatcher, which refuses addresses of this machine.
    fetch: (url, given) => {
      const sent: RequestInit & { dispatcher?: unknown } = { ...given };
      delete sent.dispatcher;
      return fetch(url, sent);
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => {
      const account = accounts.get(sub);
      return account === undefined ? undefined : { accountId: sub, claims: () => ({ ...account }) };
    },
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc;
      const grant = new provider.Grant({
        clientId: client?.clientId ?? "",
        accountId: session?.accountId ?? "",
      });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  };
}

interface Received {
  status: number;
  location: string | undefined;
  text: string;
}

function send(
  at: URL,
  { ca, browser, body }: { ca: string; browser: Browser; body?: string | undefined },
): Promise<Received> {
  const headers = {
    cookie: [...browser].map(([name, value]) => `${name}=${value}`).join("; "),
    ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
  };
  return new Promise((resolve, reject) => {
    request(at, { ca, method: body === undefined ? "GET" : "POST", headers }, (response) => {
      for (const line of response.headers["set-cookie"] ?? []) {
        const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
        browser.set(name, value);
      }
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, location: received.location, text: Buffer.concat(chunks).toString() });
      });
    })
      .on("error", reject)
      .end(body);
  });
}
