export interface HttpResponse<T> {
  status: number;
  headers: Headers;
  /** The parsed JSON; undefined for another type. */
  body: T;
  text: string;
}

export interface HttpRequest {
  /** The bearer key; null sends no Authorization header at all. Default: the client's own. */
  key?: string | null;
  /** Sent as JSON, unless it is a string or bytes: those go as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface HttpClient {
  request<T = unknown>(method: string, path: string, options?: HttpRequest): Promise<HttpResponse<T>>;
  get<T = unknown>(path: string, options?: HttpRequest): Promise<HttpResponse<T>>;
  post<T = unknown>(path: string, body?: unknown, options?: HttpRequest): Promise<HttpResponse<T>>;
}

/** A client of the api under test. It throws only if there is no response. */
export function createHttpClient(baseUrl: string, { key }: { key?: string } = {}): HttpClient {
  async function request<T>(
    method: string,
    path: string,
    options: HttpRequest = {},
  ): Promise<HttpResponse<T>> {
    const bearer = options.key === undefined ? key : options.key;
    const payload = asPayload(options.body);
    const response = await fetch(new URL(path, baseUrl), {
      method,
      redirect: "manual",
      headers: {
        ...(payload === null ? {} : { "content-type": "application/json" }),
        ...(bearer === undefined || bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...options.headers,
      },
      body: payload,
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.includes("json") === true && text !== "";
    return {
      status: response.status,
      headers: response.headers,
      body: (json ? JSON.parse(text) : undefined) as T,
      text,
    };
  }
  return {
    request,
    get: (path, options) => request("GET", path, options),
    post: (path, body, options) => request("POST", path, { ...options, body }),
  };
}

function asPayload(body: unknown): string | Uint8Array<ArrayBuffer> | null {
  if (body === undefined) return null;
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}
