import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../shared/aws/log.ts';
import { logClaimPhases } from '../../shared/composition/log-claim-phases.ts';
import { memoryNodeClaims } from '../../shared/memory/node-claims.ts';
import { StaleNodeClaimError } from '../../shared/model/errors.ts';
import { nodeClaimsContract } from '../contracts/node-claims-contract.ts';
import { aLaunch, aNodeClaim, NOON } from '../support/builders.ts';

const traced = () => {
  const lines: LogLine[] = [];
  const claims = logClaimPhases(memoryNodeClaims(), (line) => lines.push(line));
  const reported = () => lines.map(({ message, fields }) => `${message}: ${fields.instance ?? 'none'}`);
  return { claims, lines, told: reported };
};

nodeClaimsContract('traced', async () => traced().claims);

describe('logClaimPhases', () => {
  it('logs one line for each phase, from the decision to the instance', async () => {
    const { claims, lines, told: reported } = traced();
    const claim = aNodeClaim({ decision: 'p-1' });
    const launched = { ...claim, launch: aLaunch({ providerId: 'aws:///us-east-1a/i-1' }) };
    await claims.save(claim, 0);
    await claims.save(launched, 1);
    await claims.save({ ...launched, annotations: { a: 'b' } }, 2);
    await claims.save({ ...launched, registeredAt: NOON, nodeName: 'node-1' }, 3);

    expect(reported()).toEqual(['NodeClaim launching: none', 'NodeClaim registered: aws:///us-east-1a/i-1']);
    for (const { fields } of lines) {
      expect(fields).toMatchObject({ claim: claim.name, decision: 'p-1' });
    }
    expect(lines.at(-1)?.fields.node).toBe('node-1');
  });

  it('leaves the phases to events that say the same', async () => {
    const { claims, told: reported } = traced();
    const registered = aNodeClaim({ launch: aLaunch(), registeredAt: NOON, nodeName: 'node-1' });
    await claims.save(registered, 0);
    await claims.save({ ...registered, initializedAt: NOON }, 1);
    const leaving = { ...registered, initializedAt: NOON, deletingAt: NOON, terminatingAt: NOON };
    await claims.save(leaving, 2);
    await claims.save({ ...leaving, terminatedAt: NOON }, 3);

    expect(reported().map((line) => line.replace(/:.*/, ''))).toEqual([
      'NodeClaim registered',
      'NodeClaim terminating',
    ]);
  });

  it('logs nothing for a write that was refused', async () => {
    const { claims, lines } = traced();
    await expect(claims.save(aNodeClaim(), 7)).rejects.toThrow(StaleNodeClaimError);

    expect(lines).toEqual([]);
  });
});
