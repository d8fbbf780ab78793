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

describe('the answer about a NodePool', () => {
  it('opens from its name, and says what it does', async () => {
    const page = await open('#/nodepools');
    await page.getByTestId('pool-general').getByRole('button', { name: 'general' }).first().click();
    await page
      .getByTestId('explain-verdict')
      .filter({ hasText: /NodePool general is ready: \d+ nodes/ })
      .waitFor();
    expect(page.url()).toContain('sel=nodepool/general');
    await page.close();
  });
});

describe('the answer about a decision', () => {
  it('opens from the answer that names it', async () => {
    const page = await open('#/cluster');
    await page.getByTestId('pending-group-1').click();
    await page.getByRole('button', { name: /^decided \d\d:/ }).click();
    await page.getByText('What was decided here?').waitFor();
    expect(page.url()).toContain('sel=decision/');
    await page.close();
  });
});

describe('a fix', () => {
  it('opens What-if with the changed NodePool, whose plan runs the pods', async () => {
    const full = await startTestPlayground();
    const web = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
    full.world.userActions.scale(web, 80);
    await full.pass(180_000);
    const { page } = await openConsole(browser, `${full.server.url}/#/cluster`, { width: 1_440 });

    await page.getByRole('button', { name: /shop\/web ×/ }).click();
    await page.getByTestId('try-fix').first().click();
    expect(await page.getByTestId('whatif-yaml').inputValue()).toMatch(/limits:\n +cpu: "?\d+/);
    await page.getByTestId('whatif-plan').click();
    const result = page.getByTestId('whatif-result');
    const running = result.getByRole('row', { name: /^Pods running/ }).getByRole('cell');
    await running.first().waitFor();
    const [, unchanged, changed] = (await running.allTextContents()).map(Number);
    expect(changed).toBeGreaterThan(unchanged ?? Number.NaN);
    await page.close();
    await full.server.close();
  });
});

describe('keys', () => {
  it('do nothing once they are switched off, also after a reload', async () => {
    const page = await open('#/cluster');
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: /are keys of this page/ }).uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByTestId('cluster-map').waitFor();
    await page.keyboard.press('3');
    await page.keyboard.press('v');
    expect(page.url()).toMatch(/#\/cluster$/);
    await page.close();
  });
});

describe('the screen What-if', () => {
  it('plans a scaled workload, and copies the result as Markdown', async () => {
    const page = await open('#/whatif');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: /Workload/ }).click();
    await page.getByRole('option', { name: /shop\/web, now 12/ }).click();
    await page.getByRole('spinbutton', { name: 'Pods' }).fill('40');
    await page.getByTestId('whatif-plan').click();

    const result = page.getByTestId('whatif-result');
    await result.filter({ hasText: /It costs \$\d.* more: \d+ nodes instead of/ }).waitFor();
    await result.getByRole('row', { name: /^Pods running 12 12 40/ }).waitFor();
    await result
      .getByText(/NodePool general, \$0\.\d+\/h each/)
      .first()
      .waitFor();
    await page.getByTestId('whatif-copy').click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^### What if: shop\/web has 40 pods\n/);
    await page.close();
  });

  it('edits the text of a NodePool, and names the line of a fault', async () => {
    const page = await open('#/whatif');
    await page.getByRole('button', { name: /Insert the text/ }).click();
    await page.getByRole('option', { name: 'general' }).click();
    const yaml = page.getByTestId('whatif-yaml');
    const text = await yaml.inputValue();
    expect(text).toContain('cpu: "64"');

    await yaml.fill(text.replace('cpu: "64"', 'cpu: "lots"'));
    await page.getByTestId('whatif-plan').click();
    await page
      .getByTestId('whatif-result')
      .getByText(/^Line \d+/)
      .waitFor();
    await page.close();
  });
});

