import { escapeControls } from './escape-controls.ts';
import type { Output } from './io.ts';

/** Reports the progress of long work on stderr; short work prints nothing. */
export interface Progress {
  /**
   * @param done - share of the step from 0 to 1; undefined if unknown
   */
  report(step: string, done?: number): void;
  /** Removes the progress bar. */
  end(): void;
}

export const SILENT: Progress = { report() {}, end() {} };

const FIRST_WORD_AFTER_MS = 1_000;
const LINE_EVERY_MS = 10_000;
const BAR_EVERY_MS = 100;
const BAR_WIDTH = 24;

/**
 * Shows a bar on a terminal, else a line every ten seconds; both start after one second.
 *
 * @clack/prompts would draw the bar as well, but it reads the keyboard and ends the process on
 *   Ctrl-C, so that an interrupted command could not print its partial answer.
 */
export function progressOn(stderr: Output): Progress {
  let latest: { step: string; done?: number } | undefined;
  let shown = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isTty = stderr.isTTY ?? false;

  const show = (): void => {
    if (latest) stderr.write(isTty ? `\r${barText(latest)}\u001b[K` : `${lineText(latest)}\n`);
    shown = true;
    timer = later(show, isTty ? BAR_EVERY_MS : LINE_EVERY_MS);
  };

  return {
    report(step, done) {
      // A step may name an object of the cluster. The bar is one line.
      latest = {
        step: escapeControls(step).replace(/\s+/g, ' '),
        ...(done !== undefined && { done }),
      };
      timer ??= later(show, FIRST_WORD_AFTER_MS);
    },
    end() {
      clearTimeout(timer);
      if (isTty && shown) stderr.write('\r\u001b[K');
      [latest, shown, timer] = [undefined, false, undefined];
    },
  };
}

/** The timer never keeps the process alive. */
const later = (work: () => void, delayMs: number): ReturnType<typeof setTimeout> => {
  const timer = setTimeout(work, delayMs);
  timer.unref();
  return timer;
};

const lineText = ({ step, done }: { step: string; done?: number }): string =>
  done === undefined ? step : `${step} (${Math.floor(done * 100)} %)`;

function barText({ step, done }: { step: string; done?: number }): string {
  if (done === undefined) return step;
  const full = Math.round(done * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${lineText({ step, done })}`;
}
