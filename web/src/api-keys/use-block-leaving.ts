import { useEffect, useRef } from "react";

/** While active, Back calls `onTry` and stays on the page, and the browser asks before it closes the page. */
export function useBlockLeaving(active: boolean, onTry: () => void): void {
  const handler = useRef(onTry);
  handler.current = onTry;
  useEffect(() => {
    if (!active) return undefined;
    const { history, location } = globalThis;
    // The entry that Back removes.
    const addEntry = () => history.pushState({ blocked: true }, "", location.href);
    addEntry();
    const onPopState = () => {
      addEntry();
      handler.current();
    };
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    globalThis.addEventListener("popstate", onPopState);
    globalThis.addEventListener("beforeunload", onBeforeUnload);
    return () => {
      globalThis.removeEventListener("popstate", onPopState);
      globalThis.removeEventListener("beforeunload", onBeforeUnload);
      const state: unknown = history.state;
      if (typeof state === "object" && state !== null && "blocked" in state) history.back();
    };
  }, [active]);
}
