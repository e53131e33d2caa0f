import { z } from "zod";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";

const BadgeFacts = z.object({ createdAt: IsoDateTime, createdByKeyId: Uuid });

/** Whether a service has a badge. Nothing shows its address again. */
export const ServiceBadge = z.object({ badge: BadgeFacts.nullable() }).meta({ id: "ServiceBadge" });
export type ServiceBadge = z.infer<typeof ServiceBadge>;

/** A new badge, with its address. */
export const CreatedServiceBadge = BadgeFacts.extend({
  url: z.url().meta({ description: "The address of the image, with its token. It is shown only once." }),
}).meta({ id: "CreatedServiceBadge" });
export type CreatedServiceBadge = z.infer<typeof CreatedServiceBadge>;
