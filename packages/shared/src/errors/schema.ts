import { z } from "zod";

/** Every error response of the API. `code` and `message` are always set. */
export const ErrorResponse = z
  .object({
    error: z.object({
      code: z.string().meta({ description: "A stable, documented snake_case code." }),
      message: z.string().meta({ description: "What happened and what to do." }),
      details: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .max(20)
        .optional()
        .meta({ description: "Up to 20 faults, each with its position in the request." }),
      requestId: z.string().optional(),
    }),
  })
  .meta({ id: "ErrorResponse" });
export type ErrorResponse = z.infer<typeof ErrorResponse>;
