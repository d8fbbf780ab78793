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
  description: 'Prices and capacity that decisions count with instead of the published ones.',
  spec: object('Which offerings look different, and how.', {
    required: { requirements: overlayRequirements },
    optional: {
      price: text('Price of an hour in USD, in place of the published one.', {
        pattern: '^\\d+(\\.\\d+)?$',
        wording: {
          noun: 'price',
          grammar: 'digits, with a dot among them or none',
          example: '"0.5"',
        },
      }),
      priceAdjustment: text(
        'What to add to the published price of an hour or take from it, in USD or per cent: "+0.1", "-10%".',
        {
          pattern:
            '^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$',
          wording: {
            noun: 'price adjustment',
            grammar: 'a sign, then USD or a percentage, down to -100%',
            example: '"-10%"',
          },
        },
      ),
      capacity: mapOf(
        'Resources that nodes will have beside those of the instance type.',
        quantity,
        {
          rules: [EXTENDED_ONLY],
        },
      ),
      weight: int32('Overlays of higher weight win; absent, the weight is 0.', {
        minimum: 1,
        maximum: 10_000,
      }),
    },
    rules: [ONE_PRICE],
  }),
  status: object('What has become of the overlay.', { optional: { conditions } }),
  gate: 'NodeOverlay',
});

export type NodeOverlaySpec = SpecOf<typeof NODE_OVERLAY>;
