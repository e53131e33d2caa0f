import { createServer } from "node:http";
import { githubClaims, type TestIssuer } from "./issuer.ts";

/** The part of GitHub's runner that gives tokens to a job with `id-token: write`. */
export interface GithubRunner extends AsyncDisposable {
  /** The variables of such a job. */
  env: Record<string, string>;
  /** The audiences that were asked for. */
  audiences: (string | null)[];
}

const SECRET = "runner-secret";

/** @param claims override those of a push to the branch main of acme/payments */
export async function startGithubRunner(
  issuer: TestIssuer,
  claims: Record<string, unknown> = {},
): Promise<GithubRunner> {
  const audiences: (string | null)[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://runner");
    if (request.headers.authorization !== `Bearer ${SECRET}`) return response.writeHead(401).end();
    const aud = searchParams.get("audience");
    audiences.push(aud);
    void issuer
      .token(githubClaims({ aud, ...claims }))
      .then((value) => response.end(JSON.stringify({ count: 1, value })));
    return response;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    env: {
      GITHUB_ACTIONS: "true",
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
    },
    audiences,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
