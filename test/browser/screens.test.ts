import { readFile } from 'node:fs/promises';
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

const open = async (hash: string, width = 1_440): Promise<Page> =>
  (await openConsole(browser, `${playground.server.url}/${hash}`, { width })).page;

describe('the screen Cost', () => {
  it('splits the cost by workload, says what it includes, and saves the table', async () => {
    const page = await open('#/cost');
    await page.getByTestId('cost-notes').filter({ hasText: 'Spot prices are modelled' }).waitFor();
    await page.getByTestId('cost-by').getByText('Workload').click();
    const row = page.getByRole('row', { name: /shop\/web/ });
    await row.filter({ hasText: '12' }).waitFor();

    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe('cost by workload.csv');
    expect(await readFile(await download.path(), 'utf8')).toMatch(/^Name,Pods,USD per hour/);
    await page.close();
  });

  it('explains the distance to the lower bound in dollars', async () => {
    const page = await open('#/cost');
    await page.getByTestId('above-bound').filter({ hasText: /\$\d/ }).waitFor();
    await page.close();
  });
});

describe('the screen NodePools', () => {
  it('shows limits in use and the budgets of the next 24 hours', async () => {
    const page = await open('#/nodepools');
    const pool = page.getByTestId('pool-general');
    await pool.filter({ hasText: /cpu \d+ of 64/ }).waitFor();
    await pool.filter({ hasText: /Underutilized/ }).waitFor();
    await page.close();
  });
});
