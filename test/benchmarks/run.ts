import { benchHostile } from './hostile.ts';
import { benchScheduling } from './scheduling.ts';

/**
 * `npm run bench` runs everything; `npm run bench -- scheduling …` and `npm run bench --
 * simulation` run one benchmark.
 */
const [what, ...args] = process.argv.slice(2);
switch (what) {
  case 'scheduling':
    await benchScheduling(args);
    break;
  case 'hostile':
    await benchHostile(args);
    break;
  case 'simulation':
    await import('./simulation.ts');
    break;
  case undefined:
    await benchScheduling([]);
    await import('./simulation.ts');
    break;
  default:
    process.stderr.write(
      'Usage: npm run --silent bench -- [scheduling [--json] | hostile [--json] | simulation]\n',
    );
    process.exitCode = 2;
}
