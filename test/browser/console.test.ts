import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { launchChromium, openConsole } from './support/chromium.ts';
import { startTestPlayground, type TestPlayground } from './support/playground.ts';

let browser: Browser;
let playground: TestPlayground;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  playground = await startTestPlayground();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await playground.server.close();
});

const open = async (hash = '') =>
  (await openConsole(browser, `${playground.server.url}/${hash}`)).page;
const text = (page: Page, testId: string) => page.getByTestId(testId).innerText();
const nodes = (page: Page) => page.locator('[data-testid^="node-"]');
const names = (page: Page) =>
  nodes(page).evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-testid')));
const firstNode = async (page: Page): Promise<string> =>
  (await names(page))[0]?.slice('node-'.length) ?? '';

/** Waits until the page says so. */
const eventually = (page: Page, testId: string, expected: RegExp) =>
  page.getByTestId(testId).filter({ hasText: expected }).waitFor();

describe('the first picture', () => {
  it('shows the nodes, what they cost, and who waits', async () => {
    const page = await open();
    const { nodeClaims } = playground.world.ports;
    const claims = await nodeClaims.list();

    expect(await nodes(page).count()).toBe(claims.length);
    expect(await text(page, 'vital-pods')).toMatch(/12\s+1 pending/);
    expect(await text(page, 'vital-cost')).toMatch(/\$\d+\.\d\d\s*per hour/);
    expect(await page.getByTestId('pending-group-1').getAttribute('data-state')).toBe('blocked');
  });

  it('raises no error, and nothing that the content policy forbids', async () => {
    const { page, errors } = await openConsole(browser, playground.server.url);
    await page.getByTestId('play-scale').click();
    await page.getByRole('dialog').waitFor();

    expect(errors).toEqual([]);
  });

  it.each([1_440, 1_000])('fills a window of %i px, and none of it lies outside', async (width) => {
    // By then the table that stands for the curve has all of its rows.
    await playground.pass(15 * MINUTE_MS);
    const { page } = await openConsole(browser, playground.server.url, { width });

    const heights = await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement;
      return { scrollHeight, clientHeight };
    });
    expect(heights).toEqual({ scrollHeight: 900, clientHeight: 900 });
  });

  it.each([400, 480, 700])(
    'at %i px nothing that can be pressed or read is cut off',
    async (width) => {
      const { page } = await openConsole(browser, playground.server.url, { width });

      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('button:not([data-testid^=pending-group]), h2, legend')]
          .filter((element) => element.getBoundingClientRect().right > window.innerWidth)
          .map((element) => element.textContent),
      );
      expect(cut).toEqual([]);
    },
  );

  it('a narrow page keeps the feed in a drawer', async () => {
    const { page } = await openConsole(browser, playground.server.url, { width: 1_000 });
    expect(await page.getByTestId('event-feed').isVisible()).toBe(false);

    await page.getByRole('button', { name: 'Events' }).click();
    await page.getByTestId('event-feed').waitFor();
  });
});

describe('what people do in the playground', () => {
  it('scaling shows in feed, pending lane, map and cost', async () => {
    const page = await open();
    const [before, cost] = [await nodes(page).count(), await text(page, 'vital-cost')];

    await page.getByTestId('play-scale').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Workload/ }).click();
    await page.getByRole('option', { name: /shop\/web/ }).click();
    await dialog.getByRole('button', { name: '+10' }).click();
    await dialog.getByRole('button', { name: 'Scale to 22' }).click();
    await eventually(page, 'event-feed', /You scaled shop\/web from 12 to 22\./);

    await playground.pass(10_000);
    await eventually(page, 'pending-lane', /shop\/web ×\d+/);
    await page.locator('[data-testid^="node-"][data-state="starting"]').first().waitFor();
    expect(await nodes(page).count()).toBeGreaterThan(before);

    await playground.pass(120_000);
    await eventually(page, 'vital-pods', /22/);
    expect(await text(page, 'vital-cost')).not.toBe(cost);
  });

  it('an interrupted node counts down, drains and goes', async () => {
    const page = await open();
    const name = await firstNode(page);
    await page.getByTestId(`node-${name}`).click();
    await page.getByTestId('play-interrupt').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Interrupt', exact: true }).click();
    await eventually(page, 'event-feed', new RegExp(`You .*${name}`));

    await playground.pass(5_000);
    await page.locator(`[data-testid="node-${name}"][data-state="interrupted"]`).waitFor();
    await eventually(page, 'explain-verdict', /EC2 takes it back; it is gone in/);

    await playground.pass(180_000);
    await page.getByTestId(`node-${name}`).waitFor({ state: 'detached' });
    await eventually(page, 'explain-verdict', /There is no node of this name now/);
  });

  it('an offering that ran dry is told', async () => {
    const page = await open();
    await page.getByTestId('play-shortage').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run dry' }).click();
    await eventually(page, 'event-feed', /You ran .* spot dry for 10 min/);
  });

  it('pause and speed change how time runs', async () => {
    const page = await open();
    await page.getByTestId('play-pause').click();
    await eventually(page, 'play-pause', /Pause/);
    expect(playground.pace.paused()).toBe(false);

    await page.getByTestId('play-speed').getByText('60×').click();
    await expect.poll(() => playground.pace.speed()).toBe(60);
  });
});

