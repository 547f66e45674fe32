import * as vscode from 'vscode';
import type { Disposable } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';

/** The one log channel. Every line passes `redact`; the person's log level applies. Source: vscode.md 10. */
export function createLog(
  name: string,
  redact: (text: string) => string,
): LogPort & Disposable & { show(): void } {
  const channel = vscode.window.createOutputChannel(name, { log: true });
  const line = (component: string, message: string): string => redact(`${component}: ${message}`);
  return {
    trace: (component, message) => channel.trace(line(component, message)),
    info: (component, message) => channel.info(line(component, message)),
    warn: (component, message) => channel.warn(line(component, message)),
    error: (component, message, cause) => channel.error(line(component, `${message}${causeText(cause)}`)),
    show: () => channel.show(),
    dispose: () => channel.dispose(),
  };
}

/** The chain of causes, one line each. */
function causeText(cause: unknown): string {
  const parts: string[] = [];
  for (let current = cause; current !== undefined && current !== null && parts.length < 5;) {
    parts.push(current instanceof Error ? `${current.name}: ${current.message}` : 'unknown cause');
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}
