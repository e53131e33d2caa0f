/** Waits for the page and its styles. The first script runs before them, so that its requests start early. */
export async function untilStyled(): Promise<void> {
  if (document.readyState === "loading") await eventOf(document, "DOMContentLoaded");
  const links = document.querySelectorAll<HTMLLinkElement>("head link[rel=stylesheet]");
  for (const link of links) if (link.sheet === null) await eventOf(link, "load");
}

function eventOf(target: EventTarget, name: string): Promise<unknown> {
  return new Promise((resolve) => {
    target.addEventListener(name, resolve, { once: true });
    // A page without styles is better than none.
    target.addEventListener("error", resolve, { once: true });
  });
}
