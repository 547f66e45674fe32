/**
 * Words of somebody else (a server, a model) for a notification or the prompt of an input box. The editor makes links of
 * `[words](target)` there, and runs the target when it is a command.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
