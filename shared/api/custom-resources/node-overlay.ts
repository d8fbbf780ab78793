import { customKind, type SpecOf } from '../schema/custom-kind.ts';
import { int32, mapOf, object, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { AGE_PATH, conditions, READY_PATH } from './conditions.ts';
import { overlayRequirements } from './requirements.ts';
import { quantity } from './scalars.ts';

const ONE_PRICE: Rule = {
  id: 'NO-01',
  cel: '!has(self.price) || !has(self.priceAdjustment)',
  why: 'price replaces the price and priceAdjustment changes it: one of them at a time',
  fix: 'take one of them out',
};

const EXTENDED_ONLY: Rule = {
  id: 'NO-04',
  cel: "self.all(name, !(name in ['cpu', 'memory', 'ephemeral-storage', 'pods']))",
  why: 'the size of an instance cannot be changed, only resources be added that it does not list',
  fix: 'take cpu, memory, ephemeral-storage and pods out',
};

export const NODE_OVERLAY = customKind({
  group: 'karpenter.sh',
  version: 'v1alpha1',
  kind: 'NodeOverlay',
  plural: 'nodeoverlays',
  singular: 'nodeoverlay',
  scope: 'Cluster',
  shortNames: ['overlays'],
  categories: ['karpenter'],
  columns: [
    { name: 'Ready', type: 'string', path: READY_PATH },
    { name: 'Age', type: 'date', path: AGE_PATH },
    { name: 'Weight', type: 'integer', path: '.spec.weight', isWide: true },
  ],
  description: 'Prices and capacity that decisions use instead of the published ones.',
  spec: object('The offerings that the overlay changes, and the changes.', {
    required: { requirements: overlayRequirements },
    optional: {
      price: text('Price per hour in USD. Replaces the published price.', {
        pattern: '^\\d+(\\.\\d+)?$',
        wording: {
          noun: 'price',
          grammar: 'digits, with a dot among them or none',
          example: '"0.5"',
        },
      }),
      priceAdjustment: text('Adjustment of the published hourly price, in USD or percent: "+0.1", "-10%".', {
        pattern: '^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$',
        wording: {
          noun: 'price adjustment',
          grammar: 'a sign, then USD or a percentage, down to -100%',
          example: '"-10%"',
        },
      }),
      capacity: mapOf('Extended resources of the nodes, in addition to those of the instance type.', quantity, {
        rules: [EXTENDED_ONLY],
      }),
      weight: int32('If several overlays apply, the one with the highest weight does. Default: 0.', {
        minimum: 1,
        maximum: 10_000,
      }),
    },
    rules: [ONE_PRICE],
  }),
  status: object('Observed state of the overlay.', { optional: { conditions } }),
  gate: 'NodeOverlay',
});

export type NodeOverlaySpec = SpecOf<typeof NODE_OVERLAY>;
