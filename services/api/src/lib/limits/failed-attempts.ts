import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ServeOptions } from "../serve.ts";
import { rateLimitAddress } from "./client-address.ts";
import type { RequestLimits } from "./request-limits.ts";

const FAILURES: readonly number[] = [400, 404, 413, 415];

/**
 * Returns the options of a public route whose body has a credential, which could be guessed there: its failures count as those of keys do.
 * A malformed body is a failure too, or such requests would be unlimited.
 *
 * @param of what is counted: links have a count of their own
 */
export function limitFailedAttempts(
  limits: RequestLimits,
  of: "keys" | "links" = "keys",
): Required<Pick<ServeOptions, "onRequest" | "errorHandler">> {
  const isOfKeys = of === "keys";
  const note = (address: string) =>
    isOfKeys ? limits.noteFailure(address) : limits.noteUnknownLink(address);
  const mayTry = (address: string, reply: FastifyReply) =>
    isOfKeys ? limits.assertAddressMayTry(address, reply) : limits.assertAddressMayOpenLinks(address, reply);
  return {
    // Before the body is read, refuses an address that has failed too often.
    onRequest: (request, reply) => mayTry(rateLimitAddress(request.ip), reply),
    errorHandler(error: Error, request: FastifyRequest, reply: FastifyReply) {
      const counted = isFailure(error) ? note(rateLimitAddress(request.ip)) : Promise.resolve();
      void counted.finally(() => void reply.send(error));
    },
  };
}

/** True for a refusal by the api, or by the framework, whose errors also have a status. */
function isFailure(error: Error): boolean {
  // A sign-in's token is guessed where nothing else counts 401.
  if (error instanceof AppError)
    return FAILURES.includes(error.httpStatus) || error.code === "sign_in_expired";
  return "statusCode" in error && error.statusCode === 415;
}
