import { z } from "zod";
import { OwnerSelector } from "../../principals/team-names/schema.ts";
import { LabelSelector } from "../labels/schema.ts";

/** The fields of a query that select services, in every list of what belongs to services. */
export const ServiceFilterFields = z.strictObject({ label: LabelSelector, owner: OwnerSelector });
export type ServiceFilterFields = z.infer<typeof ServiceFilterFields>;
