import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openConsole } from './support/chromium.ts';
import { startTestPlayground, type TestPlayground } from './support/playground.ts';

let browser: Browser;
let playground: TestPlayground;
beforeAll(async () => {
  [browser, playground] = await Promise.all([launchChromium(), startTestPlayground()]);
});
afterAll(() => Promise.all([browser.close(), playground.server.close()]));

/**
 * Texts that a reader cannot see as a whole: an ancestor hides what exceeds it, without a way to scroll, or the text is outside of
 * the page. Texts for screen readers have one pixel.
 */
const listCutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const cut = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode } = texts;
      const parent = currentNode.parentElement;
      if (!currentNode.textContent?.trim() || !parent?.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(currentNode);
      const text = range.getBoundingClientRect();
      if (text.width === 0) continue;
      for (let box: Element | null = parent; box; box = box.parentElement) {
        const { overflowX } = getComputedStyle(box);
        if (overflowX === 'visible' && box !== document.documentElement) continue;
        const area = box.getBoundingClientRect();
        if (area.width <= 1 || overflowX === 'auto' || overflowX === 'scroll') break;
        if (text.left < area.left - 1 || text.right > area.right + 1)
          cut.add(`${currentNode.textContent.trim()} (in ${parent.className})`);
      }
    }
    return [...cut];
  });

const WINDOWS = [
  ['at 320 px', 320],
  // 1,280 px at a zoom of 200 %.
  ['at 200 %', 640],
] as const;
const SCREENS = ['cluster', 'timeline', 'cost', 'nodepools', 'whatif'];

describe.each(WINDOWS)('the page %s', (_, width) => {
  it.each(SCREENS)('cuts no text and needs no sideways scrolling: %s', async (screen) => {
    const { page } = await openConsole(browser, `${playground.server.url}/#/${screen}`, { width });
    const { SHOTS } = process.env;
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${screen}-${width}.png`, fullPage: true });
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );

    expect({ sideways, cut: await listCutTexts(page) }).toEqual({ sideways: 0, cut: [] });
    await page.close();
  });
});
