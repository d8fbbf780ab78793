import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../../cli/documents/simulation.ts';
import { PRICES_AS_OF } from '../../../shared/ec2/catalogue/on-demand-prices.ts';
import { documentOf, mortise } from '../call.ts';
import { aPod, NODES } from '../manifests.ts';

const FITS = aPod('api', '{cpu: "1", memory: 2Gi}');
const TOO_LARGE = aPod('giant', '{cpu: "64", memory: 1Gi}');
const FIVE_MINUTES = ['simulate', '-f', '.', '--for', '5m'];

async function resultOf(argv: readonly string[], manifests: string) {
  const outcome = await mortise([...argv, '-o', 'json'], { files: { 'a.yaml': manifests } });
  return simulationSchema.parse(documentOf(outcome).result);
}

describe('mortise simulate', () => {
  it('prints the result in five lines, one of which says where the prices come from', async () => {
    const { code, stdout, stderr } = await mortise(FIVE_MINUTES, {
      files: { 'a.yaml': NODES + FITS },
    });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^5m simulated in \d+\.\ds, seed 1 {6}launched 1, removed 0, peak 1 node$/);
    expect(lines[1]).toMatch(/^pods {3}1 ran, 0 unplaced {10}wait p50 \d+s, p99 \d+s$/);
    expect(lines[2]).toMatch(
      /^cost {3}\$0\.\d\d, lower bound \$0\.\d\d \(\+\d+\.\d %\) {3}requested: cpu \d+ %, memory \d+ %$/,
    );
    expect(lines[3]).toBe(`prices on demand of ${PRICES_AS_OF} in us-east-1; spot prices are modelled`);
    expect(lines[4]).toBe('moves  0 consolidations, 0 interruptions, 0.00 evictions per pod and day');
  });

  it('runs exactly as long as requested', async () => {
    expect((await resultOf(['simulate', '-f', '.', '--for', '90s'], NODES + FITS)).simulatedMs).toBe(90_000);
  });

  it('shows every node with its pods', async () => {
    const { nodes, pods } = await resultOf(FIVE_MINUTES, NODES + FITS);

    expect(pods).toMatchObject({ total: 1, ran: 1, unplaced: [] });
    expect(nodes).toEqual([
      expect.objectContaining({
        pool: 'general',
        type: 'm7g.large',
        capacityType: 'on-demand',
        pods: ['shop/api'],
      }),
    ]);
  });

  it('gives identical output for equal manifests and seed', async () => {
    const call = { files: { 'a.yaml': NODES + FITS } };
    const argv = [...FIVE_MINUTES, '-o', 'json', '--seed', '7'];

    expect(await mortise(argv, call)).toEqual(await mortise(argv, call));
  });

  it('never costs less than its lower bound', async () => {
    const { costUsd = 0, boundUsd } = await resultOf(FIVE_MINUTES, NODES + FITS);

    expect(boundUsd).toBeGreaterThan(0);
    expect(boundUsd).toBeLessThanOrEqual(costUsd);
  });

  it('prints node names for other commands', async () => {
    const { stdout } = await mortise([...FIVE_MINUTES, '-o', 'name'], {
      files: { 'a.yaml': NODES + FITS },
    });

    expect(stdout).toMatch(/^nodeclaim\/general-\w+\n$/);
  });

  it('names the kinds that it skips', async () => {
    const files = {
      'a.yaml': `${NODES + FITS}---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n`,
    };
    const { code, stderr } = await mortise(FIVE_MINUTES, { files });

    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'warning: skipped, for a simulated cluster does not have these kinds: Service\n',
    });
    expect((await mortise([...FIVE_MINUTES, '-q'], { files })).stderr).toBe('');
  });
});

describe('a pod that no type can hold', () => {
  it('is listed with the reason of each pool', async () => {
    const { stdout } = await mortise(FIVE_MINUTES, { files: { 'a.yaml': NODES + TOO_LARGE } });

    expect(stdout).toContain('pods   0 ran, 1 unplaced');
    expect(stdout).toContain(
      'unplaced shop/giant\n  general  too-large  needs 64 cpu; largest type m7g.2xlarge has 7.91\n',
    );
  });

  it('has code, sentence and fields in JSON', async () => {
    const [unplaced] = (await resultOf(FIVE_MINUTES, NODES + TOO_LARGE)).pods.unplaced;

    expect({ pod: unplaced?.pod, reasons: unplaced?.reasons }).toEqual({
      pod: 'shop/giant',
      reasons: [
        {
          code: 'too-large',
          emitter: 'scheduling',
          text: 'needs 64 cpu; largest type m7g.2xlarge has 7.91',
          fields: {
            pool: 'general',
            resource: 'cpu',
            request: '64',
            type: 'm7g.2xlarge',
            free: '7.91',
          },
        },
      ],
    });
    expect(unplaced?.fix?.text).toMatch(
      /^allow node.kubernetes.io\/instance-type In .* in NodePool general, and raise limits.memory of NodePool general to /,
    );
    expect(unplaced?.fix?.and).toMatchObject([{ kind: 'raise-limit', object: 'NodePool/general' }]);
  });

  it('exits with 0, and with 1 for --fail-on unplaced', async () => {
    const call = { files: { 'a.yaml': NODES + TOO_LARGE } };

    expect((await mortise(FIVE_MINUTES, call)).code).toBe(0);
    const failed = await mortise([...FIVE_MINUTES, '--fail-on', 'unplaced'], call);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('1 unplaced');
  });

  it('needs a NodePool if there is none', async () => {
    const [unplaced] = (await resultOf(FIVE_MINUTES, FITS)).pods.unplaced;

    expect(unplaced).toMatchObject({ pod: 'shop/api', reasons: [{ code: 'no-usable-pool' }] });
    expect((await mortise(FIVE_MINUTES, { files: { 'a.yaml': FITS } })).stderr).toBe(
      'warning: no NodePool is in the files, so nothing is launched: name those that hold them too\n',
    );
  });
});

describe('NodePools without pods', () => {
  it('lead to a warning, because the workloads may be in another folder', async () => {
    expect((await mortise(FIVE_MINUTES, { files: { 'a.yaml': NODES } })).stderr).toBe(
      'warning: no pod or workload is in the files, so no node is needed: name those that hold them too\n',
    );
  });
});

describe('a pod whose node is starting when the time is up', () => {
  it('waits for that node', async () => {
    const [unplaced] = (await resultOf(['simulate', '-f', '.', '--for', '15s'], NODES + FITS)).pods.unplaced;

    expect(unplaced).toMatchObject({
      pod: 'shop/api',
      reasons: [{ code: 'waiting-for-node', fields: { phase: 'launched', typical: '45s' } }],
    });
  });
});

describe('an interrupted simulation', () => {
  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s prints its partial result, says so and exits with %i', async ([signal, exitCode]) => {
    const outcome = await mortise([...FIVE_MINUTES, '-o', 'json'], {
      files: { 'a.yaml': NODES + FITS },
      stop: AbortSignal.abort(signal),
    });
    const { complete, result } = documentOf(outcome);

    expect({ code: outcome.code, complete }).toEqual({ code: exitCode, complete: false });
    expect(result.simulatedMs).toBeLessThan(300_000);
  });
});
