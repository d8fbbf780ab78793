import { benchHostile } from './hostile.ts';
import { benchScheduling } from './scheduling.ts';

/** `npm run bench` runs everything; with the name of a benchmark, it runs only that one. */
const [what, ...args] = process.argv.slice(2);
switch (what) {
  case 'scheduling':
    await benchScheduling(args);
    break;
  case 'hostile':
    await benchHostile(args);
    break;
  case 'record':
    await import('./record.ts').then(({ benchRecord }) => benchRecord(args));
    break;
  case 'simulation':
    await import('./simulation.ts');
    break;
  case 'consolidation':
    await import('./consolidation.ts').then(({ benchConsolidation }) => benchConsolidation(args));
    break;
  case 'weeks':
    await import('./weeks.ts').then(({ benchWeeks }) => benchWeeks(args));
    break;
  case 'rollouts':
    await import('./rollouts.ts').then(({ benchRollouts }) => benchRollouts(args));
    break;
  case 'console':
    await import('./console.ts').then(({ benchConsole }) => benchConsole(args));
    break;
  case 'one-pod':
    await import('./one-pod.ts').then(({ benchOnePod }) => benchOnePod(args));
    break;
  case 'newcomer':
    await import('./newcomer.ts').then(({ benchNewcomer }) => benchNewcomer());
    break;
  case undefined:
    await benchScheduling([]);
    await import('./simulation.ts');
    break;
  default:
    process.stderr.write(
      'Usage: npm run --silent bench -- [scheduling | hostile | record | simulation | consolidation | weeks | rollouts | console | one-pod | newcomer] [--json]\n',
    );
    process.exitCode = 2;
}
