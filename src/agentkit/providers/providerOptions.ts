import type { ModelCapabilities } from '../model.ts';

/** What every adapter that talks to an endpoint itself is made from. */
export interface ProviderOptions {
  /** Names the provider in `ref` and `tag`, for example `openai` or `ollama`. */
  readonly providerId: string;
  /** As the endpoint calls it. */
  readonly model: string;
  /** Up to and with the version, without the path of a method, for example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Asked for each request; undefined = an endpoint without a key. The key is kept nowhere. */
  readonly apiKey: () => Promise<string | undefined>;
  readonly capabilities: ModelCapabilities;
  /** Sent with each request, above what the adapter sends itself. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds since 1970, for a `Retry-After` that names a date. */
  readonly now?: () => number;
}

/** For protocols whose provider can search the web by itself. */
export interface NativeSearchOption {
  /** Offered beside the tools of a request; a request without tools stays without. Off when absent. */
  readonly nativeSearch?: boolean;
}
