import type { Element } from "@xmldom/xmldom";

/**
 * The part of fontoxpath that is used here. Its own declarations bring in the DOM library, with which `document` and
 * `window` would be known in every service.
 */
interface EvaluateXPath {
  (
    selector: string | Element,
    contextItem: unknown,
    domFacade: object,
    variables: Record<string, never>,
    returnType: number,
    options: {
      language: string;
      logger: { trace: (message: string) => void };
      namespaceResolver: (prefix: string) => string | null;
      functionNameResolver: (name: {
        prefix: string;
        localName: string;
      }) => { namespaceURI: string; localName: string } | null;
    },
  ): unknown;
  readonly ALL_RESULTS_TYPE: number;
  readonly XPATH_3_1_LANGUAGE: string;
}

export declare const evaluateXPath: EvaluateXPath;
/** The syntax tree as an element that the factory made. @throws for a script that is not valid */
export declare function parseScript(script: string, options: { language: string }, factory: object): Element;

export declare function registerCustomXPathFunction(
  name: { namespaceURI: string; localName: string },
  parameters: string[],
  result: string,
  call: (context: unknown, text: string | null, pattern: string, flags?: string) => unknown,
): void;
