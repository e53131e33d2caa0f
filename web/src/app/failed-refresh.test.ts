import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { findFailedRefresh } from "./failed-refresh.ts";

it("a page is out of date if what it shows could not be loaded again, until it is", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  let failure: Error | undefined;
  const observer = new QueryObserver(client, {
    queryKey: ["services"],
    queryFn: () => (failure === undefined ? Promise.resolve("loaded") : Promise.reject(failure)),
  });
  const leavePage = observer.subscribe(() => undefined);
  const failed = () => findFailedRefresh(client.getQueryCache());
  await observer.refetch();
  expect(failed()).toBeUndefined();
  failure = new Error("The server can't be reached.");
  await observer.refetch();
  expect(failed()).toBe(failure);
  failure = undefined;
  await observer.refetch();
  expect(failed()).toBeUndefined();
  failure = new Error("The server can't be reached.");
  await observer.refetch();
  leavePage();
  expect(failed()).toBeUndefined();
});

it("what was never loaded is explained where it is missing", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const observer = new QueryObserver(client, {
    queryKey: ["services"],
    queryFn: () => Promise.reject(new Error("The server can't be reached.")),
  });
  observer.subscribe(() => undefined);
  await observer.refetch();
  expect(findFailedRefresh(client.getQueryCache())).toBeUndefined();
});
