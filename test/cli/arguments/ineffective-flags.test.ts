import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';

const ONE_OF_TWO = 'leave one of the two out';
const FILE = 'a snapshot file is read instead of a cluster';
const OF_FILE = 'it selects a decision of a snapshot file';

/** Calls with a part that would be ignored, and the error of each. */
const INEFFECTIVE = [
  ['explain pod web --from a.gz --cluster shop', '--cluster has no effect with --from', FILE],
  ['explain pod web --from a.gz --context lab', '--context has no effect with --from', FILE],
  ['explain pod web --from a.gz --live', '--live has no effect with --from', FILE],
  [
    'explain pod web --at 14:32 --live',
    '--live has no effect with --at',
    'the record is read for a moment that has passed',
  ],
  ['explain pod web --pending', 'pod has no effect with --pending', 'every pending pod is explained'],
  ['console --from a.gz --kubeconfig b', '--kubeconfig has no effect with --from', FILE],
  ['replay a.gz --cluster shop', '--cluster has no effect with a.gz', FILE],
  ['replay p-20261121T143209Z-4k7q --decision d-1', '--decision has no effect with p-20261121T143209Z-4k7q', OF_FILE],
  ['replay --since 2h --decision d-1', '--decision has no effect with --since', OF_FILE],
  [
    'controller --cluster shop --port 7070',
    '--port has no effect without --console',
    'it is the port of the console',
    'add --console, or leave it out',
  ],
  [
    'controller --cluster shop --node-role nodes',
    '--node-role has no effect without --print-setup iam',
    'only the printed policy contains it',
    'add --print-setup iam, or leave it out',
  ],
] as const;

describe('a flag without effect', () => {
  it.for(INEFFECTIVE)('is refused in "%s"', async ([call, what, why, fix = ONE_OF_TWO]) => {
    const argv = call.split(' ');

    expect(await mortise(argv)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${what}\n  where: ${argv[0]}\n  why:   ${why}\n  fix:   ${fix}\n`,
    });
  });

  it('is accepted from settings, which are for all commands', async () => {
    const { stderr } = await mortise(['explain', 'pod', 'web', '--from', 'a.gz'], {
      files: { '.mortise.yaml': 'cluster: shop\n' },
    });

    expect(stderr).toMatch(/^error: cannot open a\.gz\n/);
  });
});
