/** A typed key under which the editor side lends a service to the tools it registered. Source: seed 1, "AgentToolServices". */
export interface ServiceKey<T> {
  readonly name: string;
  /** Carries the type; never set. */
  readonly type?: T;
}

export function serviceKey<T>(name: string): ServiceKey<T> {
  return { name };
}

/** The bag a run carries to its tools. agentkit never looks inside. */
export class ToolServices {
  readonly #services = new Map<string, unknown>();

  with<T>(key: ServiceKey<T>, service: T): this {
    this.#services.set(key.name, service);
    return this;
  }

  /** Throws when nothing was lent under `key`: a programming error, not a run-time condition. */
  get<T>(key: ServiceKey<T>): T {
    if (!this.#services.has(key.name)) throw new Error(`no service "${key.name}" in this run`);
    return this.#services.get(key.name) as T;
  }
}
