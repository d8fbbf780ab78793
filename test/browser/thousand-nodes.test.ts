import { setInterval } from 'node:timers';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startConsoleServer } from '../../console/server.ts';
import { bigCluster } from '../console/support/big-cluster.ts';
import { launchChromium, openConsole } from './support/chromium.ts';

const PODS_PER_PATCH = 60;
/** The first pictures draw everything: the size of the window and the fonts come one by one. */
const FIRST_FRAMES = 40;
const WATCHED_FRAMES = 40;

/** Returns what was drawn so far as soon as `count` frames were drawn. */
async function waitForFrames(page: Page, count: number) {
  await page.waitForFunction((frames) => (window.mortiseConsole?.stats().frames ?? 0) >= frames, count);
  const stats = await page.evaluate(() => window.mortiseConsole?.stats());
  if (!stats) throw new Error('the page counts no frames');
  return stats;
}

it('draws only the nodes that a patch changes in a cluster of 1,000 nodes and 30,000 pods', async () => {
  const big = bigCluster(1_000);
  const server = await startConsoleServer({ source: big.source, port: 0 });
  const browser = await launchChromium();
  const changing = setInterval(() => big.stir(PODS_PER_PATCH), 100);
  try {
    const { page } = await openConsole(browser, server.url);
    const before = await waitForFrames(page, FIRST_FRAMES);
    const after = await waitForFrames(page, before.frames + WATCHED_FRAMES);

    expect(after).toMatchObject({ nodes: 1_000, pods: 30_000 });
    // A frame may show several patches that arrived since the frame before it.
    const boxesPerFrame = (after.drawnBoxes - before.drawnBoxes) / (after.frames - before.frames);
    expect(boxesPerFrame).toBeLessThan(3 * PODS_PER_PATCH);
  } finally {
    clearInterval(changing);
    await browser.close();
    await server.close();
  }
});

it('draws little more than the view of a map that is zoomed in, and scrolls to a selected node', async () => {
  const server = await startConsoleServer({ source: bigCluster(1_000).source, port: 0 });
  const browser = await launchChromium();
  try {
    const { page } = await openConsole(browser, server.url);
    await press(page, '++++++');
    const cells = page.locator('[role="gridcell"]');
    await expect.poll(() => cells.count()).toBeLessThan(400);
    const heights = await page.evaluate(() => ({
      canvas: document.querySelector('canvas')?.clientHeight ?? 0,
      map: document.querySelector<HTMLElement>('[role="grid"]')?.clientHeight ?? 0,
    }));
    expect(heights.canvas).toBeLessThan(1_600);
    expect(heights.map).toBeGreaterThan(3 * heights.canvas);

    const last = 'general-00rr';
    await expect.poll(() => page.getByTestId(`node-${last}`).count()).toBe(0);
    await page.evaluate((name) => location.assign(`#/cluster?sel=node/${name}`), last);
    await page.getByTestId(`node-${last}`).waitFor();
    await expect.poll(async () => (await page.getByTestId(`node-${last}`).boundingBox())?.y ?? 0).toBeLessThan(900);
  } finally {
    await browser.close();
    await server.close();
  }
});

it('shows after zooming and scrolling what a page shows that was never moved', async () => {
  const server = await startConsoleServer({ source: bigCluster(1_000).source, port: 0 });
  const browser = await launchChromium();
  try {
    const moved = await openConsole(browser, server.url);
    await press(moved.page, '+++-++--+');
    for (const top of [500, 900, 300, 1_234, 1_000]) await scrollMap(moved.page, top);
    const fresh = await openConsole(browser, server.url);
    await press(fresh.page, '+++');
    await scrollMap(fresh.page, 1_000);

    const [movedMap, freshMap] = await Promise.all([readMap(moved.page), readMap(fresh.page)]);
    expect(movedMap.length).toBeGreaterThan(10_000);
    expect(movedMap === freshMap).toBe(true);
  } finally {
    await browser.close();
    await server.close();
  }
});

async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
  await restMap(page);
}

async function scrollMap(page: Page, top: number): Promise<void> {
  await page.evaluate((y) => {
    document.querySelector('[role="grid"]')?.parentElement?.parentElement?.scrollTo({ top: y });
  }, top);
  await restMap(page);
}

/** Waits until no box was drawn for a while. */
async function restMap(page: Page): Promise<void> {
  let drawn = -1;
  await expect
    .poll(
      async () => {
        const before = drawn;
        drawn = await page.evaluate(() => window.mortiseConsole?.stats().drawnBoxes ?? 0);
        return drawn === before;
      },
      { interval: 300, timeout: 20_000 },
    )
    .toBe(true);
}

/** The pixels of the part of the map in sight. */
const readMap = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const canvas = [...document.querySelectorAll('canvas')].find(({ style }) => style.visibility === 'visible');
    const grid = document.querySelector('[role="grid"]');
    const scroll = grid?.parentElement?.parentElement;
    if (!canvas || !scroll) return '';
    const cut = document.createElement('canvas');
    cut.width = canvas.width;
    cut.height = scroll.clientHeight;
    const top = scroll.scrollTop - Number.parseFloat(canvas.style.top);
    cut.getContext('2d')?.drawImage(canvas, 0, -top);
    return cut.toDataURL();
  });
