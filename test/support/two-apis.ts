import { createHttpClient, type HttpClient } from "./http-client.ts";
import { type Stack, startApi, startStack } from "./stack.ts";

export interface TwoApis extends Stack {
  /** Asks the second api, without a key of its own. */
  other: HttpClient;
}

/** A stack with a second api on its database, in another process. */
export async function startTwoApis(): Promise<TwoApis> {
  const stack = await startStack();
  const second = await startApi({ databaseUrl: stack.databaseUrl, hostName: "second" }).catch(
    async (error: unknown) => {
      await stack[Symbol.asyncDispose]();
      throw error;
    },
  );
  return {
    ...stack,
    other: createHttpClient(second.baseUrl),
    [Symbol.asyncDispose]: async () => {
      await second[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}
