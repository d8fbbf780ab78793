import { DEMO_SCENES } from '../../../cli/demo/script.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';

/** The scenes of the demo as a table in Markdown, for the tour in the README. */
export const demoTable = (): string =>
  [
    '| Simulated minute | Event |',
    '| ---: | --- |',
    ...DEMO_SCENES.map(({ at, caption }) => `| ${at / MINUTE_MS} | ${caption} |`),
  ]
    .map((line) => `   ${line}`)
    .join('\n');
