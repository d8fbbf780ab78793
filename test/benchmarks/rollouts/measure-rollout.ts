import { compareRollout } from './compare-rollout.ts';
import { rolloutChangeSchema } from './rollout-figures.ts';

// Measures one rollout in a process of its own: node measure-rollout.ts NAME CHANGE. Sends the figures to the
// parent process.
const [, , name = '', change] = process.argv;
process.send?.(await compareRollout(name, rolloutChangeSchema.parse(change)));
