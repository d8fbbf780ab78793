import type { Browser, Page, Route } from 'playwright-core';
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

const open = async (hash = '') => (await openConsole(browser, `${playground.server.url}/${hash}`)).page;
const text = (page: Page, testId: string) => page.getByTestId(testId).innerText();
const nodes = (page: Page) => page.locator('[data-testid^="node-"]');
const names = (page: Page) => nodes(page).evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-testid')));
const firstNode = async (page: Page): Promise<string> => (await names(page))[0]?.slice('node-'.length) ?? '';

/** Waits until the element contains the expected text. */
const eventually = (page: Page, testId: string, expected: RegExp) =>
  page.getByTestId(testId).filter({ hasText: expected }).waitFor();

/** Answers the first requests with an error of the server, and lets the others pass. */
function refuse(count: number): (route: Route) => Promise<void> {
  let refused = 0;
  return (route) => {
    if (refused === count) return route.continue();
    refused += 1;
    return route.fulfill({ status: 503, body: '' });
  };
}

describe('the first picture of the console', () => {
  it('shows the nodes, their cost and the pending pods', async () => {
    const page = await open();
    const { nodeClaims } = playground.world.ports;
    const { records: claims } = await nodeClaims.list();

    expect(await nodes(page).count()).toBe(claims.length);
    expect(await text(page, 'vital-pods')).toMatch(/12\s+1 pending/);
    expect(await text(page, 'vital-cost')).toMatch(/\$\d+\.\d\d\s*per hour/);
    expect(await page.getByTestId('pending-group-1').getAttribute('data-state')).toBe('blocked');
  });

  it('raises no script error and no violation of the content policy', async () => {
    const { page, errors } = await openConsole(browser, playground.server.url);
    await page.getByTestId('play-scale').click();
    await page.getByRole('dialog').waitFor();

    expect(errors).toEqual([]);
  });

  it.each([1_440, 1_000])('fits into a window of %i px without overflow', async (width) => {
    // After this time the table behind the cost curve has all of its rows.
    await playground.pass(15 * MINUTE_MS);
    const { page } = await openConsole(browser, playground.server.url, { width });

    const heights = await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement;
      return { scrollHeight, clientHeight };
    });
    expect(heights).toEqual({ scrollHeight: 900, clientHeight: 900 });
  });

  it.each([400, 480, 700, 900, 1_000, 1_100])('cuts off no control and no text at %i px', async (width) => {
    const { page } = await openConsole(browser, playground.server.url, { width });

    // A wide table scrolls by itself.
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('button:not([data-testid^=pending-group], table *), h2, legend')]
        .filter((element) => element.getBoundingClientRect().right > window.innerWidth)
        .map((element) => element.textContent),
    );
    expect(cut).toEqual([]);
  });

  it('keeps the feed in a drawer on a narrow page', async () => {
    const { page } = await openConsole(browser, playground.server.url, { width: 1_000 });
    expect(await page.getByTestId('event-feed').isVisible()).toBe(false);

    await page.getByRole('button', { name: 'Events', exact: true }).click();
    await page.getByTestId('event-feed').waitFor();
  });
});

