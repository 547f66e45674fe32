/** What a name says about a model of Anthropic, with or without a date and the prefix of a cloud. Other names say nothing. */
export interface ClaudeModel {
  /** It thinks within a budget of tokens; later ones decide for themselves within an effort and refuse a budget. */
  readonly isBudgeted: boolean;
  /** The most that it writes in one answer, as far as that holds for every model of its generation. */
  readonly maxOutputTokens: number | undefined;
}

/** Source: Anthropic's documentation, "Models overview" and "Adaptive thinking". */
export function claudeModel(name: string): ClaudeModel {
  const version = generation(name);
  return {
    isBudgeted: version !== undefined && version < 4.6,
    maxOutputTokens: version !== undefined && version >= 4.5 ? 64_000 : undefined,
  };
}

/** `claude-3-7-sonnet-20250219` is 3.7, `claude-opus-4-20250514` 4, `claude-haiku-4-5` 4.5. */
function generation(name: string): number | undefined {
  const found = /(?:^|[./])claude-(?:[a-z]+-)?(\d)(?:-(\d)(?!\d))?(?![\d.])/.exec(name);
  return found?.[1] === undefined ? undefined : Number(`${found[1]}.${found[2] ?? '0'}`);
}
