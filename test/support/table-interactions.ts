import type { Page } from "playwright-core";

// An action on an element: a click, or `does`.
// Runs inside the page: if the test's driver searched an element among thousands, that work would count for the console.
const withText = (selector: string, text: string) =>
  `[...document.querySelectorAll("${selector}")].find((one) => one.textContent.startsWith("${text}"))`;
const click = (element: string) => ({ element });
const clickText = (selector: string, text: string) => click(withText(selector, text));
const type = (text: string) => ({
  element: `document.querySelector("input[placeholder^=Path]")`,
  does: `Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(element, "${text}");
         element.dispatchEvent(new Event("input", { bubbles: true }));`,
});
const openChoice = (place: number) => click(`document.querySelectorAll("[role=combobox]")[${place}]`);
const [METHOD, SEVERITY] = [0, 2];
const scroll = (to: string) => ({
  element: `document.querySelector("[role=region]")`,
  does: `element.scrollTo(0, ${to});`,
});

/** In an order in which each finds what it needs, and after which the page is as before. */
const INTERACTIONS: Readonly<Record<string, { element: string; does?: string }>> = {
  "type a letter": type("t"),
  "type what is in every path": type("thi"),
  "type what few have": type("things/19"),
  "clear the search": type(""),
  "sort by path": clickText("[role=columnheader] button", "Path"),
  "sort by findings": clickText("[role=columnheader] button", "Findings"),
  "open the methods": openChoice(METHOD),
  "choose a method": clickText("[role=option]", "GET"),
  "open the severities": openChoice(SEVERITY),
  "choose a severity": clickText("[role=option]", "high"),
  // Choosing the selected option clears it.
  "open the severities again": openChoice(SEVERITY),
  "let go of the severity": clickText("[role=option]", "high"),
  "open the methods again": openChoice(METHOD),
  "let go of the method": clickText("[role=option]", "GET"),
  "scroll down": scroll("element.scrollHeight / 2"),
  "scroll to the end": scroll("element.scrollHeight"),
  "see the findings": clickText("[role=tab]", "Findings (500)"),
  "see the endpoints again": clickText("[role=tab]", "Endpoints (2,000)"),
};

/** Goes through every interaction with the table of a large run, which the page shows. Each is ready when its function is called. */
export async function eachInteraction(
  page: Page,
  measure: (name: string, interact: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  for (const [name, { element, does }] of Object.entries(INTERACTIONS)) {
    await waitForElement(page, element);
    await measure(name, await actionOn(page, { element, does }));
  }
}

/** Waits as one script: `waitForFunction` evaluates a text again for each look, which the content security policy forbids. */
async function waitForElement(page: Page, element: string): Promise<void> {
  await page.evaluate(`(async () => {
    while (!${element}) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  })()`);
}

/** Prepares an interaction, so that only the page's reaction is measured. */
async function actionOn(
  page: Page,
  { element, does }: { element: string; does: string | undefined },
): Promise<() => Promise<unknown>> {
  if (does !== undefined) return () => page.evaluate(`{ const element = ${element}; ${does} }`);
  // Where the element is once it has stopped moving and nothing covers it: a list that opens is placed a little later.
  const { x, y } = await page.evaluate<{ x: number; y: number }>(`(async () => {
    const element = ${element};
    element.scrollIntoView({ block: "nearest" });
    for (let before; ; ) {
      const { left, top, width, height } = element.getBoundingClientRect();
      const place = { x: left + width / 2, y: top + height / 2 };
      if (before?.x === place.x && before.y === place.y && element.contains(document.elementFromPoint(place.x, place.y)))
        return place;
      before = place;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
  })()`);
  return () => page.mouse.click(x, y);
}
