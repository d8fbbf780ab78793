import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openConsole } from './support/chromium.ts';
import { startTestPlayground, type TestPlayground } from './support/playground.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let playground: TestPlayground;
beforeAll(async () => {
  [browser, playground] = await Promise.all([launchChromium(), startTestPlayground()]);
});
afterAll(() => Promise.all([browser.close(), playground.server.close()]));

/** Returns the violations that axe finds, with the affected elements. */
async function findViolations(page: Page): Promise<string[]> {
  // The page's content policy blocks foreign scripts; the debugger protocol can evaluate code all
  // the same.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    );
  });
}

const STATES: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  ['nothing selected', async () => undefined],
  [
    'a node open',
    async (page) => {
      await page.locator('[data-testid^="node-"]').first().click();
      await page.getByTestId('explain-verdict').waitFor();
    },
  ],
  [
    'a pending pod open',
    async (page) => {
      await page.getByTestId('pending-group-1').click();
      await page.getByTestId('explain-verdict').waitFor();
    },
  ],
  [
    'the timeline open at a past moment',
    async (page) => {
      await page.keyboard.press('2');
      await page.getByTestId('timeline').waitFor();
      await page.keyboard.press('[');
      await page.getByTestId('compared').waitFor();
    },
  ],
  [
    'the cost open',
    async (page) => {
      await page.keyboard.press('3');
      await page.getByTestId('cost-table').waitFor();
    },
  ],
  [
    'the nodes as a table',
    async (page) => {
      await page.keyboard.press('v');
      await page.getByTestId('node-table').waitFor();
    },
  ],
  [
    'the NodePools open',
    async (page) => {
      await page.keyboard.press('4');
      await page.getByTestId('pool-general').waitFor();
    },
  ],
  [
    'a change planned in What-if',
    async (page) => {
      await page.keyboard.press('5');
      await page.getByRole('button', { name: /Zone/ }).click();
      await page.getByRole('option', { name: /1a is lost/ }).click();
      await page.getByTestId('whatif-plan').click();
      await page.getByTestId('whatif-copy').waitFor();
    },
  ],
  [
    'a dialog open',
    async (page) => {
      await page.getByTestId('play-scale').click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  [
    'a search open',
    async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('web');
      await page.getByRole('option').first().waitFor();
    },
  ],
];

describe.each(['light', 'dark'] as const)('accessibility in the %s theme', (theme) => {
  it.each(STATES)('has no violation that axe finds with %s', async (_, prepare) => {
    const { page } = await openConsole(browser, playground.server.url, { theme });
    await prepare(page);

    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });
});
