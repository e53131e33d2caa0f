import type { Element } from "@xmldom/xmldom";

/** An integer or a decimal of zero is no divisor (FOAR0001). A double is: the result is infinite. */
const GUARD = "(let $d := data(0) return if ($d instance of xs:decimal and $d eq 0) then error() else $d)";

/**
 * Makes the divisions of a parsed expression fail on zero, which the engine divides by.
 *
 * @returns whether there are any
 */
export function guardDivisions(expression: Element, parse: (query: string) => Element): boolean {
  const divisors = named(expression, "divOp").flatMap((division) =>
    children(division).filter(({ localName }) => localName === "secondOperand"),
  );
  for (const divisor of divisors) {
    const [operand] = children(divisor);
    const [body] = named(parse(GUARD), "queryBody");
    const [given] = body === undefined ? [] : children(body);
    const guard = given === undefined ? undefined : divisor.ownerDocument?.importNode(given, true);
    const [place] = guard === undefined ? [] : named(guard, "arguments");
    const [zero] = place === undefined ? [] : children(place);
    if (operand === undefined || guard === undefined || place === undefined || zero === undefined) continue;
    divisor.replaceChild(guard, operand);
    place.replaceChild(operand, zero);
  }
  return divisors.length > 0;
}

function named(element: Element, localName: string): Element[] {
  return [...element.getElementsByTagName("*")].filter((one) => one.localName === localName);
}

function children(element: Element): Element[] {
  return [...element.childNodes].filter((node): node is Element => node.nodeType === 1);
}
