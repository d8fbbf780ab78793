import { setInterval } from 'node:timers';
import { expect, it } from 'vitest';
import { startConsoleServer } from '../../console/server.ts';
import { bigCluster } from './support/big-cluster.ts';
import { launchChromium, openConsole } from './support/chromium.ts';

const WATCHED_MS = 4_000;

it('draws 1,000 nodes and 30,000 pods in time with ten patches a second', async () => {
  const big = bigCluster(1_000);
  const server = await startConsoleServer({ source: big.source, port: 0 });
  const browser = await launchChromium();
  const stirring = setInterval(() => big.stir(60), 100);
  try {
    const { page } = await openConsole(browser, server.url);
    await page.waitForTimeout(WATCHED_MS);
    const stats = await page.evaluate(() => window.mortiseConsole?.stats());

    expect(stats).toMatchObject({ nodes: 1_000, pods: 30_000 });
    expect(stats?.medianMs).toBeLessThan(16);
  } finally {
    clearInterval(stirring);
    await browser.close();
    await server.close();
  }
});
