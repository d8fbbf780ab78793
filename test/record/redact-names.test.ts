import { describe, expect, it } from 'vitest';
import { createNameRedaction } from '../../shared/record/redact-names.ts';
import {
  anInitializedClaim,
  aPodDisruptionBudget,
  aRunningPod,
  aSnapshot,
  NOON,
} from '../support/builders.ts';

const pods = [aRunningPod('node-7', { namespace: 'shop', name: 'cart-1', uid: 'u-1' })];
const hash = (name: string): string => `x-${name.length}`;

describe('a redacted input of a decision', () => {
  it('contains no name of a pod or budget, not in sentences about a drain either', () => {
    const text = '1 pod: shop/cart-1: PodDisruptionBudget shop/cart (minAvailable 1), and cart-1';
    const claim = anInitializedClaim('node-7', {
      name: 'general-1',
      heldUpBy: { 'Pod shop/cart-1': NOON },
      refusedRestarts: { 'shop/cart-1': 'its Deployment is paused' },
      blockedDrain: { pods: 1, since: NOON, text },
    });
    const podDisruptionBudgets = [aPodDisruptionBudget({ namespace: 'shop', name: 'cart' })];
    const snapshot = aSnapshot({ pods, claims: [claim], podDisruptionBudgets });
    const redacted = createNameRedaction(
      snapshot,
      hash,
    )({ kind: 'disruption', snapshot, running: [] });

    expect(JSON.stringify(redacted)).not.toMatch(/shop|cart/);
    expect(redacted.snapshot.claims[0]?.blockedDrain?.text).toBe(
      '1 pod: x-4/x-6: PodDisruptionBudget x-4/x-4 (minAvailable 1), and x-6',
    );
  });
});
