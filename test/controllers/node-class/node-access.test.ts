import { describe, expect, it } from 'vitest';
import type { NodeAccess, NodeOs } from '../../../shared/model/nodes/node-access.ts';
import { aClassWorld, type ClassWorld, reconcile } from './class-world.ts';

const ROLE = 'arn:aws:iam::123456789012:role/nodes';

async function shownFor(
  access: NodeAccess,
  alias = 'al2023@latest',
): Promise<{ readonly world: ClassWorld; readonly requests: readonly string[] }> {
  const world = aClassWorld();
  const { object } = world;
  if (object?.spec.outcome === 'read') {
    const { written } = object.spec;
    const spec = { ...written.spec, amiSelectorTerms: [{ alias }] };
    world.object = { ...object, spec: { outcome: 'read', written: { ...written, spec } } };
  }
  const requests: string[] = [];
  world.resources = {
    ...world.resources,
    nodeAccess: async (profile: string, os: NodeOs) => {
      requests.push(`${profile} ${os}`);
      return access;
    },
  };
  await reconcile(world);
  return { world, requests };
}

const statusOf = ({ object }: ClassWorld, type: string) =>
  object?.conditions.find((condition) => condition.type === type)?.status;

describe('the condition NodeAccessReady', () => {
  it('is True if the role has its access entry', async () => {
    const { world, requests } = await shownFor({ outcome: 'ready', role: ROLE });

    expect(requests).toEqual(['demo-profile linux']);
    expect(statusOf(world, 'NodeAccessReady')).toBe('True');
  });

  it('asks for Windows access if the images are for Windows', async () => {
    const { requests } = await shownFor({ outcome: 'ready', role: ROLE }, 'windows2022@latest');

    expect(requests).toEqual(['demo-profile windows']);
  });

  it('leaves the class ready if it is False, because aws-auth may let nodes join', async () => {
    const { world } = await shownFor({ outcome: 'other-type', role: ROLE, type: 'EC2_WINDOWS' });

    expect(statusOf(world, 'NodeAccessReady')).toBe('False');
    expect(statusOf(world, 'Ready')).toBe('True');
  });

  it('is Unknown if EKS fails, which fails nothing else', async () => {
    const world = aClassWorld();
    world.resources = {
      nodeAccess: async () => {
        throw new Error('EKS is not reachable');
      },
    };
    await reconcile(world);

    const shown = world.object?.conditions.find(({ type }) => type === 'NodeAccessReady');
    expect(shown?.status).toBe('Unknown');
    expect(statusOf(world, 'Ready')).toBe('True');
  });

  it('is not shown if this runtime cannot ask', async () => {
    const world = aClassWorld();
    await reconcile(world);

    expect(statusOf(world, 'NodeAccessReady')).toBeUndefined();
  });
});
