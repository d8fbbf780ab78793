import { compareRollout } from './compare-rollout.ts';

// Measures one rollout in a process of its own: node measure-rollout.ts NAME. Sends the figures to the
// parent process.
process.send?.(await compareRollout(process.argv[2] ?? ''));
