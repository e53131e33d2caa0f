import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";
import { createTlsCertificate } from "./tls-certificate.ts";

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

/** One signing key of an issuer. */
export interface IssuerKey {
  alg: string;
  kid: string;
  privateKey: SigningKey;
  jwk: JWK;
  /** With the private part. */
  privateJwk: JWK;
}

/** An OpenID Connect issuer, below one path of a server. */
export interface TestIssuer {
  /** `iss` of its tokens. */
  issuer: string;
  keys: IssuerKey[];
  /** Answers the requests of this issuer, instead of its documents. */
  respond: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** The paths of the requests that it got. */
  requests: string[];
  /** A new key, which signs from now on. The old ones stay published with `keepOld`. */
  rotate: (alg?: string, options?: { keepOld?: boolean }) => Promise<void>;
  /** Signs a token. Claims override the usual ones; an undefined one is left out. */
  token: (claims: Record<string, unknown>, options?: TokenOptions) => Promise<string>;
}

interface TokenOptions {
  key?: IssuerKey | undefined;
  header?: Partial<JWTHeaderParameters>;
}

export interface IssuerServer extends AsyncDisposable {
  port: number;
  /** A file with the certificate, for NODE_EXTRA_CA_CERTS. */
  caFile: string;
  /** The certificate in PEM. */
  ca: string;
  /** Opens the server for an api: it is on a private address. */
  egressAllow: string;
  /** Adds an issuer with a path of its own, such as `/github/_services/token`. */
  add: (path: string, alg?: string) => Promise<TestIssuer>;
}

/** Starts a server of issuers on this machine: with discovery documents, key sets, TLS, and keys that can be rotated. */
export async function startIssuers(): Promise<IssuerServer> {
  const certificate = await createTlsCertificate();
  const issuers = new Map<string, TestIssuer>();
  const server = createServer(certificate, (request, response) => {
    const url = request.url ?? "";
    const found = [...issuers].find(([below]) => url.startsWith(`${below}/`));
    if (found === undefined) return response.writeHead(404).end();
    const [below, issuer] = found;
    issuer.requests.push(url.slice(below.length));
    if (issuer.respond !== undefined) return issuer.respond(request, response);
    const document = documentOf(issuer, url.slice(below.length));
    return response
      .writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const folder = await mkdtemp(path.join(tmpdir(), "issuer-"));
  const caFile = path.join(folder, "ca.pem");
  await writeFile(caFile, certificate.cert);
  return {
    port,
    caFile,
    ca: certificate.cert,
    egressAllow: `127.0.0.1:${port}`,
    async add(below, alg = "RS256") {
      const issuer = createIssuer(`https://127.0.0.1:${port}${below}`);
      await issuer.rotate(alg);
      issuers.set(below, issuer);
      return issuer;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

function documentOf({ issuer, keys }: TestIssuer, at: string): object | undefined {
  if (at === "/.well-known/openid-configuration") return { issuer, jwks_uri: `${issuer}/keys` };
  return at === "/keys" ? { keys: keys.map(({ jwk }) => jwk) } : undefined;
}

function createIssuer(issuer: string): TestIssuer {
  const made: TestIssuer = {
    issuer,
    keys: [],
    respond: undefined,
    requests: [],
    async rotate(alg = "RS256", { keepOld = false } = {}) {
      const key = await createIssuerKey(alg);
      made.keys = keepOld ? [key, ...made.keys] : [key];
    },
    async token(claims, { key = made.keys[0], header = {} } = {}) {
      if (key === undefined) throw new Error("the issuer has no key");
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer, iat: now, nbf: now, exp: now + 300, jti: randomUUID() };
      const { alg, kid, privateKey } = key;
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg, kid, typ: "JWT", ...header })
        .sign(privateKey);
    },
  };
  return made;
}

/** A key pair, with its public part as key sets have it. */
export async function createIssuerKey(alg: string): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  const describe = async (key: SigningKey) => ({ ...(await exportJWK(key)), kid, alg, use: "sig" });
  return { alg, kid, privateKey, jwk: await describe(publicKey), privateJwk: await describe(privateKey) };
}

/** The claims of a job of GitHub Actions, as its documentation shows them. */
export function githubClaims(changed: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    sub: "repo:acme/payments:ref:refs/heads/main",
    aud: "waymark",
    actor: "octocat",
    actor_id: "12",
    base_ref: "",
    event_name: "push",
    head_ref: "",
    job_workflow_ref: "acme/payments/.github/workflows/contract.yml@refs/heads/main",
    ref: "refs/heads/main",
    ref_protected: "true",
    ref_type: "branch",
    repository: "acme/payments",
    repository_id: "74",
    repository_owner: "acme",
    repository_owner_id: "65",
    repository_visibility: "private",
    run_attempt: "2",
    run_id: "7341",
    run_number: "10",
    runner_environment: "github-hosted",
    sha: "f1e2d3c4b5a69788796a5b4c3d2e1f0011223344",
    workflow: "contract",
    workflow_ref: "acme/payments/.github/workflows/contract.yml@refs/heads/main",
    ...changed,
  };
}

/** The claims of a job of GitLab, as its documentation shows them. */
export function gitlabClaims(changed: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    sub: "project_path:acme/payments:ref_type:branch:ref:main",
    aud: "waymark",
    namespace_id: "72",
    namespace_path: "acme",
    project_id: "20",
    project_path: "acme/payments",
    user_id: "1",
    user_login: "sample-user",
    user_email: "sample-user@example.com",
    user_access_level: "developer",
    pipeline_id: "574",
    pipeline_source: "push",
    job_id: "302",
    ref: "main",
    ref_type: "branch",
    ref_path: "refs/heads/main",
    ref_protected: "true",
    runner_id: 1,
    runner_environment: "self-hosted",
    sha: "714a629c0b401fdce83e847fc9589983fc6f46bc",
    project_visibility: "public",
    ci_config_ref_uri: "gitlab.example.com/acme/payments//.gitlab-ci.yml@refs/heads/main",
    ...changed,
  };
}

/** The claims of a pod's token for a service account, as Kubernetes documents them. */
export function kubernetesClaims(changed: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    sub: "system:serviceaccount:ci:waymark",
    aud: ["waymark"],
    "kubernetes.io": {
      namespace: "ci",
      node: { name: "127.0.0.1", uid: "58456cb0-dd00-45ed-b797-5578fdceaced" },
      pod: { name: "build-69cbfb9798-jv9gn", uid: "778a530c-b3f4-47c0-9cd5-ab018fb64f33" },
      serviceaccount: { name: "waymark", uid: "a087d5a0-e1dd-43ec-93ac-f13d89cd13af" },
    },
    ...changed,
  };
}
