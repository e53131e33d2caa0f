import { useQuery } from "@tanstack/react-query";
import { Service } from "@waymark/shared/services/schema.ts";
import { serviceQuery } from "./api-queries.ts";
import { readQuery } from "./read-query.ts";

export function useService(serviceId: string) {
  return useQuery(readQuery(serviceQuery(serviceId), Service));
}
