import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { CreatedServiceBadge, ServiceBadge } from "./schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";

const Params = z.object({ serviceId: Uuid });

export const getServiceBadge = operation({
  id: "getServiceBadge",
  ...addresses.getServiceBadge,
  summary: "Read whether a service has a badge",
  description: "The badge's address is not stored and not shown again.",
  tag: "services",
  access: { needs: ["services:read"], within: ["service"] },
  params: Params,
  responses: { 200: ServiceBadge },
});

export const createServiceBadge = operation({
  id: "createServiceBadge",
  ...addresses.createServiceBadge,
  summary: "Create a service's badge",
  description:
    "An image of the service's status that everybody with its address can see. Only this response contains the address. The address of an earlier badge stops working.",
  tag: "services",
  access: { needs: ["services:read", "services:update"], within: ["service"] },
  params: Params,
  responses: { 201: CreatedServiceBadge },
});

export const deleteServiceBadge = operation({
  id: "deleteServiceBadge",
  ...addresses.deleteServiceBadge,
  summary: "Delete a service's badge",
  description: "Its address stops working; caches may show the image for another minute. Idempotent.",
  tag: "services",
  access: { needs: ["services:update"], within: ["service"] },
  params: Params,
  responses: { 204: NoContent },
});
