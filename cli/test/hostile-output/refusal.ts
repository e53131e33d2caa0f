import { type Answer, answerJson } from "../../src/test-support/fake-server.ts";

/** Returns an answer that refuses every request, with a hostile text in each field of the error. */
export function refusal(text: string, status = 409): Answer {
  const details = [{ path: text, message: text }];
  return (_request, response) =>
    answerJson(response, status, { error: { code: text, message: text, details, requestId: text } });
}
