/**
 * Arrow keys inside a region with one tab stop: moves the focus to the next or previous of `items` and makes it the tab stop. True
 * when the key was used. A text field keeps its own arrow keys.
 */
export function moveFocus(event: KeyboardEvent, items: readonly HTMLElement[]): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey || isTextField(event.target)) return false;
  const current = items.findIndex((item) => item.contains(document.activeElement));
  const next = nextIndex(event.key, current, items.length);
  const item = next === undefined ? undefined : items[next];
  if (item === undefined) return false;
  event.preventDefault();
  setTabStop(item, items);
  item.focus();
  return true;
}

/** Makes `item` the one tab stop of its region. */
export function setTabStop(item: HTMLElement, items: readonly HTMLElement[]): void {
  for (const other of items) other.tabIndex = other === item ? 0 : -1;
}

function nextIndex(key: string, current: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(count - 1, current + 1);
    case 'ArrowLeft':
    case 'ArrowUp':
      return Math.max(0, current - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