describe('the playground', () => {
  it('shows a scaled workload in feed, pending lane, map and cost', async () => {
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

  it('counts an interrupted node down, drains it and removes it', async () => {
    const page = await open();
    const name = await firstNode(page);
    await page.getByTestId(`node-${name}`).click();
    await page.getByTestId('play-interrupt').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Interrupt', exact: true }).click();
    await eventually(page, 'event-feed', new RegExp(`You .*${name}`));

    await playground.pass(5_000);
    await page.locator(`[data-testid="node-${name}"][data-state="interrupted"]`).waitFor();
    await eventually(page, 'explain-panel', /Pods that remain are deleted by \d\d:\d\d:\d\d regardless/);

    await playground.pass(180_000);
    await page.getByTestId(`node-${name}`).waitFor({ state: 'detached' });
    await eventually(page, 'explain-gone', /Gone since \d\d:\d\d:\d\d/);
    await eventually(page, 'explain-panel', /cheapest of \d+ types? for/);
  });

  it('reports an offering that became unavailable', async () => {
    const page = await open();
    await page.getByTestId('play-shortage').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run dry' }).click();
    await eventually(page, 'event-feed', /You ran .* spot dry for 10 min/);
  });

  it('changes the pace of time with pause and speed', async () => {
    const page = await open();
    await page.getByTestId('play-pause').click();
    await eventually(page, 'play-pause', /Pause/);
    expect(playground.pace.paused()).toBe(false);

    await page.getByTestId('play-speed').getByText('60×').click();
    await expect.poll(() => playground.pace.speed()).toBe(60);
  });
});

describe('an explanation', () => {
  it('shows the decision for a pod that fits nowhere', async () => {
    const page = await open();
    await page.getByTestId('pending-group-1').click();

    await eventually(page, 'explain-verdict', /needs 40 cpu; largest type/);
    await eventually(page, 'explain-panel', /offerings of general/);
  });

  it('of a node links to further objects, as the feed does', async () => {
    const page = await open();
    await page.getByTestId(`node-${await firstNode(page)}`).click();
    await eventually(page, 'explain-panel', /cheapest of \d+ types? for/);
    await eventually(page, 'explain-panel', /shop\/web/);

    const link = page.getByTestId('event-feed').getByRole('button').last();
    const linked = await link.innerText();
    await link.click();
    await page.getByRole('heading', { name: linked.replace(/^.*\//, '') }).waitFor();
  });

  it('is restored by a link, with selection, grouping and area', async () => {
    const page = await open();
    const name = await firstNode(page);
    await page.goto(`${playground.server.url}/#/cluster?sel=node/${name}&group=type&area=cpu`);
    await page.reload();

    await eventually(page, 'explain-panel', new RegExp(name));
    expect(await page.getByRole('radio', { name: 'Type' }).getAttribute('aria-checked')).toBe('true');
    expect(await page.getByRole('radio', { name: 'CPU' }).getAttribute('aria-checked')).toBe('true');
    expect(page.url()).toContain(`sel=node/${name}&group=type&area=cpu`);
  });
});

describe('the keyboard', () => {
  it('moves among nodes with arrows, enters with Enter and leaves with Escape', async () => {
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

  it('names the active cell to screen readers', async () => {
    const page = await open();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByTestId('explain-panel').waitFor();

    const label = await page.evaluate(() => {
      const id = document.activeElement?.getAttribute('aria-activedescendant');
      return id ? document.getElementById(id)?.getAttribute('aria-label') : undefined;
    });
    expect(label).toMatch(/^general-\w+, [mc]7g\.\d?xlarge, spot, us-east-1[a-c], \d+ % CPU, (ready|held|empty)$/);
  });

  it('opens the search with a slash and a result with Enter', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('giant');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(page, 'explain-panel', /ml\/giant/);
  });

  it('opens the first result with Enter and restores the keys of the page', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('giant');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await eventually(page, 'explain-panel', /ml\/giant/);
    await page.keyboard.press('Escape');
    await page.getByTestId('explain-panel').waitFor({ state: 'detached' });
  });

  it('pauses with Space, changes the theme with T, widens with W and shows the keys with ?', async () => {
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

describe('a lost connection', () => {
  it('keeps the picture, is reported, and ends when the server is back', async () => {
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
    // The page has reloaded, so it has the token of the new server.
    await page.getByTestId('play-pause').click();
    await eventually(page, 'play-pause', /Pause/);
  });
});

describe('the timeline', () => {
  const seeTime = (page: Page) =>
    page
      .getByTestId('past')
      .filter({ hasText: /Showing \d\d:\d\d:\d\d/ })
      .waitFor();

  it('shows the lives of the nodes, and what happened at an action', async () => {
    const page = await open();
    const name = await firstNode(page);
    playground.world.userActions.interrupt(name, 'spot-interruption');
    await playground.pass(180_000);
    await eventually(page, 'event-feed', /is gone after/);
    await page.keyboard.press('2');
    await page.getByTestId('timeline').waitFor();
    await eventually(page, 'playhead', /now/);

    await page.keyboard.press('[');
    await seeTime(page);
    await eventually(page, 'happened-panel', /What happened at/);
    await page
      .getByTestId('compared')
      .getByRole('row', { name: /Cost per hour/ })
      .waitFor();
    expect(page.url()).toMatch(/#\/timeline\?at=2026-01-05T08:\d\d:\d\d/);

    await page.keyboard.press('l');
    await page.getByTestId('past').waitFor({ state: 'detached' });
  });

  it.each([
    ['is read late', (route: Route) => setTimeout(() => void route.continue(), 1_500)],
    ['is refused at first', refuse(1)],
  ])('goes to the last action when the key is pressed before the curve, which %s', async (_, answer) => {
    const { page } = await openConsole(browser, `${playground.server.url}/#/timeline`, {
      answer: { requests: /api\/series/, by: answer },
    });
    await page.getByTestId('timeline').waitFor();
    await page.keyboard.press('[');
    await seeTime(page);
  });

  it.each([
    // One of the picture, and one of each compared moment.
    ['states', /api\/state/, 3],
    ['decisions', /api\/decisions/, 1],
  ])('shows a moment and its decisions although its %s are refused at first', async (_, requests, count) => {
    const { page } = await openConsole(browser, `${playground.server.url}/#/timeline`, {
      answer: { requests, by: refuse(count) },
    });
    await page.getByTestId('timeline').waitFor();
    await page.keyboard.press('[');
    await page.getByTestId('compared').waitFor();
    await page.getByTestId('happened-decisions').waitFor();
  });

  it('shows the cluster of a past moment on the map, with nodes that are gone', async () => {
    const page = await open();
    const name = await firstNode(page);
    const before = new Date(playground.world.clock.now()).toISOString();
    playground.world.userActions.interrupt(name, 'spot-interruption');
    await playground.pass(180_000);
    await page.getByTestId(`node-${name}`).waitFor({ state: 'detached' });

    await page.goto(`${playground.server.url}/#/cluster?at=${before}&sel=node/${name}`);
    await page.getByTestId(`node-${name}`).waitFor({ state: 'attached' });
    await seeTime(page);
    await eventually(page, 'explain-panel', /Why is this node here/);
    expect(await page.getByTestId('explain-gone').count()).toBe(0);
  });

  it('moves the playhead by arrow keys and by dragging', async () => {
    await playground.pass(15 * MINUTE_MS);
    const page = await open('#/timeline');
    const chart = page.getByTestId('timeline');
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await seeTime(page);
    const first = await chart.getAttribute('aria-valuenow');

    const box = await chart.boundingBox();
    if (!box) throw new Error('the chart has no box');
    await page.mouse.move(box.x + 600, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 60);
    await page.mouse.up();
    expect(Number(await chart.getAttribute('aria-valuenow'))).toBeLessThan(Number(first));
  });
});
