import { operation } from "../operations/operation.ts";
import { Limits } from "./schema.ts";
import * as addresses from "./addresses.ts";

export const getLimits = operation({
  id: "getLimits",
  ...addresses.getLimits,
  summary: "Read the server's limits",
  description:
    "Items, Unicode characters and bytes, and the usage of the caller's organization. Needs no permission.",
  tag: "limits",
  access: { needs: [] },
  responses: { 200: Limits },
});
