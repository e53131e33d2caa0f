import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** True while the page is being printed. It is rendered again before the browser lays out its sheets. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const set = (value: boolean) => flushSync(() => setPrinting(value));
    const [begin, end] = [() => set(true), () => set(false)];
    globalThis.addEventListener("beforeprint", begin);
    globalThis.addEventListener("afterprint", end);
    return () => {
      globalThis.removeEventListener("beforeprint", begin);
      globalThis.removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}
