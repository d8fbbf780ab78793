import { StaleNodeClaimError } from '../../model/errors.ts';
import type { NodePool } from '../../model/node-pool.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { InstanceFacts } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { adoptedClaim, type LostInstance } from './adoption.ts';
import { poolOf } from './standalone-claim.ts';
import { storeClaim } from '../support/store-claim.ts';

/** Who has just taken a cluster over moves nothing that could stay. */
const CALM_MS = 10 * MINUTE_MS;

/** Gives instances that run without a record a new one. Nothing is launched, moved or ended for it. */
export async function adopt(
  ports: Ports,
  lost: readonly LostInstance[],
  { pools }: ClusterObjects,
): Promise<void> {
  if (lost.length === 0) return;
  const byName = new Map(pools.map((pool) => [pool.name, pool]));
  const wanted = lost.flatMap((one) => {
    const { facts } = one.instance;
    const pool = facts && poolFor(one, facts, byName);
    return pool ? [{ ...one, pool, instance: { ...one.instance, facts } }] : [];
  });
  const catalogue = await ports.cloud.catalogue([...new Set(wanted.map(({ pool }) => pool))]);
  const now = ports.clock.now();

  for (const found of wanted) {
    const claim = adoptedClaim(found, catalogue, now);
    if (!claim || !(await storeIfNew(ports, claim))) continue;
    const names = [claim.name, ...(claim.nodeName === undefined ? [] : [claim.nodeName])];
    await ports.nominations.nominate(names, now + CALM_MS);
    await ports.queue.send({ topic: 'claim', claim: claim.name });
    await ports.journal.happened({ kind: 'adopted', at: now, claim: claim.name });
  }
}

/** The pool it was launched for; one that is gone, as its NodeClaim has it. */
const poolFor = (
  { object }: LostInstance,
  facts: InstanceFacts,
  pools: ReadonlyMap<string, NodePool>,
): NodePool | undefined => pools.get(facts.pool) ?? (object && poolOf(object));

/** An earlier claim of this name may be over, and its record still there. */
async function storeIfNew(ports: Ports, claim: Parameters<typeof storeClaim>[1]): Promise<boolean> {
  const known = await ports.nodeClaims.find(claim.name);
  if (known && known.claim.terminatedAt === undefined) return false;
  try {
    await storeClaim(ports, claim, known?.version ?? 0);
    return true;
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError)) throw error;
    return false;
  }
}
