import { setInterval, setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import type { Page } from 'playwright-core';
import { startConsoleServer } from '../../console/server.ts';
import { launchChromium } from '../browser/support/chromium.ts';
import { bigCluster } from '../console/support/big-cluster.ts';

const NODES = 1_000;
/** As many change in a step of the measurement in a busy cluster. */
const PODS_PER_PATCH = 60;
const MEASURED_MS = 5_000;
/** A person zooms and turns the wheel at most this fast. */
const STEP_EVERY_MS = 100;

/** Frames that Chromium drew while the user did something. */
interface FrameFigures {
  readonly step: string;
  readonly framesPerSecond: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly longestMs: number;
}

const COUNT_FRAMES = `new Promise((resolve) => {
  const times = [];
  const end = performance.now() + ${MEASURED_MS};
  const next = (now) => {
    times.push(now);
    if (now < end) requestAnimationFrame(next); else resolve(times);
  };
  requestAnimationFrame(next);
})`;

/**
 * `npm run --silent bench -- console [--json]` shows 1,000 nodes with 30,000 pods in Chromium, without
 * a GPU, and measures the first picture and the frames while the map is zoomed and panned.
 */
export async function benchConsole(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
  });
  const big = bigCluster(NODES);
  const server = await startConsoleServer({ source: big.source, port: 0 });
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
  const began = performance.now();
  await page.goto(server.url);
  await page.waitForSelector('html[data-ready]');
  const firstPictureMs = Math.round(performance.now() - began);
  await sleep(2_000);

  const frames = [
    await measure(page, 'nothing happens', async () => {}),
    await measure(page, 'zoom', async (index) => {
      await page.keyboard.press(index % 8 < 4 ? '+' : '-');
    }),
    await measure(page, 'pan', async (index) => {
      if (index === 0) await zoomIn(page);
      await page.mouse.wheel(0, index % 16 < 8 ? 240 : -240);
    }),
    await measure(page, 'pan while pods change', async (index) => {
      big.stir(PODS_PER_PATCH);
      await page.mouse.wheel(0, index % 16 < 8 ? 240 : -240);
    }),
  ];
  await browser.close();
  await server.close();
  write({ nodes: NODES, pods: NODES * 30, firstPictureMs, frames }, values.json);
}

/** Far enough that most nodes are out of sight, with the pointer on the map. */
async function zoomIn(page: Page): Promise<void> {
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('+');
  await page.mouse.move(500, 400);
}

/** @param act - called again and again while frames are counted */
async function measure(page: Page, step: string, act: (index: number) => Promise<void>): Promise<FrameFigures> {
  const counting = page.evaluate<number[]>(COUNT_FRAMES);
  const until = performance.now() + MEASURED_MS;
  let index = 0;
  for await (const _ of setInterval(STEP_EVERY_MS)) {
    if (performance.now() > until) break;
    await act(index);
    index += 1;
  }
  const times = await counting;
  const took = times.slice(1).map((time, position) => time - (times[position] ?? time));
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  return {
    step,
    framesPerSecond: took.length / seconds,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    longestMs: at(1),
  };
}

interface ConsoleFigures {
  readonly nodes: number;
  readonly pods: number;
  readonly firstPictureMs: number;
  readonly frames: readonly FrameFigures[];
}

function write(figures: ConsoleFigures, isJson: boolean): void {
  if (isJson) {
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    return;
  }
  const table = new Table({ head: ['while', 'frames/s', 'median ms', 'p95 ms', 'longest ms'] });
  for (const { step, framesPerSecond, medianMs, p95Ms, longestMs } of figures.frames) {
    table.push([step, ...[framesPerSecond, medianMs, p95Ms, longestMs].map((figure) => figure.toFixed(1))]);
  }
  process.stdout.write(`first picture ${figures.firstPictureMs} ms\n${table.toString()}\n`);
}
