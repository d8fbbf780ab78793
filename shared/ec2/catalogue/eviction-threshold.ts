import { amountOf, parseQuantity } from '../../model/quantity.ts';
import { MEMORY } from '../../model/resources.ts';

const PERCENTAGE = /^(\d+(?:\.\d+)?)%$/;

/**
 * Bytes below which the kubelet evicts. 100 % means that the signal is switched off.
 *
 * @param threshold - as in `evictionHard`: `500Mi`, or `10%` of `capacity`
 * @returns nothing where it is neither: the NodeClass takes any text, the kubelet would refuse it
 */
export function evictionBytes(threshold: string, capacity: number): number | undefined {
  const percentage = PERCENTAGE.exec(threshold)?.[1];
  if (percentage !== undefined) {
    return Number(percentage) === 100 ? 0 : Math.ceil((capacity * Number(percentage)) / 100);
  }
  const quantity = parseQuantity(threshold);
  return quantity && amountOf(MEMORY, quantity);
}
