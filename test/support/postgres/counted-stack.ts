import { type CountedPostgres, startCountedPostgres } from "./counted.ts";
import { createHttpClient, type HttpClient } from "../http-client.ts";
import { serviceUrl } from "../service-url.ts";
import { type Stack, startApi, startStack, type TestApi } from "../stack.ts";

/** A stack with one more api, whose statements are counted. */
export interface CountedStack extends AsyncDisposable {
  stack: Stack;
  counted: CountedPostgres;
  api: TestApi;
  /** A client of that api, with the stack's key. */
  http: HttpClient;
}

export async function startCountedStack(env: Record<string, string> = {}): Promise<CountedStack> {
  const stack = await startStack();
  const counted = await startCountedPostgres(stack.databaseUrl);
  const api = await startApi({
    databaseUrl: counted.url,
    // The queue sends statements on its own, which are not counted.
    env: { DATABASE_DIRECT_URL: serviceUrl(stack.databaseUrl), ...env },
  });
  return {
    stack,
    counted,
    api,
    http: createHttpClient(api.baseUrl, { key: stack.apiKey }),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await counted[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}
