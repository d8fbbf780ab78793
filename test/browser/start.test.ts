import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const STARTS_WITHIN_MS = 60_000;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];

/** Calls `npm start` as in a fresh clone. */
let playground: ChildProcess;
let url: string;

beforeAll(async () => {
  playground = spawn('npm', ['start', '--silent', '--', '--port', '0', '--speed', '60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A process group of its own, so that the signal also reaches the command that npm started.
    detached: true,
  });
  url = await consoleUrl(playground);
}, STARTS_WITHIN_MS);

afterAll(() => {
  if (playground.exitCode === null && playground.signalCode === null) interrupt();
});

async function consoleUrl({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    const address = /^Console: (\S+)$/m.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`the playground ended and had said: ${text}`);
}

const interrupt = (): boolean => process.kill(-(playground.pid ?? 0), 'SIGINT');

describe('npm start', () => {
  it('serves a page on loopback that shows a running node', {
    timeout: STARTS_WITHIN_MS,
  }, async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
    try {
      const page = await browser.newPage();
      await page.goto(url);
      const node = page.locator('[data-testid^="node-"][data-state="ready"]').first();
      await node.waitFor({ state: 'attached', timeout: STARTS_WITHIN_MS / 2 });

      expect(await node.getAttribute('data-testid')).toMatch(/^node-general-\w+$/);
    } finally {
      await browser.close();
    }
  });

  it('starts anew with another seed, and the page follows', {
    timeout: STARTS_WITHIN_MS,
  }, async () => {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
    try {
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByText('simulated, seed 1').waitFor();
      await page.getByTestId('play-reset').click();
      await page.getByRole('spinbutton').fill('7');
      await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
      await page.getByText('simulated, seed 7').waitFor();
    } finally {
      await browser.close();
    }
  });

  it('stops serving after Ctrl-C', async () => {
    const ended = once(playground, 'exit');
    interrupt();
    await ended;

    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
