import { OPERATORS } from '../../model/requirements/requirement-specs.ts';
import { integer, listOf, object, oneOf, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { keyRules } from './label-rules.ts';
import { labelKey } from './scalars.ts';

const MAX_REQUIREMENTS = 100;

const IN_NEEDS_VALUES: Rule = {
  id: 'NP-05',
  cel: "self.operator == 'In' ? self.values.size() > 0 : true",
  why: 'In needs at least one value',
  fix: 'add values',
  at: '.values',
};

const IN_AND_NOT_IN_NEED_VALUES: Rule = {
  id: 'NO-02',
  cel: "self.operator in ['In', 'NotIn'] ? self.values.size() > 0 : true",
  why: 'In and NotIn need at least one value',
  fix: 'add values, or write Exists',
  at: '.values',
};

const bounds = (id: string): Rule => ({
  id,
  cel: "self.operator in ['Gt', 'Lt', 'Gte', 'Lte'] ? self.values.size() == 1 && int(self.values[0]) >= 0 : true",
  why: 'Gt, Lt, Gte and Lte need exactly one whole number, 0 or more',
  fix: 'write one number, for example values: ["4"]',
  at: '.values',
});

const ENOUGH_VALUES: Rule = {
  id: 'NP-07',
  cel: "self.operator == 'In' && has(self.minValues) ? self.values.size() >= self.minValues : true",
  why: 'In needs at least as many values as minValues asks for',
  fix: 'add values, or lower minValues',
  at: '.values',
};

const operator = oneOf('Relation between the label and the values.', OPERATORS);
const values = listOf(
  'Values of the label: at least one for In and NotIn, exactly one whole number for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.',
  text('A label value.'),
  { listType: 'atomic' },
);

const LIST = {
  maxItems: MAX_REQUIREMENTS,
  listType: 'atomic',
} as const;

/** Requirements for nodes to be launched. */
export const requirements = (kind: 'NodePool' | 'NodeClaim', description: string) =>
  listOf(
    description,
    object('A requirement on a label of the node.', {
      required: {
        key: { ...labelKey('The label.'), rules: keyRules(kind) },
        operator,
      },
      optional: {
        values,
        minValues: integer(
          'At least so many different values of the label must remain possible when nodes are chosen, so that a launch stays flexible. Alpha.',
          { minimum: 1, maximum: 50 },
        ),
      },
      rules: [IN_NEEDS_VALUES, bounds('NP-06'), ENOUGH_VALUES],
    }),
    LIST,
  );

/** Requirements that select the offerings that an overlay changes. */
export const overlayRequirements = listOf(
  'The instance types, offerings and NodePools that the overlay applies to. An empty list matches everything.',
  object('A requirement on a label.', {
    required: { key: { ...labelKey('The label.'), rules: keyRules('NodeOverlay') }, operator },
    optional: { values },
    rules: [IN_AND_NOT_IN_NEED_VALUES, bounds('NO-03')],
  }),
  LIST,
);
