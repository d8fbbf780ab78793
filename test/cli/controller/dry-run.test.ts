import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startDryRun } from '../../../cli/controller/dry-run.ts';
import type { LogLine } from '../../../shared/aws/log.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Cloud } from '../../../shared/ports/cloud.ts';
import { aKarpenterLease, aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { anInitializedClaim } from '../../support/builders.ts';
import { aControllerRuntimeDouble, aLog, type ControllerRuntimeDouble, clock } from './controller-runtime-double.ts';

/** An EC2 that counts calls that change something. */
function recordCalls(cloud: Cloud): { readonly cloud: Cloud; readonly calls: string[] } {
  const calls: string[] = [];
  const note = (name: string): never => {
    calls.push(name);
    throw new Error(`${name} was called`);
  };
  return {
    calls,
    cloud: {
      ...cloud,
      launch: async () => note('launch'),
      terminate: async () => note('terminate'),
    },
  };
}

async function startDryRunOf(cluster: ControllerRuntimeDouble) {
  const runtime = cluster.runtime('shadow');
  const { cloud, calls } = recordCalls(runtime.ports.cloud);
  const { log, lines } = aLog();
  const running = await startDryRun({
    runtime: { ...runtime, ports: { ...runtime.ports, cloud } },
    log,
    clock,
  });
  onTestFinished(() => running.stop(SECOND_MS));
  return { runtime, lines, calls };
}

const linesOfDecisions = (lines: readonly LogLine[], kind: string): readonly LogLine[] =>
  lines.filter(({ message, fields }) => message === 'decided' && fields.kind === kind);

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 20 });

describe('a dry run', () => {
  it('reports once what it would launch and sends no request that changes anything', async () => {
    const cluster = await aControllerRuntimeDouble();
    cluster.double.put(COLLECTIONS.pods, aLivePod());
    const { lines, calls, runtime } = await startDryRunOf(cluster);

    await eventually(() => expect(linesOfDecisions(lines, 'provisioning')).toHaveLength(1));
    expect(linesOfDecisions(lines, 'provisioning')[0]?.fields).toMatchObject({
      act: false,
      launches: [{ pool: 'general', pods: 1, type: 'm7i.large' }],
    });
    // Long enough for a second plan with the same result.
    await new Promise((done) => setTimeout(done, 2_000));
    expect(linesOfDecisions(lines, 'provisioning')).toHaveLength(1);
    expect(calls).toEqual([]);
    expect(cluster.double.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect((await runtime.ports.nodeClaims.list()).records).toEqual([]);
    expect(await runtime.ports.commits.latest()).toEqual({ epoch: 0 });
  });

  it("decides beside Karpenter and never reads Karpenter's lease", async () => {
    const cluster = await aControllerRuntimeDouble();
    cluster.double.put(COLLECTIONS.leases, aKarpenterLease(Date.now()));
    cluster.double.put(COLLECTIONS.pods, aLivePod());
    const { lines } = await startDryRunOf(cluster);

    await eventually(() => expect(linesOfDecisions(lines, 'provisioning')).toHaveLength(1));
    expect(cluster.double.requests.filter(({ path }) => path.includes('leases'))).toEqual([]);
  });

  it('leaves the real records unchanged', async () => {
    const cluster = await aControllerRuntimeDouble();
    const claim = anInitializedClaim('node-1');
    const { nodeClaims } = cluster.runtime('owner').ports;
    await nodeClaims.save(claim, 0);
    const { lines } = await startDryRunOf(cluster);

    await eventually(() => expect(linesOfDecisions(lines, 'disruption')).not.toEqual([]));
    expect((await nodeClaims.list()).records).toEqual([{ claim, version: 1 }]);
  });
});
