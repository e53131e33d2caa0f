import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { CreatedServiceBadge, ServiceBadge } from "./schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";

const Params = z.object({ serviceId: Uuid });

export const getServiceBadge = operation({
  id: "getServiceBadge",
  method: "GET",
  path: "/api/services/:serviceId/badge",
  summary: "Read whether a service has a badge",
  description: "The badge's address is not stored and not shown again.",
  tag: "services",
  access: { needs: ["services:read"], within: ["service"] },
  params: Params,
  responses: { 200: ServiceBadge },
});

export const createServiceBadge = operation({
  id: "createServiceBadge",
  method: "POST",
  path: "/api/services/:serviceId/badge",
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
  method: "DELETE",
  path: "/api/services/:serviceId/badge",
  summary: "Delete a service's badge",
  description: "Its address stops working; caches may show the image for another minute. Idempotent.",
  tag: "services",
  access: { needs: ["services:update"], within: ["service"] },
  params: Params,
  responses: { 204: NoContent },
});
