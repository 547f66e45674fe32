import type { Page } from 'playwright-core';

/** Elements that are wider than the page and do not scroll inside a box of their own. */
export function overflowing(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const scrolls = (element) => {
      for (let at = element; at !== null; at = at.parentElement) {
        const { overflowX } = getComputedStyle(at);
        if (overflowX === 'auto' || overflowX === 'scroll' || overflowX === 'hidden') return at !== document.body;
      }
      return false;
    };
    return [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 && !scrolls(element.parentElement))
      .map((element) => element.outerHTML.slice(0, 120));
  })()`);
}
