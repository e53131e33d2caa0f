import { z } from "zod";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { parseRedisUrl } from "./address.ts";

/** The address of Redis or Valkey, as an operator writes it. */
export const RedisUrl = z.string().superRefine((value, ctx) => {
  try {
    parseRedisUrl(value);
  } catch (error) {
    ctx.addIssue({ code: "custom", message: toError(error).message });
  }
});
