// The services of a small shop, and what each of the scans of its history changes in them.

type Schema = Readonly<Record<string, unknown>>;

/** A service's API at some time. */
export interface Api {
  /** The properties of its resource besides `id`. */
  properties: Readonly<Record<string, Schema>>;
  required: readonly string[];
  /** Lists besides that of the resource, by path. */
  lists: Readonly<Record<string, string>>;
  /** The query parameters of the list of the resource. */
  filters: readonly string[];
  canDelete: boolean;
  /** True if its author forgot that callers must sign in. */
  isOpen: boolean;
}

export const DEMO_TEAMS = ["checkout", "logistics"] as const;

export interface DemoService {
  /** The name of the service and of its file. */
  name: string;
  /** Its resource, with a capital. */
  resource: string;
  /** The team that owns it, and the folder of its file. */
  team: (typeof DEMO_TEAMS)[number];
  first: Pick<Api, "properties"> & Partial<Api>;
  /** The changes of the scans after the first one, by the number of the scan. */
  changes?: Readonly<Record<number, (before: Api) => Partial<Api>>>;
}

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const money = { type: "number", minimum: 0 };
const time = { type: "string", format: "date-time" };
const stars = (maximum: number) => ({ type: "integer", minimum: 1, maximum });
const state = (...values: string[]) => ({ type: "string", enum: values });
const texts = { type: "array", items: text };

export const DEMO_SERVICES: readonly DemoService[] = [
  {
    name: "catalogue",
    resource: "Product",
    team: "checkout",
    first: { properties: { title: text, price: money, languages: texts } },
    changes: {
      2: () => ({ lists: { "/products/{id}/related": "listRelatedProducts" } }),
      3: () => ({ filters: ["language"] }),
    },
  },
  {
    name: "search",
    resource: "Result",
    team: "checkout",
    first: { properties: { words: text, hits: count }, isOpen: true },
    changes: { 3: () => ({ lists: { "/suggestions": "listSuggestions" } }) },
  },
  {
    name: "reviews",
    resource: "Review",
    team: "checkout",
    first: { properties: { stars: stars(5), text, author: text }, isOpen: true },
    changes: { 4: ({ properties }) => ({ properties: { ...properties, stars: stars(10) } }) },
  },
  {
    name: "carts",
    resource: "Cart",
    team: "checkout",
    first: { properties: { items: texts, total: money } },
    changes: { 2: ({ properties }) => ({ properties: { ...properties, coupon: text } }) },
  },
  {
    name: "orders",
    resource: "Order",
    team: "checkout",
    first: { properties: { cart: text, placedAt: time, state: state("open", "paid", "sent") } },
    changes: {
      2: () => ({ lists: { "/orders/{id}/lines": "listOrderLines" } }),
      4: ({ properties }) => ({
        properties: { ...properties, state: state("open", "paid", "sent", "returned") },
      }),
    },
  },
  {
    name: "payments",
    resource: "Payment",
    team: "checkout",
    first: { properties: { order: text, amount: money, currency: text } },
    // Callers that leave the currency out get 400 from now on.
    changes: { 3: ({ required }) => ({ required: [...required, "currency"] }) },
  },
  {
    name: "invoices",
    resource: "Invoice",
    team: "checkout",
    first: { properties: { order: text, amount: money, dueAt: time } },
    changes: { 4: ({ properties }) => ({ properties: { ...properties, amount: text } }) },
  },
  {
    name: "customers",
    resource: "Customer",
    team: "checkout",
    first: { properties: { name: text, email: text, phone: text } },
    changes: { 3: () => ({ properties: { name: text, email: text } }) },
  },
  {
    name: "shipping",
    resource: "Shipment",
    team: "logistics",
    first: { properties: { order: text, carrier: text, arrivesAt: time } },
    changes: {
      2: () => ({ lists: { "/shipments/{id}/events": "listShipmentEvents" } }),
      4: () => ({ canDelete: false }),
    },
  },
  {
    name: "inventory",
    resource: "Item",
    team: "logistics",
    first: { properties: { product: text, amount: count, warehouse: text } },
    changes: { 3: () => ({ filters: ["warehouse", "product"] }) },
  },
  {
    name: "returns",
    resource: "Return",
    team: "logistics",
    first: { properties: { order: text, reason: text, sentAt: time }, isOpen: true },
    changes: { 4: () => ({ isOpen: false }) },
  },
];

/** The scans of the history, by whom, and with which words. */
export const DEMO_SCANS = [
  { author: "Mira Lang", message: "Describe the shop" },
  { author: "Jonas Berg", message: "Add what belongs to an order" },
  { author: "Mira Lang", message: "Charge in more than one currency" },
  { author: "Aiko Mori", message: "Take goods back" },
] as const;

/** Returns the services that a scan of the history has, by its number from 1: those that it changes. */
export function servicesOfScan(scan: number): readonly DemoService[] {
  return DEMO_SERVICES.filter(({ changes = {} }) => scan === 1 || changes[scan] !== undefined);
}

/** Returns a service's API as it was at a scan. */
export function apiAt({ first, changes = {} }: DemoService, scan: number): Api {
  const before: Api = {
    required: Object.keys(first.properties).slice(0, 1),
    lists: {},
    filters: [],
    canDelete: true,
    isOpen: false,
    ...first,
  };
  return Object.entries(changes)
    .filter(([at]) => Number(at) <= scan)
    .reduce((api, [, change]) => ({ ...api, ...change(api) }), before);
}
