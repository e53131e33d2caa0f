import { operationOf } from "../operation.ts";

/** The method and the path of an endpoint. */
export interface EndpointName {
  method: string;
  path: string;
}

/**
 * Returns the address of an endpoint's page.
 *
 * @param scanRunId the run that it is read from; undefined for the service's current run
 */
export function endpointAddress(
  serviceId: string,
  { method, path }: EndpointName,
  scanRunId?: string,
): string {
  const search = new URLSearchParams({ of: operationOf(method, path), ...(scanRunId && { run: scanRunId }) });
  return `/services/${serviceId}/endpoint?${search}`;
}

/** Returns the endpoint that a link names, such as `GET /books`; undefined if it names none. */
export function endpointNamed(operation: string): EndpointName | undefined {
  const space = operation.indexOf(" ");
  if (space < 1 || space === operation.length - 1) return undefined;
  return { method: operation.slice(0, space), path: operation.slice(space + 1) };
}

/** True if two paths are of one endpoint: the names of path parameters are not part of a request. */
export function isSamePath(one: string, other: string): boolean {
  return shapeOf(one) === shapeOf(other);
}

/** Returns a text that is equal for endpoints with one method whose paths differ in the names of parameters only. */
export function endpointShape({ method, path }: EndpointName): string {
  return `${method} ${shapeOf(path)}`;
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}