describe('why', () => {
  it('a pod that fits nowhere is explained from its decision', async () => {
    const page = await open();
    await page.getByTestId('pending-group-1').click();

    await eventually(page, 'explain-verdict', /NodePool general cannot hold it/);
    await eventually(page, 'explain-panel', /Where the offerings went/);
  });

  it('a node is explained, and names in answers and feed lead on', async () => {
    const page = await open();
    await page.getByTestId(`node-${await firstNode(page)}`).click();
    await eventually(page, 'explain-panel', /Why it was launched/);
    await eventually(page, 'explain-panel', /shop\/web/);

    const link = page.getByTestId('event-feed').getByRole('button').last();
    const linked = await link.innerText();
    await link.click();
    await page.getByRole('heading', { name: linked.replace(/^.*\//, '') }).waitFor();
  });

  it('a link restores selection, grouping and area', async () => {
    const page = await open();
    const name = await firstNode(page);
    await page.goto(`${playground.server.url}/#/cluster?sel=node/${name}&group=type&area=cpu`);
    await page.reload();

    await eventually(page, 'explain-panel', new RegExp(name));
    expect(await page.getByRole('radio', { name: 'Type' }).getAttribute('aria-checked')).toBe(
      'true',
    );
    expect(await page.getByRole('radio', { name: 'CPU' }).getAttribute('aria-checked')).toBe(
      'true',
    );
    expect(page.url()).toContain(`sel=node/${name}&group=type&area=cpu`);
  });
});

describe('with the keyboard alone', () => {
  it('arrows move among nodes, Enter goes in, Escape goes out', async () => {
    const page = await open();
    const [first, second] = (await names(page)).map((name) => name?.slice('node-'.length));
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowRight');
    await eventually(page, 'explain-panel', new RegExp(first ?? '-'));
    await page.keyboard.press('ArrowRight');
    await eventually(page, 'explain-panel', new RegExp(second ?? '-'));

    await page.keyboard.press('Enter');
    await eventually(page, 'explain-panel', /Why is this pod here\?/);
    await page.keyboard.press('Escape');
    await eventually(page, 'explain-panel', /Why is this node here\?/);
    await page.keyboard.press('Escape');
    await page.getByTestId('explain-panel').waitFor({ state: 'detached' });
  });

  it('the active cell is named to screen readers', async () => {
    const page = await open();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByTestId('explain-panel').waitFor();

    const label = await page.evaluate(() => {
      const id = document.activeElement?.getAttribute('aria-activedescendant');
      return id ? document.getElementById(id)?.getAttribute('aria-label') : undefined;
    });
    expect(label).toMatch(
      /^general-\w+, [mc]7g\.\d?xlarge, spot, us-east-1[a-c], \d+ % CPU, (ready|held|empty)$/,
    );
  });

  it('slash searches, Enter opens', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('giant');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(page, 'explain-panel', /ml\/giant/);
  });

  it('Enter opens the first that was found, and the keys of the page work again', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('giant');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await eventually(page, 'explain-panel', /ml\/giant/);
    await page.keyboard.press('Escape');
    await page.getByTestId('explain-panel').waitFor({ state: 'detached' });
  });

  it('Space pauses, T changes the theme, W widens, ? shows the keys', async () => {
    const page = await open();
    await page.keyboard.press('Space');
    await eventually(page, 'play-pause', /Pause/);
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    await page.locator('html[data-theme="dark"]').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });
});

describe('without contact', () => {
  it('the picture stays and says so, and comes back with the server', async () => {
    const page = await open();
    const before = await nodes(page).count();
    const { port } = playground.server;
    await playground.server.close();

    await page.locator('[data-testid="connection"][data-state="lost"]').waitFor();
    expect(await text(page, 'connection')).toMatch(/No contact since \d\d:\d\d:\d\d, trying again/);
    expect(await nodes(page).count()).toBe(before);

    playground = await startTestPlayground(port);
    await page.locator('[data-testid="connection"][data-state="live"]').waitFor();
    await page.waitForSelector('html[data-ready]');
    // The page has loaded anew: it holds the token of the server that runs now.
    await page.getByTestId('play-pause').click();
    await eventually(page, 'play-pause', /Pause/);
  });
});
