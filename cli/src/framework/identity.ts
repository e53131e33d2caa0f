import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Identity } from "../api/workload-key.ts";
import { parseJson } from "../lib/parse-json.ts";
import { getAddress } from "../http/get.ts";
import { CliError, EXIT_CODES, usageError } from "../lib/cli-error.ts";
import { type Environment, given } from "../lib/config.ts";
import { isLoopback } from "../lib/loopback.ts";
import { printable } from "../lib/text.ts";
import type { CliContext } from "./context.ts";

/** A text of three parts, as tokens have. It is checked before it is sent, so that no other secret is sent by mistake. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Finds the identity that the CI system gives to this build; undefined if it gives none. */
export function findIdentity({ env, cwd }: Pick<CliContext, "env" | "cwd">): Identity | undefined {
  const file = given(env["WAYMARK_ID_TOKEN_FILE"]);
  if (file !== undefined) return ofFile(path.resolve(cwd, file));
  const token = given(env["WAYMARK_ID_TOKEN"]);
  if (token !== undefined) return ofVariable(token);
  const url = given(env["ACTIONS_ID_TOKEN_REQUEST_URL"]);
  const secret = given(env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]);
  return url === undefined || secret === undefined ? undefined : ofGithub({ url, secret, env });
}

function ofVariable(token: string): Identity {
  const source = "WAYMARK_ID_TOKEN";
  return { source, isRenewable: false, requestToken: async () => checked(token, source) };
}

function ofFile(file: string): Identity {
  const source = `the file ${printable(file, 300)} (WAYMARK_ID_TOKEN_FILE)`;
  return {
    source,
    // Kubernetes replaces the token in the file long before it ends, and not for each command.
    isRenewable: false,
    async requestToken() {
      const text = await readFile(file, "utf8").catch((error: unknown) => {
        throw usageError(`Can't read the build's token from ${source}.`, { cause: error });
      });
      return checked(text.trim(), source);
    },
  };
}

function checked(token: string, source: string): string {
  if (TOKEN.test(token)) return token;
  throw usageError(`${source} has no token (three parts in base64url, separated by dots): it is not sent.`);
}

const TokenResponse = z.object({ value: z.string().regex(TOKEN) });
const WHAT = "requesting the token of GitHub Actions";

function ofGithub({ url, secret, env }: { url: string; secret: string; env: Environment }): Identity {
  return {
    source: "GitHub Actions",
    isRenewable: true,
    async requestToken(audience, { times, extraCa }) {
      const address = requestAddress(url);
      address.searchParams.set("audience", audience);
      const response = await getAddress({
        url: address,
        headers: { accept: "application/json", authorization: `Bearer ${secret}` },
        env,
        times,
        extraCa,
        responseBytesMax: 64 * 1024,
        failure: `${WHAT} failed: no response from ${address.host}`,
      });
      const parsed = TokenResponse.safeParse(parseJson(response.body));
      if (response.status === 200 && parsed.success) return parsed.data.value;
      throw new CliError(
        EXIT_CODES.unavailable,
        `${WHAT} failed: HTTP ${response.status} from ${address.host}.`,
      );
    },
  };
}

/** The runner sets the address. A token for requests is sent to nothing but https, or this machine. */
function requestAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isSafe =
    address?.protocol === "https:" || (address?.protocol === "http:" && isLoopback(address.hostname));
  if (address !== undefined && isSafe) return address;
  throw usageError("ACTIONS_ID_TOKEN_REQUEST_URL must be an https:// address.");
}
