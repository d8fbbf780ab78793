import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Restricts Chromium to loopback: no updates, no sync and no other background services. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Launches the Chromium of CHROMIUM, else the one on the PATH. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: installedChromium(), args: ARGUMENTS });

function installedChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const executable = [process.env.CHROMIUM, ...candidates].find((path) => path !== undefined && isExecutable(path));
  if (executable === undefined) throw new Error('no Chromium on the PATH: install it, or set CHROMIUM');
  return executable;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts and violations of the content policy. */
  readonly errors: readonly string[];
}

interface OpenOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  /** Answers the requests of the page whose address the expression matches, in place of the server. */
  readonly answer?: { readonly requests: RegExp; by(route: Route): unknown };
}

/** Opens the console and waits for its first picture. */
export async function openConsole(
  browser: Browser,
  url: string,
  { theme = 'light', width = 1_440, answer }: OpenOptions = {},
): Promise<OpenPage> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  if (answer) await page.route(answer.requests, (route) => void answer.by(route));
  await page.goto(url);
  await page.waitForSelector('html[data-ready]');
  return { page, errors };
}
