import type { ApprovalRequest } from './approval.ts';
import { parseJsonObject, sortedJson, type JsonObject } from './json.ts';
import type { Redactor } from './redactor.ts';
import { withoutHandle } from './secrets/expiredSecrets.ts';
import type { ToolDescriptor } from './tool.ts';

/**
 * What a person may change in the card before they allow a call: the one argument that its tool names, otherwise all of them as JSON.
 * Undefined where a part would be hidden: nobody edits around what they cannot see, and a mark would be taken for the value.
 */
export function editableText(
  descriptor: ToolDescriptor,
  args: JsonObject,
  redactor: Redactor,
): ApprovalRequest['editable'] {
  const { editedArgument } = descriptor;
  const value = editedArgument === undefined ? undefined : args[editedArgument];
  if (editedArgument !== undefined && typeof value === 'string')
    return redactor.redact(value) === value ? { argument: editedArgument, text: value } : undefined;
  const isWhole = withoutHandle(args) === args && sortedJson(redactor.redactJson(args)) === sortedJson(args);
  return isWhole ? { text: JSON.stringify(args, undefined, 2) } : undefined;
}

/** The arguments with the person's text in its place; undefined when it is no JSON object where one is needed. */
export function editedArguments(
  editable: NonNullable<ApprovalRequest['editable']>,
  args: JsonObject,
  text: string,
): JsonObject | undefined {
  const { argument } = editable;
  return argument === undefined ? parseJsonObject(text) : { ...args, [argument]: text };
}

/** The members that differ, for the model: it did not write them. */
export function changedArguments(before: JsonObject, after: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => sortedJson(before[name] ?? null) !== sortedJson(after[name] ?? null))
      .map((name) => [name, after[name] ?? null]),
  );
}