describe('the nodes as a table', () => {
  it('replace the map with V, sort by a header and open a node', async () => {
    const page = await open('');
    await page.keyboard.press('v');
    const table = page.getByTestId('node-table');
    await table.waitFor();
    expect(page.url()).toContain('view=table');

    await table.getByRole('button', { name: 'USD per hour' }).click();
    const header = table.getByRole('columnheader', { name: 'USD per hour' });
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    await table.getByRole('rowheader').getByRole('button').first().click();
    await page.getByTestId('explain-verdict').waitFor();
    await page.close();
  });

  it('keep only the rows that the filter names', async () => {
    const page = await open('#/cluster?view=table');
    await page.getByRole('searchbox', { name: 'Filter nodes' }).fill('no such node');
    await page.getByText(/^0 of \d+$/).waitFor();
    expect(page.url()).toContain('q=no%20such%20node');
    await page.reload();
    await page.getByText(/^0 of \d+$/).waitFor();
    await page.close();
  });

  it('are shown on a phone, where the page scrolls', async () => {
    const page = await open('', 390);
    await page.getByTestId('node-table').waitFor();
    await page.setViewportSize({ width: 390, height: 600 });
    const { width, height } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      height: document.documentElement.scrollHeight,
    }));
    expect(width).toBe(390);
    expect(height).toBeGreaterThan(600);
    await page.close();
  });
});

describe('the map', () => {
  it('zooms with + and fits all nodes again with 0', async () => {
    const page = await open('');
    const widthOf = async () => (await page.locator('[data-testid^="node-"]').first().boundingBox())?.width ?? 0;
    const before = await widthOf();
    await page.keyboard.press('-');
    await expect.poll(widthOf).toBeLessThan(before);
    await page.keyboard.press('0');
    await expect.poll(widthOf).toBe(before);
    await page.close();
  });

  it('keeps a height of 340 px at 200 % zoom, and the page scrolls', async () => {
    const page = await open('');
    await page.setViewportSize({ width: 720, height: 450 });
    await expect
      .poll(async () => (await page.getByTestId('cluster-map').boundingBox())?.height ?? 0)
      .toBeGreaterThanOrEqual(340);
    await page.close();
  });
});

describe('the frame', () => {
  it('names the cluster and its state in the title', async () => {
    const page = await open('');
    await expect.poll(() => page.title()).toBe('test: 1 pod pending · Mortise');
    await page.close();
  });

  it('lets the keyboard skip to the screen', async () => {
    const page = await open('');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await page.close();
  });

  it('keeps only the kind of events that the filter of the feed names', async () => {
    const page = await open('');
    const lines = page.getByTestId('event-feed').getByRole('listitem');
    await lines.first().waitFor();
    await page.getByTestId('event-filter').selectOption('actions');
    await expect.poll(() => lines.count()).toBe(0);
    await page.close();
  });
});

// Last, because it changes the cluster that the tests share.
describe('the playground', () => {
  it('exports a snapshot file', async () => {
    const page = await open('');
    const saving = page.waitForEvent('download');
    await page.getByTestId('play-export').click();
    const download = await saving;
    expect(download.suggestedFilename()).toMatch(/^test-.*\.snapshot\.json\.gz$/);
    const [first, second] = await readFile(await download.path());
    expect([first, second]).toEqual([0x1f, 0x8b]);
    await page.close();
  });

  it('loses a zone, drifts a NodePool and multiplies spot prices, which the feed reports', async () => {
    const page = await open('');
    for (const [button, action, text] of [
      ['play-spot-prices', 'Multiply', 'You multiplied spot prices by 2.'],
      ['play-drift', 'Change', 'You changed the template of NodePool general.'],
      ['play-zone', 'Lose it', /You took us-east-1a down for 10 min/],
    ] as const) {
      await page.getByTestId(button).click();
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
      await page.getByTestId('event-feed').getByText(text).waitFor();
    }
    await page.close();
  });
});

describe('the cost curve', () => {
  it('has the groups of the table', async () => {
    const page = await open('#/cost');
    await page.getByTestId('cost-by').getByText('Workload').click();
    await page.getByTestId('cost-history').getByText('shop/web').first().waitFor();
    await page.getByTestId('cost-history').getByText('free room').first().waitFor();
    await page.close();
  });

  it('chooses the moment of the map by dragging', async () => {
    const page = await open('#/cluster');
    await page.getByTestId('cost-strip').click({ position: { x: 500, y: 40 } });
    await page.waitForURL(/at=\d{4}-/);
    await page.close();
  });
});
