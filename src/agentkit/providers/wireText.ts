import type { ModelItem } from '../model.ts';

type UserItem = Extract<ModelItem, { role: 'user' }>;

/** What a person wrote, and a note about images that a model cannot see. */
export function userText({ text, images }: UserItem, seesImages: boolean): string {
  if (images.length === 0 || seesImages) return text;
  return `${text}\n[Images attached here are left out: this model reads text only.]`;
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** In place of a text without a visible character, which several providers refuse. */
export const blankText = '(empty message)';
